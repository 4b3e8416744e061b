"""Whatever needs a log-in leads to it, and from there back to where the visitor wanted to go."""

import re
from html import unescape
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.bootstrap import Service
from service.pages.blueprint import UNSUBSCRIBE_ENDPOINT, VISITORS_FORMS
from service.pages.return_addresses import local_address
from tests.support.page_forms import PASSWORD, csrf_token, post
from tests.support.page_players import PlayersOfPages

HOSTILE_ADDRESSES = (
    "https://evil.example/",
    "HTTPS://evil.example/",
    "//evil.example/",
    "///evil.example/",
    "////evil.example/",
    "/\\evil.example/",
    "\\\\evil.example/",
    "/\\/evil.example/",
    "/a\\..\\..\\evil.example",
    "/\t/evil.example/",
    "/\n/evil.example/",
    "\t//evil.example/",
    " //evil.example/",
    "/\x00/evil.example/",
    "/\u2028/evil.example/",
    "/\u200b/evil.example/",
    "/account\r\nSet-Cookie: a=b",
    "%2F%2Fevil.example/",
    "%2f%5cevil.example/",
    "javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,evil",
    "evil.example",
    "@evil.example/",
    "?next=//evil.example/",
    "#//evil.example/",
    "/" + "x" * 5000,
    "",
)
LOCAL_ADDRESSES = (
    "/",
    "/games/new?rules=baron",
    "/games/0123456789abcdef/messages?before=5#message-4",
    "/%2Fevil.example/",
    "/%5Cevil.example/",
    "/games?list=open&next=//evil.example/",
)


@pytest.fixture
def players(app: Flask, service: Service) -> PlayersOfPages:
    return PlayersOfPages(app, service)


def login_link(page: str) -> str:
    """Return the address of the button on a page with which a visitor logs in."""
    match = re.search(r'<a class="button[^"]*" href="(/login[^"]*)"', page)
    assert match is not None, page
    return unescape(match.group(1))


def test_a_page_that_needs_a_log_in_leads_to_it_and_back(
    browser: FlaskClient, service: Service
) -> None:
    service.accounts.players.register("ada", PASSWORD)
    address = "/games/new?rules=baron&seats=3"
    login = browser.get(address).location
    wrong = post(browser, "/login", login, handle="ada", password="wrong", next=address)
    assert f'name="next" value="{address.replace("&", "&amp;")}"' in wrong.text
    registration = f"/register?{urlencode({'next': address})}"
    assert f'href="{registration.replace("&", "&amp;")}"' in wrong.text
    response = post(browser, "/login", login, handle="ada", password=PASSWORD, next=address)
    assert (response.status_code, response.location) == (303, address)
    # The page to log in, opened again in another tab, leads on as well.
    assert browser.get(login).location == address


def test_no_address_of_another_server_is_led_to(app: Flask, service: Service) -> None:
    service.accounts.players.register("ada", PASSWORD)
    for number, address in enumerate(HOSTILE_ADDRESSES):
        assert local_address(address) == "/", address
        browser = app.test_client()
        login = f"/login?next={quote(address)}"
        response = post(browser, "/login", login, handle="ada", password=PASSWORD, next=address)
        assert response.location == "/", address
        assert browser.get(login).location == "/", address
        post(browser, "/logout", "/account")
        handle = f"eve-{number}"
        response = post(browser, "/register", handle=handle, password=PASSWORD, next=address)
        assert response.location == "/", address


@pytest.mark.parametrize("address", LOCAL_ADDRESSES)
def test_addresses_of_this_server_are_led_to(browser: FlaskClient, address: str) -> None:
    assert local_address(address) == address
    response = post(browser, "/register", handle="ada", password=PASSWORD, next=address)
    assert response.location == address


def test_a_guest_who_keeps_the_account_continues_where_they_wanted_to_go(
    browser: FlaskClient,
) -> None:
    post(browser, "/play", "/", rules="baron")
    address = "/games/new?rules=baron"
    naming = browser.get(f"/register?{urlencode({'next': address})}").location
    page = browser.get(naming)
    assert page.status_code == 200
    assert f'name="next" value="{address}"' in page.text
    fields = {"handle": "ada", "password": PASSWORD, "next": address}
    assert post(browser, "/account/name", naming, **fields).location == address


def test_a_private_game_and_an_absent_one_lead_a_visitor_to_the_log_in(
    players: PlayersOfPages, service: Service
) -> None:
    private, absent = players.game("baron", private=True), "0123456789abcdef"
    suffixes = (
        "",
        "/messages?before=5",
        "/log?seq=3",
        "/conditional-actions",
        "/disputes",
        "/clock",
        "/log?seq=1",
    )
    for suffix in suffixes:
        visitor = players.visitor
        pages = {game: visitor.get(f"/games/{game}{suffix}") for game in (private, absent)}
        assert len({page.status_code for page in pages.values()}) == 1, suffix
        texts = {_anonymous(page.text, game) for game, page in pages.items()}
        assert len(texts) == 1, suffix
        page = pages[private]
        login = page.location if page.status_code == 302 else login_link(page.text)
        assert parse_qs(urlsplit(login).query)["next"] == [f"/games/{private}{suffix}"]
        response = post(
            visitor,
            "/login",
            login,
            handle="ada",
            password="correct horse",
            next=f"/games/{private}{suffix}",
        )
        assert response.location == f"/games/{private}{suffix}"
    stranger = players["eve"].client.get(f"/games/{private}")
    assert stranger.status_code == 404
    assert "/login" not in stranger.text


def _anonymous(text: str, game: str) -> str:
    """Return a page without what differs for every request: the id of the game, and the token of forms."""
    return re.sub(r'(?<=name="csrf_token" value=")[^"]+', "", text.replace(game, "GAME"))


def _addresses(app: Flask, game: str, method: str) -> dict[str, str]:
    """Return an address by endpoint for every view of pages with a method, with a game and numbers in it."""
    values = {
        "game_id": game,
        "sandbox_id": "0123456789abcdef",
        "token": "a.b",
        "clause": "BY-SET-1",
    }
    addresses: dict[str, str] = {}
    with app.test_request_context():
        adapter = app.url_map.bind("localhost")
        for rule in app.url_map.iter_rules():
            if rule.endpoint.startswith("pages.") and method in (rule.methods or ()):
                arguments = {name: values.get(name, 1) for name in rule.arguments}
                addresses[rule.endpoint] = adapter.build(rule.endpoint, arguments)
    return addresses


def test_every_page_that_refuses_a_visitor_leads_to_the_log_in(
    app: Flask, players: PlayersOfPages
) -> None:
    for private in (False, True):
        game = players.game("baron", private=private)
        for address in _addresses(app, game, "GET").values():
            response = players.visitor.get(f"{address}?x=1")
            if response.status_code == 302 and response.location.startswith("/login"):
                login = response.location
            elif response.status_code in (401, 403, 404) and (
                private or response.status_code != 404
            ):
                login = login_link(response.text)
            else:
                assert response.status_code in (200, 301, 302, 303, 400, 404), address
                continue
            assert parse_qs(urlsplit(login).query)["next"] == [f"{address}?x=1"], address


def test_a_form_sent_after_the_session_ended_leads_to_the_log_in_and_back(
    app: Flask, players: PlayersOfPages
) -> None:
    game = players.game("baron")
    page = f"/games/{game}?seq=1"
    forms = {
        endpoint: address
        for endpoint, address in _addresses(app, game, "POST").items()
        if endpoint not in {*VISITORS_FORMS, UNSUBSCRIBE_ENDPOINT}
    }
    assert len(forms) > 30
    for address in forms.values():
        visitor = players.visitor
        sent = {"csrf_token": csrf_token(visitor, "/login")}
        for fields in (sent, {}):
            # A valid token is that of a session that was ended elsewhere; there is none after logging out.
            response = visitor.post(
                address, data=fields, headers={"Referer": f"http://localhost{page}"}
            )
            if response.status_code == 404:
                assert "/sandboxes/" in address or "/imports/" in address or "/admin/" in address
                assert login_link(response.text) == f"/login?{urlencode({'next': page})}"
                continue
            assert response.status_code == 303, (address, fields)
            query = parse_qs(urlsplit(response.location).query)
            assert query == {"next": [page], "interrupted": ["yes"]}, address
    shown = players.visitor.get(f"/login?{urlencode({'next': page})}&interrupted=yes")
    assert "you were no longer logged in" in shown.text


@pytest.mark.parametrize(
    ("referrer", "target"),
    [
        (None, "/games/{game}"),
        ("http://localhost/games/{game}/messages?before=9", "/games/{game}/messages?before=9"),
        ("http://localhost/games/{game}/actions", "/games/{game}"),
        ("http://localhost//evil.example", "/"),
        ("http://localhost", "/"),
    ],
)
def test_a_form_leads_back_to_a_page_of_this_server(
    players: PlayersOfPages, referrer: str | None, target: str
) -> None:
    game = players.game("baron")
    visitor = players.visitor
    token = csrf_token(visitor, "/login")
    headers = {} if referrer is None else {"Referer": referrer.format(game=game)}
    response = visitor.post(f"/games/{game}/actions", data={"csrf_token": token}, headers=headers)
    expected = target.format(game=game)
    next_address = parse_qs(urlsplit(response.location).query).get("next", ["/"])
    assert next_address == [expected]


def test_a_script_that_meets_an_ended_session_gets_its_status(players: PlayersOfPages) -> None:
    visitor = players.visitor
    token = csrf_token(visitor, "/login")
    headers = {"Sec-Fetch-Mode": "cors"}
    data = {"csrf_token": token}
    assert (
        visitor.post("/account/notifications/push", data=data, headers=headers).status_code == 401
    )
    assert visitor.post("/account/notifications/push", data=data).status_code == 303


def test_the_language_is_changed_on_the_page_that_a_form_has_shown(browser: FlaskClient) -> None:
    fields = {"handle": "ada", "password": "wrong", "next": "/account?x=1"}
    page = post(browser, "/login", **fields).text
    assert 'name="next" value="/login?next=%2Faccount%3Fx%3D1"' in page


def test_pages_that_are_loaded_at_the_same_time_after_a_log_in_have_valid_forms(
    app: Flask, players: PlayersOfPages
) -> None:
    """A page that gave the session a token of its own would make the forms of the others invalid."""
    assert players["ada"].id
    browser = app.test_client()
    answer = post(browser, "/login", "/login", handle="ada", password=PASSWORD)
    assert answer.status_code == 303
    for _ in range(2):
        page = browser.get("/account")
        assert page.status_code == 200
        assert not [
            cookie
            for cookie in page.headers.getlist("Set-Cookie")
            if cookie.startswith(f"{app.config['SESSION_COOKIE_NAME']}=")
        ]
