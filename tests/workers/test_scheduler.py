"""Scheduler and sweep: every task is done at its time, even if messages, jobs or entries got lost."""

from datetime import timedelta

import pytest
from freezegun import freeze_time

from domain.lifecycle import NewGame
from service.bootstrap import Service
from service.errors import Stale
from service.recovery.reindex import reindex
from service.store.redis_event_store import ACTIVE_GAMES, game_key
from tests.support.service_games import play_out, play_set_up, play_until, start_game, take_action
from tests.support.worker_harness import RecordingChannel, WorkerHarness
from workers.deadline_index import DEADLINES
from workers.tasks import GAMES


def test_the_tasks_of_new_events_are_enqueued(service: Service, workers: WorkerHarness) -> None:
    game = play_until(service, start_game(service).id, lambda game: bool(game.rounds_ended))
    workers.scheduler.enqueue_tasks_of({game.id})
    assert workers.waiting() == [f"score/1 of game {game.id}", f"notify/turn of game {game.id}"]
    workers.scheduler.enqueue_tasks_of({game.id})
    assert len(workers.waiting()) == 2
    workers.work()
    # The job of the notifications has also done what the score has added.
    assert workers.tasks(game.id) == {}


def test_a_sweep_finds_tasks_whose_message_got_lost(
    service: Service, workers: WorkerHarness, channel: RecordingChannel
) -> None:
    game = play_out(service, start_game(service, round_limit=3).id)
    workers.sweep_and_work(game.id)
    assert service.games.queries.game(game.id).status == "finished"
    assert [notification.subject for notification in channel.sent] == [
        *["round_scored"] * 3,
        "game_over",
    ]
    assert len([*service.store.active_games()]) == 0


def test_a_sweep_enqueues_only_tasks_that_the_previous_sweep_found_too(
    service: Service, workers: WorkerHarness
) -> None:
    game = play_out(service, start_game(service, round_limit=1).id)
    workers.scheduler.sweep(is_first=False)
    assert workers.waiting() == []
    workers.scheduler.sweep(is_first=False)
    assert workers.waiting() == [f"score/1 of game {game.id}"]
    # A task that is in a queue is not enqueued again.
    workers.scheduler.sweep(is_first=False)
    assert len(workers.waiting()) == 1


def test_the_first_sweep_enqueues_the_tasks_of_every_game(
    service: Service, workers: WorkerHarness
) -> None:
    games = [play_out(service, start_game(service, round_limit=1).id) for _ in range(3)]
    workers.scheduler.sweep(is_first=True)
    assert workers.queues.lengths()[GAMES] == len(games)


def test_the_rounds_of_one_game_do_not_delay_those_of_another(
    service: Service, workers: WorkerHarness
) -> None:
    long = play_out(service, start_game(service, round_limit=12).id)
    short = play_until(service, start_game(service).id, lambda game: bool(game.rounds_ended))
    workers.scheduler.enqueue_tasks_of({long.id})
    workers.scheduler.enqueue_tasks_of({short.id})
    jobs = [f"score/1 of game {long.id}", f"score/1 of game {short.id}"]
    assert workers.waiting()[:2] == jobs
    workers.work()
    assert service.games.queries.game(long.id).rounds_scored == 1
    assert service.games.queries.game(short.id).rounds_scored == 1
    # The message of each append enqueues the next round, until the game is finished.
    for rounds in range(2, 13):
        workers.scheduler.enqueue_tasks_of({long.id})
        assert workers.waiting()[0] == f"score/{rounds} of game {long.id}"
        workers.work()
        assert service.games.queries.game(long.id).rounds_scored == rounds
    workers.scheduler.enqueue_tasks_of({long.id})
    workers.work()
    assert service.games.queries.game(long.id).status == "finished"


def test_rounds_without_entries_are_scored_one_at_a_time_before_the_game_is_finished(
    service: Service, workers: WorkerHarness
) -> None:
    game = play_out(service, start_game(service, round_limit=4).id)
    for task in workers.tasks(game.id).values():
        if task.entry != "finish":
            service.store.ack(game.id, task.entry, task.payload)
    other = play_until(service, start_game(service).id, lambda game: bool(game.rounds_ended))
    workers.scheduler.enqueue_tasks_of({game.id})
    workers.scheduler.enqueue_tasks_of({other.id})
    workers.work(max_jobs=3)
    assert service.games.queries.game(game.id).rounds_scored == 2
    assert service.games.queries.game(other.id).rounds_scored == 1
    workers.work()
    assert service.games.queries.game(game.id).status == "finished"


def test_a_queue_that_was_emptied_is_filled_again(service: Service, workers: WorkerHarness) -> None:
    game = play_out(service, start_game(service, round_limit=1).id)
    workers.scheduler.enqueue_tasks_of({game.id})
    for key in workers.client.keys("rq:*"):
        workers.client.delete(key)
    workers.sweep_and_work(game.id)
    assert service.games.queries.game(game.id).status == "finished"


def test_several_schedulers_and_workers_do_each_task_once(
    service: Service, workers: WorkerHarness, channel: RecordingChannel
) -> None:
    others = [WorkerHarness(service, channel) for _ in range(2)]
    game = play_out(service, start_game(service, round_limit=2).id)
    for other in (workers, *others):
        other.scheduler.enqueue_tasks_of({game.id})
        other.scheduler.sweep(is_first=True)
    assert workers.waiting() == [f"score/1 of game {game.id}"]
    for _ in range(4):
        for other in (workers, *others):
            other.work()
            other.scheduler.enqueue_tasks_of({game.id})
            other.scheduler.sweep(is_first=False)
    for other in others:
        other.close()
    assert workers.tasks(game.id) == {}
    subjects = [notification.subject for notification in channel.sent]
    assert subjects == ["round_scored", "round_scored", "game_over"]


def test_listings_that_were_not_updated_are_updated_after_a_sweep(
    service: Service, workers: WorkerHarness
) -> None:
    game = start_game(service)
    service.games.listings.clear()
    service.store.add_outbox_entries_if_absent(game.id, {"index": '{"seq":4}'})
    workers.scheduler.enqueue_tasks_of({game.id})
    assert workers.waiting() == [f"notify/turn of game {game.id}"]
    workers.sweep_and_work(game.id)
    assert service.games.listings.games_in_progress("ada").games == (game.id,)


def test_a_game_that_has_ended_becomes_inactive(service: Service, workers: WorkerHarness) -> None:
    running = start_game(service)
    finished = play_out(service, start_game(service, round_limit=1).id)
    for id in (running.id, finished.id):
        workers.sweep_and_work(id)
    assert [*service.store.active_games()] == [running.id]
    # The worker of its last job has died before it could mark the game inactive.
    service.store.mark_active(finished.id)
    workers.scheduler.sweep(is_first=False)
    assert [*service.store.active_games()] == [running.id]


def test_an_active_game_without_a_log_becomes_inactive_after_an_hour(
    service: Service, workers: WorkerHarness
) -> None:
    # A game is marked active before its first append. In between there may be a sweep, or a crash.
    with freeze_time("2026-11-20T09:00:00Z") as time:
        service.store.mark_active("never")
        workers.scheduler.sweep(is_first=True)
        time.tick(timedelta(minutes=59))
        service.store.mark_active("soon")
        workers.scheduler.sweep(is_first=False)
        assert {*service.store.active_games()} == {"never", "soon"}
        time.tick(timedelta(minutes=1))
        workers.scheduler.sweep(is_first=False)
        assert [*service.store.active_games()] == ["soon"]


def test_lost_outbox_entries_are_rebuilt_from_the_logs(
    service: Service, workers: WorkerHarness, channel: RecordingChannel
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        unscored = play_out(service, start_game(service, round_limit=3).id)
        running = play_set_up(service, start_game(service, clock={"per_turn": 60}).id)
        open_game = service.games.commands.create(
            "ada", NewGame(rules="barony", seats=2, options={})
        )
        finished = play_out(service, start_game(service, round_limit=1).id)
        service.games.commands.score(finished.id)
        before = {
            game.id: workers.tasks(game.id) for game in (unscored, running, open_game, finished)
        }
        for id in before:
            service.redis.delete(game_key(id, "notes"))
        service.redis.delete(*ACTIVE_GAMES.all)
        assert reindex(service) == 4
        assert workers.tasks(unscored.id) == {
            entry: task for entry, task in before[unscored.id].items() if task.kind == "score"
        }
        assert workers.tasks(running.id) == {"deadline": before[running.id]["deadline"]}
        assert workers.tasks(open_game.id) == workers.tasks(finished.id) == {}
        workers.sweep_and_work(unscored.id)
        assert service.games.queries.game(unscored.id).status == "finished"
        time.tick(60)
        workers.scheduler.sweep(is_first=True)
        workers.work()
        assert service.games.queries.game(running.id).seq == running.seq + 1


def test_rebuilding_leaves_existing_entries_alone(service: Service, workers: WorkerHarness) -> None:
    game = play_out(service, start_game(service, round_limit=1).id)
    finish = workers.tasks(game.id)["finish"]
    service.store.ack(game.id, "finish", finish.payload)
    service.store.add_outbox_entries_if_absent(game.id, {"finish": '{"seq":1}'})
    before = workers.tasks(game.id)
    assert before["finish"] != finish
    reindex(service)
    assert workers.tasks(game.id) == before


def test_an_entry_of_a_later_version_is_not_enqueued(
    service: Service, workers: WorkerHarness
) -> None:
    game = start_game(service)
    service.store.add_outbox_entries_if_absent(game.id, {"recount": "{}"})
    workers.scheduler.sweep(is_first=True)
    workers.scheduler.enqueue_tasks_of({game.id})
    assert workers.waiting() == [f"notify/turn of game {game.id}"]


def test_a_turn_is_forfeited_at_its_deadline_and_not_before(
    service: Service, workers: WorkerHarness
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = play_set_up(service, start_game(service, clock={"per_turn": 60}).id)
        workers.scheduler.enqueue_tasks_of({game.id})
        workers.work()
        time.tick(timedelta(seconds=59, milliseconds=999))
        workers.scheduler.check_deadlines()
        assert workers.waiting() == []
        time.tick(timedelta(milliseconds=1))
        workers.scheduler.check_deadlines()
        assert workers.waiting() == [f"deadline of game {game.id}"]
        workers.work()
        (event,) = service.games.queries.event_page(game.id, game.seq, 10)
        assert (event["type"], event["by"]) == ("TurnForfeited", {"system": "clock"})
        assert event["data"]["seat"] == game.to_act
        # The next turn has a deadline of its own.
        workers.scheduler.enqueue_tasks_of({game.id})
        workers.work()
        time.tick(60)
        workers.scheduler.check_deadlines()
        workers.work()
        assert service.games.queries.game(game.id).seq == game.seq + 2


def test_a_player_who_misses_a_deadline_in_the_set_up_is_removed_if_the_options_say_so(
    service: Service, workers: WorkerHarness
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = start_game(service, clock={"per_turn": 60, "on_deadline": {"placement": "remove"}})
        workers.scheduler.enqueue_tasks_of({game.id})
        workers.work()
        time.tick(60)
        workers.scheduler.check_deadlines()
        workers.work()
        (event,) = service.games.queries.event_page(game.id, game.seq, 10)
        assert (event["type"], event["by"]) == ("PlayerRemoved", {"system": "clock"})
        workers.sweep_and_work(game.id)
        assert service.games.queries.game(game.id).status == "finished"
        assert not service.redis.exists(*DEADLINES.all)


def test_an_action_that_arrives_before_the_forfeit_counts(
    service: Service, workers: WorkerHarness
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = play_set_up(service, start_game(service, clock={"per_turn": 60}).id)
        workers.scheduler.enqueue_tasks_of({game.id})
        time.tick(60)
        workers.scheduler.check_deadlines()
        assert f"deadline of game {game.id}" in workers.waiting()
        take_action(service, game.id)
        workers.work()
        events = service.games.queries.event_page(game.id, game.seq, 10)
        assert len(events) == 1
        assert events[0]["action"] is not None


def test_an_action_that_arrives_after_the_forfeit_is_refused(
    service: Service, workers: WorkerHarness
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = play_set_up(service, start_game(service, clock={"per_turn": 60}).id)
        assert game.to_act is not None
        player = game.players[game.to_act]
        seq, actions = service.games.queries.legal_actions(game.id, player)
        time.tick(60)
        workers.runner.run(workers.tasks(game.id)["deadline"])
        with pytest.raises(Stale):
            service.games.commands.act(game.id, player, actions[0], seq)
        (event,) = service.games.queries.event_page(game.id, game.seq, 10)
        assert event["type"] == "TurnForfeited"


def test_the_deadline_of_a_turn_that_is_over_does_nothing(
    service: Service, workers: WorkerHarness
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = play_set_up(service, start_game(service, clock={"per_turn": 60}).id)
        task = workers.tasks(game.id)["deadline"]
        take_action(service, game.id)
        seq = service.games.queries.game(game.id).seq
        time.tick(timedelta(days=1))
        workers.runner.run(task)
        assert service.games.queries.game(game.id).seq == seq


def test_a_worker_whose_clock_is_behind_leaves_the_deadline_in_the_outbox(
    service: Service, workers: WorkerHarness
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = play_set_up(service, start_game(service, clock={"per_turn": 60}).id)
        workers.runner.run(workers.tasks(game.id)["notify/turn"])
        time.tick(60)
        workers.scheduler.sweep(is_first=True)
        time.tick(-1)
        workers.work()
        assert service.games.queries.game(game.id).seq == game.seq
        assert "deadline" in workers.tasks(game.id)
        time.tick(1)
        workers.scheduler.sweep(is_first=False)
        workers.work()
        assert service.games.queries.game(game.id).seq == game.seq + 1


def test_a_lost_deadline_index_is_rebuilt(service: Service, workers: WorkerHarness) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = play_set_up(service, start_game(service, clock={"per_turn": 60}).id)
        workers.runner.run(workers.tasks(game.id)["notify/turn"])
        workers.scheduler.sweep(is_first=True)
        assert service.redis.zrange(DEADLINES.key(game.id), 0, -1) == [game.id.encode()]
        service.redis.delete(*DEADLINES.all)
        workers.scheduler.sweep(is_first=True)
        time.tick(60)
        workers.scheduler.check_deadlines()
        assert workers.waiting() == [f"deadline of game {game.id}"]


def test_a_scheduler_completes_erasures_and_continues_if_it_cannot(
    service: Service, workers: WorkerHarness, caplog: pytest.LogCaptureFixture
) -> None:
    player, _ = service.accounts.players.register("ada", "correct horse")
    game = service.games.commands.create(player.id, NewGame(rules="barony", seats=2, options={}))
    file = service.settings.data / "erased-players"
    file.mkdir()
    workers.scheduler.complete_erasures()
    assert "cannot be read" in caplog.text
    assert service.accounts.players.by_handle("ada") == player
    file.rmdir()
    # As after the restoration of a backup, from which the account has come back.
    file.write_text(f"{player.id}\n")
    workers.scheduler.complete_erasures()
    assert service.accounts.players.by_handle("ada") is None
    assert service.games.queries.game(game.id).status == "abandoned"
