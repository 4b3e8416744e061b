"""A link that has served its reader leads them on to what it led to, and never to an error page."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import pytest
from flask import Flask
from flask.testing import FlaskClient
from typing_extensions import override
from werkzeug.test import TestResponse

from domain.lifecycle import NewGame
from service.bootstrap import Service
from service.notifications.mail.confirmations import Confirmation
from service.pages.app import create_web_app
from tests.support.mail_server import MailServer
from tests.support.mailed_players import register
from tests.support.page_forms import csrf_token, post
from tests.support.worker_harness import WorkerHarness

ERROR: Final = "There is no such page"

PASSWORD: Final = {"password": "correct horse"}


@pytest.fixture
def app(service: Service) -> Flask:
    return create_web_app(service)


def invitation(
    browser: FlaskClient, service: Service, workers: WorkerHarness, server: MailServer
) -> str:
    """Fill the last place of a private game with the link."""
    ada = register(service, "ada")
    game = service.games.commands.create(
        ada, NewGame(rules="baron", seats=2, options={"private": True})
    ).id
    token = service.games.invitations.create(game, ada)
    link = f"/invitations/{token}"
    fields = {"guest": "yes", "invitation": token}
    assert post(browser, f"/games/{game}/players", link, **fields).location == f"/games/{game}"
    assert service.games.queries.game(game).status == "playing"
    return link


def club_invitation(
    browser: FlaskClient, service: Service, workers: WorkerHarness, server: MailServer
) -> str:
    """Join a club with a link that its owner then revokes."""
    ada = register(service, "ada")
    register(service, "zoe")
    post(browser, "/login", handle="zoe", **PASSWORD)
    club = service.clubs.create(ada, "The knights", is_private=True).id
    link = f"/clubs/invitations/{service.clubs.create_link(club, ada)}"
    assert post(browser, link, link).location == f"/clubs/{club}"
    service.clubs.revoke_link(club, ada)
    return link


def new_password(
    browser: FlaskClient, service: Service, workers: WorkerHarness, server: MailServer
) -> str:
    """Choose a new password with the link in a mail."""
    register(service, "zoe")
    service.notifications.mail.password_resets.request("zoe", "192.0.2.1")
    workers.work()
    body = server.mails[-1].message.get_body(("plain",))
    assert body is not None
    (token,) = re.findall(r"/password/new/(\S+)", body.get_content())
    link = f"/password/new/{token}"
    done = post(browser, "/password/new", link, token=token, new_password="battery staple")
    assert done.status_code == 200
    return link


def confirmation(
    browser: FlaskClient, service: Service, workers: WorkerHarness, server: MailServer
) -> str:
    """Confirm an address with its link."""
    zoe, _ = service.accounts.players.register("zoe", "correct horse", "zoe@example.org")
    confirmations = service.notifications.mail.confirmations
    link = f"/email/confirm/{confirmations.create_token(Confirmation(zoe.id, 'zoe@example.org'))}"
    assert post(browser, link, link).status_code == 200
    return link


def unsubscription(
    browser: FlaskClient, service: Service, workers: WorkerHarness, server: MailServer
) -> str:
    """End all mails with the link in one."""
    link = f"/unsubscribe/{service.notifications.mail.tokens.unsubscribe_token(register(service, 'zoe'))}"
    assert browser.post(link).status_code == 200
    return link


Use: TypeAlias = Callable[[FlaskClient, Service, WorkerHarness, MailServer], str]
USES: Final[Mapping[str, Use]] = {
    "/invitations/<token>": invitation,
    "/clubs/invitations/<token>": club_invitation,
    "/password/new/<token>": new_password,
    "/email/confirm/<token>": confirmation,
    "/unsubscribe/<token>": unsubscription,
}
"""By route: a function that uses a link up as its reader does, and returns it."""


def test_every_route_of_a_link_is_tried(app: Flask) -> None:
    routes = {rule.rule for rule in app.url_map.iter_rules() if "token" in rule.arguments}
    assert {route for route in routes if not route.startswith("/api/")} == set(USES)


@pytest.mark.parametrize("route", USES)
def test_a_link_that_has_been_used_leads_its_reader_on(
    app: Flask, service: Service, workers: WorkerHarness, server: MailServer, route: str
) -> None:
    browser = app.test_client()
    link = USES[route](browser, service, workers, server)
    again = browser.get(link, follow_redirects=True)
    assert (again.status_code, ERROR in again.text) == (200, False)
    assert again.text.count("<h1") == 1


class RecordingClient(FlaskClient):
    """A browser that knows the last form that it has sent."""

    last: tuple[str, dict[str, str]] = ("", {})

    @override
    def post(self, *args: Any, **options: Any) -> TestResponse:
        self.last = (args[0], options.get("data", {}))
        return super().post(*args, **options)


@pytest.mark.parametrize("route", USES)
def test_a_form_that_is_sent_twice_leads_to_the_same_page(
    app: Flask, service: Service, workers: WorkerHarness, server: MailServer, route: str
) -> None:
    """As by a second press of its button, or in a tab that has the page of the link still open."""
    app.test_client_class = RecordingClient
    browser = app.test_client()
    assert isinstance(browser, RecordingClient)
    USES[route](browser, service, workers, server)
    address, fields = browser.last
    if "csrf_token" in fields:
        fields["csrf_token"] = csrf_token(browser, "/verify")
    again = browser.post(address, data=fields, follow_redirects=True)
    assert (again.status_code, ERROR in again.text) == (200, False)
    assert again.text.count("<h1") == 1
