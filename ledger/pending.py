"""Pending events: the next events of one game, sealed in memory and not yet appended to a log.

What may happen is decided in `domain.lifecycle`. Sealing makes a domain event the next event in the hash
chain of its game: it adds `seq`, `prev`, the commitments to secrets, `state` and `hash`, as specified in
docs/formats.md.

A server appends the pending events of one command in one step; a game that is played without a server may
consist of pending events only.
"""

import secrets as randomness
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, cast

from domain.contract import DomainEvent
from domain.event import VERSION, ZEROS, ActionSignature, By, Event, PreparedSignature
from domain.fold import NO_EARLIER_GAMES, EarlierGames, evolve
from domain.game import Game
from domain.json_types import JsonObject
from ledger.canonical import canonical, digest, unhex
from ledger.envelope import FIELDS, OPTIONAL_FIELDS

SALT_BYTES: Final = 32

_REQUIRED: Final = tuple(name for name in FIELDS if name not in OPTIONAL_FIELDS)
_BEFORE_HASH: Final = tuple(name for name in _REQUIRED if name < "hash")
_AFTER_HASH: Final = tuple(name for name in _REQUIRED if name > "hash")


@dataclass(frozen=True, slots=True)
class Sealed:
    """A sealed event, its canonical line (without line feed), the game after it, and its openings.

    `openings` holds for each secret, by name, `{"salt": hex, "value": …}`.
    """

    event: Event
    line: bytes
    game: Game
    openings: dict[str, JsonObject] = field(repr=False)


def seal(
    game: Game | None,
    domain_event: DomainEvent,
    *,
    game_id: str,
    by: By,
    action: Mapping[str, object] | None,
    at: str,
    salt: Callable[[], bytes],
    earlier: EarlierGames = NO_EARLIER_GAMES,
    signature: ActionSignature | None = None,
    is_conditional: bool = False,
    prepared: PreparedSignature | None = None,
) -> Sealed:
    """Seal the event that follows `game` (None: the first event). `game` itself is not changed.

    `at` must not be earlier than that of the previous event; `salt` returns 32 fresh bytes for each
    secret. `earlier` has the game from which `PlayResumed` resumes play; `signature` is that of the player
    for the action or statement; `is_conditional` marks an action that the player had prepared, which
    `prepared` proves. Raises ValueError for data that has no canonical JSON.
    """
    openings = {
        name: {"salt": salt().hex(), "value": value}
        for name, value in sorted(domain_event.secrets.items())
    }
    event: Event = {
        "v": VERSION,
        "game": game_id,
        "seq": 1 if game is None else game.seq + 1,
        "type": domain_event.type,
        "at": at,
        "by": by,
        "action": cast("JsonObject | None", action),
        "data": cast("JsonObject", domain_event.data),
        "state": ZEROS,
        "prev": ZEROS if game is None else game.hash,
        "hash": "",
    }
    if openings:
        event["secrets"] = {name: commitment(opening) for name, opening in openings.items()}
    if signature is not None:
        event["signature"] = signature
    if is_conditional:
        event["conditional"] = True
    if prepared is not None:
        event["prepared"] = prepared
    after = evolve(game, event, {event["seq"]: domain_event.secrets}, earlier)
    event["state"] = _position_hash(
        None if after.state is None else after.rules.position(after.state, None)
    )
    start, end = _around_hash(event)
    event["hash"] = digest(start + end)
    after.hash, after.state_hash = event["hash"], event["state"]
    line = b'%b"hash":"%b",%b' % (start, event["hash"].encode(), end)
    return Sealed(event, line, after, openings)


def commitment(opening: JsonObject) -> str:
    """Return the commitment for an opening: SHA-256(salt ‖ canonical JSON of value), in hex.

    Raises ValueError if the salt is not lowercase hex, or the value has no canonical JSON.
    """
    return digest(unhex(opening["salt"]) + canonical(opening["value"]))


def state_hash(game: Game) -> str:
    """Return `state` of the game's last event: the hash of the position as spectators see it."""
    return _position_hash(game.position_while_on())


def _position_hash(position: Any) -> str:
    """Return the hash of a position as spectators see it: only zeros for a game that has no position."""
    return ZEROS if position is None else digest(canonical(position))


def hash_in(line: bytes, stated: str) -> str:
    """Return the hash that the event of a canonical line must have; `stated` is the one it states.

    The stated hash is cut out of the line, which is quicker than encoding the event again.
    """
    before, _, after = line.partition(b'"hash":"')
    if after.startswith(b'%b",' % stated.encode()):
        return digest(before + after[len(stated) + 2 :])
    # The data of the event has a field of this name too.
    return digest(line.replace(b'"hash":"%b",' % stated.encode(), b"", 1))


def _around_hash(event: Event) -> tuple[bytes, bytes]:
    """Return the canonical line without `hash`, in two parts: before and after that field."""
    fields: JsonObject = {**event}
    start: JsonObject = {name: fields[name] for name in _BEFORE_HASH}
    if "conditional" in event:
        start["conditional"] = event["conditional"]
    before = canonical(start)
    after: JsonObject = {name: fields[name] for name in _AFTER_HASH}
    if "prepared" in event:
        after["prepared"] = event["prepared"]
    if "secrets" in event:
        after["secrets"] = event["secrets"]
    if "signature" in event:
        after["signature"] = event["signature"]
    return before[:-1] + b",", canonical(after)[1:]


def random_salt() -> bytes:
    """Return fresh random bytes for the commitment to one secret."""
    return randomness.token_bytes(SALT_BYTES)


class PendingEvents:
    """The events that follow `base`, sealed one after the other. `base` itself is never changed."""

    def __init__(
        self,
        game_id: str,
        base: Game | None,
        *,
        timestamp: str | Callable[[], str],
        salt: Callable[[], bytes] = random_salt,
        load_earlier: Callable[[int], Game] | None = None,
    ) -> None:
        """Start without events. `base` is the game so far, None for a new game.

        `timestamp` is the `at` of all events, or returns that of the next one, which is never earlier than
        that of the previous one. `salt` returns 32 fresh bytes for each secret. `load_earlier` returns the
        game after an event that is not pending, by seq.
        """
        self.game_id = game_id
        self.base = base
        self.sealed: list[Sealed] = []
        self._timestamp = timestamp
        self._salt = salt
        self._load_earlier = load_earlier
        self._next_signature: tuple[ActionSignature | None, bytes | None] = (None, None)

    @property
    def game(self) -> Game:
        """The game after the last pending event. Raises LookupError for a game without events."""
        game = self.sealed[-1].game if self.sealed else self.base
        if game is None:
            raise LookupError(f"game {self.game_id} has no events yet")
        return game

    @property
    def next_at(self) -> str:
        """The timestamp of the next event, if it is added now."""
        return self._timestamp if isinstance(self._timestamp, str) else self._timestamp()

    @property
    def events(self) -> tuple[Event, ...]:
        """The pending events, in order."""
        return tuple(sealed.event for sealed in self.sealed)

    @property
    def lines(self) -> tuple[bytes, ...]:
        """The canonical lines of the pending events, without line feeds."""
        return tuple(sealed.line for sealed in self.sealed)

    @property
    def openings(self) -> dict[int, dict[str, JsonObject]]:
        """The openings of the pending events' secrets, by seq and name."""
        return {sealed.event["seq"]: sealed.openings for sealed in self.sealed if sealed.openings}

    def game_at(self, seq: int) -> Game:
        """Return the game after event `seq`, pending or earlier.

        Raises LookupError if there is no such event, or if earlier games cannot be loaded.
        """
        first = 1 if self.base is None else self.base.seq + 1
        if 0 <= seq - first < len(self.sealed):
            return self.sealed[seq - first].game
        if self._load_earlier is None or not 1 <= seq < first:
            raise LookupError(f"event {seq} is not among the pending events")
        return self._load_earlier(seq)

    def sign_next(self, signature: ActionSignature, salt: bytes | None = None) -> None:
        """Seal the next event with this signature of a player, which is not checked.

        `salt`, if given, is the salt of the event's secret, whose commitment the player has signed.
        """
        self._next_signature = signature, salt

    def act(
        self,
        seat: int,
        action: Any,
        *,
        is_conditional: bool = False,
        prepared: PreparedSignature | None = None,
    ) -> None:
        """Seal the event that a seat's parsed action causes. `is_conditional` and `prepared`: see `add`.

        Raises Refused with the clause, NotNow.
        """
        game = self.game
        outcome = game.decide(seat, action)
        self.add(
            outcome,
            {"seat": seat},
            game.rules.action_to_json(action),
            is_conditional=is_conditional,
            prepared=prepared,
        )

    def add(
        self,
        event: DomainEvent,
        by: By,
        action: Mapping[str, object] | None = None,
        *,
        is_conditional: bool = False,
        prepared: PreparedSignature | None = None,
    ) -> Game:
        """Seal another event, with the action that caused it, if any, and return the game after it.

        `is_conditional` marks an action that the player had prepared, which `prepared` proves, if the player
        had signed it.
        """
        signature, salt = self._next_signature
        self._next_signature = (None, None)
        sealed = seal(
            self.sealed[-1].game if self.sealed else self.base,
            event,
            game_id=self.game_id,
            by=by,
            action=action,
            at=self.next_at,
            salt=self._salt if salt is None else partial(bytes, salt),
            earlier=EarlierGames(load=self.game_at)
            if event.type == "PlayResumed"
            else NO_EARLIER_GAMES,
            signature=signature,
            is_conditional=is_conditional,
            prepared=prepared,
        )
        self.sealed.append(sealed)
        return sealed.game
