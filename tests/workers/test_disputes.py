"""Disputes and takebacks in the outbox and the workers: deadlines, ends of games, rounds, notifications."""

import json
from typing import Any

from freezegun import freeze_time

from domain.event import Clock
from domain.game import Game
from domain.lifecycle import NewGame
from ledger.statements import (
    AnswerDispute,
    AnswerTakeback,
    GiveRuling,
    OpenDispute,
    RequestTakeback,
)
from service.bootstrap import Service
from service.games.outbox import rebuild_outbox
from tests.support.service_games import play_out, play_until, start_game, take_action
from tests.support.worker_harness import RecordingChannel, WorkerHarness

HOUR: Clock = {"per_turn": 3600}
DISMISS = {"type": "dismiss"}


def game_with_arbiter(service: Service, clock: Clock | None = None, **options: Any) -> Game:
    """Start a game of ada and bea, with zoe as the arbiter."""
    game = service.games.commands.create(
        "ada",
        NewGame(
            rules="barony",
            seats=2,
            options={"seating": "joined", **options},
            clock=clock,
            arbiter="zoe",
        ),
        nonce=b"0",
    )
    return service.games.commands.join(game.id, "bea", b"bea")


def dispute(service: Service, game: Game, player: str = "ada") -> int:
    """Open a dispute about the last event; return its number."""
    seq = service.games.queries.game(game.id).seq
    events = service.games.statements.state(game.id, player, OpenDispute(seq, "I object.")).events
    return events[0]["seq"]


def rule(service: Service, game: Game, number: int, ruling: Any) -> None:
    """Let the arbiter rule a dispute."""
    service.games.statements.state(game.id, "zoe", GiveRuling(number, ruling, "So be it."))


def entry(service: Service, game: Game, name: str) -> Any:
    """Return the decoded payload of an outbox entry, None if there is none."""
    payload = service.store.outbox(game.id).get(name)
    return None if payload is None else json.loads(payload)


def types(service: Service, game: Game) -> list[str]:
    return [event["type"] for event in service.games.queries.event_page(game.id, 0, 10_000)]


def run_at(workers: WorkerHarness, moment: str) -> None:
    """Let the scheduler check the deadlines at a moment, and run the jobs."""
    with freeze_time(moment):
        workers.scheduler.check_deadlines()
        workers.work()


def test_the_deadline_follows_a_dispute_and_its_ruling(
    service: Service, workers: WorkerHarness
) -> None:
    with freeze_time("2026-11-20T09:00:00Z"):
        game = game_with_arbiter(service, HOUR)
    with freeze_time("2026-11-20T09:30:00Z"):
        number = dispute(service, game)
    assert entry(service, game, "deadline") == {"turn": 1, "at": "2026-11-23T10:00:00.000Z"}
    workers.scheduler.enqueue_tasks_of({game.id})
    run_at(workers, "2026-11-20T10:30:00Z")
    assert "CityPlaced" not in types(service, game)
    with freeze_time("2026-11-20T11:00:00Z"):
        rule(service, game, number, DISMISS)
    assert entry(service, game, "deadline") == {"turn": 1, "at": "2026-11-20T11:30:00.000Z"}
    workers.scheduler.enqueue_tasks_of({game.id})
    run_at(workers, "2026-11-20T11:29:59Z")
    assert "CityPlaced" not in types(service, game)
    run_at(workers, "2026-11-20T11:30:00Z")
    assert "CityPlaced" in types(service, game)


def test_a_deadline_passes_although_nobody_rules(service: Service, workers: WorkerHarness) -> None:
    with freeze_time("2026-11-20T09:00:00Z"):
        game = game_with_arbiter(service, HOUR)
        dispute(service, game)
    workers.scheduler.enqueue_tasks_of({game.id})
    run_at(workers, "2026-11-23T09:59:59Z")
    assert "CityPlaced" not in types(service, game)
    run_at(workers, "2026-11-23T10:00:00Z")
    assert "CityPlaced" in types(service, game)


def test_the_deadline_of_a_superseded_branch_never_fires(
    service: Service, workers: WorkerHarness
) -> None:
    with freeze_time("2026-11-20T09:00:00Z"):
        game = game_with_arbiter(service, HOUR)
        take_action(service, game.id)
    superseded = workers.tasks(game.id)["deadline"]
    with freeze_time("2026-11-20T09:50:00Z"):
        rule(service, game, dispute(service, game), {"type": "resume", "from": game.seq})
        assert entry(service, game, "deadline") == {"turn": 1, "at": "2026-11-20T10:50:00.000Z"}
        take_action(service, game.id)
    # The turn has the same number on both branches.
    assert service.games.queries.game(game.id).turn == superseded.data["turn"]
    with freeze_time("2026-11-20T10:30:00Z"):
        assert workers.runner.run(superseded)
        assert service.games.commands.end_turn(game.id, superseded.data["turn"]) == []
    assert types(service, game)[-1] == "CityPlaced"
    assert types(service, game).count("CityPlaced") == 2


def test_the_end_of_a_game_waits_for_the_ruling_until_its_limit(
    service: Service, workers: WorkerHarness
) -> None:
    with freeze_time("2026-11-20T09:00:00Z"):
        game = game_with_arbiter(service)
        service.games.commands.act(game.id, "ada", {"type": "resign"}, game.seq)
        dispute(service, game)
        finish = workers.tasks(game.id)["finish"]
        assert finish.due_at == "2026-11-23T09:00:00.000Z"
        # Even a job that runs too early keeps the entry.
        assert workers.runner.run(finish)
        workers.scheduler.enqueue_tasks_of({game.id})
        workers.scheduler.sweep(is_first=True)
        workers.work()
    assert workers.tasks(game.id)["finish"] == finish
    run_at(workers, "2026-11-23T08:59:59Z")
    assert types(service, game)[-1] == "DisputeOpened"
    run_at(workers, "2026-11-23T09:00:00Z")
    assert types(service, game)[-1] == "GameFinished"


def test_a_game_is_finished_as_soon_as_the_dispute_is_ruled(
    service: Service, workers: WorkerHarness
) -> None:
    game = game_with_arbiter(service)
    service.games.commands.act(game.id, "ada", {"type": "resign"}, game.seq)
    rule(service, game, dispute(service, game), {"type": "result_stands"})
    assert workers.tasks(game.id)["finish"].due_at == ""
    workers.scheduler.enqueue_tasks_of({game.id})
    workers.work()
    assert types(service, game)[-1] == "GameFinished"


def test_a_ruling_lets_play_resume_instead_of_the_end(
    service: Service, workers: WorkerHarness
) -> None:
    game = game_with_arbiter(service)
    service.games.commands.act(game.id, "ada", {"type": "resign"}, game.seq)
    finish = workers.tasks(game.id)["finish"]
    rule(service, game, dispute(service, game), {"type": "resume", "from": game.seq})
    assert "finish" not in workers.tasks(game.id)
    assert workers.runner.run(finish)
    assert service.games.commands.score(game.id) == []
    assert entry(service, game, "notify/turn")["seat"] == 0


def test_rounds_are_scored_again_after_a_rewind(service: Service, workers: WorkerHarness) -> None:
    game = game_with_arbiter(service, round_limit=2)
    during_first_round = play_until(service, game.id, lambda game: game.round == 1).seq
    play_until(service, game.id, lambda game: game.round == 2)
    service.games.commands.score(game.id)
    play_out(service, game.id)
    assert "score/2" in service.store.outbox(game.id)
    number = dispute(service, game)
    rule(service, game, number, {"type": "resume", "from": during_first_round})
    entries = service.store.outbox(game.id)
    assert not [name for name in entries if name.startswith("score/") or name == "finish"]
    play_out(service, game.id)
    workers.sweep_and_work(game.id)
    scored = [
        event["data"]["round"]
        for event in service.games.queries.event_page(game.id, 0, 10_000)
        if event["type"] == "RoundScored"
    ]
    assert scored == [1, 1, 2]
    assert types(service, game)[-1] == "GameFinished"


def test_those_concerned_are_notified(
    service: Service, workers: WorkerHarness, channel: RecordingChannel
) -> None:
    game = game_with_arbiter(service, takebacks=True)
    take_action(service, game.id)
    number = dispute(service, game, "bea")
    service.games.statements.state(game.id, "ada", AnswerDispute(number, "No."))
    rule(service, game, number, {"type": "resume", "from": game.seq})
    take_action(service, game.id)
    request = service.games.statements.state(game.id, "ada", RequestTakeback()).events[0]["seq"]
    service.games.statements.state(game.id, "bea", AnswerTakeback(request, agree=True))
    workers.scheduler.enqueue_tasks_of({game.id})
    workers.work()
    sent = {
        (notification.subject, notification.players)
        for notification in channel.sent
        if notification.kind == "dispute"
    }
    assert sent == {
        ("dispute_opened", ("ada", "zoe")),
        ("dispute_answered", ("bea", "zoe")),
        ("dispute_ruled", ("ada", "bea")),
        ("play_resumed", ("ada", "bea", "zoe")),
        ("takeback_requested", ("bea", "zoe")),
        ("takeback_answered", ("ada", "zoe")),
    }
    opened = next(item for item in channel.sent if item.subject == "dispute_opened")
    assert opened.as_json()["dispute"] == number
    assert "I object." not in json.dumps(opened.as_json())
    assert not [name for name in service.store.outbox(game.id) if name.startswith("notify/event")]


def test_the_outbox_is_rebuilt_with_the_deadline_that_a_dispute_has_moved(
    service: Service, workers: WorkerHarness
) -> None:
    game = start_game(service, 2, HOUR)
    dispute(service, game)
    rebuilt = rebuild_outbox(service.games.queries.game(game.id))
    assert rebuilt["deadline"] == service.store.outbox(game.id)["deadline"]
    limit = service.games.queries.game(game.id).disputes[0].clock_stopped_until
    assert limit is not None
    assert json.loads(rebuilt["deadline"])["at"] > limit
