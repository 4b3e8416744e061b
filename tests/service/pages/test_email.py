"""The e-mail address on the page of the account, and the page behind the link in a confirmation mail."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.bootstrap import Service, build
from service.notifications.mail.confirmations import Confirmation
from service.settings import Settings
from tests.support.page_forms import PASSWORD, csrf_token, post

ADDRESS = "ada@example.org"


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    """The parts of a service that sends mail."""
    url = "smtp://localhost?tls=none"
    service = build(replace(settings, smtp_url=url, mail_from="games@example.org"))
    yield service
    service.redis.close()


@pytest.fixture
def ada(browser: FlaskClient, service: Service) -> str:
    """The id of a guest who is logged in."""
    player, token = service.accounts.players.create_guest()
    with browser.session_transaction() as session:
        session["token"] = token
    return player.id


def test_an_address_is_entered_confirmed_and_removed(
    app: Flask, browser: FlaskClient, service: Service, ada: str
) -> None:
    response = post(
        browser, "/account/email", "/account", email="Ada@EXAMPLE.org", password=PASSWORD
    )
    assert response.status_code == 303
    page = browser.get("/account").text
    assert "Ada@example.org is not confirmed yet" in page
    token = service.notifications.mail.confirmations.create_token(
        Confirmation(ada, "Ada@example.org")
    )
    # The mail may be read on another machine.
    phone = app.test_client()
    link = f"/email/confirm/{token}"
    response = phone.get(link)
    assert "Is Ada@example.org your address" in response.text
    assert response.headers["Referrer-Policy"] == "same-origin"
    assert "is not confirmed yet" in browser.get("/account").text
    assert phone.post(link).status_code == 403
    response = phone.post(link, data={"csrf_token": csrf_token(phone, link)})
    assert "Ada@example.org is confirmed" in response.text
    assert "Mails are sent to Ada@example.org" in browser.get("/account").text
    assert post(browser, "/account/email/remove", "/account", password=PASSWORD).status_code == 303
    assert "Ada@example.org" not in browser.get("/account").text
    response = phone.get(link)
    assert response.status_code == 404
    assert "have a new mail sent" in response.text


def test_an_invalid_address_is_marked(browser: FlaskClient, ada: str) -> None:
    response = post(browser, "/account/email", "/account", email="<b>nobody</b>")
    assert response.status_code == 400
    assert 'id="field-account-email-fault"' in response.text
    assert 'value="&lt;b&gt;nobody&lt;/b&gt;"' in response.text


def test_too_many_mails_are_refused_with_a_reason(browser: FlaskClient, ada: str) -> None:
    for _ in range(3):
        fields = {"email": ADDRESS, "password": PASSWORD}
        assert post(browser, "/account/email", "/account", **fields).status_code == 303
    response = post(browser, "/account/email", "/account", email=ADDRESS)
    assert response.status_code == 429
    assert "No more confirmation mails are sent today" in response.text


def test_a_disabled_address_is_explained(browser: FlaskClient, service: Service, ada: str) -> None:
    service.notifications.mail.addresses.set(ada, ADDRESS)
    for _ in range(3):
        service.notifications.mail.addresses.count_bounce(ada, ADDRESS)
    assert f"Mails to {ADDRESS} have come back again and again" in browser.get("/account").text


def test_a_server_without_mail_says_so(browser: FlaskClient, service: Service, ada: str) -> None:
    service.notifications.mail.confirmations.is_mail_configured = False
    assert "This server sends no mails" in browser.get("/account").text


@pytest.mark.parametrize("path", ["/account/email", "/account/email/remove"])
def test_only_a_player_can_change_their_address(browser: FlaskClient, path: str) -> None:
    assert post(browser, path, email=ADDRESS).location.startswith("/login?")
