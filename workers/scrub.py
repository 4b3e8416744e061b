"""The scrub, which checks the lines of all games and tournaments against their hashes, in rounds.

    cartulary:scrub         the state of the round (`_Round`), as JSON
    cartulary:scrub-lock    exists while a worker makes a step, and expires

The scheduler has a worker make a step each minute. A step checks a bounded number of events, and no more
than are due for the round to end in time. A round therefore costs the same for any number of schedulers, and
continues where it was if a worker is killed. Games in Redis are read from there, archived ones from their
objects.

A damaged game is checked again at each step, until it is repaired. The list of games comes from the heads in
the transparency log; a game without a logged head is checked in the next round. The same applies to
tournaments, which are never archived.
"""

import logging
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from domain.errors import Unreadable
from domain.event import Event
from domain.messages import Message, Text
from replay.language.renderer import english
from replay.tournaments.log import is_tournament_id
from service.bootstrap import Service
from service.connection import to_text, unavailable_on_error
from service.errors import GameDamaged, Unavailable, log_text
from service.store.damaged_games import is_event_part
from service.store.log_check import MISSING, NO_SECRET, check_lines, read_openings
from service.store.redis_event_store import RedisEventStore
from service.stored_objects import decode_object, members_of
from service.tournaments.store import TournamentStore

log = logging.getLogger(__name__)

KEY: Final = "cartulary:scrub"
LOCK_KEY: Final = "cartulary:scrub-lock"
LOCK_SECONDS: Final = 60
"""The time after which a step counts as interrupted."""
MAX_EVENTS: Final = 20_000
"""The most events that a step checks."""
MAX_SECONDS: Final = 2.0
"""The time after which a step reads no more lines."""
MAX_DAMAGED: Final = 20
"""The number of damaged games that a step checks again."""
_LINES: Final = 500
"""The number of lines that are read from a log with one command."""
_PAGE: Final = 100
"""The number of games that are listed with one command."""


@dataclass(slots=True)
class _Round:
    """The progress of a round. Times are in seconds since 1970."""

    started: float
    server: str
    """The run of the Redis server in which `cursor` is valid."""
    cursor: str | None = ""
    """The cursor of the next page of games; "" for the first one, None after the last."""
    games: list[str] = field(default_factory=list)
    """The games of the page that have not been checked yet."""
    checked: int = 0
    """The number of games that have been checked."""
    event: int = 0
    hash: str | None = None
    """The last event that was checked of the first of `games`, and its hash."""
    damaged_after: str = ""
    """The last damaged game that was checked again."""
    completed: float | None = None
    """The end of the last round that was complete."""
    later_members: Mapping[str, Any] = field(default_factory=dict)


class Scrub:
    """Makes the steps of the scrub. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, service: Service) -> None:
        self._store = service.store
        self._tournaments = service.tournaments.store
        self._archive = service.archive
        self._redis = service.redis
        self._damaged_games = service.damaged_games
        self._log = service.transparency.log
        self._period = service.settings.scrub_seconds
        self._events_left = 0
        self._ends_at = 0.0

    def step(self) -> None:
        """Make the next step, unless another worker makes one."""
        with unavailable_on_error():
            if not self._redis.set(LOCK_KEY, 1, nx=True, ex=LOCK_SECONDS):
                return
        try:
            self._events_left, self._ends_at = MAX_EVENTS, time.monotonic() + MAX_SECONDS
            round = self._round()
            self._check_damaged(round)
            self._check_games(round)
            with unavailable_on_error():
                self._redis.set(KEY, orjson.dumps(members_of(round)))
        finally:
            with unavailable_on_error():
                self._redis.delete(LOCK_KEY)

    def completed_at(self) -> float | None:
        """Return the end of the last complete round, in seconds since 1970; None before the first one."""
        return self._round().completed

    def _round(self) -> _Round:
        """Return the stored round; a new one if there is none, or if Redis was restarted since.

        Damage mostly occurs on the disk, which Redis reads when it starts.
        """
        with unavailable_on_error():
            stored, server = self._redis.get(KEY), self._server()
        completed = None
        try:
            round = decode_object(_Round, stored or b"")
            completed = round.completed
        except (TypeError, ValueError):
            pass
        else:
            if round.server == server:
                return round
        return _Round(time.time(), server, completed=completed)

    def _server(self) -> str:
        """Return the id of the run of the Redis server."""
        info: Any = self._redis.info("server")
        return str(info.get("run_id", info))

    def _check_games(self, round: _Round) -> None:
        """Check games until no more are due, or the step has reached its limits."""
        elapsed = time.time() - round.started
        if round.cursor is None and not round.games:
            if elapsed < self._period:
                return
            started = round.started + self._period * (elapsed // self._period)
            _begin_again(round, started)
            elapsed = time.time() - started
        with unavailable_on_error():
            total: Any = self._redis.hlen(self._log.heads_key)
        due = total * min(1.0, elapsed / self._period)
        while round.checked < due or elapsed >= self._period:
            if not round.games:
                if round.cursor is None:
                    round.completed = time.time()
                    log.info("all %d games are checked against their hashes", round.checked)
                    return
                self._read_page(round)
                continue
            if self._is_long_enough:
                return
            self._check_next(round)

    @property
    def _is_long_enough(self) -> bool:
        return self._events_left <= 0 or time.monotonic() >= self._ends_at

    def _read_page(self, round: _Round) -> None:
        """Read the next page of games."""
        with unavailable_on_error():
            reply: Any = self._redis.hscan(self._log.heads_key, int(round.cursor or 0), count=_PAGE)
        cursor, page = reply
        round.cursor = str(cursor) if int(cursor) else None
        round.games = list(map(to_text, page))

    def _check_next(self, round: _Round) -> None:
        """Check the first game of the round, or a part of it if it is long."""
        game_id = round.games[0]
        try:
            last = self._check(game_id, round.event, round.hash)
        except GameDamaged:
            # It is checked once more from the beginning, as it may have changed between two reads.
            self._check_completely(game_id, ())
        else:
            if last is not None:
                round.event, round.hash = last
                return
        del round.games[0]
        round.checked += 1
        round.event, round.hash = 0, None

    def _check_damaged(self, round: _Round) -> None:
        """Check games with damaged events again, a few in each step."""
        damaged = {
            game_id: events
            for game_id, parts in self._damaged_games.parts().items()
            if (events := list(filter(is_event_part, parts)))
        }
        ids = sorted(damaged, key=lambda game_id: (game_id <= round.damaged_after, game_id))
        for game_id in ids[:MAX_DAMAGED]:
            if self._is_long_enough:
                break
            self._check_completely(game_id, damaged[game_id])
            round.damaged_after = game_id

    def _check_completely(self, game_id: str, reported: Collection[str]) -> None:
        """Check a game from its first event to its last, and report whether it is damaged.

        `reported` are the damaged events that were already reported.
        """
        seq, hash = 0, None
        try:
            while (last := self._check(game_id, seq, hash)) is not None:
                seq, hash = last
        except GameDamaged as damage:
            self._damaged_games.report_event(game_id, damage.event, english(damage.fault))
            self._damaged_games.clear_events(game_id, reported, but=damage.event)
        else:
            if reported:
                self._damaged_games.clear_events(game_id, reported)

    def _check(self, game_id: str, after: int, hash: str | None) -> tuple[int, str] | None:
        """Check the next events of a game or a tournament after event `after`, which has this hash.

        Returns the seq and the hash of the last of them; None after the last event. Raises GameDamaged.
        """
        if is_tournament_id(game_id):
            return self._check_tournament(game_id, after, hash)
        if not after and self._check_archived(game_id):
            return None
        try:
            lines = self._store.read(game_id, after, limit=_LINES)
        except Unreadable as error:
            raise GameDamaged(game_id, after + 1, error.why) from error
        self._events_left -= max(1, len(lines))
        events, fault = check_lines(game_id, after, lines, hash)
        _, unopened = read_openings(self._store, game_id, events)
        if unopened is not None:
            raise GameDamaged(game_id, unopened, NO_SECRET)
        return _end_of_part(self._store, game_id, after, events, fault)

    def _check_tournament(self, id: str, after: int, hash: str | None) -> tuple[int, str] | None:
        """Check the next events of a tournament, as `_check` does those of a game."""
        lines = self._tournaments.read(id, after + 1, _LINES)
        self._events_left -= max(1, len(lines))
        events, fault = check_lines(id, after, lines, hash, of="tournament")
        return _end_of_part(self._tournaments, id, after, events, fault)

    def _check_archived(self, game_id: str) -> bool:
        """Check a game in the archive; return False if it is not there. Raises GameDamaged."""
        fault: Text | None
        stub = self._archive.stub(game_id)
        if stub is None:
            return False
        try:
            game = self._archive.read_again(stub)
        except Unreadable as error:
            raise GameDamaged(game_id, 1, error.why) from error
        except Unavailable as error:
            log.warning("archived game %s is not checked: %s", game_id, log_text(error))
            return True
        if game is None:
            if self._archive.stub(game_id) == stub:
                raise GameDamaged(game_id, 1, MISSING)
            # It was recalled in the meantime.
            return False
        self._events_left -= len(game.lines)
        events, fault = check_lines(game_id, 0, game.lines)
        if fault is not None:
            raise GameDamaged(game_id, len(events) + 1, fault)
        if game.lines[-1] != stub.line or len(game.lines) != stub.seq:
            raise GameDamaged(game_id, stub.seq, MISSING)
        return True


def _end_of_part(
    store: RedisEventStore | TournamentStore,
    id: str,
    after: int,
    events: Sequence[Event],
    fault: Message | None,
) -> tuple[int, str] | None:
    """Return the seq and the hash of the last event of a checked part; None if the log ends there.

    Raises GameDamaged if the part has a fault, or if events are missing after it.
    """
    last = after + len(events)
    if fault is not None:
        raise GameDamaged(id, last + 1, fault)
    if len(events) == _LINES:
        return last, events[-1]["hash"]
    if last < store.last_appended(id):
        raise GameDamaged(id, last + 1, MISSING)
    return None


def _begin_again(round: _Round, started: float) -> None:
    """Begin the next round."""
    round.started, round.cursor, round.checked = started, "", 0
