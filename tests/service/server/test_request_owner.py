"""The front recognises players by their tokens and session cookies, without asking the store."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from flask import Flask, Response

from service.accounts.tokens import TokenOwner
from service.bootstrap import Service, build
from service.pages import session
from service.pages.app import create_web_app
from service.pages.session import COOKIE_NAME, load_key
from service.server.http_request import HttpRequest
from service.server.request_queues import RequestOwners
from tests.service.conftest import settings_for
from tests.support.redis_kinds import RedisUrls
from tests.support.server import WebServer

PASSWORD = "correct horse"


@pytest.fixture
def app(service: Service) -> Flask:
    return create_web_app(service)


@pytest.fixture
def owners(service: Service, app: Flask) -> RequestOwners:
    """Those of a process that has started just now."""
    load_key(app)
    return RequestOwners(service.accounts.players.tokens, app)


def with_headers(**headers: str) -> HttpRequest:
    pairs = tuple((name.lower().encode(), value.encode()) for name, value in headers.items())
    return HttpRequest("GET", b"/", b"", "1.1", pairs, b"", "127.0.0.1", "http", is_last=False)


def with_cookie(value: str) -> HttpRequest:
    return with_headers(cookie=f"other=1; {COOKIE_NAME}={value}")


def cookie_of(app: Flask, token: str) -> str:
    """Return the session cookie of a player who has logged in and got this token."""
    response = Response()
    with app.test_request_context("/") as context:
        session.log_in(token)
        assert context.session is not None
        app.session_interface.save_session(app, context.session, response)
    return response.headers["Set-Cookie"].split(";")[0].removeprefix(f"{COOKIE_NAME}=")


def test_a_cookie_of_this_service_names_its_player_from_the_first_request_on(
    service: Service, app: Flask, owners: RequestOwners
) -> None:
    ada, token = service.accounts.players.register("ada", PASSWORD)
    cookie = cookie_of(app, token)
    assert owners(with_cookie(cookie)) == TokenOwner(ada.id)


def test_a_cookie_that_this_service_has_not_signed_is_ignored(
    service: Service, app: Flask, owners: RequestOwners
) -> None:
    _, token = service.accounts.players.register("ada", PASSWORD)
    cookie = cookie_of(app, token)
    other = Flask("other")
    other.secret_key = b"another key"
    serializer = session.PageSessions(service.redis, "/api").get_signing_serializer(other)
    assert serializer is not None
    forged = serializer.dumps({"token": token, "player": "ada"})
    changed = ("f" if cookie[1] == "e" else "e").join((cookie[:1], cookie[2:]))
    for value in (forged, changed, cookie[:-1], cookie + "a" * 2000, "", ".", "é"):
        assert owners(with_cookie(value)) is None
    assert owners(with_headers(cookie="cartulary2=1")) is None


def test_a_cookie_whose_token_was_revoked_names_nobody_once_it_was_used(
    service: Service, app: Flask, owners: RequestOwners
) -> None:
    ada, token = service.accounts.players.register("ada", PASSWORD)
    cookie = cookie_of(app, token)
    # Another process ends the session, so this one cannot know before it has looked the token up.
    other = build(service.settings)
    other.accounts.players.tokens.revoke(token)
    other.redis.close()
    with app.test_client() as browser:
        browser.set_cookie(COOKIE_NAME, cookie)
        service.accounts.players.tokens._owners.clear()
        assert browser.get("/rules").status_code == 200
    assert owners(with_cookie(cookie)) is None
    # A revocation by the process itself counts at once.
    second = service.accounts.players.login("ada", PASSWORD)
    cookie = cookie_of(app, second)
    assert owners(with_cookie(cookie)) == TokenOwner(ada.id)
    service.accounts.players.tokens.revoke(second)
    assert owners(with_cookie(cookie)) is None


def test_a_cookie_of_an_earlier_version_gets_the_player_with_the_next_page(
    service: Service, app: Flask, owners: RequestOwners
) -> None:
    ada, token = service.accounts.players.register("ada", PASSWORD)
    serializer = session.PageSessions(service.redis, "/api").get_signing_serializer(app)
    assert serializer is not None
    old = serializer.dumps({"token": token, "_permanent": True})
    assert owners(with_cookie(old)) is None
    with app.test_client() as browser:
        browser.set_cookie(COOKIE_NAME, old)
        browser.get("/rules")
        renewed = browser.get_cookie(COOKIE_NAME)
    assert renewed is not None
    assert owners(with_cookie(renewed.value)) == TokenOwner(ada.id)


def test_a_token_identifies_its_player_if_it_was_valid_at_its_last_use(
    service: Service, owners: RequestOwners, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, token = service.accounts.players.register("ada", PASSWORD)
    request = with_headers(authorization=f"Bearer {token}")
    assert owners(request) is None
    service.accounts.players.tokens.owner(token)
    service.accounts.players.tokens._owners.clear()  # as when the time of the cache has passed
    assert owners(request) == TokenOwner(ada.id)
    for number in range(20_000):
        service.accounts.players.tokens._refuse(f"invalid-{number}")
    assert owners(request) == TokenOwner(ada.id)
    service.accounts.players.tokens.revoke(token)
    assert owners(request) is None


@pytest.fixture
def narrow(web_redis_urls: RedisUrls, tmp_path: Path) -> Iterator[WebServer]:
    """A server at which one request of each visitor can wait."""
    settings = settings_for(web_redis_urls, tmp_path)
    bounds = replace(settings.bounds, max_waiting_per_visitor=1)
    with WebServer(replace(settings, bounds=bounds)) as server:
        yield server


@pytest.mark.nightly
def test_a_player_with_a_cookie_is_not_refused_for_the_requests_of_the_network(
    narrow: WebServer,
) -> None:
    service = build(narrow.settings)
    app = create_web_app(service)
    load_key(app)
    _, token = service.accounts.players.register("cookie-player", PASSWORD)
    cookie = cookie_of(app, token)
    service.redis.close()

    async def visit(client: httpx.AsyncClient) -> list[int]:
        return [(await client.get("/")).status_code for _ in range(5)]

    async def play(client: httpx.AsyncClient) -> list[int]:
        headers = {"Cookie": f"{COOKIE_NAME}={cookie}"}
        return [(await client.get("/", headers=headers)).status_code for _ in range(20)]

    async def request_pages() -> list[list[int]]:
        timeout, limits = 30, httpx.Limits(max_connections=200)
        async with (
            httpx.AsyncClient(base_url=narrow.url, timeout=timeout, limits=limits) as visitors,
            httpx.AsyncClient(base_url=narrow.url, timeout=timeout) as player,
        ):
            return await asyncio.gather(play(player), *(visit(visitors) for _ in range(30)))

    player, *visitors = asyncio.run(request_pages())
    assert {200, 503} == {status for statuses in visitors for status in statuses}
    assert {200} == {*player}
