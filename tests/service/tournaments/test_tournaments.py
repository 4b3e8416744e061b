"""Tournaments from their creation to their end, with a real store, scheduler and worker."""

from datetime import timedelta

from freezegun import freeze_time

from ledger.tournament_log import read_tournament
from service.bootstrap import Service
from tests.support.tournaments import (
    advance,
    create,
    end_game,
    organiser,
    register,
    register_accounts,
)
from tests.support.worker_harness import WorkerHarness

START = "2026-03-02T09:00:00Z"


def test_a_swiss_tournament_runs_to_its_end(service: Service) -> None:
    with freeze_time(START) as time:
        harness = WorkerHarness(service)
        olga = organiser(service)
        players = register_accounts(service, 5)
        id = create(service, olga).id
        register(service, id, players)
        advance(harness)
        assert service.tournaments.tournaments.load(id).status == "open"
        time.tick(timedelta(days=1))
        for number in range(1, 4):
            advance(harness)
            tournament = service.tournaments.tournaments.load(id)
            drawn = tournament.rounds[-1]
            assert (tournament.status, drawn.number) == ("running", number)
            assert sorted(map(len, drawn.tables)) == [1, 2, 2]
            for table, game_id in enumerate(drawn.games, 1):
                if game_id is None:
                    continue
                game = service.games.queries.game(game_id)
                assert game.players == drawn.players[table - 1]
                assert game.options["tournament"]["drawn"] == drawn.hash
                end_game(service, game_id)
            time.tick(timedelta(minutes=1))
        advance(harness)
        tournament = service.tournaments.tournaments.load(id)
        assert tournament.status == "finished"
        assert tournament.final_standings is not None
        (group,) = tournament.final_standings
        assert sorted(row["player"] for row in group) == sorted(players)
        assert tournament.games_secret is not None
        assert service.tournaments.store.due(10**12, 100) == []
        record = read_tournament(b"".join(service.tournaments.tournaments.record(id, None)))
        assert len(record.events) == tournament.seq
