"""The processes themselves: a worker and a scheduler, started, told to stop, and left without a Redis."""

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.bootstrap import build
from service.embedded_redis import EmbeddedRedis
from service.settings import Settings
from tests.support.processes import begin, wait_until
from tests.support.receiver import receiver
from tests.support.table import played_out, started

Run = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def run(tmp_path: Path, settings: Settings) -> Iterator[Run]:
    """Starts `cartulary WORDS` on the service of the test; what still runs afterwards is killed."""
    running = []

    def start(*words: str, **more: str) -> "subprocess.Popen[bytes]":
        own = {
            "CARTULARY_REDIS_URL": settings.redis_url,
            "CARTULARY_DATA": str(settings.data),
            "CARTULARY_SWEEP_SECONDS": "0.2",
            **more,
        }
        process = begin(*words, out=tmp_path / "out", err=tmp_path / "err", settings=own)
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("name", "says"), [("worker", "working on the queues"), ("scheduler", "scheduling")]
)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("after", [0, 0.5])
def test_it_ends_when_it_is_told_to(
    run: Run, name: str, says: str, number: signal.Signals, after: float, tmp_path: Path
) -> None:
    process = run(name)
    # Once it listens to signals: at once, before it has done anything, and when it has settled.
    wait_until(lambda: says in (tmp_path / "err").read_text())
    time.sleep(after)
    began = time.monotonic()
    process.send_signal(number)
    assert process.wait(15) == 0
    assert time.monotonic() - began < 5
    assert "Traceback" not in (tmp_path / "err").read_text()


def test_worker_and_scheduler_do_all_there_is_to_do(
    run: Run, settings: Settings, tmp_path: Path
) -> None:
    service = build(settings)
    with receiver() as letter_box:
        before = played_out(service, started(service, round_limit=2).id)
        run("scheduler")
        run("worker", CARTULARY_WEBHOOK_URL=letter_box.url)
        wait_until(lambda: service.store.outbox(before.id) == {})
        after = played_out(service, started(service, round_limit=1).id)
        wait_until(lambda: service.store.outbox(after.id) == {})
        subjects = [body["subject"] for _, body in letter_box.posts if body["game"] == before.id]
    assert sorted(subjects) == ["game_over", "round_scored", "round_scored"]
    assert {service.queries.game(game.id).status for game in (before, after)} == {"finished"}
    assert f'"message":"game_over: game {before.id}' in (tmp_path / "err").read_text()
    service.redis.close()


def test_a_deadline_is_kept_in_real_time(run: Run, settings: Settings) -> None:
    service = build(settings)
    run("scheduler")
    run("worker", "--queue", "games")
    game = started(service, clock={"per_turn": 1})
    wait_until(lambda: service.queries.game(game.id).status == "finished")
    events = service.queries.events(game.id, game.seq, 10)
    assert [event["type"] for event in events] == ["PlayerRemoved", "GameFinished"]
    service.redis.close()


def test_they_wait_for_a_redis_that_is_away(run: Run, tmp_path: Path) -> None:
    server = EmbeddedRedis(tmp_path / "own")
    away = {"CARTULARY_REDIS_URL": server.url}
    processes = [run("worker", **away), run("scheduler", **away)]
    time.sleep(1.5)
    assert [process.poll() for process in processes] == [None, None]
    own = Settings(tmp_path / "own", server.url, server.url, tmp_path / "signing-key.pem")
    service = build(own)
    for _ in range(2):
        server.start()
        game = played_out(service, started(service, round_limit=1).id)
        wait_until(lambda game=game: not service.store.outbox(game.id))  # type: ignore[misc]
        assert service.queries.game(game.id).status == "finished"
        server.kill()
    assert [process.poll() for process in processes] == [None, None]
    service.redis.close()
