"""The door: load a game, judge what is asked on it, seal what comes of it, append it at its seq.

A game is judged as it was last seen here, without asking Redis first; where that was the past, the append
says so (or the refusal is not believed yet), what is new is folded, and it is judged again. So the usual
action costs one round trip, and of two writers one wins and the other is judged on what the first left.
"""

import json
import logging
import re
import secrets as randomness
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

import orjson

from domain.contract import DomainEvent, Json
from domain.errors import Malformed, Refused, Unreadable
from domain.event import Event
from domain.game import Game
from ledger.canonical import canonical
from ledger.seal import seal
from service import clock
from service.errors import NotFound, ServiceError, Unavailable
from service.games.cache import CachedGame, GameCache, advance, extended
from service.keyring import Keyring
from service.listings import Listings
from service.store.event_store import AppendRequest, HeadMoved, IdempotencyRecord, Log
from service.store.outbox import notes

log = logging.getLogger(__name__)

GAME_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
ATTEMPTS = 50
"""How often an append is judged again when others keep coming first, before the client is sent away."""


@dataclass(slots=True)
class PendingEvents:
    """Events that are sealed one upon the other, to be appended in one step."""

    id: str
    before: CachedGame | None
    secrets: dict[str, str] = field(default_factory=dict, repr=False)
    events: list[Event] = field(default_factory=list)
    lines: list[bytes] = field(default_factory=list)
    game: Game | None = None
    at: str = ""

    def __post_init__(self) -> None:
        if self.before is not None:
            self.game = self.before.game
        self.at = clock.next_timestamp("" if self.game is None else self.game.at)

    def add(self, fact: DomainEvent, by: Json, action: Json | None = None) -> Game:
        """One more event; the game after it."""
        sealed = seal(
            self.game,
            fact,
            game_id=self.id,
            by=by,
            action=action,
            at=self.at,
            salt=_salt,
        )
        for name, opening in sealed.opens.items():
            self.secrets[f"{sealed.event['seq']}/{name}"] = canonical(opening).decode()
        self.events.append(sealed.event)
        self.lines.append(sealed.line)
        self.game = sealed.game
        return sealed.game


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of going through the door: the events (none: there was nothing to do).

    `game` is the game after them; None where they were appended by an earlier, equal request.
    """

    events: tuple[Event, ...]
    game: Game | None


Decider = Callable[[CachedGame], PendingEvents | None]
"""Judges what is asked on a game as it stands; None: nothing is to be done. Raises Refused and the like."""


class Door:
    """What the roles of `Games` share: loading and appending."""

    def __init__(self, log: Log, cache: GameCache, keyring: Keyring, listings: Listings) -> None:
        self._log = log
        self._cache = cache
        self._keyring = keyring
        self._listings = listings

    @property
    def cached(self) -> int:
        """How many games this process holds folded."""
        return len(self._cache)

    def _fresh(self, game_id: str) -> CachedGame:
        """The game at its head: what is cached, and what has been appended since. Raises NotFound."""
        if not GAME_ID.fullmatch(game_id):
            raise no_game(game_id)
        known = self._cache.get(game_id)
        return self._caught_up(game_id, known, self._log.read(game_id, _known_to_be_true(known)))

    def _fresh_each(self, game_ids: Iterable[str]) -> Iterator[CachedGame]:
        """Many games at their heads, in one exchange with the log, without those that cannot be told.

        One game whose log is damaged or gone must not take a listing of others with it.
        """
        known = {game_id: self._cache.get(game_id) for game_id in game_ids}
        read = self._log.read_each(
            {game_id: _known_to_be_true(found) for game_id, found in known.items()}
        )
        for game_id, lines in read.items():
            try:
                yield self._caught_up(game_id, known[game_id], lines)
            except (NotFound, Unreadable) as fault:
                log.error("game %s is left out of a listing: %s", game_id, fault)  # noqa: TRY400

    def game_at(self, game_id: str, seq: int) -> Game:
        """The game as it was after event `seq`. Raises NotFound for a seq that it has not."""
        head = self._fresh(game_id).game
        if seq == head.seq:
            return head
        if not 1 <= seq < head.seq:
            raise NotFound(f"game {game_id} has no event {seq}, its last is {head.seq}")
        events = self._events(game_id, 0, seq)
        return advance(None, events, self._opened(game_id, events)).game

    def _seed(self, game_id: str) -> bytes:
        """The game's secret: nobody may see it before the game is over."""
        return bytes.fromhex(self._log.secrets(game_id)["seed"])

    def _opened(self, game_id: str, events: Sequence[Event]) -> Mapping[str, Any]:
        """The secret values of these events, by name."""
        if not any("secrets" in event for event in events):
            return {}
        stored = self._log.secrets(game_id)
        return {
            name: orjson.loads(stored[f"{event['seq']}/{name}"])["value"]
            for event in events
            for name in event.get("secrets", ())
        }

    def index(self, game_id: str) -> None:
        """See to the note `index`: list the game as its log says it is, then remove the note."""
        note = self._log.notes(game_id).get("index")
        game = self._fresh(game_id).game
        while True:
            self._listings.refresh(game)
            # Another process may have listed a later state before this one was written: whoever writes
            # last looks at the log once more.
            later = self._fresh(game_id).game
            if (later.status, later.places) == (game.status, game.places):
                break
            game = later
        if note is not None:
            self._log.done(game_id, "index", note)

    def _write(
        self,
        game_id: str,
        judge: Decider,
        answer: IdempotencyRecord | None = None,
        *,
        at_head: bool = False,
    ) -> Outcome:
        """Go through the door: judge, seal, append; judged anew as long as others come first.

        What judges may be called several times. `at_head`: begin with the head of the log instead of what
        was last seen of it. A request whose answer is known is answered with its events, whatever has
        become of the game since; a refusal is kept nowhere.
        """
        if not GAME_ID.fullmatch(game_id):
            raise no_game(game_id)
        known = None if at_head else self._cache.get(game_id)
        is_head = known is None
        folded = self._fresh(game_id) if known is None else known
        for _ in range(ATTEMPTS):
            try:
                draft = judge(folded)
            except (Refused, ServiceError) as refused:
                if not is_head:
                    folded, is_head = self._fresh(game_id), True
                    continue
                if answer is None or isinstance(refused, Malformed | Unavailable):
                    raise
                repeated = self._repeated(game_id, answer)
                if repeated is None:
                    raise
                return repeated
            if draft is None:
                return Outcome((), folded.game)
            try:
                return self._append(draft, answer)
            except HeadMoved as moved:
                if moved.head <= folded.game.seq:
                    # A Redis that has lost its end, in a failover: what is here is no longer true.
                    self._cache.drop(game_id)
                folded, is_head = self._fresh(game_id), True
        raise Unavailable("too many write to this game at once", retry_after=1)

    def _append(self, draft: PendingEvents, answer: IdempotencyRecord | None = None) -> Outcome:
        """Append a draft as it is. Raises HeadMoved."""
        before = None if draft.before is None else draft.before.game
        after = draft.game
        assert after is not None
        noted = notes(before, after, draft.events)
        appended = self._log.append(
            draft.id,
            0 if before is None else before.seq,
            AppendRequest(
                events=tuple(draft.lines),
                follows=None if before is None else before.hash,
                secrets=draft.secrets,
                notes=noted,
                answer=answer,
                over=after.status in ("finished", "abandoned"),
            ),
        )
        if appended.repeated:
            return Outcome(self._events(draft.id, appended.first - 1, appended.last), None)
        self._cache.put(extended(draft.before, draft.events, after))
        if "index" in noted:
            try:
                self.index(draft.id)
            except Unavailable:
                # It is appended, and what it calls for is noted: the sweep will see to it.
                log.warning("the listings of game %s are left to the sweep", draft.id)
        return Outcome(tuple(draft.events), after)

    def _caught_up(self, game_id: str, known: CachedGame | None, lines: list[bytes]) -> CachedGame:
        if known is not None:
            if not lines or b'"hash":"%b"' % known.game.hash.encode() not in lines[0]:
                # Another end than the one seen here, in a failover: from the beginning again.
                self._cache.drop(game_id)
                return self._fresh(game_id)
            del lines[0]
            if not lines:
                return known
        elif not lines:
            raise no_game(game_id)
        try:
            events: list[Event] = [orjson.loads(line) for line in lines]
            folded = advance(known, events, self._opened(game_id, events))
        except (KeyError, TypeError, ValueError) as fault:
            raise Unreadable(f"the log of game {game_id} is damaged: {fault!r}") from fault
        self._cache.put(folded)
        return folded

    def _repeated(self, game_id: str, answer: IdempotencyRecord) -> Outcome | None:
        appended = self._log.find_idempotency_record(game_id, answer)
        if appended is None:
            return None
        return Outcome(self._events(game_id, appended.first - 1, appended.last), None)

    def _events(self, game_id: str, after: int, upto: int) -> tuple[Event, ...]:
        return tuple(orjson.loads(line) for line in self._log.read(game_id, after, upto))


def _known_to_be_true(known: CachedGame | None) -> int:
    """After which event to read on: the last one known is read again, to see that it is still the one."""
    return 0 if known is None else known.game.seq - 1


def idempotency_record(player: str, key: str | None, request: object) -> IdempotencyRecord | None:
    """An idempotency key as the log keeps it; None where none was sent. `request` is decoded JSON."""
    if key is None:
        return None
    # Not the canonical form: what is malformed has a digest too, huge numbers and half characters.
    body = json.dumps(request, sort_keys=True)
    return IdempotencyRecord(f"{player}/{_short(key.encode())}", _short(body.encode()))


def require_visible(game: Game, player: str | None) -> None:
    """Raise NotFound where this viewer may not know of the game."""
    if game.options["private"] and not (
        player is not None and (game.has_joined(player) or player in game.invited)
    ):
        raise no_game(game.id)


def no_game(game_id: str) -> NotFound:
    """The error for a game that is not there, or not for this viewer: both say the same."""
    return NotFound(f"there is no game {game_id[:64]}")


def _short(value: bytes) -> str:
    return sha256(value).hexdigest()[:32]


def _salt() -> bytes:
    return randomness.token_bytes(32)
