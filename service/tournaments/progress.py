"""The automatic progress of a tournament: it closes registration, draws rounds, creates their games, records
results, settles the open tables at the last date of a round, and ends.

Every step is derived from the log, the games and the clock, and is one append. The work may therefore be
interrupted anywhere, repeated, or done by two workers at the same time. The id of a game is derived from the
draw, so that each game is created once, even if a process dies.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from domain import lifecycle
from domain.errors import NotNow, Unreadable
from domain.event import ENDINGS
from domain.game import Game
from domain.lifecycle import NewGame
from domain.registry import rule_system_for, rule_systems
from domain.tournaments import arena_decisions, decisions, draws
from domain.tournaments.arena import PATIENCE_SECONDS, ArenaState
from domain.tournaments.decisions import game_options
from domain.tournaments.events import SYSTEM
from domain.tournaments.tournament import DrawnRound, Tournament
from ledger import commands
from replay.tournaments.dates import CALENDAR, middle_of
from replay.tournaments.log import PendingTournamentEvents
from service import wall_clock
from service.accounts.holidays import Holidays
from service.accounts.keys import PlayerKeys
from service.errors import IdempotencyConflict, NotFound
from service.games.registries import bring_holidays
from service.games.repository import GameRepository
from service.keyring import Keyring
from service.ratings.ratings import Ratings
from service.store.event_store import Head
from service.store.redis_event_store import RedisEventStore
from service.tournaments.store import DRAW_SECRET, GAMES_SECRET, TournamentStore
from service.tournaments.tournaments import Tournaments
from service.transparency.head_log import HeadLog
from service.wall_clock import TrustedClock

EXAMINE_SECONDS: Final = 30
"""The time between two examinations of the games of a round."""
EXAMINE_LAST_SECONDS: Final = 3600
"""The same for the last games of a tournament that is over, until its secret can be published."""
RETRY_SECONDS: Final = 300
"""The time until a tournament with damaged data is examined again."""
SETTLING: Final = timedelta(seconds=5)
"""The delay after the last date before open tables are settled, as an action may be on its way."""


@dataclass(eq=False, repr=False)
class TournamentGames:
    """Creates games at the tables of rounds. Thread-safe; raises Unavailable.

    They have the order of the seats, and a secret and nonces that are derived from values that were committed
    to before anybody registered.
    """

    _repository: GameRepository
    _keyring: Keyring
    _keys: PlayerKeys
    _holidays: Holidays

    def create(
        self, tournament: Tournament, drawn: DrawnRound, table: int, games_secret: bytes
    ) -> None:
        """Create the game at a table, counted from 1, unless it exists. The table must not be a bye.

        The players take part by having registered: they need not join.
        """
        game_id, players = drawn.games[table - 1], drawn.players[table - 1]
        nonces = drawn.nonces[table - 1]
        assert game_id is not None, "a bye has no game"
        secret = draws.game_secret(games_secret, game_id)
        pending = self._repository.new_game(game_id)
        new = NewGame(
            rules=tournament.rules,
            seats=len(players),
            options=game_options(tournament, drawn.number, table),
            clock=tournament.clock,
        )
        pending.add(lifecycle.create(new, secret), {"player": players[0]})
        for player, nonce in zip(players, nonces, strict=True):
            commands.join(
                pending,
                player,
                draws.game_nonce(bytes.fromhex(nonce), game_id),
                lambda: secret,
                self._keys.valid_keys(player),
            )
        for player in players:
            bring_holidays(pending, player, self._holidays)
        # The record of a game is signed, so the key must be public before there is a game.
        self._keyring.publish_key()
        with suppress(IdempotencyConflict):
            self._repository.create(pending, secret)


@dataclass(eq=False, repr=False)
class TournamentProgress:
    """Advances tournaments. Thread-safe; every method raises Unavailable."""

    _tournaments: Tournaments
    _store: TournamentStore
    _event_store: RedisEventStore
    _repository: GameRepository
    _games: TournamentGames
    _clock: TrustedClock
    _head_log: HeadLog
    _ratings: Ratings

    def due(self, limit: int) -> list[str]:
        """Return the ids of tournaments to advance now, at most `limit` of each shard."""
        return self._store.due(self._clock.now().timestamp(), limit)

    def advance(self, id: str) -> Tournament:
        """Do everything that is due, and schedule the next examination; return the tournament.

        Raises NotFound, and Unreadable if the tournament or a game of it is damaged.
        """
        # If this process dies, another one examines the tournament soon.
        self._plan(id, RETRY_SECONDS)
        tournament, has_appended = self._tournaments.execute(id, self._step)
        while has_appended:
            tournament, has_appended = self._tournaments.execute(id, self._step)
        self._create_games(tournament)
        self._store.update_lists(tournament)
        self.plan_next(tournament)
        return tournament

    def outbox(self, tournament: Tournament) -> dict[str, Any]:
        """Return the entries about notifications that are due, or late, by name, with their payloads."""
        now = wall_clock.format(self._clock.now())
        entries = self._store.outbox(tournament.id)
        return {
            name: data
            for name, data in entries.items()
            if tournament.is_over or data.get("at", "") <= now
        }

    def ack(self, id: str, name: str) -> None:
        """Remove an entry whose notifications exist."""
        self._store.ack(id, name)

    def _plan(self, id: str, seconds: float) -> None:
        self._store.set_due(id, self._clock.now().timestamp() + seconds)

    def plan_next(self, tournament: Tournament) -> None:
        """Log the head, and schedule the next examination of a tournament, unless nothing is left to do."""
        seconds = self._seconds_to_wait(tournament)
        if seconds is None:
            self._store.remove_due(tournament.id)
        else:
            self._plan(tournament.id, max(0, seconds))
        head = self._store.heads([tournament.id])[tournament.id]
        if isinstance(head, Head) and head.seq != tournament.seq:
            # A command has appended in the meantime, and its schedule may be overwritten.
            self._plan(tournament.id, 0)

    def _seconds_to_wait(self, tournament: Tournament) -> float | None:
        is_logged = tournament.id in self._head_log.log([tournament.id])
        now = self._clock.now()
        drawn = tournament.current_round
        waiting = self._store.outbox(tournament.id)
        if tournament.status == "open" and tournament.paused_at is not None:
            # The change that ends the pause plans the next examination.
            seconds = float(EXAMINE_LAST_SECONDS)
        elif tournament.status == "open":
            seconds = (wall_clock.parse(tournament.closes) - now).total_seconds()
        elif tournament.status == "running" and tournament.arena is not None:
            seconds = self._seconds_of_arena(tournament, tournament.arena)
        elif tournament.waits_for_draw:
            # A change of an organiser plans the next examination.
            seconds = EXAMINE_LAST_SECONDS
        elif tournament.status == "running" and drawn is not None:
            settled = wall_clock.parse(drawn.ends) + SETTLING
            seconds = min(EXAMINE_SECONDS, (settled - now).total_seconds())
            if tournament.paused_at is not None:
                seconds = EXAMINE_SECONDS
        elif tournament.games_secret is None and tournament.rounds:
            seconds = EXAMINE_LAST_SECONDS
        elif waiting or not is_logged:
            seconds = EXAMINE_SECONDS
        else:
            return None
        return seconds if is_logged else min(seconds, EXAMINE_SECONDS)

    def _seconds_of_arena(self, tournament: Tournament, arena: ArenaState) -> float:
        """Return when an arena in progress is to be examined: somebody has waited long enough, or it ends."""
        now = self._clock.now()
        dates = [wall_clock.parse(drawn.ends) + SETTLING for drawn in tournament.open_rounds[:1]]
        if now < (ends := wall_clock.parse(arena.ends)):
            patience = timedelta(seconds=PATIENCE_SECONDS)
            waiting = arena.free(tournament.withdrawn).values()
            patient = (wall_clock.parse(since) + patience for since in waiting)
            dates += [ends, *(at for at in patient if at > now)]
        return min(EXAMINE_SECONDS, *((date - now).total_seconds() for date in dates))

    def _step(self, tournament: Tournament, pending: PendingTournamentEvents) -> None:
        """Add the events of the next step."""
        match tournament.status:
            case "open":
                is_due = tournament.has_closed(wall_clock.format(self._clock.now()))
                if is_due and self._clock.is_reliable():
                    secret = self._store.secret(tournament.id, DRAW_SECRET)
                    ratings = self._ratings_of(tournament)
                    ends = None
                    if tournament.format.is_arena:
                        ends = CALENDAR.plus(pending.at, 60 * tournament.format.minutes)
                    decided = decisions.close_registration(tournament, secret, ratings, ends)
                    after = pending.add(decided, SYSTEM)
                    if after.status == "running" and after.arena is None:
                        self._draw_next(pending)
            case "running" if tournament.arena is not None:
                self._record_results(tournament, pending)
                if not pending.events:
                    self._continue_arena(pending)
            case "running" if tournament.waits_for_draw:
                if tournament.paused_at is None and not tournament.has_no_pairing:
                    self._draw_next(pending)
            case "running":
                self._record_results(tournament, pending)
            case "finished" | "cancelled":
                if tournament.games_secret is None and self._have_all_ended(tournament):
                    # The clock of the machine that ended a game may be ahead of this one.
                    pending.at = max(pending.at, *self._times_of_ends(tournament))
                    secret = self._store.secret(tournament.id, GAMES_SECRET)
                    pending.add(decisions.publish_games_secret(tournament, secret), SYSTEM)

    def _ratings_of(self, tournament: Tournament) -> dict[str, int] | None:
        """Return the ratings of all who have registered, if they are seeded by these; 0 without one. That of
        a team is the mean of those at its boards in the first round, and is that of its captain here.
        """
        if tournament.seeding != "rating":
            return None
        system = rule_system_for(tournament.rules, tournament.options)
        name = next(name for name, entry in rule_systems().items() if entry.system is system)

        def points(player: str) -> int:
            rating = self._ratings.of(player).get(name)
            return 0 if rating is None else rating.rating.points

        boards = tournament.format.boards
        if not boards:
            return {player: points(player) for player in tournament.registered}
        line_ups = {
            captain: tournament.teams[captain].line_up(1, boards) for captain in tournament.ready
        }
        return {
            captain: sum(map(points, players)) // len(players)
            for captain, players in line_ups.items()
        }

    def _draw_next(self, pending: PendingTournamentEvents) -> None:
        """Draw the next round, after substitutes have taken the free places, or end the tournament. A round
        that needs its release waits for it.
        """
        for decided in decisions.waiting_substitutions(pending.tournament):
            pending.add(decided, SYSTEM)
        if decisions.needs_release(pending.tournament):
            return
        ends = CALENDAR.plus(pending.at, pending.tournament.round_seconds)
        pending.add(decisions.draw_round(pending.tournament, ends), SYSTEM)

    def _continue_arena(self, pending: PendingTournamentEvents) -> None:
        """Seat those who are free in an arena; after its end, and the last result, end it."""
        tournament = pending.tournament
        assert tournament.arena is not None, "an arena in progress has a state"
        with suppress(NotNow):
            if pending.at >= tournament.arena.ends:
                pending.add(arena_decisions.finish_arena(tournament, pending.at), SYSTEM)
                return
            ends = CALENDAR.plus(tournament.arena.ends, tournament.round_seconds)
            patient_since = CALENDAR.plus(pending.at, -PATIENCE_SECONDS)
            decided = arena_decisions.draw_tables(tournament, pending.at, ends, patient_since)
            pending.add(decided, SYSTEM)

    def _record_results(self, tournament: Tournament, pending: PendingTournamentEvents) -> None:
        """Record new results; after the last one, close the round and draw the next."""
        for drawn in tournament.open_rounds:
            self._record_results_of(drawn, tournament, pending)
        if tournament.paused_at is not None or tournament.arena is not None:
            return
        try:
            pending.add(decisions.close_round(pending.tournament), SYSTEM)
        except NotNow:
            return
        self._draw_next(pending)

    def _record_results_of(
        self, drawn: DrawnRound, tournament: Tournament, pending: PendingTournamentEvents
    ) -> None:
        """Record the new results of a round."""
        is_paused = tournament.paused_at is not None
        is_over = (
            not is_paused
            and self._clock.now() >= wall_clock.parse(drawn.ends) + SETTLING
            and self._clock.is_reliable()
        )
        games = {table: drawn.games[table - 1] or "" for table in drawn.open_tables}
        types = self._event_store.last_event_types(list(games.values()))
        for table, game_id in games.items():
            type = types[game_id]
            if isinstance(type, Unreadable):
                raise type
            if type is None or not (is_over or type in ENDINGS):
                continue
            if is_over:
                # A delayed action counts as after the last date, whatever its time.
                self._event_store.settle(game_id, drawn.ends)
            game = self._repository.load(game_id).game
            if not (game.has_ended and game.at <= drawn.ends):
                if not is_over:
                    continue
                game = self._game_at(game, drawn.ends)
            # The clock of the machine that ended the game may be ahead of this one.
            pending.at = max(pending.at, game.at)
            events = self._repository.event_range(game_id, 0, game.seq)
            decided = decisions.record_result(
                pending.tournament, drawn.number, table, game, events, middle_of(drawn)
            )
            pending.add(decided, SYSTEM)

    def _game_at(self, game: Game, last_date: str) -> Game:
        """Return a game after its last event by a date; at its beginning if all events are later."""

        def at(seq: int) -> str:
            (event,) = self._repository.event_range(game.id, seq - 1, seq)
            return event["at"]

        until = max(last_date, game.created_at)
        first, last = 1, game.seq
        while first < last:
            middle = (first + last + 1) // 2
            if at(middle) <= until:
                first = middle
            else:
                last = middle - 1
        return self._repository.game_at(game.id, first)

    def _create_games(self, tournament: Tournament) -> None:
        """Create the missing games of the rounds in progress."""
        if tournament.status != "running":
            return
        games = {
            drawn.games[table - 1] or "": (drawn, table)
            for drawn in tournament.open_rounds
            for table in drawn.open_tables
        }
        types = self._event_store.last_event_types(list(games))
        missing = [place for game_id, place in games.items() if types[game_id] is None]
        if missing:
            secret = self._store.secret(tournament.id, GAMES_SECRET)
            for drawn, table in missing:
                self._games.create(tournament, drawn, table, secret)

    def _times_of_ends(self, tournament: Tournament) -> Iterator[str]:
        """Yield the times of the last events of the games of a tournament, and of the tournament."""
        yield tournament.at
        for drawn in tournament.rounds:
            for game_id in drawn.all_games:
                with suppress(NotFound):
                    yield self._repository.load(game_id).game.at

    def _have_all_ended(self, tournament: Tournament) -> bool:
        """Return whether every game of a tournament that is over has ended, or will never be created.

        A worker may still be creating one that it found missing just before the end.
        """
        ids = [id for drawn in tournament.rounds for id in drawn.all_games]
        types = self._event_store.last_event_types(ids)
        since_end = self._clock.now() - wall_clock.parse(tournament.at)
        is_missing_for_good = since_end >= timedelta(seconds=RETRY_SECONDS)
        return all(
            is_missing_for_good if type is None else type in ENDINGS for type in types.values()
        )
