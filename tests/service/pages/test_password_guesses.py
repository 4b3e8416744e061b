"""Guesses of passwords are limited by account, and nobody locks a player out of the places they use."""

from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from freezegun import freeze_time

from service.accounts.password_guesses import LoginSource, known_networks_key
from service.bootstrap import Service
from service.bounds import Bounds
from service.errors import Forbidden, TooManyRequests, Unauthorised
from tests.support.page_forms import PASSWORD, csrf_token

LIMIT = Bounds().max_password_guesses
HOME = "192.0.2.1"


def api_login(client: FlaskClient, handle: str, password: str, network: str) -> Any:
    body = {"handle": handle, "password": password}
    return client.post("/api/v1/tokens", json=body, environ_base={"REMOTE_ADDR": network})


def page_login(client: FlaskClient, handle: str, password: str, network: str) -> Any:
    data = {"csrf_token": csrf_token(client, "/verify"), "handle": handle, "password": password}
    return client.post("/login", data=data, environ_base={"REMOTE_ADDR": network})


def networks(count: int) -> list[str]:
    return [f"198.51.100.{number}" for number in range(1, count + 1)]


@pytest.mark.parametrize("log_in", [api_login, page_login])
@pytest.mark.parametrize("handle", ["ada", "nobody"])
def test_guesses_from_many_networks_are_limited_together(
    app: Flask, service: Service, log_in: Any, handle: str
) -> None:
    service.accounts.players.register("ada", PASSWORD, source=LoginSource(HOME))
    spellings = (handle, handle.upper(), handle.title(), "\uff41da" if handle == "ada" else handle)
    statuses = [
        log_in(app.test_client(), spellings[index % 4], "wrong horse", network).status_code
        for index, network in enumerate(networks(12))
    ]
    assert statuses == [401] * LIMIT + [429] * (12 - LIMIT)
    refused = log_in(app.test_client(), handle, PASSWORD, "203.0.113.1")
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= Bounds().password_guess_seconds
    if log_in is page_login:
        assert f'value="{handle}"' in refused.text
        assert "Too many wrong passwords were entered for this account" in refused.text
    # Other accounts are not concerned.
    assert log_in(app.test_client(), "grace", "wrong", networks(1)[0]).status_code == 401


@pytest.mark.parametrize("log_in", [api_login, page_login])
def test_a_player_is_not_locked_out_of_the_networks_that_they_use(
    app: Flask, service: Service, log_in: Any
) -> None:
    service.accounts.players.register("ada", PASSWORD, source=LoginSource("192.0.2.9"))
    assert log_in(app.test_client(), "ada", PASSWORD, HOME).status_code in (201, 303)
    for network in networks(12):
        log_in(app.test_client(), "ada", "wrong horse", network)
    for network in (HOME, "192.0.2.9"):
        assert log_in(app.test_client(), "ada", "a typo", network).status_code == 401
        assert log_in(app.test_client(), "ada", PASSWORD, network).status_code in (201, 303)
    # A known network has an allowance of its own, not an unlimited one; a login begins it anew.
    for _ in range(LIMIT):
        assert log_in(app.test_client(), "ada", "wrong", HOME).status_code == 401
    assert log_in(app.test_client(), "ada", PASSWORD, HOME).status_code == 429
    assert log_in(app.test_client(), "ada", PASSWORD, "192.0.2.9").status_code in (201, 303)


def test_a_browser_stays_known_wherever_it_is_and_after_logging_out(
    app: Flask, service: Service
) -> None:
    service.accounts.players.register("ada", PASSWORD, source=LoginSource(HOME))
    service.accounts.players.register("eve", PASSWORD, source=LoginSource(HOME))
    browser, stranger = app.test_client(), app.test_client()
    assert page_login(browser, "ada", PASSWORD, HOME).status_code == 303
    assert page_login(stranger, "eve", PASSWORD, HOME).status_code == 303
    for client in (browser, stranger):
        client.post("/logout", data={"csrf_token": csrf_token(client, "/verify")})
    for network in networks(LIMIT):
        api_login(app.test_client(), "ada", "wrong horse", network)
    cafe = "203.0.113.7"
    assert page_login(stranger, "ada", PASSWORD, cafe).status_code == 429
    assert page_login(browser, "ada", PASSWORD, cafe).status_code == 303


def test_guesses_at_the_same_time_do_not_exceed_the_limit(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attempt is counted before the password is looked at."""
    service.accounts.players.register("ada", PASSWORD)
    statuses: list[type[Exception]] = []

    def guess(_hash: str | None, _password: str) -> bool:
        # While one is being verified, the next one arrives.
        attempt()
        return False

    def attempt() -> None:
        with pytest.raises((TooManyRequests, Unauthorised)) as raised:
            service.accounts.players.login("ada", "wrong")
        statuses.append(raised.type)

    monkeypatch.setattr(service.accounts.players._passwords, "is_password", guess)
    attempt()
    assert statuses.count(Unauthorised) == LIMIT
    assert statuses.count(TooManyRequests) == 1


def test_only_wrong_passwords_count_and_only_for_a_while(service: Service) -> None:
    service.accounts.players.register("ada", PASSWORD)
    strange = LoginSource("unknown")
    for _ in range(2 * LIMIT):
        service.accounts.players.login("ada", PASSWORD, source=strange)
    for _ in range(LIMIT):
        with pytest.raises(Unauthorised):
            service.accounts.players.login("ada", "wrong", source=strange)
    with pytest.raises(TooManyRequests):
        service.accounts.players.login("ada", PASSWORD, source=strange)
    for key in service.redis.scan_iter("cartulary:password-guesses:*"):
        assert 0 < service.redis.pttl(key) <= Bounds().password_guess_seconds * 1000
        service.redis.delete(key)
    service.accounts.players.login("ada", PASSWORD, source=strange)


def test_the_passwords_that_a_session_confirms_are_limited(app: Flask, service: Service) -> None:
    player, token = service.accounts.players.register("ada", PASSWORD)
    headers = {"Authorization": f"Bearer {token}"}
    client = app.test_client()
    requests: list[tuple[str, str, dict[str, str]]] = [
        ("PUT", "/api/v1/me/password", {"new_password": "new horse 2"}),
        ("POST", "/api/v1/me/email", {"email": "ada@example.org"}),
        ("DELETE", "/api/v1/me/email", {}),
        ("DELETE", "/api/v1/me", {}),
    ]
    statuses = [
        client.open(
            path,
            method=method,
            json={**body, "password": f"wrong {number}"},
            headers=headers,
            environ_base={"REMOTE_ADDR": network},
        ).status_code
        for number, network in enumerate(networks(12))
        for method, path, body in [requests[number % 4]]
    ]
    assert statuses == [403] * LIMIT + [429] * (12 - LIMIT)
    with pytest.raises(TooManyRequests):
        service.accounts.players.require_password(player.id, PASSWORD)
    # Strangers cannot use up the allowance of sessions, nor sessions that of logins.
    assert service.accounts.players.login("ada", PASSWORD, source=LoginSource(HOME))


def test_strangers_do_not_use_up_the_allowance_of_sessions(service: Service) -> None:
    player, _ = service.accounts.players.register("ada", PASSWORD)
    for network in networks(12):
        with pytest.raises((Unauthorised, TooManyRequests)):
            service.accounts.players.login("ada", "wrong", source=LoginSource(network))
    with pytest.raises(Forbidden):
        service.accounts.players.require_password(player.id, "wrong")
    service.accounts.players.require_password(player.id, PASSWORD)


def test_the_networks_of_a_player_are_few_coded_and_forgotten(service: Service) -> None:
    player, _ = service.accounts.players.register("ada", PASSWORD)
    with freeze_time("2026-01-01T09:00:00Z", tick=False) as time:
        for network in networks(30):
            time.tick(timedelta(minutes=1))
            service.accounts.players.login("ada", PASSWORD, source=LoginSource(network))
    key = known_networks_key(player.id)
    members = service.redis.zrange(key, 0, -1)
    assert len(members) == 20
    assert not any(network.encode() in member for network in networks(30) for member in members)
    service.accounts.erasure.erase(player.id, PASSWORD)
    assert not service.redis.exists(key)
