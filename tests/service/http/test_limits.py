"""Rate limits: 429 with Retry-After, counted by player or by address, if a limit is set."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import redis

from service.bootstrap import build
from service.connection import connect
from service.http.app import create_app
from service.settings import Settings
from tests.service.conftest import settings_for
from tests.support.accounts import PASSWORD, Accounts
from tests.support.http_contract import Contract
from tests.support.redis_contents import contents
from tests.support.redis_kinds import RedisUrls
from tests.support.server import WebServer

API = "/api/v1"


@pytest.fixture
def limited(web_redis_urls: RedisUrls, tmp_path: Path, contract: Contract) -> Iterator[Accounts]:
    """Accounts on a server that takes three registrations, four new places and twenty requests an hour."""
    settings = settings_for(
        web_redis_urls,
        tmp_path,
        rate_accounts="3/hour",
        rate_games="4/hour",
        rate_requests="20/hour",
    )
    with connect(web_redis_urls.logs) as client:
        for key in client.keys("cartulary:rate*"):
            client.delete(key)
    with WebServer(settings) as server:
        accounts = Accounts(server.url, contract)
        yield accounts
        accounts.close()


def test_registrations_and_logins_are_counted_together(
    limited: Accounts, redis_client: redis.Redis
) -> None:
    ada = limited.register()
    login = {"handle": ada.handle, "password": "guess number one"}
    for _ in range(2):
        assert limited.anonymous.post("/api/v1/tokens", json=login).status_code == 401
    before = {name: value for name, value in contents(redis_client).items() if ":rate" not in name}
    login_response = limited.anonymous.post("/api/v1/tokens", json={**login, "password": PASSWORD})
    assert login_response.status_code == 429
    assert 0 < int(login_response.headers["retry-after"]) <= 3600
    body = {"handle": "one-more", "password": PASSWORD}
    assert limited.anonymous.post("/api/v1/players", json=body).status_code == 429
    after = {name: value for name, value in contents(redis_client).items() if ":rate" not in name}
    assert after == before
    # Players who are logged in are not affected.
    assert ada.http.get("/api/v1/me").status_code == 200


def test_requests_are_counted_by_player_and_by_address(limited: Accounts) -> None:
    ada = limited.register()
    statuses = [limited.anonymous.get("/api/v1/games").status_code for _ in range(25)]
    # The registration was the first request of this address.
    assert statuses == [200] * 19 + [429] * 6
    statuses = [ada.http.get("/api/v1/me").status_code for _ in range(25)]
    assert statuses == [200] * 20 + [429] * 5
    for _ in range(25):
        assert limited.anonymous.get("/healthz").status_code == 200
        assert limited.anonymous.get("/metrics").status_code == 200
    invalid_token = {"Authorization": "Bearer made-up"}
    assert limited.anonymous.get("/api/v1/games", headers=invalid_token).status_code == 429


def test_logins_are_counted_by_ipv4_address_or_ipv6_network(settings: Settings) -> None:
    service = build(replace(settings, rate_accounts="2/hour"))
    client = create_app(service).test_client()

    def log_in(address: str) -> int:
        body = {"handle": "nobody", "password": PASSWORD}
        environ = {"REMOTE_ADDR": address}
        return client.post("/api/v1/tokens", json=body, environ_base=environ).status_code

    same_network = ("2001:db8::1", "2001:db8::2", "2001:db8::3:4")
    assert [log_in(address) for address in same_network] == [401, 401, 429]
    assert log_in("2001:db8:0:1::1") == 401
    mapped = ("192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1", "::ffff:192.0.2.2")
    assert [log_in(address) for address in mapped] == [401, 401, 429, 401]
    service.redis.close()


def test_creating_and_joining_games_are_counted_together_by_player(limited: Accounts) -> None:
    ada, bea = limited.register(), limited.register()
    body = {"rules": "barony", "seats": 2}
    for _ in range(2):
        # Leaving a game does not make room for another one.
        game = ada.create_game()
        assert ada.http.delete(f"{API}/games/{game}/players/me").status_code == 204
    opened = [bea.create_game() for _ in range(3)]
    for game in opened[:2]:
        ada.join(game)
    response = ada.http.post(f"{API}/games", json=body)
    assert response.status_code == 429
    assert 0 < int(response.headers["retry-after"]) <= 3600
    assert ada.http.post(f"{API}/games/{opened[2]}/players", json={}).status_code == 429
    assert ada.http.get(f"{API}/games/{opened[2]}").json()["status"] == "open"
    # Other players, and other requests of the same player, are not affected.
    assert bea.http.post(f"{API}/games", json=body).status_code == 201
    assert ada.act(opened[0], {"type": "resign"}, 4).status_code == 201


def test_what_adds_to_tournaments_is_counted_by_player(limited: Accounts) -> None:
    ada = limited.register()
    place = f"{API}/tournaments/{'0' * 16}/players/me"
    assert [ada.http.put(place).status_code for _ in range(5)] == [404] * 4 + [429]
    assert ada.http.delete(place).status_code == 429
    invitation = f"{API}/tournaments/{'0' * 16}/invitations/bea"
    assert ada.http.put(invitation).status_code == 429
    assert ada.http.post(f"{API}/tournaments", json={}).status_code == 429
    # Others are not affected.
    assert limited.register().http.put(place).status_code == 404
