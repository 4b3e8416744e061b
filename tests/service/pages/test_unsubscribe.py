"""Unsubscribing from all mails with the link in a mail: one POST without a session (RFC 8058)."""

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.bootstrap import Service
from service.notification_subjects.table import KINDS


@pytest.fixture
def ada(service: Service) -> str:
    player, _ = service.accounts.players.create_guest()
    return player.id


def link(service: Service, player: str) -> str:
    return f"/unsubscribe/{service.notifications.mail.tokens.unsubscribe_token(player)}"


def is_subscribed(service: Service, player: str) -> bool:
    return any(
        service.notifications.preferences.of(player).includes("email", kind) for kind in KINDS
    )


@pytest.mark.parametrize("body", [{"List-Unsubscribe": "One-Click"}, {}])
def test_one_post_without_a_session_ends_all_mails(
    app: Flask, service: Service, ada: str, body: dict[str, str]
) -> None:
    response = app.test_client(use_cookies=False).post(link(service, ada), data=body)
    assert response.status_code == 200
    assert "No more mails about games are sent" in response.text
    assert not is_subscribed(service, ada)
    assert all(
        service.notifications.preferences.of(ada).includes("push", kind) for kind in ("your_turn",)
    )


def test_opening_the_link_changes_nothing_and_shows_a_button(
    browser: FlaskClient, service: Service, ada: str
) -> None:
    response = browser.get(link(service, ada))
    assert "Stop all mails about games" in response.text
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert is_subscribed(service, ada)
    browser.head(link(service, ada))
    assert is_subscribed(service, ada)


def test_no_other_token_unsubscribes_a_player(
    browser: FlaskClient, service: Service, ada: str
) -> None:
    bob, _ = service.accounts.players.create_guest()
    code = service.notifications.mail.tokens.unsubscribe_token(bob.id).partition(".")[2]
    for token in (ada, f"{ada}.", f"{ada}.{code}", f"{ada}.{'0' * 32}", "x", f"{ada}.é"):
        assert browser.post(f"/unsubscribe/{token}").status_code == 404
        assert browser.get(f"/unsubscribe/{token}").status_code == 404
    assert is_subscribed(service, ada)


def test_the_token_of_an_erased_player_belongs_to_no_account(
    browser: FlaskClient, service: Service, ada: str
) -> None:
    address = link(service, ada)
    service.accounts.erasure.erase(ada, "")
    assert browser.post(address).status_code == 404
    assert service.redis.keys(f"cartulary:notifications:{ada}") == []
