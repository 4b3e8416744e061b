"""Registering, logging in and out, the account, and the language of the pages, without scripts."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.bootstrap import Service
from service.pages.return_addresses import local_address
from tests.support.page_forms import PASSWORD, log_in, post
from tests.support.service_games import start_game


@pytest.fixture
def other_browser(app: Flask) -> FlaskClient:
    return app.test_client()


def register(browser: FlaskClient, handle: str = "ada", **fields: str) -> TestResponse:
    return post(browser, "/register", handle=handle, password=PASSWORD, **fields)


def handle_shown(browser: FlaskClient) -> str | None:
    """Return the handle that the header of the pages shows; None for a visitor who is not logged in."""
    match = re.search(r'href="/account"><svg.*?</svg>([^<]*)</a>', browser.get("/").text)
    return None if match is None else match.group(1)


def test_registering_logs_in_and_returns_to_the_page_that_was_wanted(browser: FlaskClient) -> None:
    response = register(browser, next="/games/new?rules=baron")
    assert (response.status_code, response.location) == (303, "/games/new?rules=baron")
    assert handle_shown(browser) == "ada"
    (cookie,) = response.headers.getlist("Set-Cookie")
    assert {"HttpOnly", "SameSite=Lax"} <= set(cookie.split("; "))
    assert PASSWORD not in cookie


def test_a_refused_registration_keeps_the_values_and_marks_the_fields(browser: FlaskClient) -> None:
    response = post(
        browser, "/register", handle="<b>ada</b>", password="short", email="not an address"
    )
    assert response.status_code == 400
    assert 'value="&lt;b&gt;ada&lt;/b&gt;"' in response.text
    assert "<b>ada" not in response.text
    assert "short" not in response.text
    for field in ("handle", "password", "email"):
        entry = re.search(rf'<input id="field-{field}"[^>]*>', response.text)
        assert entry is not None
        assert 'aria-invalid="true"' in entry.group()
        assert f'aria-describedby="field-{field}-fault' in entry.group()
        assert f'id="field-{field}-fault"' in response.text
    assert handle_shown(browser) is None


def test_a_handle_that_is_taken_is_refused_at_its_field(
    browser: FlaskClient, other_browser: FlaskClient
) -> None:
    register(browser)
    response = register(other_browser, "ADA")
    assert response.status_code == 409
    assert 'id="field-handle-fault"' in response.text


def test_logging_in_and_out(browser: FlaskClient, service: Service) -> None:
    service.accounts.players.register("ada", PASSWORD)
    wrong = post(browser, "/login", handle="ada", password="wrong horse")
    assert wrong.status_code == 401
    assert 'value="ada"' in wrong.text
    assert "wrong horse" not in wrong.text
    assert post(browser, "/login", handle="ada").status_code == 400
    assert handle_shown(browser) is None
    assert post(browser, "/login", handle="ada", password=PASSWORD).status_code == 303
    assert handle_shown(browser) == "ada"
    assert post(browser, "/logout", "/account").status_code == 303
    assert handle_shown(browser) is None
    assert browser.get("/account").location == "/login?next=%2Faccount"


def play_as_guest(browser: FlaskClient, service: Service) -> str:
    """Log a guest in, and return the handle."""
    guest, token = service.accounts.players.create_guest()
    with browser.session_transaction() as session:
        session["token"] = token
    return guest.handle


def test_a_guest_who_logs_out_is_told_what_is_lost_and_how_to_keep_it(
    browser: FlaskClient, service: Service
) -> None:
    handle = play_as_guest(browser, service)
    guest = service.accounts.players.by_handle(handle)
    assert guest is not None
    start_game(service, players=(guest.id, "bea"))
    asked = post(browser, "/logout", "/account")
    assert asked.status_code == 200
    assert "You lose the game that you are playing." in asked.text
    assert 'class="button primary" href="/account"' in asked.text
    assert handle_shown(browser) == handle
    assert f"the guest {handle}" in browser.get("/login").text
    assert post(browser, "/logout", "/account", sure="yes").status_code == 303
    assert handle_shown(browser) is None


def test_a_guest_erases_the_account_without_a_password(
    browser: FlaskClient, service: Service
) -> None:
    handle = play_as_guest(browser, service)
    assert 'action="/account/erase"' in browser.get("/account").text
    refused = post(browser, "/account/erase", "/account")
    assert refused.status_code == 400
    assert "Must be ticked, because this cannot be undone" in refused.text
    assert post(browser, "/account/erase", "/account", sure="yes").status_code == 303
    assert service.accounts.players.by_handle(handle) is None
    assert handle_shown(browser) is None


def test_a_password_that_is_easy_to_guess_is_refused_at_its_field(browser: FlaskClient) -> None:
    response = post(browser, "/register", handle="ada", password="aaaaaaaa")
    assert response.status_code == 400
    assert 'id="field-password-fault"' in response.text
    assert "Is too easy to guess" in response.text


def test_a_session_that_was_ended_elsewhere_is_logged_out(
    browser: FlaskClient, service: Service
) -> None:
    register(browser)
    player = service.accounts.players.by_handle("ada")
    assert player is not None
    service.accounts.players.tokens.end_all(player.id)
    assert handle_shown(browser) is None


@pytest.mark.parametrize("value", ["", "x", "eyJ0b2tlbiI6ImEifQ.aaaa.bbbb", "é" * 500])
def test_a_forged_cookie_is_ignored(browser: FlaskClient, value: str) -> None:
    browser.set_cookie("cartulary", value)
    response = browser.get("/")
    assert response.status_code == 200
    assert handle_shown(browser) is None


@pytest.mark.parametrize(
    "path", ["/login", "/register", "/logout", "/language", "/account/password", "/account/erase"]
)
def test_a_form_without_the_token_of_a_page_is_refused(browser: FlaskClient, path: str) -> None:
    register(browser)
    for token in ({}, {"csrf_token": "forged"}):
        response = browser.post(path, data={"handle": "eve", "language": "fr", **token})
        assert response.status_code == 403
    assert handle_shown(browser) == "ada"


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("/games/new?rules=baron", "/games/new?rules=baron"),
        (None, "/"),
        ("", "/"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("/\\evil.example/", "/"),
        ("/\t/evil.example/", "/"),
        ("javascript:alert(1)", "/"),
        ("games", "/"),
        ("/" + "x" * 5000, "/"),
    ],
)
def test_only_addresses_of_this_server_are_returned_to(address: str | None, target: str) -> None:
    assert local_address(address) == target


def test_the_language_of_a_visitor_wins_over_that_of_the_browser(browser: FlaskClient) -> None:
    accepted = {"Accept-Language": "es"}
    assert 'lang="es"' in browser.get("/login", headers=accepted).text
    response = post(browser, "/language", language="fr", next="/login?next=%2Faccount")
    assert response.location == "/login?next=%2Faccount"
    assert '<html lang="fr">' in browser.get("/login", headers=accepted).text


def test_the_language_of_a_player_is_stored_in_the_account(
    browser: FlaskClient, other_browser: FlaskClient, service: Service
) -> None:
    post(browser, "/language", language="es")
    register(browser)
    player = service.accounts.players.by_handle("ada")
    assert player is not None
    assert player.locale == "es"
    post(browser, "/language", "/account", language="fr")
    post(other_browser, "/login", handle="ada", password=PASSWORD)
    assert '<html lang="fr">' in other_browser.get("/account").text
    post(browser, "/language", "/account", language="")
    assert '<html lang="en">' in browser.get("/account").text
    assert post(browser, "/language", language="tlh").status_code == 400


def test_the_password_is_changed_with_the_current_one(
    browser: FlaskClient, service: Service
) -> None:
    register(browser)
    new = "new horse 2"
    wrong = post(browser, "/account/password", "/account", password="wrong", new_password=new)
    assert wrong.status_code == 403
    assert 'id="field-current-password-fault"' in wrong.text
    short = post(browser, "/account/password", "/account", password=PASSWORD, new_password="x")
    assert short.status_code == 400
    changed = post(browser, "/account/password", "/account", password=PASSWORD, new_password=new)
    assert changed.status_code == 303
    assert service.accounts.players.login("ada", new)


@pytest.mark.parametrize("form", ["/account/sessions/others", "/account/password"])
def test_what_ends_other_sessions_says_that_personal_tokens_stay_and_offers_to_revoke_them(
    browser: FlaskClient, service: Service, form: str
) -> None:
    player = log_in(browser, service)
    tokens = service.accounts.players.tokens
    fields = {"password": PASSWORD, "new_password": "battery staple"}
    fields = fields if form == "/account/password" else {}
    offer = "go on acting in your place"
    assert offer not in browser.get("/account").text
    with browser.session_transaction() as session:
        token = session["token"]
    _, secret = tokens.create_personal(player, token, "bot", ["read"], 1)
    other = tokens.create(player)
    text = browser.get("/account").text
    assert text.count(offer) == 2
    assert f'action="{form}"' in text
    refused = post(browser, form, "/account", **fields, tokens="no")
    assert refused.status_code == 400
    assert tokens.owner(other) is not None
    assert post(browser, form, "/account", **fields).status_code == 303
    assert tokens.owner(other) is None
    assert tokens.owner(secret) is not None
    fields = {"password": "battery staple", "new_password": PASSWORD} if fields else {}
    assert post(browser, form, "/account", **fields, tokens="yes").status_code == 303
    assert tokens.owner(secret) is None
    assert tokens.owner(token) is not None
    assert offer not in browser.get("/account").text


def test_other_sessions_are_listed_and_can_be_ended(
    browser: FlaskClient, other_browser: FlaskClient
) -> None:
    register(browser)
    post(other_browser, "/login", handle="ada", password=PASSWORD)
    account = browser.get("/account").text
    (session,) = re.findall(r'name="session" value="([0-9a-f]+)"', account)
    assert post(browser, "/account/sessions", "/account", session=session).status_code == 303
    assert handle_shown(other_browser) is None
    assert handle_shown(browser) == "ada"


def test_erasing_the_account_takes_the_password(browser: FlaskClient, service: Service) -> None:
    register(browser)
    assert post(browser, "/account/erase", "/account", password="wrong").status_code == 403
    assert post(browser, "/account/erase", "/account", password=PASSWORD).status_code == 303
    assert service.accounts.players.by_handle("ada") is None
    assert handle_shown(browser) is None
