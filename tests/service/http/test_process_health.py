"""`GET /healthz/processes`: whether a scheduler and a worker are alive."""

import redis

from service.operation.process_reports import PROCESSES, ProcessReports, Reporter
from tests.support.accounts import Accounts

PATH = "/healthz/processes"


def test_the_status_shows_whether_a_kind_of_process_is_missing(
    accounts: Accounts, redis_client: redis.Redis
) -> None:
    redis_client.delete(PROCESSES)
    reports = ProcessReports(redis_client)
    try:
        Reporter(reports, "worker", ("cartulary-games",)).report()
        degraded = accounts.anonymous.get(PATH)
        assert degraded.status_code == 503
        assert "scheduler" in degraded.json()["detail"]
        Reporter(reports, "scheduler").report()
        healthy = accounts.anonymous.get(PATH)
        assert (healthy.status_code, healthy.json()["status"]) == (200, "healthy")
        kinds = [process["kind"] for process in healthy.json()["processes"]]
        assert kinds == ["scheduler", "worker"]
    finally:
        redis_client.delete(PROCESSES)
