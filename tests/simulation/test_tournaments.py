"""Tournaments over many days, with absent players, withdrawals, substitutes and workers that die."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any, Final
from unittest.mock import patch

import pytest
from freezegun import freeze_time

from domain.errors import NotNow
from domain.tournaments.tournament import Tournament
from replay.tournaments.audit import audit_tournament
from replay.tournaments.log import read_tournament
from service.bootstrap import Service, build
from service.settings import Settings
from tests.support.service_games import take_action
from tests.support.tournaments import (
    CLOCK,
    DAY,
    START,
    create,
    organiser,
    register,
    register_accounts,
)
from tests.support.worker_harness import WorkerHarness
from workers.tasks import tournament_task

STEP: Final = timedelta(hours=6)
AFTER_DEATH: Final = timedelta(minutes=6)
"""After this time, another worker looks again at a tournament whose worker has died."""
MAX_ATTEMPTS: Final = 50


class Killed(BaseException):
    """The worker was killed in the middle of a job."""


class TournamentWorld:
    """Some tournaments, their players, and a server whose workers die at this share of their writes."""

    def __init__(
        self, settings: Settings, move_to: Callable[[datetime], None], deaths: float
    ) -> None:
        self._share_of_deaths = deaths
        self._settings = settings
        self._move_to = move_to
        self._chance = random.Random(2026)
        self.now = datetime.fromisoformat(START)
        self.deaths = 0
        self.ids: list[str] = []
        self._absent: set[str] = set()
        self._start_processes()
        self._organiser = organiser(self.service)
        self._people = register_accounts(self.service, 40)

    def _start_processes(self) -> None:
        """Start the processes anew: nothing is left of what was only in their memory."""
        self.service: Service = build(self._settings)
        self._harness = WorkerHarness(self.service)

    def add(self, players: int, **changes: Any) -> None:
        """Create a tournament in which so many players register; one of eight never plays."""
        # Nobody is removed, so that tables are settled at the last date.
        changes = {"clock": {**CLOCK, "on_deadline": {"remove_after": None}}, **changes}
        id = create(self.service, self._organiser, **changes).id
        people = self._chance.sample(self._people, players)
        register(self.service, id, people)
        self._absent.update(people[:: max(4, players // 4)])
        self.ids.append(id)

    def run(self, days: int) -> None:
        """Let the time pass."""
        for step in range(days * 4):
            self.now += STEP
            self._move_to(self.now)
            self._advance()
            for id in self.ids:
                self._play(id)
                if step % 8 == 5:
                    self._change_players(id)
            self._harness.scheduler.sweep(is_first=True)
            self._harness.scheduler.check_deadlines()
            self._harness.work()

    def load(self, id: str) -> Tournament:
        """Return a tournament at its head."""
        return self.service.tournaments.tournaments.load(id)

    def _advance(self) -> None:
        """Let workers do what is due; whenever one dies, others go on some minutes later."""
        for _ in range(MAX_ATTEMPTS):
            due = self.service.tournaments.progress.due(100)
            if not due:
                return
            try:
                with self._dying_worker():
                    self._harness.runner.run(tournament_task(due[0]))
            except Killed:
                self.deaths += 1
                self._harness.close()
                self._start_processes()
                self.now += AFTER_DEATH
                self._move_to(self.now)
        raise AssertionError("there is no end of work")

    @contextmanager
    def _dying_worker(self) -> Iterator[None]:
        """Kill the worker before or after some of what it writes."""
        store = self.service.tournaments.store
        places: list[tuple[Any, str]] = [
            (store, "append"),
            (store, "ack"),
            (store, "update_lists"),
            (self.service.store, "append"),
        ]
        with ExitStack() as stack:
            for owner, name in places:
                stack.enter_context(patch.object(owner, name, self._dying(getattr(owner, name))))
            yield

    def _dying(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            share = self._chance.random()
            if share < self._share_of_deaths / 2:
                raise Killed
            result = original(*arguments, **named)
            if share < self._share_of_deaths:
                raise Killed
            return result

        return call

    def _play(self, id: str) -> None:
        """Let the players of the current round act, or give up; those who are absent do neither."""
        drawn = self.load(id).current_round
        if drawn is None:
            return
        for table in drawn.open_tables:
            game_id = drawn.games[table - 1]
            if game_id is None or self.service.store.head(game_id) == 0:
                continue
            game = self.service.games.queries.game(game_id)
            present = [player for player in game.players if player not in self._absent]
            if game.to_act is None or not present:
                continue
            # Nobody gives up against a player who is absent, so that such tables last until the last date.
            if len(present) == len(game.players) and self._chance.random() < 0.4:
                quitter = self._chance.choice(present)
                resign = {"type": "resign"}
                if game.seat_of(quitter) in (game.state.in_game() if game.state else ()):
                    self.service.games.commands.act(game_id, quitter, resign, game.seq)
            elif game.players[game.to_act] in present:
                take_action(self.service, game_id, self._chance)
            self.service.games.commands.score(game_id)

    def _change_players(self, id: str) -> None:
        """Let a player withdraw, and another one register as a substitute."""
        tournament, tournaments = self.load(id), self.service.tournaments.tournaments
        if tournament.status != "running":
            return
        playing = [player for player in tournament.entrants if tournament.takes_part(player)]
        others = [player for player in self._people if player not in tournament.places]
        others = [player for player in others if not tournament.takes_part(player)]
        if len(playing) > len(tournament.entrants) // 2:
            tournaments.withdraw(id, self._chance.choice(playing))
        if others and self._chance.random() < 0.6:
            with suppress(NotNow):
                # No further round may follow.
                tournaments.register(id, self._chance.choice(others), b"substitute")


def check(world: TournamentWorld, id: str) -> None:
    """Check that a tournament is over, that nobody played twice in a round, and that it audits."""
    tournament = world.load(id)
    assert tournament.status == "finished"
    for drawn in tournament.rounds:
        seated = Counter(player for players in drawn.players for player in players)
        assert set(seated.values()) == {1}
        assert drawn.is_closed
    data = b"".join(world.service.tournaments.tournaments.record(id, None))
    record = read_tournament(data)

    def load_game(game_id: str) -> bytes:
        return b"".join(world.service.games.queries.record(game_id))

    verdict = audit_tournament(record, load_game)
    assert verdict.outcome == "sound", verdict
    types = Counter(event["type"] for event in record.events)
    expected = {"ResultRecorded", "TableSettled", "PlayerWithdrawn", "EntrantReplaced"}
    assert expected <= types.keys()
    assert tournament.games_secret is not None


def test_a_swiss_tournament_of_eight(settings: Settings) -> None:
    with freeze_time(START) as time:
        world = TournamentWorld(settings, time.move_to, deaths=0.25)
        world.add(8, round_seconds=4 * DAY)
        world.run(20)
        assert world.deaths
        for id in world.ids:
            check(world, id)
        assert world.service.tournaments.store.due(10**12, 100) == []


@pytest.mark.nightly
def test_a_swiss_tournament_of_32_and_a_league_over_thirty_days(settings: Settings) -> None:
    with freeze_time(START) as time:
        world = TournamentWorld(settings, time.move_to, deaths=0.05)
        swiss = {"format": "swiss", "table_size": 2, "rounds": 5}
        league = {"format": "league", "table_size": 2, "divisions": 3, "promoted": 1, "seasons": 2}
        tables_of_four = {"format": "swiss", "table_size": 4, "rounds": 4}
        world.add(32, format=swiss, round_seconds=4 * DAY)
        world.add(18, format=league, round_seconds=2 * DAY)
        world.add(15, format=tables_of_four, round_seconds=5 * DAY)
        world.run(30)
        assert world.deaths > 5
        for id in world.ids:
            check(world, id)
        assert world.service.tournaments.store.due(10**12, 100) == []
