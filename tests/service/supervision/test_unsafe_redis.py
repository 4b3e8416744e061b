"""A Redis that can lose what it has acknowledged: `serve` and `web` say so at the start, `/readyz` always."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import pytest
import redis

from domain.messages import message
from service.administration.redis_servers import check_logs, check_queue
from service.bootstrap import build
from service.operation.embedded_redis import EmbeddedRedis
from service.operation.redis_risks import (
    RISKS_OF_LOGS,
    RISKS_OF_QUEUE,
    Risk,
    eviction_of_logs,
    eviction_of_queue,
    missing_file_of_logs,
)
from service.settings import Settings
from tests.support.processes import wait_until
from tests.support.running_service import RunningService
from tests.support.server import WebServer


@dataclass(frozen=True)
class Case:
    """Settings of a Redis with a risk, what is said of it, and what `doctor` says."""

    risk: Risk
    configuration: Mapping[str, str | int]
    sentence: str
    finding: str


FULL: Final = {"maxmemory": 1 << 40}
CASES: Final[Mapping[str, Case]] = {
    "evicts all": Case(
        eviction_of_logs,
        {**FULL, "maxmemory-policy": "allkeys-lru"},
        "the Redis of the logs deletes data when its memory is full (allkeys-lru): games and accounts can be"
        " lost",
        "deletes data when its memory is full (allkeys-lru)",
    ),
    "evicts what expires": Case(
        eviction_of_logs,
        {**FULL, "maxmemory-policy": "volatile-ttl"},
        "the Redis of the logs deletes data when its memory is full (volatile-ttl): sessions and what else"
        " expires can be lost",
        "deletes data when its memory is full (volatile-ttl)",
    ),
    "no file": Case(
        missing_file_of_logs,
        {"appendonly": "no"},
        "the Redis of the logs keeps no append-only file: when it ends, everything since its last snapshot is"
        " lost, also what was acknowledged",
        "it does not write every event to disk",
    ),
}
QUEUE: Final = (
    "the Redis of the queue deletes data when its memory is full (allkeys-lru): jobs can be lost, and are"
    " late"
)


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[EmbeddedRedis]:
    """A Redis that the test may configure."""
    with EmbeddedRedis(tmp_path / "redis") as server:
        yield server


@pytest.fixture
def own_settings(own_redis: EmbeddedRedis, tmp_path: Path) -> Settings:
    return Settings(tmp_path, own_redis.url, own_redis.url, tmp_path / "key.pem")


def configure(url: str, configuration: Mapping[str, str | int]) -> None:
    with redis.Redis.from_url(url) as client:
        for name, value in configuration.items():
            client.config_set(name, value)


def risks(server: WebServer, language: str = "en") -> list[str]:
    """Return the risks that /readyz names; the process is ready nevertheless."""
    response = httpx.get(f"{server.url}/readyz", headers={"Accept-Language": language})
    assert response.status_code == 200
    body = response.json()
    assert body.pop("status") == "ready"
    named: list[str] = body.pop("risks", [])
    assert body == {}
    return [risk[0].lower() + risk[1:] for risk in named]


def warnings(server: WebServer) -> list[str]:
    """Return the messages of the warnings about the Redis in the log of a server."""
    lines = (json.loads(line) for line in server.lines() if line.startswith("{"))
    return [line["message"] for line in lines if "the Redis of the" in line["message"]]


def test_every_risk_has_a_case() -> None:
    assert {case.risk for case in CASES.values()} == set(RISKS_OF_LOGS)
    assert set(RISKS_OF_QUEUE) == {eviction_of_queue}


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("name", CASES)
def test_web_says_once_at_the_start_what_can_be_lost_and_readyz_shows_it(
    own_settings: Settings, name: str, processes: int
) -> None:
    case = CASES[name]
    configure(own_settings.redis_url, case.configuration)
    with WebServer(own_settings, processes=processes) as server:
        assert risks(server) == [case.sentence]
        assert warnings(server) == [case.sentence]
    service = build(own_settings)
    faults = [finding for finding in check_logs(service.redis) if finding.status == "fault"]
    service.redis.close()
    assert case.finding in " ".join(finding.as_text(message("Redis")) for finding in faults)


def test_a_risk_that_comes_or_goes_while_a_process_runs_is_shown(own_settings: Settings) -> None:
    with WebServer(own_settings) as server:
        assert (risks(server), warnings(server)) == ([], [])
        configure(own_settings.redis_url, CASES["no file"].configuration)
        assert risks(server) == [CASES["no file"].sentence]
        assert len(risks(server, "fr")) == 1
        configure(own_settings.redis_url, {"appendonly": "yes"})
        assert risks(server) == []


def test_a_queue_that_evicts_is_named_as_such(own_settings: Settings, settings: Settings) -> None:
    configure(own_settings.redis_url, CASES["evicts all"].configuration)
    both = Settings(
        own_settings.data, settings.redis_url, own_settings.redis_url, own_settings.signing_key
    )
    with WebServer(both) as server:
        assert risks(server) == [QUEUE]
        assert warnings(server) == [QUEUE]
    service = build(both)
    assert [finding.status for finding in check_queue(service.settings)].count("fault") == 1
    service.redis.close()


def test_a_redis_that_shows_nothing_of_itself_is_not_a_risk(own_settings: Settings) -> None:
    configure(own_settings.redis_url, CASES["no file"].configuration)
    with redis.Redis.from_url(own_settings.redis_url) as client:
        client.execute_command("ACL", "SETUSER", "default", "-info", "-config")
    with WebServer(own_settings) as server:
        assert (risks(server), warnings(server)) == ([], [])


def test_serve_says_once_at_the_start_what_can_be_lost(
    own_settings: Settings, tmp_path: Path
) -> None:
    configure(
        own_settings.redis_url,
        {**CASES["evicts all"].configuration, **CASES["no file"].configuration},
    )
    running = RunningService(tmp_path, processes=2, CARTULARY_REDIS_URL=own_settings.redis_url)
    running.start()
    try:
        for name in ("evicts all", "no file"):
            assert running.err.read_text().count(CASES[name].sentence) == 1
    finally:
        running.stop()
    (tmp_path / "safe").mkdir()
    safe = RunningService(tmp_path / "safe", processes=1)
    safe.start()
    try:
        wait_until(lambda: httpx.get(f"{safe.url}/readyz").json() == {"status": "ready"})
        assert "can be lost" not in safe.err.read_text()
    finally:
        safe.stop()
