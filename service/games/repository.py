"""The game repository, which appends the events that a handler adds to the log of a game.

`execute` runs a handler on a game as it was last cached, without reading Redis first. If the cached
game is out of date, the append reports it (and a refusal is not trusted), the game is brought up to
its head, and the handler runs again. The usual action thus costs one round trip; of two concurrent writers
one wins, and the handler of the other runs again on the result.
"""

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Final, NamedTuple, TypeAlias

from domain.contract import STATEMENT
from domain.errors import CartularyError, Malformed, Refused, Unreadable
from domain.event import ENDINGS, ZEROS, Event
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import message
from ledger.canonical import canonical
from ledger.keys import SigningKey
from ledger.pending import PendingEvents
from service.errors import (
    GameDamaged,
    IdempotencyConflict,
    NotFound,
    ServiceError,
    Stale,
    Unavailable,
    log_text,
)
from service.games.access import GameAccess, game_not_found, stale
from service.games.game_cache import CachedGame, GameCache, with_events
from service.games.listings import Listings
from service.games.loader import GAME_ID, GameLoader, OnDamage, OnLoss
from service.games.outbox import listing_inputs, outbox_entries
from service.keyring import Keyring
from service.store.event_store import (
    Appended,
    AppendRequest,
    Guard,
    HeadMoved,
    IdempotencyRecord,
    TimeSettled,
)
from service.store.redis_event_store import RedisEventStore, decode_receipt
from service.wall_clock import TrustedClock

log = logging.getLogger(__name__)

_REQUEST_ENCODER: Final = json.JSONEncoder(sort_keys=True)

MAX_ATTEMPTS: Final = 50
"""The number of times that a handler runs while other writers win, before the request fails."""


@dataclass(frozen=True, slots=True)
class AppendResult:
    """The events that a command appended, none if there was nothing to do, and the game after them.

    `game` is None if an earlier request with the same idempotency record appended the events. `receipt` is
    the receipt that was stored with the first event, if one was.
    """

    events: tuple[Event, ...]
    game: Game | None
    receipt: JsonObject | None = None


class AcceptedAction(NamedTuple):
    """The events that an accepted request became, and the server's receipt for the first of them.

    The fields are those of the response over HTTP.
    """

    events: tuple[Event, ...]
    receipt: JsonObject


Handler: TypeAlias = Callable[[CachedGame, PendingEvents], None]
"""Adds the events of a command on this game to the pending events, if there are any. Raises Refused and
ServiceErrors. It may be called several times.
"""


class GameRepository(GameLoader):
    """Loads games and changes them. Thread-safe; raises Unavailable like `GameLoader`."""

    def __init__(
        self,
        store: RedisEventStore,
        cache: GameCache,
        listings: Listings,
        clock: TrustedClock,
        keyring: Keyring,
        on_loss: OnLoss = lambda _: None,
        access: GameAccess | None = None,
        on_damage: OnDamage = lambda _: None,
    ) -> None:
        """`on_loss`, `access` and `on_damage`: as for GameLoader."""
        super().__init__(store, cache, on_loss, access, on_damage)
        self._clock = clock
        self._store = store
        self._listings = listings
        self._keyring = keyring
        self._listeners: list[Callable[[Sequence[Event]], None]] = []

    def add_listener(self, listener: Callable[[Sequence[Event]], None]) -> None:
        """Have `listener` called with the events of each append of this process. It must not raise."""
        self._listeners.append(listener)

    def secret(self, game_id: str) -> bytes:
        """Return the game's secret, which no viewer may see before the game has ended.

        Raises Unreadable if it is missing or damaged.
        """
        try:
            return bytes.fromhex(self._store.secrets(game_id, {"seed"})["seed"])
        except (KeyError, ValueError):
            # The error would contain the secret.
            raise Unreadable.with_message(
                "the secret of game {game} is missing or damaged", game=game_id
            ) from None

    def new_game(self, game_id: str) -> PendingEvents:
        """Return pending events for a game that does not exist yet."""
        return self._pending(game_id, None)

    def create(
        self, pending: PendingEvents, secret: bytes, record: IdempotencyRecord | None = None
    ) -> AppendResult:
        """Append the events of a new game. Raises IdempotencyConflict if the game exists already.

        If there is an idempotency key, the game id is derived from it. If the game exists, the key was
        therefore used before, and its record has expired.
        """
        self._store.mark_active(pending.game_id)
        try:
            return self._append(pending, None, record, {"seed": secret.hex()})
        except HeadMoved:
            raise IdempotencyConflict.with_message(
                "a game that has ended long ago was created with this Idempotency-Key"
            ) from None

    def execute(
        self,
        game_id: str,
        handler: Handler,
        record: IdempotencyRecord | None = None,
        *,
        at_head: bool = False,
        has_receipt: bool = False,
        guards: Sequence[Guard] = (),
    ) -> AppendResult:
        """Run a handler on the game and append the events that it adds.

        With `has_receipt`, a receipt for the first event (not counting keys that it is signed with) is stored
        with it, and returned.

        The handler runs again if another writer has appended first. `at_head` starts from the head of
        the log instead of the cached game. If the idempotency record exists, the result contains the
        events of the earlier request, whatever has happened in the game since. A refusal leaves no
        record. A player who may not see the game gets NotFound even if the key was used for another
        request. Nothing is appended if one of the `guards` fails. Raises the errors of the
        handler, NotFound, GameDamaged, IdempotencyConflict, GuardFailed, and Unavailable after MAX_ATTEMPTS.
        """
        if not GAME_ID.fullmatch(game_id):
            raise game_not_found(game_id)
        cached = None if at_head else self._cache.get(game_id)
        is_head = cached is None
        if cached is None:
            cached = self.load(game_id)
        # A receipt must not be older than the publication of its key.
        key = self._keyring.signing_key if has_receipt else None
        for _ in range(MAX_ATTEMPTS):
            pending = self._pending(game_id, cached.game)
            try:
                handler(cached, pending)
            except (Refused, ServiceError) as refusal:
                if is_head:
                    repeat = self.repeat_of(game_id, record, refusal)
                    if repeat is None:
                        raise
                    return repeat
            else:
                if not pending.sealed:
                    return AppendResult((), cached.game)
                try:
                    return self._append(pending, cached, record, key=key, guards=guards)
                except TimeSettled:
                    # This process was delayed. The handler runs again, with a later time.
                    pass
                except GameDamaged:
                    # This process read the game before it was damaged.
                    self._cache.drop(game_id)
                    raise
                except HeadMoved as conflict:
                    if conflict.head <= cached.game.seq:
                        # The events of the cached game are lost.
                        self._drop_lost(cached)
                except IdempotencyConflict:
                    # The cached game may be out of date, and the player may no longer see the game.
                    if is_head:
                        raise
            cached, is_head = self.load(game_id), True
        raise Unavailable(
            message("too many requests write to this game at the same time"), retry_after=1
        )

    def execute_each(
        self,
        game_ids: Iterable[str],
        handler: Handler,
        log_left_out: Callable[[str, str], None],
        errors: type[CartularyError] | tuple[type[CartularyError], ...] = (NotFound, Unreadable),
    ) -> None:
        """Execute a handler at the head of each game; log and skip games with one of these errors."""
        for game_id in game_ids:
            try:
                self.execute(game_id, handler, at_head=True)
            except Unavailable:
                raise
            except errors as error:
                log_left_out(game_id, log_text(error))

    def change(
        self,
        game_id: str,
        player: str,
        handler: Handler,
        idempotency_key: str | None,
        request: Sequence[object],
    ) -> Game:
        """Execute the request of a player, and return the game right after it, even if repeated.

        `request` is compared if the idempotency key is used again. Raises the errors of `execute`.
        """
        record = idempotency_record(player, idempotency_key, request)
        return self.game_after(game_id, self.execute(game_id, handler, record))

    def accept(
        self,
        game_id: str,
        player: str,
        handler: Handler,
        idempotency_key: str | None,
        request: Sequence[object],
    ) -> AcceptedAction:
        """Execute the request of a player like `change`, and return its events with a receipt."""
        record = idempotency_record(player, idempotency_key, request)
        result = self.execute(game_id, handler, record, has_receipt=True)
        # The events of a repeated request may be older than stored receipts.
        receipt = result.receipt or self._keyring.signing_key.receipt(
            _event_of_receipt(result.events)
        )
        return AcceptedAction(result.events, receipt)

    def game_after(self, game_id: str, result: AppendResult) -> Game:
        """Return the game as it was right after these events, even if the request is repeated."""
        if result.game is not None:
            return result.game
        return self.game_at(game_id, result.events[-1]["seq"])

    def require_current(self, cached: CachedGame, expected_seq: int) -> None:
        """Raise Stale if the position of a game differs from the one after event `expected_seq`."""
        game = cached.game
        if expected_seq > game.seq:
            raise Stale(
                message(
                    "there is no event {expected} yet: the last is {seq}",
                    expected=expected_seq,
                    seq=game.seq,
                ),
                game.seq,
            )
        if expected_seq >= cached.unchanged_since:
            return
        state = ZEROS
        if expected_seq > 0:
            (event,) = self.event_range(game.id, expected_seq - 1, expected_seq)
            state = event["state"]
        if state != game.state_hash:
            raise stale(expected_seq, game)

    def repeat_of(
        self, game_id: str, record: IdempotencyRecord | None, refusal: Exception
    ) -> AppendResult | None:
        """Return the result of the earlier request that a refused request repeats, or None.

        Raises IdempotencyConflict if the key was used for another request, unless the refusal hides the
        game from the player.
        """
        if record is None or isinstance(refusal, Malformed | Unavailable):
            return None
        try:
            appended = self._store.find_idempotency_record(game_id, record)
        except IdempotencyConflict:
            if isinstance(refusal, NotFound):
                return None
            raise
        if appended is None:
            return None
        return self._earlier_result(game_id, appended)

    def update_listings(self, game_id: str) -> None:
        """List the game as its log describes it, then acknowledge the outbox entry `index`."""
        payload = self._store.outbox(game_id).get("index")
        game, former = self.load(game_id).game, None
        while True:
            self._listings.refresh(game, former)
            # Another process may have listed a later state before this one was written. The last writer
            # therefore compares with the log again.
            later = self.load(game_id).game
            if listing_inputs(later) == listing_inputs(game):
                break
            game, former = later, game
        if payload is not None:
            self._store.ack(game_id, "index", payload)

    def _append(
        self,
        pending: PendingEvents,
        cached: CachedGame | None,
        record: IdempotencyRecord | None,
        secrets: Mapping[str, str] | None = None,
        *,
        key: SigningKey | None = None,
        guards: Sequence[Guard] = (),
    ) -> AppendResult:
        """Append pending events to the game that they follow. Raises HeadMoved, TimeSettled and GuardFailed.

        With a `key`, a receipt signed by it is stored and returned.
        """
        before, after = pending.base, pending.sealed[-1].game
        events = tuple(sealed.event for sealed in pending.sealed)
        accepted = _event_of_receipt(events)
        entries = outbox_entries(before, after, events)
        openings = {
            f"{sealed.event['seq']}/{name}": canonical(opening).decode()
            for sealed in pending.sealed
            for name, opening in sealed.openings.items()
        }
        if any(STATEMENT in sealed.openings for sealed in pending.sealed):
            self._store.mark_statements(pending.game_id)
        receipt = None if key is None else key.receipt(accepted)
        appended = self._store.append(
            pending.game_id,
            0 if before is None else before.seq,
            AppendRequest(
                events=pending.lines,
                secrets={**(secrets or {}), **openings},
                outbox=entries,
                receipts={} if receipt is None else {accepted["seq"]: receipt},
                idempotency_record=record,
                ends_game=events[-1]["type"] in ENDINGS,
                at=events[0]["at"],
                prev_hash=None if before is None else before.hash,
                guards=guards,
            ),
        )
        if appended.is_repeat:
            return self._earlier_result(pending.game_id, appended)
        for sealed in pending.sealed:
            cached = with_events(cached, (sealed.event,), sealed.game)
            self._cache.put_snapshot(cached)
        assert cached is not None, "an append has at least one event"
        self._cache.put(cached)
        if "index" in entries:
            try:
                self.update_listings(pending.game_id)
            except Unavailable:
                # The events and the outbox entry are stored, so the sweep will list the game.
                log.warning("the listings of game %s are left to the sweep", pending.game_id)
        for listener in self._listeners:
            listener(events)
        return AppendResult(events, after, receipt)

    def _earlier_result(self, game_id: str, appended: Appended) -> AppendResult:
        events = self.event_range(game_id, appended.first - 1, appended.last)
        accepted = _event_of_receipt(events)
        stored = self._store.receipts(game_id, [accepted["seq"]]).get(accepted["seq"])
        receipt = None if stored is None else decode_receipt(accepted, stored)
        return AppendResult(events, None, receipt)

    def _pending(self, game_id: str, game: Game | None) -> PendingEvents:
        """Return pending events that will all have the current time."""
        timestamp = self._clock.timestamp_after("" if game is None else game.at)
        return PendingEvents(
            game_id, game, timestamp=timestamp, load_earlier=partial(self.game_at, game_id)
        )


def _event_of_receipt(events: Sequence[Event]) -> Event:
    """Return the first event of an append, or the first after the keys that are registered to sign it."""
    return next((event for event in events if event["type"] != "PlayerKeyAdded"), events[0])


def idempotency_record(player: str, key: str | None, request: object) -> IdempotencyRecord | None:
    """Return the record for a player's idempotency key (None: no key) and request (decoded JSON)."""
    if key is None:
        return None
    # This is not canonical JSON: even a malformed request with huge numbers or lone surrogates has a digest.
    body = _REQUEST_ENCODER.encode(request)
    return IdempotencyRecord(f"{player}/{_digest(key.encode())}", _digest(body.encode()))


def game_id_of(record: IdempotencyRecord) -> str:
    """Return the id of the game that a request with an idempotency key creates, which is always the same."""
    return sha256(record.name.encode()).hexdigest()[:16]


def _digest(value: bytes) -> str:
    return sha256(value).hexdigest()[:32]
