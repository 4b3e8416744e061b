"""A job does the work of its task once, even if it runs again, late, or concurrently with others."""

import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from freezegun import freeze_time

from domain.game import Game
from domain.lifecycle import NewGame
from ledger.clock.turn_clock import deadline_timestamp
from service import wall_clock
from service.bootstrap import Service, build
from service.errors import Unavailable
from service.notifications.deliveries import PREFIX
from service.notifications.delivery import Delivery
from service.settings import Settings
from service.store.shards import Shards
from tests.support import fork_server
from tests.support.service_games import (
    PLAYERS,
    play_out,
    play_set_up,
    play_until,
    start_game,
    take_action,
)
from tests.support.worker_harness import RecordingChannel, WorkerHarness
from workers.jobs import TaskRunner
from workers.notifications.channel import DEFAULT_RETRY_PAUSES
from workers.tasks import Task

ROOT = Path(__file__).parents[2]

RUN_TASK = """
import sys
from pathlib import Path
from service.bootstrap import build
from service.settings import Settings
from workers.jobs import TaskRunner
from workers.tasks import Task

url, data, *task = sys.argv[1:]
runner = TaskRunner(build(Settings(Path(data), url, url, Path(data) / "signing-key.pem")))
print("ready", flush=True)
sys.stdin.readline()
while not runner.run(Task(*task)):
    pass
"""


def event_types(service: Service, game: Game) -> list[str]:
    return [event["type"] for event in service.games.queries.event_page(game.id, 0, 10_000)]


def run_all_steps(runner: TaskRunner, task: Task) -> None:
    """Run a task until it is done; fails after twenty steps."""
    for _ in range(20):
        if runner.run(task):
            return
    raise AssertionError(f"{task} is not done")


def play_first_round(service: Service) -> Game:
    return play_until(service, start_game(service).id, lambda game: bool(game.rounds_ended))


def test_a_score_job_scores_the_round_and_acknowledges_its_entry(
    service: Service, workers: WorkerHarness
) -> None:
    game = play_first_round(service)
    task = workers.tasks(game.id)["score/1"]
    assert workers.runner.run(task)
    assert event_types(service, game).count("RoundScored") == 1
    tasks = workers.tasks(game.id)
    assert "score/1" not in tasks
    assert tasks["notify/round/1"].data == {"seq": game.seq + 1}


def test_a_game_whose_play_is_over_is_scored_and_finished(
    service: Service, workers: WorkerHarness
) -> None:
    game = play_out(service, start_game(service, round_limit=3).id)
    finish = workers.tasks(game.id)["finish"]
    # Each step scores one round, so that other games need not wait for all of them.
    for rounds in (1, 2, 3):
        assert not workers.runner.run(finish)
        assert service.games.queries.game(game.id).rounds_scored == rounds
    assert workers.runner.run(finish)
    assert event_types(service, game)[-4:] == ["RoundScored"] * 3 + ["GameFinished"]
    entries = set(workers.tasks(game.id))
    assert entries == {"notify/round/1", "notify/round/2", "notify/round/3", "notify/over"}


def test_a_job_that_runs_again_or_late_does_nothing(
    service: Service, workers: WorkerHarness
) -> None:
    game = play_out(service, start_game(service, round_limit=2).id)
    tasks = workers.tasks(game.id)
    for _ in range(2):
        for task in tasks.values():
            run_all_steps(workers.runner, task)
    types = event_types(service, game)
    assert types.count("RoundScored") == 2
    assert types.count("GameFinished") == 1


def test_jobs_in_several_threads_append_once(
    service: Service, workers: WorkerHarness, settings: Settings
) -> None:
    game = play_out(service, start_game(service, round_limit=6).id)
    tasks = [task for task in workers.tasks(game.id).values() if task.kind == "score"]
    assert len(tasks) == 7
    services = [build(settings) for _ in range(6)]
    runners = [TaskRunner(other) for other in services]
    with ThreadPoolExecutor(6) as pool:
        futures = [pool.submit(run_all_steps, runner, task) for runner in runners for task in tasks]
        for future in futures:
            future.result()
    for other in services:
        other.redis.close()
    types = event_types(service, game)
    assert types[-7:] == ["RoundScored"] * 6 + ["GameFinished"]
    assert len(types) == game.seq + 7


def test_jobs_in_several_processes_append_once(
    service: Service, workers: WorkerHarness, settings: Settings
) -> None:
    game = play_out(service, start_game(service, round_limit=6).id)
    task = workers.tasks(game.id)["finish"]
    arguments = [settings.redis_url, str(settings.data), task.game_id, task.entry, task.payload]
    processes = [
        fork_server.start(
            ["-c", RUN_TASK, *arguments],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.communicate("go\n")
    assert [process.returncode for process in processes] == [0, 0, 0]
    types = event_types(service, game)
    assert types[-7:] == ["RoundScored"] * 6 + ["GameFinished"]
    assert len(types) == game.seq + 7


def test_the_player_to_act_is_notified(
    service: Service, workers: WorkerHarness, channel: RecordingChannel
) -> None:
    game = start_game(service, clock={"per_turn": 3600})
    task = workers.tasks(game.id)["notify/turn"]
    assert workers.runner.run(task)
    workers.dispatcher.send_due()
    (notification,) = channel.sent
    assert game.to_act is not None
    assert notification.subject == "your_turn"
    assert notification.players == (game.players[game.to_act],)
    assert notification.as_json() == {
        "delivery": notification.id,
        "subject": "your_turn",
        "kind": "your_turn",
        "game": game.id,
        "rules": game.rules.NAME,
        "seq": game.seq,
        "players": [game.players[game.to_act]],
        "seat": game.to_act,
        "round": 0,
        "deadline": deadline_timestamp(game),
        "clock_stopped_until": None,
        "begins": True,
    }
    assert "notify/turn" not in workers.tasks(game.id)


def test_no_notification_is_sent_for_a_turn_that_is_over(
    service: Service, workers: WorkerHarness, channel: RecordingChannel
) -> None:
    game = play_set_up(service, start_game(service).id)
    task = workers.tasks(game.id)["notify/turn"]
    take_action(service, game.id)
    # The job of the earlier turn still waits.
    assert workers.runner.run(task)
    workers.dispatcher.send_due()
    (notification,) = channel.sent
    assert notification.details["seat"] == service.games.queries.game(game.id).to_act
    assert "notify/turn" not in workers.tasks(game.id)


def test_all_players_are_notified_of_rounds_and_of_the_end_and_the_game_becomes_inactive(
    service: Service, workers: WorkerHarness, channel: RecordingChannel
) -> None:
    game = play_out(service, start_game(service, round_limit=2).id)
    while tasks := workers.tasks(game.id):
        for task in tasks.values():
            workers.runner.run(task)
            workers.dispatcher.send_due()
    subjects = [notification.subject for notification in channel.sent]
    assert subjects == ["round_scored", "round_scored", "game_over"]
    assert {notification.players for notification in channel.sent} == {PLAYERS[:2]}
    first, second, last = (notification.details for notification in channel.sent)
    assert (first["round"], second["round"]) == (1, 2)
    assert [standing["seat"] for standing in second["standings"]] == [0, 1]
    assert last == {"status": "finished", "ranking": service.games.queries.game(game.id).ranking}
    assert game.id not in service.store.active_games()


def test_a_player_who_left_before_the_start_is_not_notified_of_the_end(
    service: Service, workers: WorkerHarness, channel: RecordingChannel
) -> None:
    game = service.games.commands.create("ada", NewGame(rules="barony", seats=2, options={}))
    game = service.games.commands.leave(game.id, "ada")
    workers.runner.run(workers.tasks(game.id)["notify/over"])
    workers.dispatcher.send_due()
    (notification,) = channel.sent
    assert notification.players == ()
    assert notification.details == {"status": "abandoned", "ranking": None}


def test_a_channel_that_fails_does_not_affect_the_others_and_is_retried_alone(
    service: Service, channel: RecordingChannel
) -> None:
    failing = RecordingChannel(failures=1, name="failing")
    workers = WorkerHarness(service, failing, channel)
    game = start_game(service)
    with freeze_time(wall_clock.now()) as time:
        assert workers.runner.run(workers.tasks(game.id)["notify/turn"])
        workers.dispatcher.send_due()
        assert "notify/turn" not in workers.tasks(game.id)
        assert (len(failing.sent), len(channel.sent)) == (0, 1)
        retrying, sent = deliveries_by_channel(service, game)
        assert (retrying.status, retrying.sent_at) == ("retrying", None)
        assert retrying.as_json()["result"] == "nobody responds"
        assert sent.as_json() == {
            "delivery": channel.sent[0].id,
            "channel": "recording",
            "kind": "your_turn",
            "subject": "your_turn",
            "about": "your turn",
            "game": game.id,
            "tournament": None,
            "seq": 4,
            "players": ["ada"],
            "status": "sent",
            "attempts": 1,
            "created_at": sent.sent_at,
            "due_at": None,
            "tried_at": sent.sent_at,
            "sent_at": sent.sent_at,
            "result": None,
        }
        time.tick(DEFAULT_RETRY_PAUSES[0])
        workers.work()
    assert (len(failing.sent), len(channel.sent)) == (1, 1)
    retried, unchanged = deliveries_by_channel(service, game)
    assert (retried.status, retried.attempts, retried.result) == ("sent", 2, None)
    assert unchanged == sent
    workers.close()


def deliveries_by_channel(service: Service, game: Game) -> list[Delivery]:
    """Return the deliveries about the start of a turn, in the order of their channels."""
    return sorted(service.notifications.deliveries.about(game.id, 4), key=lambda item: item.channel)


def test_a_delivery_is_given_up_after_the_last_attempt(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    workers = WorkerHarness(service, RecordingChannel(failures=1000))
    game = start_game(service)
    with freeze_time(wall_clock.now()) as time:
        workers.runner.run(workers.tasks(game.id)["notify/turn"])
        workers.dispatcher.send_due()
        for pause in DEFAULT_RETRY_PAUSES:
            assert "given up" not in caplog.text
            time.tick(pause)
            workers.work()
    assert f"your_turn of game {game.id} is given up: nobody responds" in caplog.text
    (delivery,) = service.notifications.deliveries.about(game.id, game.seq)
    assert (delivery.status, delivery.attempts) == ("given_up", len(DEFAULT_RETRY_PAUSES) + 1)
    workers.close()


def test_nothing_is_sent_twice_if_a_job_runs_twice(
    service: Service, workers: WorkerHarness, channel: RecordingChannel
) -> None:
    game = start_game(service)
    task = workers.tasks(game.id)["notify/turn"]
    workers.runner.run(task)
    workers.dispatcher.send_due()
    first = service.notifications.deliveries.about(game.id, game.seq)
    # As if the worker had died between the delivery and the acknowledgement.
    service.store.add_outbox_entries_if_absent(game.id, {task.entry: task.payload})
    workers.runner.run(task)
    workers.dispatcher.send_due()
    assert len(channel.sent) == 1
    assert service.notifications.deliveries.about(game.id, game.seq) == first
    assert len(first) == 1


def test_deliveries_that_cannot_be_stored_are_reported_and_sent_after_the_repair(
    service: Service, workers: WorkerHarness, channel: RecordingChannel
) -> None:
    game = start_game(service)
    indexes = [
        f"{prefix}of-game:{game.id}"
        for prefix in (PREFIX, *(f"{key}:" for key in Shards("deliveries").all))
    ]
    for index in indexes:
        service.redis.set(index, "x")
    task = workers.tasks(game.id)["notify/turn"]
    assert workers.runner.run(task)
    assert channel.sent == []
    assert service.damaged_games.parts()[game.id].keys() == {"work notify/turn"}
    service.redis.delete(*indexes)
    assert workers.runner.run(task)
    workers.dispatcher.send_due()
    assert len(channel.sent) == 1
    assert service.damaged_games.parts() == {}


def test_listings_that_were_not_updated_are_updated(
    service: Service, workers: WorkerHarness
) -> None:
    game = start_game(service)
    assert service.games.listings.games_in_progress("ada").games == (game.id,)
    service.games.listings.clear()
    service.store.add_outbox_entries_if_absent(game.id, {"index": '{"seq":4}'})
    assert workers.runner.run(workers.tasks(game.id)["index"])
    assert service.games.listings.games_in_progress("ada").games == (game.id,)
    assert "index" not in workers.tasks(game.id)


@pytest.mark.parametrize("entry", ["notify/birthday", "recount"])
def test_an_entry_of_a_later_version_is_left_alone(
    service: Service,
    workers: WorkerHarness,
    channel: RecordingChannel,
    caplog: pytest.LogCaptureFixture,
    entry: str,
) -> None:
    game = start_game(service)
    service.store.add_outbox_entries_if_absent(game.id, {entry: "{}"})
    assert workers.runner.run(Task(game.id, entry, "{}"))
    assert entry in workers.tasks(game.id)
    assert channel.sent == []
    assert f"has an entry of a later version: {entry}" in caplog.text


def test_an_entry_without_a_log_is_reported(
    service: Service, workers: WorkerHarness, caplog: pytest.LogCaptureFixture
) -> None:
    service.store.add_outbox_entries_if_absent("nothing", {"finish": "{}"})
    assert workers.runner.run(Task("nothing", "finish", "{}"))
    assert "game nothing is damaged: work finish: the game has no log" in caplog.text


def test_a_store_that_does_not_respond_is_an_error(tmp_path: Path) -> None:
    url = f"unix://{tmp_path}/nothing.sock"
    service = build(Settings(tmp_path, url, url, tmp_path / "signing-key.pem"))
    with pytest.raises(Unavailable):
        TaskRunner(service).run(Task("any", "finish", "{}"))
    service.redis.close()


@pytest.mark.parametrize(
    "change",
    [
        lambda task: Task(task.game_id, task.entry, '{"seq":8}'),
        lambda task: Task(task.game_id, "finish", task.payload),
        lambda task: Task("h", task.entry, task.payload),
    ],
)
def test_equal_tasks_have_the_same_id_and_different_tasks_have_different_ids(
    change: Callable[[Task], Task],
) -> None:
    task = Task("g", "score/1", '{"seq":7}')
    assert task.id == Task("g", "score/1", '{"seq":7}').id
    assert change(task).id != task.id
