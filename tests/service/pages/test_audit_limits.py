"""The audits that a visitor has this server make are limited, by account or else by network."""

from dataclasses import replace
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.bootstrap import Service
from service.settings import Settings
from tests.service.conftest import StoreGame
from tests.support.page_forms import csrf_token, log_in, post

AUDITS = {"/games/<game_id>/audit", "/imports/<import_id>/audit"}
OTHER_NETWORK = {"REMOTE_ADDR": "198.51.100.7"}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, rate_audits="2/hour")


def statuses_of(browser: FlaskClient, path: str, count: int) -> list[int]:
    return [post(browser, path).status_code for _ in range(count)]


def test_every_form_that_has_a_record_audited_is_limited(app: Flask, browser: FlaskClient) -> None:
    paths = {
        rule.rule
        for rule in app.url_map.iter_rules()
        if "POST" in (rule.methods or ()) and rule.rule.rpartition("/")[2] == "audit"
    }
    assert paths == AUDITS
    # They have one limit together, which counts also what is not found.
    missing = [path.replace("<game_id>", "x").replace("<import_id>", "x") for path in sorted(paths)]
    assert [post(browser, path).status_code for path in missing] == [404, 404]
    assert [post(browser, path).status_code for path in missing] == [429, 429]


def test_a_visitor_who_asks_too_often_is_told_so_and_when_to_try_again(
    browser: FlaskClient, store: StoreGame
) -> None:
    game_id, _ = store("one-left")
    path = f"/games/{game_id}/audit"
    assert [post(browser, path).status_code for _ in range(2)] == [200, 200]
    assert_refused(post(browser, path))
    # The page with the button is shown as before.
    page = browser.get(f"/games/{game_id}/verify")
    assert page.status_code == 200
    assert "Let the server audit the game" in page.text


def assert_refused(refused: TestResponse) -> None:
    """Check that a page says in words why there is no audit."""
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 3600
    assert "Too many requests" in refused.text
    assert "he limit is 2 requests in 1 hour" in unescape(refused.text).replace("\xa0", " ")


def test_accounts_and_networks_are_counted_apart(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    path = "/games/x/audit"
    ada, bea = app.test_client(), app.test_client()
    log_in(ada, service, "ada")
    log_in(bea, service, "bea")
    assert statuses_of(ada, path, 3) == [404, 404, 429]
    # The same account is refused from another network, and another account is not.
    token = csrf_token(ada, "/verify")
    elsewhere = ada.post(path, data={"csrf_token": token}, environ_overrides=OTHER_NETWORK)
    assert elsewhere.status_code == 429
    assert statuses_of(bea, path, 3) == [404, 404, 429]
    # Visitors without an account count for their network.
    assert statuses_of(browser, path, 3) == [404, 404, 429]
    token = csrf_token(browser, "/verify")
    response = browser.post(path, data={"csrf_token": token}, environ_overrides=OTHER_NETWORK)
    assert response.status_code == 404
