"""A process is ready only if the log accepts writes, the queue responds and the key is published."""

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import redis

from replay.language.renderer import english
from service.errors import Unavailable
from service.keyring import Keyring
from service.operation.embedded_redis import EmbeddedRedis
from service.readiness import Readiness
from service.settings import Settings
from tests.support.partitions import Link


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[EmbeddedRedis]:
    """A Redis that the test may stop and configure."""
    with EmbeddedRedis(tmp_path / "redis") as server:
        yield server


@pytest.fixture
def own_settings(own_redis: EmbeddedRedis, tmp_path: Path) -> Settings:
    return Settings(tmp_path, own_redis.url, own_redis.url, tmp_path / "key.pem")


def problem(readiness: Readiness) -> str | None:
    """Return why a process is not ready."""
    try:
        readiness.check()
    except Unavailable as error:
        return english(error.why)
    return None


def test_a_redis_that_accepts_no_writes_is_not_ready(
    own_redis: EmbeddedRedis, own_settings: Settings
) -> None:
    with redis.Redis.from_url(own_redis.url) as client:
        readiness = Readiness(own_settings, _keyring(own_settings, client))
        assert problem(readiness) is None
        refusal = "the log is not available: the store accepts no writes at the moment"
        client.config_set("min-replicas-to-write", 1)
        assert problem(readiness) == refusal
        client.config_set("min-replicas-to-write", 0)
        assert problem(readiness) is None
        # A replica of a server that does not exist: it stays a replica.
        client.execute_command("REPLICAOF", "127.0.0.1", "1")
        problem_of_replica = problem(readiness)
        assert problem_of_replica is not None
        assert problem_of_replica.startswith("the log is not available: ")
        client.execute_command("REPLICAOF", "NO", "ONE")
        assert problem(readiness) is None
        client.config_set("maxmemory", 1)
        assert problem(readiness) is not None
        client.config_set("maxmemory", 0)
        assert problem(readiness) is None


def test_a_redis_that_does_not_respond_is_not_ready(
    own_redis: EmbeddedRedis, own_settings: Settings
) -> None:
    with redis.Redis.from_url(own_redis.url) as client:
        readiness = Readiness(own_settings, _keyring(own_settings, client))
        assert problem(readiness) is None
        assert own_redis.pid is not None
        os.kill(own_redis.pid, signal.SIGSTOP)
        try:
            assert problem(readiness) == "the log is not available: the store does not respond"
            assert not readiness.store_responds()
        finally:
            os.kill(own_redis.pid, signal.SIGCONT)
        assert problem(readiness) is None
        assert readiness.store_responds()


def test_a_redis_that_fails_to_respond_once_refuses_no_requests(
    own_redis: EmbeddedRedis, own_settings: Settings, tmp_path: Path
) -> None:
    link = Link(tmp_path / "link", Path(own_redis.url.removeprefix("unix://")))
    with redis.Redis.from_url(own_redis.url) as client, closing(link):
        settings = replace(own_settings, redis_url=link.url, queue_url=link.url)
        readiness = Readiness(settings, _keyring(own_settings, client))
        link.close_next_connection()
        assert readiness.store_responds()


def test_a_queue_that_does_not_respond_is_not_ready(settings: Settings, service: Any) -> None:
    elsewhere = replace(settings, queue_url="redis://127.0.0.1:1/0")
    readiness = Readiness(elsewhere, service.keyring)
    assert problem(readiness) == "the queue is not available: the store does not respond"


def test_a_signing_key_that_cannot_be_read_is_not_ready(settings: Settings, service: Any) -> None:
    settings.signing_key.write_text("no key")
    readiness = Readiness(settings, service.keyring)
    assert problem(readiness) == "the signing key cannot be used"


def _keyring(settings: Settings, client: redis.Redis) -> Keyring:
    return Keyring(client, settings.signing_key)
