"""The preferences of players: the notifications that they receive, by which channels, and when.

cartulary:notifications:PLAYER        JSON of the preferences, with the kinds that existed (`offered`), and
                                      chosen later kinds (`_encode`); missing if they are the defaults
cartulary:notifications:games:PLAYER  hash: game -> the notifications of it by e-mail and push, if not all
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import time, timedelta
from typing import Any, Final, Literal, TypeAlias, get_args

import orjson
import redis

from domain.errors import Malformed
from domain.json_fields import one_of
from domain.json_types import JsonObject
from domain.messages import Text, comma_list, message
from service.connection import to_text, unavailable_on_error
from service.games.outbox import LONGEST_QUIET_HOURS
from service.notification_subjects.table import KIND_DESCRIPTIONS, KINDS, Kind
from service.notifications.channels import PLAYER_CHANNELS

_PREFIX: Final = "cartulary:notifications:"
_GAMES: Final = f"{_PREFIX}games:"
_TIME: Final = re.compile("(?:[01][0-9]|2[0-3]):[0-5][0-9]")

GameChoice: TypeAlias = Literal["all", "turns", "none"]
GAME_CHOICES: Final[tuple[GameChoice, ...]] = get_args(GameChoice)
"""The notifications of one game by e-mail and push: as in the preferences, only those about the player's
turn, or none."""
_KINDS_OF_CHOICE: Final[Mapping[GameChoice, frozenset[Kind]]] = {
    "all": frozenset(KINDS),
    "turns": frozenset(
        kind for kind, description in KIND_DESCRIPTIONS.items() if description.is_about_turns
    ),
    "none": frozenset(),
}
_MUTED_CHANNELS: Final = ("email", "push")
"""Programs get all notifications that their players have requested, and choose among them."""

_EARLIEST_KINDS: Final = frozenset(
    {"invited", "game_started", "your_turn", "deadline_near", "turn_forfeited", "round_scored"}
    | {"game_over", "message", "dispute", "tournament"}
)
"""The kinds that existed when preferences did not yet store the existing kinds."""
_SENT_BY_DEFAULT: Final = frozenset(
    kind for kind, description in KIND_DESCRIPTIONS.items() if description.is_sent_by_default
)
_LATER_KINDS: Final = frozenset[str](
    kind for kind, description in KIND_DESCRIPTIONS.items() if description.is_later
)
"""The kinds that earlier versions refuse to read among the others; see `_encode`."""

DEFAULT_KINDS: Final[Mapping[str, frozenset[Kind]]] = {
    "email": _SENT_BY_DEFAULT,
    # A program requests what it needs, and a registered webhook is meant to be called.
    "webhook": frozenset(KINDS),
    "push": _SENT_BY_DEFAULT,
}


@dataclass(frozen=True, slots=True)
class Preferences:
    """The preferences of one player; times are local, in the time zone of the account.

    `digest` is the time of a daily e-mail that replaces single ones; `quiet_hours` are the start and the end
    of the time in which nothing is sent by e-mail and push.
    """

    kinds: Mapping[str, frozenset[str]] = field(default_factory=lambda: DEFAULT_KINDS)
    digest: time | None = None
    quiet_hours: tuple[time, time] | None = None
    later_kinds: frozenset[str] = frozenset()
    """The kinds that existed when the preferences were stored, and that this version does not know."""
    later_members: Mapping[str, Any] = field(default_factory=dict)
    """The members that this version does not know, or that have unknown values."""

    def includes(self, channel: str, kind: Kind) -> bool:
        """Return whether the player receives notifications of this kind by this channel."""
        return kind in self.kinds.get(channel, ())

    def without(self, channel: str, kind: Kind | None = None) -> "Preferences":
        """Return the preferences without one kind, or without any (None), by this channel."""
        rest = frozenset[str]() if kind is None else self.kinds.get(channel, frozenset()) - {kind}
        return replace(self, kinds={**self.kinds, channel: rest})

    def in_game(self, choice: GameChoice) -> "Preferences":
        """Return the preferences for a game in which the player has made this choice."""
        muted = {
            channel: self.kinds.get(channel, frozenset()) & _KINDS_OF_CHOICE[choice]
            for channel in _MUTED_CHANNELS
        }
        return replace(self, kinds={**self.kinds, **muted})

    def with_new_kinds(self, offered: frozenset[str]) -> "Preferences":
        """Return the preferences with the default for kinds that a later version has added to those offered.

        A channel that is switched off, for example by unsubscribing, stays off.
        """
        kinds = {
            channel: chosen | (DEFAULT_KINDS.get(channel, frozenset()) - offered)
            if chosen
            else chosen
            for channel, chosen in self.kinds.items()
        }
        return replace(self, kinds=kinds)

    def as_json(self) -> JsonObject:
        """Return the preferences as the API shows them."""
        return {
            "kinds": {
                channel: [kind for kind in KINDS if self.includes(channel, kind)]
                for channel in PLAYER_CHANNELS
            },
            "digest": None if self.digest is None else _text(self.digest),
            "quiet_hours": None if self.quiet_hours is None else [*map(_text, self.quiet_hours)],
        }

    def changed(self, changes: JsonObject) -> "Preferences":
        """Return the preferences after changes of some of the fields of `as_json`.

        A channel that `kinds` does not name stays as it is. Raises Malformed, which names every wrong field.
        """
        faults: dict[str, Text] = {}
        preferences = self
        if "kinds" in changes:
            preferences = preferences._with_kinds(changes["kinds"], faults)
        if "digest" in changes:
            preferences = replace(preferences, digest=_time(changes["digest"], "digest", faults))
        if "quiet_hours" in changes:
            hours = _quiet_hours(changes["quiet_hours"], faults)
            preferences = replace(preferences, quiet_hours=hours)
        for name in changes.keys() - {"kinds", "digest", "quiet_hours"}:
            faults[name] = message("unknown field")
        if faults:
            raise Malformed(faults)
        later = {name: value for name, value in self.later_members.items() if name not in changes}
        return replace(preferences, later_members=later)

    def _with_kinds(self, chosen: Any, faults: dict[str, Text]) -> "Preferences":
        """Return the preferences with the kinds by channel of a request; adds their faults to `faults`.

        The kinds of a later version are not in a request. They stay, unless the request switches the channel
        off.
        """
        if not isinstance(chosen, dict):
            faults["kinds"] = message("must be an object")
            return self
        kinds = dict(self.kinds)
        for channel, values in chosen.items():
            if channel not in PLAYER_CHANNELS:
                faults[f"kinds.{channel}"] = message("unknown field")
            elif not isinstance(values, list) or any(value not in KINDS for value in values):
                faults[f"kinds.{channel}"] = message(
                    "must be a list with some of these: {kinds}", kinds=comma_list(KINDS)
                )
            else:
                later = kinds.get(channel, frozenset()) - frozenset(KINDS)
                kinds[channel] = frozenset[str](values) | (later if values else frozenset())
        return replace(self, kinds=kinds)


def _time(value: Any, field: str, faults: dict[str, Text]) -> time | None:
    """Return the time of day of a request; adds its fault to `faults`."""
    if value is None:
        return None
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        faults[field] = message("must be a time of day such as 08:30, or null")
        return None
    return time.fromisoformat(value)


def _quiet_hours(value: Any, faults: dict[str, Text]) -> tuple[time, time] | None:
    """Return the quiet hours of a request; adds their faults to `faults`."""
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2 or None in value:
        faults["quiet_hours"] = message("must be two times of day, or null")
        return None
    times = [_time(item, f"quiet_hours.{index}", faults) for index, item in enumerate(value)]
    start, end = times
    if start is None or end is None:
        return None
    minutes = ((end.hour - start.hour) * 60 + end.minute - start.minute) % (24 * 60)
    if not timedelta() < timedelta(minutes=minutes) <= LONGEST_QUIET_HOURS:
        faults["quiet_hours"] = message(
            "must last at least a minute and at most {hours} hours",
            hours=LONGEST_QUIET_HOURS // timedelta(hours=1),
        )
        return None
    return start, end


def _text(moment: time) -> str:
    return moment.strftime("%H:%M")


class PreferenceStore:
    """The preferences of all players. Every method raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client

    def of(self, player: str) -> Preferences:
        """Return the preferences of a player."""
        return self.of_each([player])[player]

    def of_each(self, players: Sequence[str]) -> dict[str, Preferences]:
        """Return the preferences of each player; the defaults for one whose value is damaged."""
        if not players:
            return {}
        with unavailable_on_error():
            stored = self._redis.mget([_PREFIX + player for player in players])
        return {player: _decode(value) for player, value in zip(players, stored, strict=True)}

    def change(self, player: str, changes: JsonObject) -> Preferences:
        """Change some of the preferences of a player, and return all. Raises Malformed."""
        preferences = self.of(player).changed(changes)
        self.store(player, preferences)
        return preferences

    def store(self, player: str, preferences: Preferences) -> None:
        """Store the preferences of a player."""
        with unavailable_on_error():
            self._redis.set(_PREFIX + player, _encode(preferences))

    def delete(self, player: str) -> None:
        """Delete the preferences of a player, who then has the defaults."""
        with unavailable_on_error():
            self._redis.delete(_PREFIX + player)
            self._redis.delete(_GAMES + player)

    def choices_in_game(self, game_id: str, players: Sequence[str]) -> list[GameChoice]:
        """Return the choice of each player for a game."""
        if not players:
            return []
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for player in players:
                pipeline.hget(_GAMES + player, game_id)
            stored = pipeline.execute()
        chosen = [None if value is None else to_text(value) for value in stored]
        return [next((it for it in GAME_CHOICES if it == text), "all") for text in chosen]

    def choose_in_game(self, game_id: str, player: str, choice: object) -> GameChoice:
        """Store the choice of a player for a game, and return it. Raises Malformed."""
        chosen = next((it for it in GAME_CHOICES if it == choice), None)
        if chosen is None:
            raise Malformed({"notify": one_of(GAME_CHOICES)})
        with unavailable_on_error():
            if chosen == "all":
                self._redis.hdel(_GAMES + player, game_id)
            else:
                self._redis.hset(_GAMES + player, game_id, chosen)
        return chosen


def _encode(preferences: Preferences) -> bytes:
    """Return preferences in the stored form, which processes of earlier versions can read as well.

    For these, an unknown kind makes all preferences unreadable, unless it is in `offered`. The chosen later
    kinds are therefore there, as `CHANNEL.KIND`, beside the existing kinds.
    """
    listed = frozenset[str](KINDS) - _LATER_KINDS
    later = [
        f"{channel}.{kind}"
        for channel, chosen in preferences.kinds.items()
        for kind in sorted(chosen - listed)
    ]
    kinds = {
        channel: [kind for kind in KINDS if kind in chosen & listed]
        for channel, chosen in preferences.kinds.items()
    }
    members = {
        **preferences.as_json(),
        **preferences.later_members,
        "kinds": kinds,
        "offered": [*KINDS, *sorted(preferences.later_kinds), *later],
    }
    return orjson.dumps(members)


def _decode(stored: bytes | str | None) -> Preferences:
    """Return stored preferences; the defaults for damaged ones.

    Values of a later version that this one does not know are kept.
    """
    if stored is None:
        return Preferences()
    try:
        members = orjson.loads(stored)
        offered = frozenset[str](members.pop("offered", _EARLIEST_KINDS))
        chosen = {channel: set(kinds) for channel, kinds in members.pop("kinds", {}).items()}
    except (ValueError, TypeError, AttributeError):
        return Preferences()
    for name in offered:
        channel, _, kind = name.partition(".")
        if kind:
            chosen.setdefault(channel, set()).add(kind)
    kinds = {channel: frozenset[str](words) for channel, words in chosen.items()}
    preferences = Preferences(
        kinds={**DEFAULT_KINDS, **kinds},
        later_kinds=frozenset(name for name in offered if "." not in name) - frozenset(KINDS),
    )
    later: dict[str, Any] = {}
    for name, value in members.items():
        try:
            preferences = preferences.changed({name: value})
        except Malformed:
            later[name] = value
    return replace(preferences, later_members=later).with_new_kinds(offered)
