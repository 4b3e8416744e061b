"""The game loader: folds games from their logs, and keeps them in memory. It only reads the event store.

Logs are read in pages, so that a long one never blocks Redis for long. The heads of games and earlier
states of long games are cached. Cached games are shared among threads and never changed: advancing one
folds new events into a copy. If several threads need the same result at the same time, only one computes it
(`SingleFlight`).

Every line that is read is checked against the hashes in it (service/store/log_check.py). A damaged event and
the events after it cannot be read. The game before them is cached like a head, so that another attempt costs
little.
"""

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, NamedTuple, TypeAlias

import orjson

from domain.errors import Unreadable
from domain.event import Event
from domain.fold import EarlierGames
from domain.game import Game
from domain.messages import Text
from domain.upcasters import upcast
from replay.history.timeline import Transition
from service.bounds import Bounds
from service.errors import GameDamaged, NotFound, log_text
from service.games.access import GameAccess, game_not_found
from service.games.game_cache import CachedGame, GameCache, advance
from service.games.single_flight import SingleFlight
from service.games.summary import Summary, summarize
from service.store.event_store import LogReader
from service.store.log_check import MISSING, NO_SECRET, check_lines, read_openings

log = logging.getLogger(__name__)

GAME_ID: Final = re.compile(r"(?!new$)[A-Za-z0-9_-]{1,64}")
"""The ids of stored games, including imported ones. `/games/new` is the form for a new game."""
PAGE_LINES: Final = 500
"""The number of lines of a log that are read with one command."""


OnLoss: TypeAlias = Callable[[Game], None]
OnDamage: TypeAlias = Callable[[GameDamaged], None]


class History(NamedTuple):
    """A game at its head or, if the game is damaged, before the damage."""

    head: Game
    damage: GameDamaged | None = None


class GameLoader:
    """Loads the games of a service. Thread-safe.

    The games that it returns are shared and must not be changed. Every method raises Unavailable if the store
    does not respond, and GameDamaged if the part of the game that it reads is damaged.

    If the cache has the snapshots of a game, any state of it costs at most `snapshot_interval` events.
    Otherwise, one thread folds the whole log, while the others wait for it.
    """

    def __init__(
        self,
        log_reader: LogReader,
        cache: GameCache,
        on_loss: OnLoss = lambda _: None,
        access: GameAccess | None = None,
        on_damage: OnDamage = lambda _: None,
    ) -> None:
        """`on_loss` is called with a cached game whose last event is no longer in the log.

        `on_damage` is called with the damage of a game each time it is noticed.

        `access` decides who may see the games that are loaded; the default knows no clubs.
        """
        self.access = access or GameAccess()
        self._log_reader = log_reader
        self._cache = cache
        self._on_loss = on_loss
        self._on_damage = on_damage
        self._cold_loads: SingleFlight[CachedGame] = SingleFlight()

    @property
    def cached_games(self) -> int:
        """The number of games that this process has cached."""
        return len(self._cache)

    def load(self, game_id: str) -> CachedGame:
        """Return the game at its head. Raises NotFound."""
        if not GAME_ID.fullmatch(game_id):
            raise game_not_found(game_id)
        cached = self._cache.get(game_id)
        if cached is None:
            cached = self._cold_loads.run(
                game_id, lambda: self._catch_up(game_id, self._cache.latest(game_id))
            )
        # This is done after a cold load too: another thread may have read the head before the caller's last
        # append.
        return self._catch_up(game_id, cached)

    def visible_game(self, game_id: str, player: str | None) -> Game:
        """Return the game at its head for a player (None: a viewer without a token).

        Raises NotFound, including for a private game that the player may not see.
        """
        try:
            game = self.load(game_id).game
        except GameDamaged as damage:
            if damage.sound is not None:
                self.access.require_visible(damage.sound, player)
            raise
        self.access.require_visible(game, player)
        return game

    def visible_history(self, game_id: str, player: str | None, seq: int | None) -> History:
        """Return the game at its head like `visible_game`; if it is damaged after event `seq`, before the
        damage.

        `seq` is None for the last event.
        """
        try:
            return History(self.visible_game(game_id, player))
        except GameDamaged as damage:
            if damage.sound is None or seq is None or seq > damage.sound.seq:
                raise
            return History(damage.sound, damage)

    def game_of_player(self, game_id: str, player: str) -> Game:
        """Return the game at its head for one of its players. Raises NotFound and Forbidden."""
        game = self.visible_game(game_id, player)
        self.access.require_seat(game, player)
        return game

    def find_losses(self) -> None:
        """Report and remove every cached game whose last event is no longer in the log.

        This is for use after the connection to the store was lost, since a replica may have replaced it.
        """
        heads = self._cache.heads()
        for start in range(0, len(heads), PAGE_LINES):
            page = {cached.game.id: cached for cached in heads[start : start + PAGE_LINES]}
            after = {game_id: _read_after(cached) for game_id, cached in page.items()}
            for game_id, lines in self._log_reader.read_each(after, 1).items():
                if not _continues(page[game_id], lines):
                    self._drop_lost(page[game_id])

    def players(self, game_id: str) -> tuple[str, ...]:
        """Return the ids of the players of a game by seat; none before the start. Raises NotFound.

        They are the players as of when this process last read the log of the game.
        """
        cached = self._cache.get(game_id) or self.load(game_id)
        return cached.game.players

    def load_many(
        self, game_ids: Sequence[str], max_events: int = Bounds().page_events
    ) -> Iterator[Game | None]:
        """Iterate over many games at their heads, read in one round trip unless a log is long.

        Ends early when `max_events` events have been folded, but not before the first game. For a game
        whose log is missing or damaged, the error is logged and None is returned, so that the others
        can still be listed.
        """
        for loaded in self._load_many(game_ids, max_events, {}):
            assert not isinstance(loaded, Summary), "there are no stored summaries"
            yield loaded

    def summarize_many(
        self,
        game_ids: Sequence[str],
        stored_summaries: Callable[[Sequence[str]], Mapping[str, Summary]],
        max_events: int = Bounds().page_events,
    ) -> Iterator[Summary | None]:
        """Iterate over the summaries of many games at their heads, like `load_many`.

        `stored_summaries` returns summaries, which may be out of date, of games that are not cached. A
        game is not folded if its summary is current.
        """
        missing = [game_id for game_id in game_ids if self._cache.get(game_id) is None]
        for loaded in self._load_many(game_ids, max_events, stored_summaries(missing)):
            if loaded is None or isinstance(loaded, Summary):
                yield loaded
            else:
                yield summarize(loaded)

    def _load_many(
        self, game_ids: Sequence[str], max_events: int, summaries: Mapping[str, Summary]
    ) -> Iterator[Game | Summary | None]:
        """Iterate over many games at their heads, or over their summaries where these are current."""
        cached = {game_id: self._cache.get(game_id) for game_id in game_ids}
        max_lines = min(PAGE_LINES, max(2, max_events // max(1, len(cached))))
        read_after = {game_id: _read_after(game) for game_id, game in cached.items()}
        read_after.update({game_id: summary.seq - 1 for game_id, summary in summaries.items()})
        lines_by_game = self._log_reader.read_each(read_after, max_lines)
        folded = 0
        for game_id, lines in lines_by_game.items():
            if folded >= max_events:
                return
            before, summary = cached[game_id], summaries.get(game_id)
            if summary is not None and len(lines) == 1 and _has_hash(lines[0], summary.hash):
                yield summary
                continue
            try:
                is_incomplete = summary is not None or len(lines) == max_lines
                if is_incomplete or not _continues(before, lines):
                    current = self.load(game_id)
                else:
                    current = self._advance(game_id, before, lines)
                    self._cache.put(current)
            except (NotFound, Unreadable) as error:
                log.error("game %s is left out of a listing: %s", game_id, log_text(error))  # noqa: TRY400 # a traceback would add nothing
                yield None
            else:
                folded += current.game.seq - _seq_of(before)
                yield current.game

    def game_at(self, game_id: str, seq: int) -> Game:
        """Return the game as it was after event `seq`. Raises NotFound if there is no such event."""
        return self._state_at(game_id, seq).game

    def game_at_round_end(self, game_id: str, seq: int) -> Game:
        """Return the game as it was after event `seq`, which ended a round, and keep it in the cache.

        Scoring all rounds of a game one after the other thus costs one fold of its log in all. Raises
        NotFound if there is no such event.
        """
        cached = self._state_at(game_id, seq)
        self._cache.put_round_end(cached)
        return cached.game

    def transition(self, head: Game, seq: int) -> Transition:
        """Return event `seq` of the game with this head, with the games before it and after it.

        There is no game before the first event. Raises NotFound if there is no such event.
        """
        if not 1 <= seq <= head.seq:
            raise _event_not_found(head, seq)
        (transition,) = self.transitions(head, seq - 1, seq)
        return transition

    def transitions(self, head: Game, after: int, upto: int) -> Iterator[Transition]:
        """Iterate over the events after+1 … upto of the game with this head, each as `transition` returns it.

        Raises NotFound if there are no such events.
        """
        snapshot, lines = self._read_from_snapshot(head.id, after, upto)
        first = len(lines) - (upto - after)
        before = self._advance(head.id, snapshot, lines[:first]) if after else None
        for index in range(first, len(lines)):
            stretch = lines[index : index + 1] if before is None else lines[index - 1 : index + 1]
            current = self._advance(head.id, before, stretch)
            # `_advance` has checked the line.
            event = upcast(orjson.loads(lines[index]))
            yield Transition(event, None if before is None else before.game, current.game)
            before = current

    def event_range(self, game_id: str, after: int, upto: int) -> tuple[Event, ...]:
        """Return the existing events of after+1 … upto."""
        lines = self._log_reader.read(game_id, after, upto)
        events, fault = check_lines(game_id, after, lines)
        if fault is not None:
            raise self._damaged(game_id, after + len(events) + 1, fault)
        self._require_no_gap(game_id, after + len(events), upto)
        return tuple(map(upcast, events))

    def event_page(self, game_id: str, after: int, limit: int) -> list[Event]:
        """Return at most `limit` events after event `after`, up to a damaged one.

        Raises GameDamaged if the first of them is damaged.
        """
        lines = self._log_reader.read(game_id, after, limit=limit)
        events, fault = check_lines(game_id, after, lines)
        if fault is not None:
            damage = self._damaged(game_id, after + len(events) + 1, fault)
            if not events:
                raise damage
        return events

    def _state_at(self, game_id: str, seq: int) -> CachedGame:
        """Return the state after event `seq`. Raises NotFound if there is no such event."""
        head = self._cache.get(game_id)
        if head is None or seq >= head.game.seq:
            try:
                head = self.load(game_id)
            except GameDamaged:
                # The cache has the game before the damage.
                head = self._cache.get(game_id)
                if head is None or seq > head.game.seq:
                    raise
        if seq == head.game.seq:
            return head
        if not 1 <= seq < head.game.seq:
            raise _event_not_found(head.game, seq)
        snapshot, lines = self._read_from_snapshot(game_id, seq, seq)
        return self._advance(game_id, snapshot, lines)

    def _read_from_snapshot(
        self, game_id: str, latest: int, upto: int
    ) -> tuple[CachedGame | None, list[bytes]]:
        """Return a cached state after event `latest` or earlier, and the lines from there to event `upto`.

        The lines begin with that of the cached state's last event, as `_advance` expects. The events
        `latest` and `upto` must exist.
        """
        snapshot = self._cache.latest(game_id, latest)
        if latest - _seq_of(snapshot) >= self._cache.snapshot_interval:
            key = f"snapshots of {game_id}"
            with suppress(GameDamaged):
                # The damage may be after the event.
                self._cold_loads.run(key, lambda: self._catch_up(game_id, snapshot))
            snapshot = self._cache.latest(game_id, latest)
        lines = self._log_reader.read(game_id, _read_after(snapshot), upto)
        if snapshot is not None and not _continues(snapshot, lines):
            self._drop_lost(self._cache.get(game_id) or snapshot)
            snapshot, lines = None, self._log_reader.read(game_id, 0, upto)
        if _read_after(snapshot) + len(lines) < upto:
            self._advance(game_id, snapshot, lines)
            self._require_no_gap(game_id, _read_after(snapshot) + len(lines), upto)
            # The log has lost its last events since the caller loaded the game.
            raise NotFound.with_message("game {game} has no event {seq}", game=game_id, seq=upto)
        return snapshot, lines

    def _catch_up(self, game_id: str, cached: CachedGame | None) -> CachedGame:
        """Return the game at its head, folded from a cached state. Raises NotFound."""
        before = cached
        while True:
            lines = self._log_reader.read(game_id, _read_after(before), limit=PAGE_LINES)
            if before is None or _continues(before, lines):
                before = self._advance(game_id, before, lines)
                if len(lines) < PAGE_LINES:
                    break
            else:
                # The whole game is folded again.
                self._drop_lost(before)
                before = cached = None
        if before is not cached:
            self._cache.put(before)
        return before

    def _drop_lost(self, cached: CachedGame) -> None:
        """Remove from the cache a game whose last event the store has lost, and report the loss."""
        self._on_loss(cached.game)
        self._cache.drop(cached.game.id)

    def _advance(
        self, game_id: str, cached: CachedGame | None, lines: Sequence[bytes]
    ) -> CachedGame:
        """Return the cached game advanced by the lines read after `_read_after(cached)`.

        The snapshots on the way are cached. Raises NotFound if the game has no events, and Unreadable.
        """
        lines = lines[0 if cached is None else 1 :]
        if not lines:
            if cached is None:
                raise game_not_found(game_id)
            return cached
        events, fault = check_lines(
            game_id, _seq_of(cached), lines, None if cached is None else cached.game.hash
        )
        try:
            opened, unopened = read_openings(self._log_reader, game_id, events)
            if unopened is not None:
                events, fault = events[: unopened - _seq_of(cached) - 1], NO_SECRET
            earlier = EarlierGames(events, load=partial(self._earlier_game, game_id))
            for stretch in self._up_to_snapshots(_seq_of(cached), events):
                cached = advance(cached, stretch, opened, earlier)
                self._cache.put_snapshot(cached)
        except (AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise Unreadable.with_message(
                "the log of game {game} is damaged: {reason}", game=game_id, reason=repr(error)
            ) from error
        if fault is not None:
            raise self._damaged(game_id, _seq_of(cached) + 1, fault, cached)
        assert cached is not None, "there is at least one event"
        return cached

    def _require_no_gap(self, game_id: str, last: int, upto: int) -> None:
        """Raise GameDamaged if the log has event `upto` or a later one, but not the one after event `last`.

        Event `last` is the last that was read, up to event `upto`; the log may also end with it.
        """
        if last < upto and self._log_reader.read(game_id, upto, limit=1):
            raise self._damaged(game_id, last + 1, MISSING)

    def note_damage(self, damage: GameDamaged) -> None:
        """Forget a game that this process read before it was damaged, and report the damage."""
        cached = self._cache.get(damage.game_id)
        if cached is not None and cached.game.seq >= damage.event:
            self._cache.drop(damage.game_id)
        self._on_damage(damage)

    def _damaged(
        self, game_id: str, event: int, fault: Text, sound: CachedGame | None = None
    ) -> GameDamaged:
        """Return the error for a damaged event. `sound` is the game before it, if it was folded."""
        damage = GameDamaged(game_id, event, fault, None if sound is None else sound.game)
        self.note_damage(damage)
        if sound is not None:
            self._cache.put(sound)
        return damage

    def _earlier_game(self, game_id: str, seq: int) -> Game:
        """Return the game after event `seq`, from which a later event resumes play."""
        snapshot = self._cache.latest(game_id, seq)
        lines = self._log_reader.read(game_id, _read_after(snapshot), seq)
        return self._advance(game_id, snapshot, lines).game

    def _up_to_snapshots(self, seq: int, events: Sequence[Event]) -> Iterator[Sequence[Event]]:
        """Split the events that follow event `seq` after each event that ends a snapshot."""
        interval = self._cache.snapshot_interval
        start, end = 0, interval - seq % interval
        while start < len(events):
            yield events[start:end]
            start, end = end, end + interval


def _event_not_found(game: Game, seq: int) -> NotFound:
    """Return the error for an event that the game does not have."""
    return NotFound.with_message(
        "game {game} has no event {seq}: its last is {last}", game=game.id, seq=seq, last=game.seq
    )


def _seq_of(cached: CachedGame | None) -> int:
    return 0 if cached is None else cached.game.seq


def _continues(cached: CachedGame | None, lines: Sequence[bytes]) -> bool:
    """Return whether lines read after `_read_after(cached)` begin with the cached game's last event.

    They do not if the log lost that event in a failover.
    """
    if cached is None:
        return True
    return bool(lines) and _has_hash(lines[0], cached.game.hash)


def _has_hash(line: bytes, hash: str) -> bool:
    # Search after the id of the game: `EventsLost` has the hash of another event in its data.
    return b'","hash":"%b"' % hash.encode() in line


def _read_after(cached: CachedGame | None) -> int:
    """Return the seq after which to read the log: before the last cached event, for its hash."""
    return 0 if cached is None else cached.game.seq - 1
