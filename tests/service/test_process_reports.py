"""Workers and schedulers report that they are alive; metrics and health checks show it."""

from datetime import UTC, datetime, timedelta
from importlib.metadata import version

import pytest
from freezegun import freeze_time

from service.bootstrap import Service
from service.http import stored_metrics
from service.operation.process_reports import (
    EXPECTED_KINDS,
    PROCESSES,
    ProcessReports,
    Reporter,
    health,
)
from tests.support.processes import wait_until

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)


def lines(service: Service, metric: str) -> list[str]:
    page = stored_metrics.render(service).decode()
    return [line for line in page.splitlines() if line.startswith(metric)]


def test_a_process_counts_as_alive_for_some_time_after_its_report(service: Service) -> None:
    with freeze_time(NOW):
        Reporter(service.process_reports, "worker", ("games",)).report()
    alive_for = service.process_reports.alive_for
    assert alive_for <= timedelta(seconds=20)
    with freeze_time(NOW + alive_for):
        (report,) = service.process_reports.alive()
        assert (report.kind, report.queues, report.version) == (
            "worker",
            ("games",),
            version("cartulary"),
        )
        assert health([report])["missing"] == ["scheduler"]
    with freeze_time(NOW + alive_for + timedelta(seconds=1)):
        assert service.process_reports.alive() == []


def test_a_process_that_ends_is_not_reported_any_more(service: Service) -> None:
    reporter = Reporter(service.process_reports, "scheduler")
    reporter.report()
    reporter.end()
    assert service.process_reports.all() == []


def test_a_process_is_reported_while_it_continues_and_not_while_it_hangs(service: Service) -> None:
    reports = ProcessReports(service.redis, report_seconds=0.05)

    def seen_at() -> str:
        (report,) = reports.all()
        return report.seen_at

    working = Reporter(reports, "worker")
    working.start()
    wait_until(reports.alive)
    first = seen_at()
    wait_until(lambda: seen_at() > first)
    working.end()
    assert reports.all() == []

    hanging = Reporter(reports, "worker", seconds_to_hang=0.2)
    hanging.start()
    wait_until(reports.alive)
    wait_until(lambda: not reports.alive())
    hanging.note_progress()
    wait_until(reports.alive)
    hanging.end()


def test_reports_of_processes_that_ended_long_ago_are_deleted(service: Service) -> None:
    with freeze_time(NOW):
        Reporter(service.process_reports, "worker").report()
    with freeze_time(NOW + timedelta(hours=2)):
        Reporter(service.process_reports, "scheduler").report()
        assert [report.kind for report in service.process_reports.all()] == ["scheduler"]


def test_a_damaged_report_is_left_out(service: Service) -> None:
    service.redis.hset(PROCESSES, "worker host 1", b"{")
    service.redis.hset(PROCESSES, "worker host 2", b'{"kind": 1}')
    assert service.process_reports.all() == []


def test_the_metrics_have_versions_jobs_and_how_late_deadlines_are(service: Service) -> None:
    assert lines(service, "cartulary_info") == [
        f'cartulary_info{{version="{version("cartulary")}"}} 1.0'
    ]
    figures = {
        "waiting cartulary-games": 3,
        "failed cartulary-games": 1,
        "overdue_milliseconds": 2500,
    }
    Reporter(service.process_reports, "scheduler").report(figures)
    assert lines(service, "cartulary_jobs_waiting") == [
        'cartulary_jobs_waiting{queue="cartulary-games"} 3.0'
    ]
    assert lines(service, "cartulary_jobs_failed") == [
        'cartulary_jobs_failed{queue="cartulary-games"} 1.0'
    ]
    assert lines(service, "cartulary_deadline_overdue_seconds") == [
        "cartulary_deadline_overdue_seconds 2.5"
    ]
    (alive,) = lines(service, "cartulary_processes_alive")
    assert 'kind="scheduler"' in alive
    (silent,) = lines(service, "cartulary_process_silent_seconds")
    assert float(silent.split()[1]) == pytest.approx(0, abs=30)


def test_a_receiver_of_replies_is_expected_only_where_players_can_answer_mails(
    service: Service,
) -> None:
    for kind in EXPECTED_KINDS:
        Reporter(service.process_reports, kind).report()
    alive = service.process_reports.alive()
    with_replies = ProcessReports(service.redis, receives_replies=True)
    assert health(alive, service.process_reports.expected_kinds)["missing"] == []
    assert health(alive, with_replies.expected_kinds)["missing"] == ["replies"]
    Reporter(with_replies, "replies").report()
    assert health(with_replies.alive(), with_replies.expected_kinds)["status"] == "healthy"
    (line,) = lines(service, 'cartulary_process_silent_seconds{kind="replies"}')
    assert float(line.split()[-1]) < 60
