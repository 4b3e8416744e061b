"""Fixtures for tests of several packages: one real Redis for a whole run, emptied for each test using it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from ledger.canonical import canonical
from service.bootstrap import Service, build
from service.bounds import Bounds
from service.embedded_redis import EmbeddedRedis
from service.settings import Settings
from tests.support.records import KEY


@pytest.fixture(scope="session", autouse=True)
def trusted_keys_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A file with the key of the test records for the whole run; tests leave that of the user alone."""
    with pytest.MonkeyPatch.context() as patch:
        path = tmp_path_factory.mktemp("trust") / "trusted-keys.jsonl"
        path.write_bytes(canonical({"public": KEY.public, "source": "test"}) + b"\n")
        patch.setenv("CARTULARY_TRUSTED_KEYS", str(path))
        yield


@pytest.fixture(scope="session", autouse=True)
def english_locale() -> Iterator[None]:
    """A locale without a language for the whole run, so that commands write English unless a test differs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LC_ALL", "C.UTF-8")
        patch.delenv("LANGUAGE", raising=False)
        yield


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedRedis]:
    """A Redis with the settings of the embedded one, shared by all tests; no test may stop it."""
    with EmbeddedRedis(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def redis_url(redis_server: EmbeddedRedis) -> str:
    """The URL of the shared Redis, emptied for this test."""
    with redis.Redis.from_url(redis_server.url) as client:
        client.flushall()
    return redis_server.url


@pytest.fixture
def settings(redis_url: str, tmp_path: Path) -> Settings:
    """The settings of a service on the shared Redis, with a data folder for this test only."""
    return Settings(
        data=tmp_path,
        redis_url=redis_url,
        queue_url=redis_url,
        signing_key=tmp_path / "signing-key.pem",
        rate_accounts="",
        rate_games="",
        rate_disputes="",
        # Tests freeze the wall clock, which then differs from all other clocks by any time.
        bounds=Bounds(max_clock_jump_seconds=1e12),
    )


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    """The parts of the service, as one process builds them."""
    service = build(settings)
    yield service
    service.redis.close()
