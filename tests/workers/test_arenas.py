"""An arena whose workers are killed with SIGKILL: nobody is seated twice or lost, and it audits."""

import random
from datetime import timedelta

from domain.tournaments.folding import evolve_tournament
from domain.tournaments.tournament import Tournament
from replay.tournaments.audit import audit_tournament
from replay.tournaments.log import read_tournament
from service import wall_clock
from service.bootstrap import Service
from tests.support.arenas import ARENA
from tests.support.processes import Start, wait_until
from tests.support.tournaments import end_game, organiser, register, register_accounts, settings

PLAYERS = 8
KILLS = 4


def end_some_games(service: Service, tournament: Tournament, chance: random.Random) -> None:
    """End two games, and others by chance, as soon as they exist."""
    games = [
        drawn.games[table - 1] or ""
        for drawn in tournament.open_rounds
        for table in drawn.open_tables
    ]
    wait_until(lambda: all(service.store.head(game) for game in games))
    for number, game in enumerate(games):
        # Players of two tables can meet each other at once.
        if number < 2 or chance.random() < 0.5:
            end_game(service, game)


def check_seats(events: list[object]) -> None:
    """Check that after each event everybody has one table, or none and is free."""
    tournament: Tournament | None = None
    for event in events:
        tournament = evolve_tournament(tournament, event)  # type: ignore[arg-type]
        if tournament.arena is None:
            continue
        seated = [
            number
            for drawn in tournament.open_rounds
            for table in drawn.open_tables
            for number in drawn.tables[table - 1]
        ]
        everybody = [*seated, *tournament.arena.free_since]
        assert sorted(everybody) == list(range(len(tournament.entrants))), event


def test_workers_that_are_killed_seat_nobody_twice_and_lose_nobody(
    service: Service, start: Start
) -> None:
    chance = random.Random(7)
    olga, players = organiser(service), register_accounts(service, PLAYERS)
    tournaments = service.tournaments.tournaments
    processes = [start("worker", "--scheduler") for _ in range(2)]
    closes = wall_clock.now() + timedelta(days=1)
    fields = {"format": ARENA, "most": PLAYERS, "starts_when_full": True, "round_seconds": 900}
    id = tournaments.create(olga, settings(closes, **fields)).id
    register(service, id, players)
    wait_until(lambda: bool(tournaments.load(id).rounds))
    for kill in range(KILLS):
        before = len(tournaments.load(id).rounds)
        end_some_games(service, tournaments.load(id), chance)
        # In the middle of what follows from the results.
        victim = processes.pop(kill % 2)
        victim.kill()
        victim.wait()
        processes.append(start("worker", "--scheduler"))
        wait_until(lambda before=before: len(tournaments.load(id).rounds) > before)  # type: ignore[misc]
    drawn = tournaments.load(id).open_rounds
    games = [each.games[table - 1] or "" for each in drawn for table in each.open_tables]
    wait_until(lambda: all(service.store.head(game) for game in games))
    record = read_tournament(b"".join(tournaments.record(id, None)))
    check_seats(list(record.events))
    verdict = audit_tournament(record, lambda game: b"".join(service.games.queries.record(game)))
    assert verdict.outcome != "broken", verdict
