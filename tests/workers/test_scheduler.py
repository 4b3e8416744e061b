"""Scheduler and sweep: all that is noted is done in the end, whatever was lost, and at its time."""

from datetime import timedelta

import pytest
from freezegun import freeze_time

from service.bootstrap import Service
from service.errors import Stale
from service.reindex import reindex
from service.store.redis_event_store import ACTIVE_GAMES_KEY
from tests.support.table import move, play, played_out, set_up, started
from tests.support.worker_office import Copies, Office
from workers.deadline_index import DEADLINES
from workers.tasks import GAMES


def sweep_and_work(office: Office, game_id: str) -> None:
    """Sweeps and work, as long as there are notes to see to."""
    for _ in range(10):
        office.scheduler.sweep(everything=False)
        office.work()
        if not office.notes(game_id):
            return
    raise AssertionError(office.notes(game_id))


def test_what_is_appended_is_enqueued(service: Service, office: Office) -> None:
    game = play(service, started(service).id, lambda game: bool(game.rounds_ended))
    office.scheduler.hear({game.id})
    assert office.waiting() == [f"score/1 of game {game.id}", f"notify/turn of game {game.id}"]
    office.scheduler.hear({game.id})
    assert len(office.waiting()) == 2
    office.work()
    office.scheduler.hear({game.id})
    assert office.waiting() == [f"notify/round/1 of game {game.id}"]


def test_what_nobody_was_told_of_is_swept_up(
    service: Service, office: Office, copies: Copies
) -> None:
    game = played_out(service, started(service, round_limit=3).id)
    sweep_and_work(office, game.id)
    assert service.queries.game(game.id).status == "finished"
    assert [notice.subject for notice in copies.sent] == [*["round_scored"] * 3, "game_over"]
    assert service.redis.scard(ACTIVE_GAMES_KEY) == 0


def test_a_fresh_note_is_left_to_who_was_told_of_it(service: Service, office: Office) -> None:
    game = played_out(service, started(service, round_limit=1).id)
    office.scheduler.sweep(everything=False)
    assert office.waiting() == []
    office.scheduler.sweep(everything=False)
    assert office.waiting() == [f"score/1 of game {game.id}", f"finish of game {game.id}"]
    # And what waits is not enqueued again.
    office.scheduler.sweep(everything=False)
    assert len(office.waiting()) == 2


def test_the_first_sweep_enqueues_everything_at_once(service: Service, office: Office) -> None:
    games = [played_out(service, started(service, round_limit=1).id) for _ in range(3)]
    office.scheduler.sweep(everything=True)
    assert office.queues.waiting()[GAMES] == 2 * len(games)


def test_a_queue_that_was_emptied_is_filled_again(service: Service, office: Office) -> None:
    game = played_out(service, started(service, round_limit=1).id)
    office.scheduler.hear({game.id})
    for key in office.client.keys("rq:*"):
        office.client.delete(key)
    sweep_and_work(office, game.id)
    assert service.queries.game(game.id).status == "finished"


def test_several_schedulers_at_once_do_no_harm(
    service: Service, office: Office, copies: Copies
) -> None:
    others = [Office(service, copies) for _ in range(2)]
    game = played_out(service, started(service, round_limit=2).id)
    for other in (office, *others):
        other.scheduler.hear({game.id})
        other.scheduler.sweep(everything=True)
    assert len(office.waiting()) == 3
    for _ in range(3):
        for other in (office, *others):
            other.work()
            other.scheduler.hear({game.id})
            other.scheduler.sweep(everything=False)
    for other in others:
        other.client.close()
    assert office.notes(game.id) == {}
    assert [notice.subject for notice in copies.sent] == [
        "round_scored",
        "round_scored",
        "game_over",
    ]


def test_a_listing_that_was_not_made_is_made(service: Service, office: Office) -> None:
    game = started(service)
    service.listings.clear()
    service.redis.hset(f"cartulary:{{{game.id}}}:notes", "index", '{"seq":4}')
    office.scheduler.hear({game.id})
    assert office.waiting() == [f"notify/turn of game {game.id}"]
    sweep_and_work(office, game.id)
    assert service.listings.playing("ada") == [game.id]


def test_a_game_that_is_over_is_live_no_more_and_one_that_goes_on_is(
    service: Service, office: Office
) -> None:
    going_on = started(service)
    done = played_out(service, started(service, round_limit=1).id)
    for id in (going_on.id, done.id):
        sweep_and_work(office, id)
    assert service.redis.smembers(ACTIVE_GAMES_KEY) == {going_on.id.encode()}
    # One whose last job died before it could say so.
    service.store.mark_active(done.id)
    office.scheduler.sweep(everything=False)
    assert service.redis.smembers(ACTIVE_GAMES_KEY) == {going_on.id.encode()}


def test_a_game_that_is_expected_is_waited_for_but_not_for_ever(
    service: Service, office: Office
) -> None:
    # SADD comes before the first append; between the two there may be a sweep, or a death.
    with freeze_time("2026-11-20T09:00:00Z") as time:
        service.store.mark_active("never")
        office.scheduler.sweep(everything=True)
        time.tick(timedelta(minutes=59))
        service.store.mark_active("soon")
        office.scheduler.sweep(everything=False)
        assert service.redis.smembers(ACTIVE_GAMES_KEY) == {b"never", b"soon"}
        time.tick(timedelta(minutes=1))
        office.scheduler.sweep(everything=False)
        assert service.redis.smembers(ACTIVE_GAMES_KEY) == {b"soon"}


def test_notes_that_got_lost_are_noted_again_from_the_logs(
    service: Service, office: Office, copies: Copies
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        ended = played_out(service, started(service, round_limit=3).id)
        going_on = set_up(service, started(service, clock={"per_turn": 60}).id)
        waiting = service.commands.create("ada", rules="barony", seats=2, options={}, clock=None)
        over = played_out(service, started(service, round_limit=1).id)
        service.commands.score(over.id)
        before = {game.id: office.notes(game.id) for game in (ended, going_on, waiting, over)}
        for id in before:
            service.redis.delete(f"cartulary:{{{id}}}:notes")
        service.redis.delete(ACTIVE_GAMES_KEY)
        assert reindex(service) == 4
        assert office.notes(ended.id) == {
            note: work for note, work in before[ended.id].items() if work.kind == "score"
        }
        assert office.notes(going_on.id) == {"deadline": before[going_on.id]["deadline"]}
        assert office.notes(waiting.id) == office.notes(over.id) == {}
        sweep_and_work(office, ended.id)
        assert service.queries.game(ended.id).status == "finished"
        time.tick(60)
        office.scheduler.sweep(everything=True)
        office.work()
        assert service.queries.game(going_on.id).seq == going_on.seq + 1


def test_what_is_noted_is_not_noted_otherwise(service: Service, office: Office) -> None:
    game = played_out(service, started(service, round_limit=1).id)
    service.redis.hset(f"cartulary:{{{game.id}}}:notes", "finish", '{"seq":1}')
    before = office.notes(game.id)
    reindex(service)
    assert office.notes(game.id) == before


def test_a_note_of_a_later_version_is_passed_over(service: Service, office: Office) -> None:
    game = started(service)
    service.redis.hset(f"cartulary:{{{game.id}}}:notes", "recount", "{}")
    office.scheduler.sweep(everything=True)
    office.scheduler.hear({game.id})
    assert office.waiting() == [f"notify/turn of game {game.id}"]


def test_deadlines_are_forfeited_at_their_time_and_not_before(
    service: Service, office: Office
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = set_up(service, started(service, clock={"per_turn": 60}).id)
        office.scheduler.hear({game.id})
        office.work()
        time.tick(timedelta(seconds=59, milliseconds=999))
        office.scheduler.look_at_deadlines()
        assert office.waiting() == []
        time.tick(timedelta(milliseconds=1))
        office.scheduler.look_at_deadlines()
        assert office.waiting() == [f"deadline of game {game.id}"]
        office.work()
        (event,) = service.queries.events(game.id, game.seq, 10)
        assert (event["type"], event["by"]) == ("TurnForfeited", {"system": "clock"})
        assert event["data"]["seat"] == game.to_act
        # The next turn has a deadline of its own.
        office.scheduler.hear({game.id})
        office.work()
        time.tick(60)
        office.scheduler.look_at_deadlines()
        office.work()
        assert service.queries.game(game.id).seq == game.seq + 2


def test_who_lets_it_pass_in_set_up_is_removed(service: Service, office: Office) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = started(service, clock={"per_turn": 60})
        office.scheduler.hear({game.id})
        office.work()
        time.tick(60)
        office.scheduler.look_at_deadlines()
        office.work()
        (event,) = service.queries.events(game.id, game.seq, 10)
        assert (event["type"], event["by"]) == ("PlayerRemoved", {"system": "clock"})
        sweep_and_work(office, game.id)
        assert service.queries.game(game.id).status == "finished"
        assert service.redis.zcard(DEADLINES) == 0


def test_who_acts_in_the_last_moment_keeps_the_turn(service: Service, office: Office) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = set_up(service, started(service, clock={"per_turn": 60}).id)
        office.scheduler.hear({game.id})
        time.tick(60)
        office.scheduler.look_at_deadlines()
        assert f"deadline of game {game.id}" in office.waiting()
        move(service, game.id)
        office.work()
        events = service.queries.events(game.id, game.seq, 10)
        assert len(events) == 1
        assert events[0]["action"] is not None


def test_who_acts_too_late_finds_the_turn_gone(service: Service, office: Office) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = set_up(service, started(service, clock={"per_turn": 60}).id)
        assert game.to_act is not None
        player = game.players[game.to_act]
        seq, actions = service.queries.legal_actions(game.id, player)
        time.tick(60)
        office.jobs.do(office.notes(game.id)["deadline"])
        with pytest.raises(Stale):
            service.commands.act(game.id, player, actions[0], seq)
        (event,) = service.queries.events(game.id, game.seq, 10)
        assert event["type"] == "TurnForfeited"


def test_a_deadline_that_comes_late_for_a_turn_that_is_over_does_nothing(
    service: Service, office: Office
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = set_up(service, started(service, clock={"per_turn": 60}).id)
        late = office.notes(game.id)["deadline"]
        move(service, game.id)
        seq = service.queries.game(game.id).seq
        time.tick(timedelta(days=1))
        office.jobs.do(late)
        assert service.queries.game(game.id).seq == seq


def test_a_worker_whose_clock_is_behind_leaves_the_deadline_noted(
    service: Service, office: Office
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = set_up(service, started(service, clock={"per_turn": 60}).id)
        office.jobs.do(office.notes(game.id)["notify/turn"])
        time.tick(60)
        office.scheduler.sweep(everything=True)
        time.tick(-1)
        office.work()
        assert service.queries.game(game.id).seq == game.seq
        assert "deadline" in office.notes(game.id)
        time.tick(1)
        office.scheduler.sweep(everything=False)
        office.work()
        assert service.queries.game(game.id).seq == game.seq + 1


def test_a_timetable_that_was_lost_is_written_again(service: Service, office: Office) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = set_up(service, started(service, clock={"per_turn": 60}).id)
        office.jobs.do(office.notes(game.id)["notify/turn"])
        office.scheduler.sweep(everything=True)
        assert service.redis.zrange(DEADLINES, 0, -1) == [game.id.encode()]
        service.redis.delete(DEADLINES)
        office.scheduler.sweep(everything=True)
        time.tick(60)
        office.scheduler.look_at_deadlines()
        assert office.waiting() == [f"deadline of game {game.id}"]


def test_an_entry_of_an_earlier_turn_makes_way_for_the_turn_under_way(
    service: Service, office: Office
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = set_up(service, started(service, clock={"per_turn": 60}).id)
        office.scheduler.hear({game.id})
        time.tick(30)
        move(service, game.id)
        time.tick(30)
        # The message about the move got lost, so the timetable has the old time.
        office.scheduler.look_at_deadlines()
        office.work()
        assert service.queries.game(game.id).seq == game.seq + 1
        time.tick(30)
        office.scheduler.look_at_deadlines()
        office.work()
        assert service.queries.events(game.id, game.seq + 1, 1)[0]["type"] == "TurnForfeited"


def test_striking_an_entry_leaves_a_later_one(service: Service, office: Office) -> None:
    service.redis.zadd(DEADLINES, {"g": 2000})
    timetable = office.scheduler._timetable
    timetable.remove("g", "1000")
    assert service.redis.zscore(DEADLINES, "g") == 2000
    timetable.remove("g", "2000")
    assert service.redis.zscore(DEADLINES, "g") is None
