"""Bots are played by worker jobs, with what their seats may see, and never stop a game."""

import io
import random
import time
from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

import pytest

from domain.chance import Chance
from domain.game import Game
from domain.lifecycle import NewGame
from ledger.statements import AnswerTakeback, GiveRuling, OpenDispute, RequestTakeback
from replay.audit import audit
from replay.bots import absent_player
from replay.bots.absent_player import MAX_ACTIONS
from service.bootstrap import Service
from tests.support.service_games import play_until, take_action
from tests.support.worker_harness import RecordingChannel, WorkerHarness
from workers.bot_player import BotPlayer
from workers.tasks import BOTS, GAMES, QUEUES

MAX_ROUNDS = 400


def create(
    service: Service, *bots: str, rules: str = "barony", seats: int = 0, **options: Any
) -> Game:
    """Create a game of a person, `ada`, with bots; the seats are in the order of joining."""
    return service.games.commands.create(
        "ada",
        NewGame(
            rules=rules, seats=seats or len(bots) + 1, options={"seating": "joined", **options}
        ),
        bots=bots,
    )


def act_as_person(service: Service, game: Game, chance: random.Random | None = None) -> None:
    """Take an action of ada, whose turn it is."""
    game = service.games.queries.game(game.id)
    assert game.to_act == 0
    take_action(service, game.id, chance)


def let_bots_act(workers: WorkerHarness, game: Game) -> Game:
    """Run jobs until the game waits for no bot, and return the game."""
    for _ in range(MAX_ROUNDS):
        workers.scheduler.enqueue_tasks_of({game.id})
        workers.work()
        if "bot" not in workers.tasks(game.id):
            return workers.service.games.queries.game(game.id)
    raise AssertionError(f"bots do not finish: {workers.tasks(game.id)}")


def play_out_with_bots(workers: WorkerHarness, game: Game, seed: int) -> Game:
    """Play to the end, with random actions of ada, and return the game."""
    service, chance = workers.service, random.Random(seed)
    for _ in range(MAX_ROUNDS):
        game = let_bots_act(workers, game)
        if game.status != "playing":
            return game
        if game.to_act is not None:
            act_as_person(service, game, chance)
    raise AssertionError("the game does not end")


def test_a_game_with_bots_is_played_to_its_end_and_audits(workers: WorkerHarness) -> None:
    service = workers.service
    game = create(service, "sensible", "random", round_limit=2, sorcery=True)
    game = play_out_with_bots(workers, game, seed=1)
    assert game.status == "finished"
    workers.sweep_and_work(game.id)
    report = audit(io.BytesIO(b"".join(service.games.queries.record(game.id))))
    assert report.verdict != "broken", report.first


def test_bots_act_in_a_row_and_nobody_is_notified_of_their_turns(
    workers: WorkerHarness, channel: RecordingChannel
) -> None:
    service = workers.service
    game = create(service, "sensible", "random", "sensible")
    let_bots_act(workers, game)
    act_as_person(service, game)
    game = let_bots_act(workers, game)
    assert game.to_act == 0
    events = service.games.queries.event_page(game.id, 0, 100)
    seats = [event["by"].get("seat") for event in events if event["action"]]
    # In set-up, the last seat places two or three cities in a row, then those before it one or two each.
    assert list(dict.fromkeys(seats)) == [0, 1, 2, 3]
    assert seats[-1] == 1
    assert {sent.players for sent in channel.sent} == {("ada",)}


@pytest.mark.parametrize("failure", ["raises", "illegal", "nothing"])
def test_a_bot_that_fails_takes_a_legal_action_instead(
    workers: WorkerHarness, failure: str, caplog: pytest.LogCaptureFixture
) -> None:
    service = workers.service
    game = create(service, "sensible")
    act_as_person(service, game)

    def fail(position: Any, actions: Sequence[Any], seat: int, chance: Chance) -> Any:
        if failure == "raises":
            raise RuntimeError("a fault of the bot")
        taken = service.games.queries.event_page(game.id, game.seq, 1)[0]["action"]
        return game.rules.parse_action(taken) if failure == "illegal" else None

    with patch.object(absent_player, "bot_named", lambda *_: fail):
        game = let_bots_act(workers, game)
    assert game.to_act == 0
    assert "the bot of seat 1 failed" in caplog.text


def test_a_bot_without_any_possible_action_resigns(
    workers: WorkerHarness, caplog: pytest.LogCaptureFixture
) -> None:
    service = workers.service
    game = create(service, "sensible")
    act_as_person(service, game)
    with patch.object(game.rules, "legal_actions", lambda *_: []):
        game = let_bots_act(workers, game)
    assert game.is_played_out or game.status == "finished"
    assert "resigns, having no legal action" in caplog.text


def test_a_sweep_finds_a_game_that_waits_for_a_bot_after_a_worker_was_killed(
    workers: WorkerHarness,
) -> None:
    service = workers.service
    game = create(service, "sensible")
    act_as_person(service, game)
    # The worker that took the job was killed before it did anything: the queue has forgotten the job.
    workers.scheduler.enqueue_tasks_of({game.id})
    workers.client.delete(workers.queues.queues[BOTS].key)
    assert workers.waiting() == [f"notify/started of game {game.id}"]
    workers.sweep_twice_and_work()
    assert service.games.queries.game(game.id).seq == game.seq + 2


def test_a_job_that_runs_twice_or_late_acts_once(workers: WorkerHarness) -> None:
    service = workers.service
    game = create(service, "sensible")
    act_as_person(service, game)
    task = workers.tasks(game.id)["bot"]
    for _ in range(2):
        assert workers.runner.run(task)
    assert service.games.queries.game(game.id).seq == game.seq + 2


def test_a_bot_whose_position_changes_while_it_thinks_does_nothing(workers: WorkerHarness) -> None:
    service = workers.service
    game = create(service, "sensible", "sensible")
    act_as_person(service, game)

    def resign_meanwhile(position: Any, actions: Sequence[Any], seat: int, chance: Chance) -> Any:
        seq = service.games.queries.game(game.id).seq
        service.games.commands.act(game.id, "ada", {"type": "resign"}, seq)
        return actions[0]

    with patch.object(absent_player, "bot_named", lambda *_: resign_meanwhile):
        assert BotPlayer(service).play(game.id)
    events = service.games.queries.event_page(game.id, game.seq, 10)
    assert [event["type"] for event in events] == ["CityPlaced", "PlayerResigned"]
    assert service.games.queries.game(game.id).status == "playing"
    assert let_bots_act(workers, game).is_played_out


def test_jobs_of_bots_have_a_separate_queue_behind_that_of_games(workers: WorkerHarness) -> None:
    game = create(workers.service, "sensible")
    act_as_person(workers.service, game)
    assert workers.tasks(game.id)["bot"].queue == BOTS
    assert QUEUES.index(GAMES) < QUEUES.index(BOTS)


def test_reindexing_restores_the_entries_of_bots(workers: WorkerHarness) -> None:
    from service.recovery.reindex import reindex

    service = workers.service
    game = create(service, "sensible")
    act_as_person(service, game)
    entry = workers.tasks(game.id)["bot"]
    service.store.ack(game.id, "bot", entry.payload)
    assert "bot" not in workers.tasks(game.id)
    reindex(service, lambda _: None)
    assert workers.tasks(game.id)["bot"].data == {"seq": service.games.queries.game(game.id).seq}


def test_a_person_alone_with_bots_takes_back_by_a_ruling(workers: WorkerHarness) -> None:
    service = workers.service
    game = create(service, "sensible", "random")
    act_as_person(service, game)
    game = let_bots_act(workers, game)
    service.games.statements.state(
        game.id, "ada", OpenDispute(game.seq, "I mistook a lake for a field")
    )
    number = service.games.queries.game(game.id).seq
    start = game.seats + 2
    service.games.statements.state(
        game.id, "ada", GiveRuling(number, {"type": "resume", "from": start})
    )
    game = let_bots_act(workers, game)
    assert game.resumptions[-1].origin == start
    assert game.to_act == 0


def test_bots_agree_to_a_takeback_that_all_people_agree_to(workers: WorkerHarness) -> None:
    service = workers.service
    game = create(service, "sensible", takebacks=True, seats=3)
    game = service.games.commands.join(game.id, "bea")
    act_as_person(service, game)
    let_bots_act(workers, game)
    game = play_until(service, game.id, lambda game: game.round == 0 and game.to_act == 1)
    service.games.statements.state(game.id, "bea", RequestTakeback())
    number = service.games.queries.game(game.id).seq
    assert let_bots_act(workers, game).seq == number
    service.games.statements.state(game.id, "ada", AnswerTakeback(number, agree=True))
    game = let_bots_act(workers, game)
    assert game.to_act == 2
    assert game.resumptions


def test_of_many_legal_actions_a_bot_considers_a_sample_within_a_second(
    workers: WorkerHarness,
) -> None:
    service = workers.service
    game = create(service, "sensible", sorcery=True)
    play_until(service, game.id, lambda game: game.round == 2 and game.to_act == 1)
    considered = []

    def count_actions(position: Any, actions: Sequence[Any], seat: int, chance: Chance) -> Any:
        considered.append(len(actions))
        return game.rules.BOTS["sensible"](position, actions, seat, chance)

    def many_actions(state: Any, seat: int) -> Sequence[Any]:
        return list(legal_actions(state, seat)) * 100

    legal_actions = game.rules.legal_actions
    with (
        patch.object(game.rules, "legal_actions", many_actions),
        patch.object(absent_player, "bot_named", lambda *_: count_actions),
    ):
        start = time.process_time()
        assert BotPlayer(service, lambda: Chance(b"seed")).play(game.id)
        assert time.process_time() - start < 1
    assert considered == [MAX_ACTIONS]


def test_a_player_who_is_out_is_told_the_result_that_the_bots_play_for(
    workers: WorkerHarness, channel: RecordingChannel
) -> None:
    service = workers.service
    game = create(service, "sensible", "sensible", rules="baron")
    service.games.commands.act(game.id, "ada", {"type": "resign"}, game.seq)
    let_bots_act(workers, game)
    workers.sweep_and_work(game.id)
    game = service.games.queries.game(game.id)
    events = service.games.queries.event_page(game.id, 0, game.seq)
    resigned = [event["data"]["seat"] for event in events if event["type"] == "PlayerResigned"]
    assert resigned == [0]
    assert game.ranking is not None
    assert [place["seat"] for place in game.ranking][-1] == 0
    assert channel.sent[-1].subject == "game_over"
    assert channel.sent[-1].players == ("ada",)
