"""The processes of worker and scheduler: they start, stop on a signal, and wait for a Redis that is down."""

import json
import signal
import socket
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event

import httpx
import pytest

from service.bootstrap import build
from service.operation.embedded_redis import EmbeddedRedis
from service.operation.process_reports import MISSED_REPORTS
from service.settings import Settings
from tests.support.processes import (
    HANG_SECONDS,
    Start,
    cartulary,
    free_port,
    idle_at_most,
    wait_for_exit,
    wait_until,
)
from tests.support.receiver import raw_receiver, webhook_receiver
from tests.support.service_games import play_out, start_game


def test_a_receiver_of_replies_reports_that_it_is_alive(start: Start, settings: Settings) -> None:
    service = build(settings)
    process = start(
        "replies",
        CARTULARY_REPLY_ADDRESS="play@example.org",
        CARTULARY_REPLY_LMTP=f"127.0.0.1:{free_port()}",
        CARTULARY_SMTP_URL="smtp://127.0.0.1:25",
        CARTULARY_MAIL_FROM="games@example.org",
    )
    wait_until(lambda: [report.kind for report in service.process_reports.alive()] == ["replies"])
    process.send_signal(signal.SIGTERM)
    assert wait_for_exit(process) == 0
    assert service.process_reports.all() == []
    service.redis.close()


@pytest.mark.parametrize(("number", "is_at_work"), [(signal.SIGTERM, False), (signal.SIGINT, True)])
def test_worker_and_scheduler_stop_on_a_signal(
    start: Start, settings: Settings, number: signal.Signals, is_at_work: bool, tmp_path: Path
) -> None:
    processes = [start("worker"), start("scheduler")]
    first_messages = {"working on the queues", "scheduling"}
    # The signal comes as soon as the processes handle signals, or when both have reported.
    wait_until(lambda: all(text in (tmp_path / "err").read_text() for text in first_messages))
    reports = build(settings).process_reports
    wait_until(lambda: len(reports.alive()) == 2 or not is_at_work)
    with idle_at_most(5):
        for process in processes:
            process.send_signal(number)
        assert [wait_for_exit(process) for process in processes] == [0, 0]
    assert "Traceback" not in (tmp_path / "err").read_text()


def test_health_checks_pass_while_processes_are_idle_and_fail_soon_after_one_is_killed(
    start: Start, settings: Settings
) -> None:
    seconds = {"CARTULARY_REPORT_SECONDS": "0.5"}
    reports = build(replace(settings, report_seconds=0.5)).process_reports
    processes = {name: start(name, **seconds) for name in ("worker", "scheduler")}
    port = free_port()
    start("web", "--port", str(port), "--processes", "1", **seconds)

    def check() -> tuple[int, str]:
        """Return the status of the health check over HTTP, and the detail of a problem."""
        try:
            response = httpx.get(f"http://127.0.0.1:{port}/healthz/processes", timeout=HANG_SECONDS)
        except httpx.TransportError:
            return 0, ""
        return response.status_code, response.json().get("detail", "")

    def run_health() -> tuple[int, list[str]]:
        """Return the exit status of the command, and what is missing."""
        environment = {
            "CARTULARY_REDIS_URL": settings.redis_url,
            "CARTULARY_QUEUE_URL": settings.queue_url,
            "CARTULARY_DATA": str(settings.data),
        }
        result = cartulary("health", **seconds, **environment)
        return result.returncode, json.loads(result.stdout)["missing"]

    wait_until(lambda: check() == (200, ""))
    times: set[tuple[int, str]] = set()

    def have_reported_again_and_again() -> bool:
        times.update((report.pid, report.seen_at) for report in reports.all())
        counts = Counter(pid for pid, _ in times)
        assert len(counts) == 2
        return min(counts.values()) > 2 * MISSED_REPORTS

    wait_until(have_reported_again_and_again)
    wait_until(lambda: check() == (200, ""))
    wait_until(lambda: run_health() == (0, []))

    def is_reported(missing: list[str]) -> bool:
        return check() == (503, f"these processes have not reported lately: {', '.join(missing)}")

    for kind, missing in (("worker", ["worker"]), ("scheduler", ["worker", "scheduler"])):
        processes[kind].kill()
        # With the default settings, this is 30 seconds.
        with idle_at_most(1.5 * reports.alive_for.total_seconds()):
            wait_until(partial(is_reported, missing))
        assert run_health() == (1, missing)


def test_worker_and_scheduler_finish_games_and_notify(
    start: Start, settings: Settings, tmp_path: Path
) -> None:
    service = build(settings)
    with webhook_receiver() as receiver:
        before = play_out(service, start_game(service, round_limit=2).id)
        start("scheduler")
        start("worker", CARTULARY_WEBHOOK_URL=receiver.url)
        wait_until(lambda: service.store.outbox(before.id) == {})
        after = play_out(service, start_game(service, round_limit=1).id)
        wait_until(lambda: service.store.outbox(after.id) == {})
        wait_until(lambda: service.notifications.deliveries.waiting(1) == [])
        notifications = [request.body for request in receiver.requests]
    subjects = [body["subject"] for body in notifications if body["game"] == before.id]
    assert sorted(subjects) == ["game_over", "round_scored", "round_scored"]
    assert {service.games.queries.game(game.id).status for game in (before, after)} == {"finished"}
    assert f'"message":"game_over: game {before.id}' in (tmp_path / "err").read_text()
    service.redis.close()


@pytest.mark.nightly
def test_a_receiver_that_never_answers_delays_only_notifications(
    start: Start, settings: Settings
) -> None:
    service = build(settings)
    deliveries: list[str] = []

    def never_answer(connection: socket.socket) -> None:
        deliveries.append("begun")
        while connection.recv(65536):
            pass

    with raw_receiver(never_answer) as url:
        start("scheduler")
        # As `cartulary serve` starts them.
        start("worker", "--queue", "games")
        start("worker", "--queue", "notices", CARTULARY_WEBHOOK_URL=url)
        start_game(service)
        wait_until(lambda: deliveries)
        game = play_out(service, start_game(service, round_limit=1).id)
        wait_until(lambda: service.games.queries.game(game.id).status == "finished")
        # The worker still waits for the answer to the first delivery.
        assert len(deliveries) == 1
    service.redis.close()


def test_receivers_that_never_answer_delay_no_other_account(
    start: Start, settings: Settings
) -> None:
    service = build(replace(settings, webhook_networks=("127.0.0.1",)))
    environment = {"CARTULARY_WEBHOOK_NETWORKS": "127.0.0.1", "CARTULARY_WEBHOOK_SECONDS": "600"}
    hanging: list[socket.socket] = []
    released = Event()

    def hang(connection: socket.socket) -> None:
        hanging.append(connection)
        released.wait()

    def url_of(receiver: str) -> str:
        return receiver.replace("somebody:secret-word@", "")

    with ExitStack() as receivers:
        quick = receivers.enter_context(webhook_receiver())
        silent = [receivers.enter_context(raw_receiver(hang)) for _ in range(12)]
        # It comes last, so it is the first to be called.
        receivers.callback(released.set)
        *accounts, ada = (service.accounts.players.create_guest()[0].id for _ in range(5))
        for number, receiver in enumerate(silent):
            service.notifications.webhooks.add(accounts[number % len(accounts)], url_of(receiver))
        service.notifications.webhooks.add(ada, url_of(quick.url))
        start("scheduler")
        start("worker", "--queue", "notices", **environment)
        for account in accounts:
            for _ in range(3):
                start_game(service, players=[account, "bea"])
            service.notifications.webhooks.request_test(
                account, service.notifications.webhooks.of(account)[0].id
            )
        wait_until(lambda: len(hanging) == len(accounts))
        for _ in range(3):
            game_id = start_game(service, players=[ada, "bea"]).id
            wait_until(
                lambda game=game_id: game in {each.body["data"]["game"] for each in quick.requests}  # type: ignore[misc] # mypy cannot infer a lambda with a default
            )
        # An account occupies one sender, and these requests are still open.
        assert len(hanging) == len(accounts)
    service.redis.close()


def test_a_player_who_misses_a_deadline_is_removed_in_real_time(
    start: Start, settings: Settings
) -> None:
    service = build(settings)
    start("scheduler")
    start("worker", "--queue", "games")
    game = start_game(service, clock={"per_turn": 1, "on_deadline": {"placement": "remove"}})
    wait_until(lambda: service.games.queries.game(game.id).status == "finished")
    events = service.games.queries.event_page(game.id, game.seq, 10)
    assert [event["type"] for event in events] == ["PlayerRemoved", "GameFinished"]
    service.redis.close()


def test_worker_and_scheduler_wait_for_a_redis_that_is_down(start: Start, tmp_path: Path) -> None:
    server = EmbeddedRedis(tmp_path / "own")
    url = {"CARTULARY_REDIS_URL": server.url}
    processes = [start("worker", **url), start("scheduler", **url)]

    def have_both_tried() -> bool:
        lines = (tmp_path / "err").read_text().splitlines()
        by_worker = {"the queue" in line for line in lines if "trying again" in line}
        return by_worker == {True, False}

    wait_until(have_both_tried)
    assert [process.poll() for process in processes] == [None, None]
    service = build(
        Settings(tmp_path / "own", server.url, server.url, tmp_path / "signing-key.pem")
    )
    for _ in range(2):
        server.start()
        game_id = play_out(service, start_game(service, round_limit=1).id).id
        wait_until(lambda game_id=game_id: not service.store.outbox(game_id))  # type: ignore[misc] # mypy cannot infer a lambda with a default
        assert service.games.queries.game(game_id).status == "finished"
        server.kill()
    assert [process.poll() for process in processes] == [None, None]
    service.redis.close()
