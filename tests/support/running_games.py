"""Games under way: records as a player or a spectator gets them during the game.

They are the first events of finished games, so the tests have all the secrets, although the records do not
show them.
"""

from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Final, cast

from domain.errors import CartularyError
from domain.event import ENDINGS, ZEROS, Event
from domain.fold import evolve
from domain.game import Game
from domain.json_types import JsonObject
from ledger import record
from ledger.canonical import canonical, digest
from ledger.pending import state_hash
from ledger.record import Record
from tests.support.records import KEY, SINCE

DATA_ERRORS: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
"""The errors that rules may raise when they apply made-up data."""


@dataclass(frozen=True, slots=True)
class RunningGame:
    """The first events of a finished game.

    `openings` has those of all its secrets, by seq and name; a record shows only those named in `shown`.
    `secret` is the secret that the end of the game publishes, in hex.
    """

    name: str
    events: tuple[Event, ...]
    openings: Mapping[int, Mapping[str, JsonObject]]
    shown: frozenset[str]
    secret: str
    _folded: dict[frozenset[str], list[Game]] = field(
        init=False, default_factory=dict, compare=False, repr=False
    )

    @classmethod
    def cut(
        cls, name: str, finished: Record, length: int, shown: Collection[str] = ()
    ) -> "RunningGame":
        """Return the first `length` events of a finished game."""
        end = finished.events[-1]
        assert end["type"] in ENDINGS
        events = tuple(deepcopy(finished.events[:length]))
        assert length < len(finished.events)
        return cls(name, events, finished.openings, frozenset(shown), end["data"]["secret"])

    def values(self, names: Collection[str] | None = None) -> dict[str, Any]:
        """Return the values of the secrets with these names (None: of all)."""
        return {
            name: opening["value"]
            for openings in self.openings.values()
            for name, opening in openings.items()
            if names is None or name in names
        }

    def games(self, names: Collection[str], length: int) -> list[Game]:
        """Return the game after each of the first events, folded with these secrets. Do not change them."""
        games = self._folded.setdefault(frozenset(names), [])
        values = self.values(names)
        for event in self.events[len(games) : length]:
            games.append(evolve(games[-1] if games else None, event, {event["seq"]: values}))
        return games[:length]

    def unchanged(self, events: Sequence[JsonObject]) -> int:
        """Return how many of the events, from the first one on, are the same as in this game."""
        pairs = enumerate(zip(events, self.events, strict=False))
        shorter = min(len(events), len(self.events))
        return next((i for i, (event, own) in pairs if event != own), shorter)

    def record(self, events: Sequence[JsonObject] | None = None) -> bytes:
        """Return a record of these events (None: its own) with a valid hash chain, states and signature.

        An event that cannot be applied keeps the `state` that it had, and so do those after it. Once the game
        has ended, all secrets are opened.
        """
        own: list[JsonObject] = [dict(event) for event in self.events]
        events = deepcopy(own if events is None else list(events))
        names = self.shown if events[-1]["type"] not in ENDINGS else self.values().keys()
        unchanged = self.unchanged(events)
        game = self.games(names, unchanged)[-1] if unchanged else None
        prev = self.events[unchanged - 1]["hash"] if unchanged else ZEROS
        _seal_again(events[unchanged:], unchanged, game, prev, self.values(names))
        shown = {
            seq: {name: opening for name, opening in openings.items() if name in names}
            for seq, openings in self.openings.items()
            if seq <= len(events)
        }
        header: JsonObject = {
            "format": "cartulary/1",
            "game": events[0]["game"],
            "rules": events[0]["data"].get("rules"),
            "keys": [KEY.public_entry(SINCE)],
            "head": {"seq": len(events), "hash": events[-1]["hash"]},
            "engine": record.engine(),
        }
        return b"".join(record.write(KEY.sign_head(header), map(canonical, events), shown))


def _seal_again(
    events: Sequence[JsonObject], seq: int, game: Game | None, prev: str, values: Mapping[str, Any]
) -> None:
    """Write `seq`, `prev`, `state` and `hash` of the events that follow event `seq` of a game."""
    can_apply = True
    for number, event in enumerate(events, seq + 1):
        event["seq"], event["prev"] = number, prev
        if can_apply:
            try:
                game = evolve(game, cast("Event", event), {number: values})
                event["state"] = state_hash(game)
            except (CartularyError, *DATA_ERRORS):
                can_apply = False
        unsealed = {name: value for name, value in event.items() if name != "hash"}
        event["hash"] = prev = digest(canonical(unsealed))
        if game is not None:
            game.hash = prev


def read(data: bytes) -> Record:
    """Return the record in these bytes."""
    return record.read(BytesIO(data))
