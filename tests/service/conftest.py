"""A web server of a whole run, on a Redis of its own, accounts on it, and an application without a server."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias
from unittest.mock import patch

import httpx
import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from ledger.record import Record
from ledger.transparency.signed_note import COSIGNATURE, note_key
from service.bootstrap import Service
from service.bounds import Bounds
from service.connection import connect
from service.http.blueprint import Application
from service.operation.embedded_redis import EmbeddedRedis
from service.pages.app import create_web_app
from service.settings import Settings
from tests.support.accounts import Accounts
from tests.support.api_coverage import CONTRACT
from tests.support.http_contract import Contract
from tests.support.library_caches import SharedMap
from tests.support.processes import HANG_SECONDS
from tests.support.redis_kinds import RedisUrls, redis_of_kind
from tests.support.server import WebServer
from tests.support.stored_games import recorded_game, store_game
from tests.support.witnesses import WITNESS_KEY

StoreGame: TypeAlias = Callable[[str], tuple[str, Record]]


def settings_for(
    server: EmbeddedRedis | RedisUrls,
    data: Path,
    rate_accounts: str = "",
    rate_games: str = "",
    rate_disputes: str = "",
    rate_messages: str = "",
    rate_requests: str = "",
) -> Settings:
    urls = server if isinstance(server, RedisUrls) else RedisUrls(server.url, server.url)
    return Settings(
        data=data,
        redis_url=urls.logs,
        queue_url=urls.queue,
        signing_key=data / "signing-key.pem",
        rate_accounts=rate_accounts,
        rate_games=rate_games,
        rate_disputes=rate_disputes,
        rate_messages=rate_messages,
        rate_requests=rate_requests,
        witnesses=(str(note_key("test-witness", WITNESS_KEY, COSIGNATURE)),),
        bounds=Bounds(
            # All clients of the tests have the same address.
            max_connections_per_address=5000,
            max_new_connections_per_address=100_000,
            max_streams_per_visitor=5000,
            # No request waits too long on a slow machine.
            max_wait_seconds=HANG_SECONDS,
            request_seconds=HANG_SECONDS,
            picture_seconds=HANG_SECONDS,
            audit_seconds=HANG_SECONDS,
        ),
    )


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., str]:
    """A function that writes a program that only prints one line, to take the place of a server."""

    def write(output: str, name: str = "bin/redis-server") -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\necho '{output}'\n")
        path.chmod(0o755)
        return str(path)

    return write


@pytest.fixture(scope="session")
def web_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedRedis]:
    """The Redis of the shared web server. No test empties it."""
    with EmbeddedRedis(tmp_path_factory.mktemp("web-redis")) as server:
        yield server


@pytest.fixture(scope="session")
def web_redis_urls(
    redis_kind: str, web_redis: EmbeddedRedis, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RedisUrls]:
    """The URLs of the Redis of the shared web server, of the kind that this run is for."""
    with redis_of_kind(redis_kind, web_redis, tmp_path_factory) as urls:
        yield urls


@pytest.fixture(scope="session")
def web(
    web_redis_urls: RedisUrls, pseudo_catalogues: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[WebServer]:
    """The shared web server. No test stops it. It has the language that marks every template."""
    settings = settings_for(web_redis_urls, tmp_path_factory.mktemp("web"))
    setup_code = (
        "from pathlib import Path; from replay.language import catalogue;"
        f" catalogue.FOLDER = Path({str(pseudo_catalogues)!r})"
    )
    with WebServer(settings, setup_code=setup_code, is_setup_before_imports=True) as server:
        yield server


@pytest.fixture(scope="session")
def contract(web: WebServer, pytestconfig: pytest.Config) -> Contract:
    """The OpenAPI document of the shared web server."""
    contract = Contract(httpx.get(web.url + "/api/v1/openapi.json").json())
    pytestconfig.stash[CONTRACT] = contract
    return contract


@pytest.fixture
def accounts(web: WebServer, contract: Contract) -> Iterator[Accounts]:
    """Accounts on the shared web server."""
    accounts = Accounts(web.url, contract)
    yield accounts
    accounts.close()


@pytest.fixture
def redis_client(web_redis_urls: RedisUrls) -> Iterator[redis.Redis]:
    """A client of the Redis of the shared web server."""
    with connect(web_redis_urls.logs) as client:
        yield client


@pytest.fixture(scope="session")
def url_map() -> SharedMap:
    """The URL map of the applications of all tests."""
    return SharedMap()


@pytest.fixture
def app(service: Service, url_map: SharedMap) -> Flask:
    with patch.object(Application, "url_map_class", staticmethod(lambda **_: url_map)):
        return create_web_app(service)


@pytest.fixture
def browser(app: Flask) -> FlaskClient:
    """A browser without scripts: it keeps cookies.

    It is no context manager, which would keep the context of its last request for those of other browsers.
    """
    return app.test_client()


@pytest.fixture
def store(service: Service) -> StoreGame:
    """Stores a game of tests/games, and returns its id and its record."""

    def store(name: str) -> tuple[str, Record]:
        record = recorded_game(name)
        return store_game(service, record), record

    return store
