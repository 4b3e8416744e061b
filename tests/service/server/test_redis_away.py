"""While Redis is away, requests get a 503 with Retry-After; the server recovers by itself."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from service.operation.embedded_redis import EmbeddedRedis
from tests.service.conftest import settings_for
from tests.support.accounts import Accounts, take_turn
from tests.support.http_contract import Contract
from tests.support.processes import HANG_SECONDS, idle_at_most, wait_until
from tests.support.server import WebServer


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[EmbeddedRedis]:
    with EmbeddedRedis(tmp_path / "redis") as server:
        yield server


@pytest.fixture
def own_web(own_redis: EmbeddedRedis, tmp_path: Path) -> Iterator[WebServer]:
    with WebServer(settings_for(own_redis, tmp_path, rate_accounts="1000/minute")) as server:
        yield server


def wait_until_readiness_is(url: str, status: int) -> None:
    """Wait until /readyz returns a status. No response may wait for more than two seconds."""

    def is_reached() -> bool:
        with idle_at_most(2):
            return httpx.get(url + "/readyz", timeout=HANG_SECONDS).status_code == status

    wait_until(is_reached)


def test_the_server_recovers_when_redis_is_killed_and_restarted(
    own_redis: EmbeddedRedis, own_web: WebServer, contract: Contract
) -> None:
    accounts = Accounts(own_web.url, contract)
    game, players = accounts.start_game()
    take_turn(game, players)
    seq, actions = players[1].legal_actions(game)
    body = {"handle": "late", "password": "long enough"}
    own_redis.kill()
    for response in (
        players[1].act(game, actions[0], seq),
        players[1].http.get("/api/v1/me"),
        accounts.anonymous.get("/api/v1/games"),
        accounts.anonymous.get(f"/api/v1/games/{game}"),
        accounts.anonymous.get(f"/api/v1/games/{game}/stream"),
        accounts.anonymous.post("/api/v1/players", json=body),
        accounts.anonymous.get("/readyz"),
    ):
        assert response.status_code == 503
        assert int(response.headers["retry-after"]) >= 1
    assert accounts.anonymous.get("/healthz").status_code == 200
    assert "does not respond" in accounts.anonymous.get("/readyz").json()["detail"]
    own_redis.start()
    # The very first request after the restart succeeds.
    assert accounts.anonymous.get(f"/api/v1/games/{game}").json()["head"]["seq"] == seq
    assert players[1].act(game, actions[0], seq).status_code == 201
    wait_until_readiness_is(own_web.url, 200)
    accounts.close()


def test_the_server_recovers_when_redis_hangs_for_a_while(
    own_redis: EmbeddedRedis, own_web: WebServer
) -> None:
    accounts = Accounts(own_web.url)
    game, players = accounts.start_game()
    seq, actions = players[0].legal_actions(game)
    assert own_redis.pid is not None
    os.kill(own_redis.pid, signal.SIGSTOP)
    try:
        # The timeouts allow for a slow disk, but nobody waits for minutes.
        with idle_at_most(20):
            wait_until_readiness_is(own_web.url, 503)
            response = players[0].act(game, actions[0], seq, **{"Idempotency-Key": "once"})
        assert response.status_code == 503
        assert accounts.anonymous.get("/healthz").status_code == 200
    finally:
        os.kill(own_redis.pid, signal.SIGCONT)
    wait_until_readiness_is(own_web.url, 200)
    # The client cannot know whether the action was appended, and repeats it with the same key.
    again = players[0].act(game, actions[0], seq, **{"Idempotency-Key": "once"})
    assert again.status_code == 201
    assert again.json()["events"][0]["seq"] == seq + 1
    assert accounts.anonymous.get(f"/api/v1/games/{game}").json()["head"]["seq"] == seq + 1
    accounts.close()


def test_a_server_may_start_before_its_redis(tmp_path: Path) -> None:
    redis_server = EmbeddedRedis(tmp_path / "redis")
    with WebServer(settings_for(redis_server, tmp_path)) as server:
        assert httpx.get(server.url + "/readyz").status_code == 503
        with redis_server:
            wait_until_readiness_is(server.url, 200)
            accounts = Accounts(server.url)
            game, players = accounts.start_game()
            take_turn(game, players)
            accounts.close()
