"""Hostile input: forms of other origins, forged cookies, markup, files, impossible addresses."""

import re
import threading
from collections.abc import Iterator
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from typing_extensions import override

from service.bootstrap import build
from service.pages.app import create_web_app
from service.pages.blueprint import UNSUBSCRIBE_ENDPOINT
from service.settings import Settings
from tests.support.browsing import Visitor, Visitors

GIBIBYTE = 1 << 30
MARKUP = '<img src=x onerror="window.attacked = true"><b>bold</b>'
FIELDS = (
    "change",
    "handle",
    "password",
    "language",
    "rules",
    "seats",
    "bot",
    "action",
    "statement",
)


@pytest.fixture
def app(settings: Settings) -> Iterator[Flask]:
    service = build(settings)
    yield create_web_app(service)
    service.redis.close()


@pytest.fixture(scope="module")
def other_origin() -> "Iterator[OtherOrigin]":
    origin = OtherOrigin()
    yield origin
    origin.close()


class OtherOrigin:
    """A web site on another port: another origin, but the same site, so that browsers send it all cookies."""

    def __init__(self) -> None:
        pages: dict[str, str] = {}

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = pages.get(self.path, "").encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            @override
            def log_message(self, format: str, *args: Any) -> None:
                """Print nothing."""

        self.pages = pages
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def add_form(self, path: str, action: str, fields: dict[str, str]) -> str:
        """Publish a page with a form that sends these fields to an address; returns its own address."""
        inputs = "".join(
            f'<input name="{escape(name)}" value="{escape(value)}">'
            for name, value in fields.items()
        )
        form = f'<form method="post" action="{escape(action)}">{inputs}<button>Send</button></form>'
        self.pages[path] = f"<!doctype html><title>Other</title>{form}"
        return f"{self.url}{path}"

    def close(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def assert_way_forward(visitor: Visitor) -> None:
    """The page is one of ours in words, with a link on it that leads on."""
    page = visitor.page
    text = page.locator("#page").inner_text()
    assert page.locator("h1").inner_text()
    assert "Traceback" not in text
    assert not text.lstrip().startswith("{")
    link = page.locator("#page a[href^='/'], #page form").first
    assert link.count() == 1


@pytest.mark.parametrize("step", [20, pytest.param(1, marks=pytest.mark.nightly)])
def test_no_form_of_another_origin_is_accepted(
    app: Flask, visitors: Visitors, other_origin: OtherOrigin, step: int
) -> None:
    game_id, (player, _) = visitors.accounts.start_game(2)
    visitor = visitors.new(player)
    head = player.legal_actions(game_id)[0]
    visitor.other_origins = (other_origin.url,)
    routes = [
        rule.rule
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("pages.")
        and "POST" in (rule.methods or ())
        # Its address is the secret (RFC 8058), so it needs no session.
        and rule.endpoint != UNSUBSCRIBE_ENDPOINT
    ]
    assert len(routes) > 20
    fields = dict.fromkeys(FIELDS, "x") | {"rules": "barony", "seats": "2", "csrf_token": "forged"}
    for number, route in enumerate(routes[::step]):
        path = re.sub(r"<[^>]*game_id>", game_id, route)
        path = re.sub(r"<[^>]*>", "1", path)
        page = visitor.page
        page.goto(other_origin.add_form(f"/{number}", f"{visitors.site.url}{path}", fields))
        with visitor.expecting(403), page.expect_navigation() as navigation:
            page.locator("button").click()
        assert navigation.value is not None
        assert navigation.value.status == 403, route
        assert_way_forward(visitor)
    assert player.legal_actions(game_id)[0] == head
    games = player.http.get("/api/v1/me").json()
    assert str(games).count(game_id) == 1


def bad_addresses(game_id: str, secret: str) -> dict[str, int]:
    """Return addresses that cannot be shown, with the status of each."""
    return {
        f"/games/{game_id}?choose=castle": 200,
        f"/games/{game_id}?choose=" + "&choose=".join(["x"] * 80): 400,
        f"/games/{game_id}?action=fly": 200,
        f"/games/{game_id}?seq=100000": 404,
        f"/games/{game_id}?seq=two": 404,
        f"/games/{game_id}/compare?from=1&to=99999": 404,
        f"/games/{secret}": 404,
        f"/games/{secret}/log": 404,
        "/games/0000000000000000": 404,
        "/invitations/forged": 404,
        "/sandboxes/forged": 404,
        "/rules/chess": 404,
        f"/games/{game_id}?choose={MARKUP}": 200,
    }


@pytest.mark.nightly
def test_addresses_that_cannot_be_shown_get_a_page_that_leads_on(visitors: Visitors) -> None:
    game_id, (player, _) = visitors.accounts.start_game(2)
    secret = visitors.accounts.register().create_game(2, options={"private": True})
    visitor = visitors.new(player)
    for address, status in bad_addresses(game_id, secret).items():
        visitor.open(address, status)
        assert_way_forward(visitor)
        assert visitor.page.evaluate("window.attacked") is None
    visitor.page.locator("#page a[href^='/']").first.click()


@pytest.mark.nightly
def test_pictures_of_absurd_width_are_refused_with_a_page(visitors: Visitors) -> None:
    game_id, (player, _) = visitors.accounts.start_game(2)
    visitor = visitors.new(player)
    for query in ("width=100000000", "width=-1", "width=wide", "seq=99999"):
        with visitor.expecting(400, 404):
            response = visitor.page.goto(
                f"{visitors.site.url}/games/{game_id}/position.png?{query}"
            )
        assert response is not None
        assert response.status in {400, 404}, query
        assert_way_forward(visitor)


@pytest.mark.nightly
def test_a_forged_or_outdated_cookie_logs_nobody_in(visitors: Visitors) -> None:
    account = visitors.accounts.register()
    visitor = visitors.new(account)
    assert account.handle in visitor.open("/").locator(".site-nav").inner_text()
    visitor.set_cookie("eyJ0b2tlbiI6InN0b2xlbiJ9.forged.signature")
    visitor.open("/").locator(".site-nav a[href='/login']").wait_for()
    visitor.set_session({"token": "0" * 32})
    visitor.open("/").locator(".site-nav a[href='/login']").wait_for()
    # Processes may accept a token that they have seen for five seconds; no process has seen this one.
    account = visitors.accounts.register()
    visitor.log_in(account)
    # The scripts of the page that is open notice it, too.
    with visitor.expecting(401):
        account.http.delete("/api/v1/tokens/current").raise_for_status()
        visitor.open("/").locator(".site-nav a[href='/login']").wait_for()
    # A page for players asks the visitor to log in, and goes on from there.
    assert "/login" in visitor.open("/games/new").url


def test_markup_that_people_write_is_shown_as_they_typed_it(visitors: Visitors) -> None:
    game_id, (player, other) = visitors.accounts.start_game(2)
    body = {"seq": 4, "statement": MARKUP}
    response = player.http.post(f"/api/v1/games/{game_id}/disputes", json=body).raise_for_status()
    dispute = response.json()["events"][0]["seq"]
    visitor = visitors.new(other)
    for address in (f"/games/{game_id}/disputes/{dispute}", f"/games/{game_id}/log"):
        page = visitor.open(address)
        assert page.evaluate("window.attacked") is None
        assert page.locator("#page img[src=x]").count() == 0
    page = visitor.open(f"/games/{game_id}/disputes/{dispute}")
    assert MARKUP in page.locator("#page").inner_text()


def test_a_handle_with_markup_is_refused_and_shown_as_it_was_typed(visitors: Visitors) -> None:
    stranger = visitors.new()
    page = stranger.open("/register")
    page.locator("#page input[name=handle]").fill(MARKUP)
    page.locator("#page input[name=password]").fill("correct horse")
    with stranger.expecting(400):
        page.locator("#page button[type=submit]").click()
        page.locator("#page [aria-invalid=true]").first.wait_for()
    assert page.locator("#page input[name=handle]").input_value() == MARKUP
    assert page.evaluate("window.attacked") is None


@pytest.mark.nightly
def test_a_dropped_file_of_a_gibibyte_or_of_the_wrong_type_is_refused(
    visitors: Visitors, tmp_path: Path
) -> None:
    large, picture = tmp_path / "large.jsonl", tmp_path / "picture.png"
    with large.open("wb") as file:
        file.truncate(GIBIBYTE)
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    visitor = visitors.new()
    for path in (large, picture):
        page = visitor.open("/verify")
        page.locator("input[type=file]").set_input_files(path)
        page.locator("#verifier button[type=submit]").click()
        page.locator("[data-part=summary].notice-error").wait_for()
