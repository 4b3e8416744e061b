"""The queues of RQ: nothing piles up, what was lost is put in again, what failed is tried later."""

import json
from pathlib import Path

import pytest
from freezegun import freeze_time
from rq import Callback, Queue
from rq.job import Job
from rq.registry import FailedJobRegistry
from rq.serializers import JSONSerializer

from service.bootstrap import Service
from tests.support.receiver import receiver
from tests.support.table import play, played_out, started
from tests.support.worker_office import Copies, Office
from workers.jobs import PAUSES
from workers.notifiers import WebhookSender
from workers.tasks import GAMES, NOTICES, Work

SCORE = Work("g1", "score/1", '{"seq":7}')
NOTIFY = Work("g1", "notify/turn", '{"seat":0,"seq":7}')


def test_the_same_work_waits_once(office: Office) -> None:
    assert office.queues.enqueue(SCORE)
    assert not office.queues.enqueue(SCORE)
    assert office.queues.enqueue(NOTIFY)
    assert office.queues.enqueue_again([SCORE, NOTIFY]) == 0
    assert office.queues.waiting() == {GAMES: 1, NOTICES: 1}


def test_a_job_holds_a_game_and_its_note_and_no_secret(service: Service, office: Office) -> None:
    game = played_out(service, started(service, round_limit=1).id)
    for work in office.notes(game.id).values():
        office.queues.enqueue(work)
    secrets = service.store.secrets(game.id)
    for name in office.client.keys("rq:job:*"):
        held = office.client.hgetall(name)
        for secret in secrets.values():
            assert not any(secret.encode() in value for value in held.values())
    (job, *_) = office.queues.queues[GAMES].get_jobs()
    assert job.args == [game.id, "score/1", office.notes(game.id)["score/1"].value]


def test_a_job_whose_worker_died_is_put_in_again(service: Service, office: Office) -> None:
    game = played_out(service, started(service, round_limit=1).id)
    work = office.notes(game.id)["finish"]
    office.queues.enqueue(work)
    # What a worker does first is to take the job; this one does nothing more.
    assert office.queues.queues[GAMES].pop_job_id() == work.id
    assert not office.queues.enqueue(work)
    assert office.queues.enqueue_again([work]) == 1
    office.work()
    assert service.queries.game(game.id).status == "finished"
    assert not Job.exists(work.id, office.client)


def test_what_was_done_leaves_nothing_in_the_queue(service: Service, office: Office) -> None:
    game = played_out(service, started(service, round_limit=3).id)
    while works := office.notes(game.id):
        for work in works.values():
            office.queues.enqueue(work)
        office.work()
    assert office.client.keys("rq:job:*") == []
    assert [FailedJobRegistry(queue=queue).count for queue in office.queues.queues.values()] == [
        0,
        0,
    ]


def test_games_go_before_notices(service: Service, office: Office, copies: Copies) -> None:
    game = play(service, started(service).id, lambda game: bool(game.rounds_ended))
    works = office.notes(game.id)
    office.queues.enqueue(works["notify/turn"])
    office.queues.enqueue(works["score/1"])
    office.work()
    assert copies.sent[0].seq == works["notify/turn"].said["seq"]
    # It found the round scored already, which was asked for after it.
    assert service.queries.game(game.id).rounds_scored == 1
    assert "score/1" not in office.notes(game.id)


def test_a_notice_is_tried_again_after_a_pause_with_the_same_id(service: Service) -> None:
    with receiver() as letter_box, freeze_time("2026-11-20T09:00:00Z") as time:
        office = Office(service, Copies(), WebhookSender(letter_box.url))
        letter_box.statuses = [500, 503]
        game = started(service)
        work = office.notes(game.id)["notify/turn"]
        office.queues.enqueue(work)
        for tries, pause in enumerate(PAUSES[:2], 1):
            office.work()
            assert len(letter_box.posts) == tries
            assert office.queues.enqueue_retries() == 0
            # It waits for its time, so it is not to be put in again.
            assert office.queues.enqueue_again([work]) == 0
            time.tick(pause - 1)
            assert office.queues.enqueue_retries() == 0
            time.tick(1)
            assert office.queues.enqueue_retries() == 1
        office.work()
        assert {body["delivery"] for _, body in letter_box.posts} == {work.id}
        assert len(letter_box.posts) == 3
        assert "notify/turn" not in office.notes(game.id)
        assert office.client.keys("rq:job:*") == []
        office.client.close()


def test_after_the_last_try_nothing_is_left(service: Service) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        copies, away = Copies(), Copies(away=1000)
        away.name = "away"
        office = Office(service, copies, away)
        game = started(service)
        office.queues.enqueue(office.notes(game.id)["notify/turn"])
        for pause in PAUSES:
            office.work()
            time.tick(pause)
            assert office.queues.enqueue_retries() == 1
        office.work()
        assert away.away == 1000 - len(PAUSES) - 1
        assert len(copies.sent) == 1
        assert "notify/turn" not in office.notes(game.id)
        assert sum(office.queues.waiting().values()) == 0
        office.client.close()


def test_a_retry_whose_job_was_deleted_is_forgotten(office: Office) -> None:
    queue = office.queues.queues[NOTICES]
    office.client.zadd(queue.scheduled_job_registry.key, {"f" * 32: 1})
    assert office.queues.enqueue_retries() == 0
    assert queue.scheduled_job_registry.count == 0


def test_what_waits_can_be_read_and_is_no_pickle(office: Office) -> None:
    office.queues.enqueue(SCORE)
    (job,) = office.queues.queues[GAMES].get_jobs()
    function, _, args, _ = json.loads(job.data)
    assert (function, args) == ("workers.jobs.run", [SCORE.game, SCORE.note, SCORE.value])


def test_who_writes_into_the_queue_cannot_have_anything_else_done(
    office: Office, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # RQ's own job would run these in a worker.
    queue = Queue(GAMES, office.client, serializer=JSONSerializer)
    made = tmp_path / "made"
    queue.enqueue_call("os.mkdir", args=(str(made),))
    queue.enqueue_call(
        "workers.jobs.run",
        args=(SCORE.game, SCORE.note, SCORE.value),
        on_success=Callback("os.abort"),
        on_failure=Callback("os.abort"),
    )
    office.work()
    assert not made.exists()
    assert "os.mkdir is no job of ours" in caplog.text
    assert FailedJobRegistry(queue=queue).count == 1
    assert office.queues.waiting()[GAMES] == 0
