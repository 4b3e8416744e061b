"""The link of a mail leads to the page on which its reader acts, also through the log-in."""

import re
from html import unescape
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient

from ledger.statements import AnswerDispute, OpenDispute
from service.bootstrap import Service
from service.pages.app import create_web_app
from tests.support.mail_server import MailServer
from tests.support.mailed_players import PUBLIC_URL, register
from tests.support.page_forms import post
from tests.support.service_games import start_game
from tests.support.worker_harness import WorkerHarness

PASSWORD = "correct horse"


@pytest.fixture
def players(service: Service) -> list[str]:
    return [register(service, handle) for handle in ("Ada", "Bea")]


@pytest.fixture
def browser(service: Service) -> FlaskClient:
    """A browser in which nobody has logged in."""
    return create_web_app(service).test_client()


@pytest.fixture(autouse=True)
def no_pictures(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw no pictures, each of which takes half a second."""
    monkeypatch.setattr(service.pictures, "png", lambda _svg, _width, _colours=0: b"")


def link_of(server: MailServer, address: str) -> str:
    """Return the path of the button in the last mail to an address; the text has the same link."""
    mail = server.to(address)[-1].message
    html, plain = mail.get_body(("html",)), mail.get_body(("plain",))
    assert html is not None
    assert plain is not None
    match = re.search(r'<a class="button" href="([^"]*)"', html.get_content())
    assert match is not None
    url = unescape(match[1])
    assert url in plain.get_content().split()
    assert url.startswith(PUBLIC_URL)
    return url.removeprefix(PUBLIC_URL)


def work(service: Service, workers: WorkerHarness, game: str) -> None:
    while service.store.outbox(game):
        workers.scheduler.enqueue_tasks_of({game})
        workers.work()


def log_in_through(browser: FlaskClient, path: str, handle: str) -> str:
    """Open a page that is not for visitors, log in by its button, and return the page that follows."""
    refused = browser.get(path)
    assert refused.status_code == 404
    match = re.search(r'<a class="button primary" href="(/login[^"]*)"', refused.text)
    assert match is not None, refused.text
    login = unescape(match[1])
    fields = re.search(r'name="next" value="([^"]*)"', browser.get(login).text)
    assert fields is not None
    response = post(
        browser, "/login", login, handle=handle, password=PASSWORD, next=unescape(fields[1])
    )
    assert response.status_code == 303
    assert urlsplit(response.location).path == path
    page = browser.get(response.location)
    assert page.status_code == 200
    return page.text


def test_the_mail_about_a_turn_in_a_private_game_leads_to_its_board_after_logging_in(
    service: Service,
    workers: WorkerHarness,
    server: MailServer,
    browser: FlaskClient,
    players: list[str],
) -> None:
    game = start_game(service, players=players, private=True).id
    work(service, workers, game)
    path = link_of(server, "ada@example.org")
    assert path == f"/games/{game}"
    page = log_in_through(browser, path, "Ada")
    assert "You will be able to act" not in page
    assert 'id="acting"' in page


def test_the_mail_about_a_dispute_leads_to_that_dispute_after_logging_in(
    service: Service,
    workers: WorkerHarness,
    server: MailServer,
    browser: FlaskClient,
    players: list[str],
) -> None:
    game = start_game(service, players=players, private=True)
    work(service, workers, game.id)
    disputes = service.games.statements
    number = disputes.state(game.id, players[0], OpenDispute(game.seq, "I object.")).events[0][
        "seq"
    ]
    work(service, workers, game.id)
    path = link_of(server, "bea@example.org")
    assert path == f"/games/{game.id}/disputes/{number}"
    page = log_in_through(browser, path, "Bea")
    assert f'action="/games/{game.id}/disputes/{number}/answers"' in page
    # The opponent answers, and the mail about that leads there as well.
    disputes.state(game.id, players[1], AnswerDispute(number, "I do not."))
    work(service, workers, game.id)
    assert link_of(server, "ada@example.org") == path
