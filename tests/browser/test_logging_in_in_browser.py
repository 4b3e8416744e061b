"""The links in mails, and other addresses, are reached by somebody who has to log in first."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.support.accounts import PASSWORD, PlayerClient
from tests.support.browsing import Visitor, Visitors
from tests.support.mail_server import MailServer, mail_server
from tests.support.mailed_players import SENDER
from tests.support.processes import free_port, wait_until
from tests.support.running_service import RunningService
from tests.support.variants import nightly_except

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def mails() -> Iterator[MailServer]:
    with mail_server() as server:
        yield server


@pytest.fixture(scope="module")
def mailing_service(
    tmp_path_factory: pytest.TempPathFactory, mails: MailServer
) -> Iterator[RunningService]:
    """A service that sends mails, whose links lead to it."""
    port = free_port()
    running = RunningService(
        tmp_path_factory.mktemp("mailing-service"),
        CARTULARY_RATE_ACCOUNTS="",
        CARTULARY_SWEEP_SECONDS="1",
        CARTULARY_SMTP_URL=f"smtp://127.0.0.1:{mails.port}?tls=none",
        CARTULARY_MAIL_FROM=SENDER,
        CARTULARY_PUBLIC_URL=f"http://127.0.0.1:{port}",
    )
    running.hashes_quickly = True
    running.start(port)
    yield running
    running.stop()


@pytest.fixture
def visitors(mailing_service: RunningService, browser: "Browser") -> Iterator[Visitors]:
    visitors = Visitors(mailing_service, browser)
    yield visitors
    problems = visitors.close()
    assert not problems, "\n".join(problems)


def link_in_mail(mails: MailServer, address: str, pattern: str) -> str:
    """Wait for a mail to an address with a link that matches a pattern, and return the link."""

    def links() -> list[str]:
        links = []
        for mail in mails.to(address):
            body = mail.message.get_body(("plain",))
            assert body is not None
            links += re.findall(rf"http://127\S*{pattern}\S*", body.get_content())
        return links

    wait_until(links)
    return links()[-1]


def confirm_address(visitors: Visitors, mails: MailServer, player: PlayerClient) -> str:
    """Give a player an address, confirm it with the link in the mail, and return it."""
    address = f"{player.handle}@example.org"
    body = {"email": address, "password": PASSWORD}
    player.http.post("/api/v1/me/email", json=body).raise_for_status()
    link = link_in_mail(mails, address, "/email/confirm/")
    page = visitors.new().open(link.removeprefix(visitors.site.url))
    page.get_by_role("button", name="Confirm the address").click()
    page.get_by_text(f"{address} is confirmed").wait_for()
    return address


def log_in_from(visitor: Visitor, page: "Page", handle: str) -> None:
    """Log in with the button that a page offers."""
    page.locator("#page").get_by_role("link", name="Log in").click()
    page.get_by_label("Handle").fill(handle)
    page.get_by_label("Password", exact=True).fill("wrong horse")
    submit = page.locator("#page").get_by_role("button", name="Log in")
    with visitor.expecting(401):
        submit.click()
        page.get_by_text("There is no player with this handle and password").wait_for()
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    submit.click()


@pytest.mark.parametrize("javascript", nightly_except([True], [True, False]))
def test_the_link_in_a_mail_leads_to_a_private_game_after_logging_in(
    visitors: Visitors, mails: MailServer, javascript: bool
) -> None:
    player, friend = visitors.accounts.register(), visitors.accounts.register()
    address = confirm_address(visitors, mails, player)
    options = {"private": True, "name": "Friday"}
    game = friend.create_game(2, options=options, invite=[player.handle])
    player.join(game)
    friend.act(game).raise_for_status()
    link = link_in_mail(mails, address, f"/games/{game}")
    visitor = visitors.new(javascript=javascript, phone=True)
    page = visitor.open(link.removeprefix(visitors.site.url), 404)
    log_in_from(visitor, page, player.handle)
    page.wait_for_url(link)
    page.get_by_role("heading", name="Friday").wait_for()


@pytest.mark.nightly
def test_the_place_on_a_page_is_kept_through_logging_in_and_registering(visitors: Visitors) -> None:
    player = visitors.accounts.register()
    game = player.create_game(options={"private": True})
    message = {"text": "Hello!"}
    player.http.post(f"/api/v1/games/{game}/messages", json=message).raise_for_status()
    address = f"/games/{game}/messages?x=1#message-1"
    visitor = visitors.new()
    log_in_from(visitor, visitor.open(address, 404), player.handle)
    visitor.page.wait_for_url(f"{visitors.site.url}{address}")
    visitor.page.locator("#message-1").wait_for()
    # A page that leads to the log-in by itself, from which a visitor goes on to register.
    stranger = visitors.new()
    page = stranger.page
    page.goto(f"{visitors.site.url}/account/notifications?x=1#when")
    page.locator("#page").get_by_role("link", name="Register").click()
    page.get_by_label("Handle").fill("new-player")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("#page").get_by_role("button", name="Register").click()
    page.wait_for_url(f"{visitors.site.url}/account/notifications?x=1#when")


@pytest.mark.nightly
def test_the_links_beside_a_page_lead_back_to_the_page_that_was_shown_last(
    visitors: Visitors,
) -> None:
    visitor = visitors.new()
    player = visitors.accounts.register()
    page = visitor.open("/")
    # htmx shows the tutorial without loading the page anew.
    page.locator("#page").get_by_role("link", name="Learn Barony by playing").click()
    page.wait_for_url("**/tutorial")
    page.get_by_role("button", name="Español").click()
    page.wait_for_url("**/tutorial")
    page.get_by_role("button", name="English").click()
    page.get_by_role("navigation").get_by_role("link", name="Log in").click()
    page.get_by_label("Handle").fill(player.handle)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("#page").get_by_role("button", name="Log in").click()
    page.wait_for_url("**/tutorial")


@pytest.mark.nightly
def test_a_form_on_a_page_from_before_logging_out_leads_to_the_log_in(visitors: Visitors) -> None:
    player = visitors.accounts.register()
    visitor = visitors.new(player)
    page = visitor.open("/account")
    other = visitor.new_tab()
    other.goto(f"{visitors.site.url}/account")
    other.get_by_role("button", name="Log out").click()
    other.get_by_role("link", name="Register").first.wait_for()
    page.get_by_label("E-mail address").fill("ada@example.org")
    page.get_by_label("E-mail address").press("Enter")
    page.get_by_text("you were no longer logged in").wait_for()
    page.get_by_label("Handle").fill(player.handle)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("#page").get_by_role("button", name="Log in").click()
    page.wait_for_url("**/account")
