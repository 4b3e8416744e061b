"""Clubs on pages: creating them, joining and leaving, what owners do, their games, and who sees them."""

import re
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient

from domain.lifecycle import NewGame
from service import wall_clock
from service.bootstrap import Service
from service.pages.view_models.new_game_form import USUAL_CLOCK
from tests.support.page_forms import log_in, post
from tests.support.tournaments import settings


@pytest.fixture
def friend(app: Flask) -> FlaskClient:
    return app.test_client()


def create(browser: FlaskClient, **fields: str) -> str:
    """Create a club with the form, and return the address of its page."""
    created = post(browser, "/clubs", "/clubs/new", **{"name": "Wednesdays", **fields})
    assert created.status_code == 303, created.text
    return str(created.location)


def test_a_club_is_created_changed_and_closed(browser: FlaskClient, service: Service) -> None:
    log_in(browser, service)
    refused = post(browser, "/clubs", "/clubs/new", name="Admin", about="Cake & games")
    assert refused.status_code == 400
    assert "Is reserved" in refused.text
    assert "Cake &amp; games" in refused.text
    address = create(browser, about="We play <b>on</b> Wednesdays.")
    assert "We play &lt;b&gt;on&lt;/b&gt; Wednesdays." in browser.get(address).text
    post(browser, f"{address}/edit", address, name="Thursdays", about="")
    assert "<bdi>Thursdays</bdi>" in browser.get("/clubs").text
    unsure = post(browser, f"{address}/close", address)
    assert unsure.status_code == 400
    assert "must be ticked" in unsure.text.lower()
    assert post(browser, f"{address}/close", address, sure="yes").location == "/clubs"
    assert browser.get(address).status_code == 404


def test_a_name_that_is_taken_is_refused_at_its_field(
    browser: FlaskClient, friend: FlaskClient, service: Service
) -> None:
    log_in(browser, service)
    log_in(friend, service, "bea")
    create(browser)
    refused = post(friend, "/clubs", "/clubs/new", name="wednesdays")
    assert refused.status_code == 409
    assert 'id="field-name-fault"' in refused.text
    own = create(friend, name="Fridays")
    refused = post(friend, f"{own}/edit", own, name="Wednesdays", about="")
    assert refused.status_code == 409
    assert 'id="field-name-fault"' in refused.text


def test_an_invitation_waits_on_the_first_page_until_it_is_accepted(
    browser: FlaskClient, friend: FlaskClient, service: Service
) -> None:
    log_in(browser, service)
    log_in(friend, service, "bea")
    address = create(browser, private="yes")
    assert friend.get(address).status_code == 404
    unknown = post(browser, f"{address}/invited", address, handle="nobody-here")
    assert unknown.status_code == 400
    post(browser, f"{address}/invited", address, handle=" BEA ")
    assert "bea has not answered yet" in browser.get(address).text
    home = friend.get("/").text
    assert "Invitations to clubs" in home
    assert f'href="{address}"' in home
    assert "Accept the invitation" in friend.get(address).text
    assert post(friend, f"{address}/join", address).location == address
    assert "Invitations to clubs" not in friend.get("/").text
    assert "Leave the club" in friend.get(address).text


def test_the_owner_admits_removes_and_hands_on(
    browser: FlaskClient, friend: FlaskClient, service: Service
) -> None:
    ada, bea = log_in(browser, service), log_in(friend, service, "bea")
    address = create(browser)
    club = address.rpartition("/")[2]
    post(friend, f"{address}/join", address)
    assert "Withdraw the request to join" in friend.get(address).text
    assert "Admit bea" in browser.get(address).text
    post(browser, f"{address}/admit", address, player=bea)
    assert service.clubs.is_member(club, bea)
    post(browser, f"{address}/remove", address, player=bea)
    assert not service.clubs.is_member(club, bea)
    post(friend, f"{address}/join", address)
    post(browser, f"{address}/admit", address, player=bea)
    post(browser, f"{address}/owner", address, player=bea)
    assert service.clubs.find(club).owner == bea
    assert "Admit" not in browser.get(address).text
    assert post(browser, f"{address}/leave", address).location == "/clubs"
    assert not service.clubs.is_member(club, ada)


def test_a_link_makes_its_visitor_a_member(
    app: Flask, browser: FlaskClient, friend: FlaskClient, service: Service
) -> None:
    log_in(browser, service)
    bea = log_in(friend, service, "bea")
    address = create(browser, private="yes")
    post(browser, f"{address}/link", address, change="create")
    found = re.search(r'value="http://[^/]+(/clubs/invitations/[^"]+)"', browser.get(address).text)
    assert found is not None
    link = found[1]
    assert "Log in to join" in app.test_client().get(link).text
    assert "ada invites you to this club." in friend.get(link).text
    assert post(friend, link, link).location == address
    assert service.clubs.is_member(address.rpartition("/")[2], bea)
    assert friend.get(link).location == address
    post(browser, f"{address}/link", address, change="revoke")
    assert friend.get(link).location == address
    assert app.test_client().get(link).status_code == 404


def test_a_member_creates_a_private_game_of_a_private_club(
    app: Flask, browser: FlaskClient, friend: FlaskClient, service: Service
) -> None:
    log_in(browser, service)
    log_in(friend, service, "bea")
    address = create(browser, private="yes")
    club = address.rpartition("/")[2]
    post(browser, f"{address}/invited", address, handle="bea")
    post(friend, f"{address}/join", address)
    form = f"/games/new?club={club}"
    assert f'<option value="{club}" selected>' in browser.get(form).text
    created = post(
        browser,
        "/games",
        form,
        **{"rules": "baron", "seats": "2", "option-club": club, "option-seating": "joined"},
    )
    assert created.status_code == 303, created.text
    game = service.games.queries.game(created.location.split("/")[2].split("?")[0])
    assert (game.options["club"], game.options["private"]) == (club, True)
    shown = friend.get(f"/games/{game.id}").text
    assert "A game of the club:" in shown
    assert "Join the game" in shown
    for page in (address, f"/games?list=open&club={club}"):
        assert f'href="/games/{game.id}"' in friend.get(page).text
    stranger = app.test_client()
    log_in(stranger, service, "eve")
    for page in (f"/games?list=open&club={club}", "/", "/players/ada", "/games"):
        text = stranger.get(page).text
        assert game.id not in text
        assert "Wednesdays" not in text
    assert stranger.get(f"/games/{game.id}").status_code == 404
    assert "Wednesdays" in friend.get("/players/ada").text


def test_a_stranger_sees_at_a_public_game_of_a_club_why_joining_is_impossible(
    browser: FlaskClient, friend: FlaskClient, app: Flask, service: Service
) -> None:
    ada = log_in(browser, service)
    log_in(friend, service, "bea")
    club = create(browser).rpartition("/")[2]
    game = service.games.commands.create(
        ada, NewGame(rules="baron", seats=2, options={"club": club})
    ).id
    assert "Only the members of its club can join this game" in friend.get(f"/games/{game}").text
    assert "Join as a guest" not in app.test_client().get(f"/games/{game}").text
    address = f"/games/{game}"
    refused = post(browser, f"{address}/invited", address, handle="bea")
    assert "This player is not a member of the club of the game" in refused.text


def test_the_owner_sets_tests_and_removes_the_webhook_on_the_page(
    browser: FlaskClient, friend: FlaskClient, service: Service
) -> None:
    log_in(browser, service)
    log_in(friend, service, "bea")
    address = create(browser)
    webhook = f"{address}/webhook"
    assert "Webhook" not in friend.get(address).text
    refused = post(browser, webhook, address, url="http://10.0.0.1/", format="slack")
    assert refused.status_code == 400
    assert 'id="field-url-fault"' in refused.text
    assert '<option value="slack" selected>' in refused.text
    url = "https://example.org/hook?a=b"
    assert "whsec_" not in post(browser, webhook, address, url=url, format="slack").text
    assert "Nothing has been posted to it yet." in browser.get(address).text
    created = post(browser, webhook, address, url=url, format="plain")
    assert (created.status_code, "whsec_" in created.text) == (201, True)
    shown = browser.get(address).text
    assert (url in shown, "whsec_" in shown) == (True, False)
    assert post(browser, f"{webhook}/test", address).location == address
    for path in (webhook, f"{webhook}/test", f"{webhook}/remove"):
        assert post(friend, path, address, url=url, format="plain").status_code == 403
    assert post(browser, f"{webhook}/remove", address).location == address
    assert url not in browser.get(address).text
    assert post(browser, f"{webhook}/test", address).status_code == 404


def test_the_owner_creates_a_tournament_which_the_page_lists_for_members(
    browser: FlaskClient, friend: FlaskClient, app: Flask, service: Service
) -> None:
    log_in(browser, service)
    log_in(friend, service, "bea")
    stranger = app.test_client()
    log_in(stranger, service, "eve")
    assert browser.get("/tournaments/new").status_code == 403
    address = create(browser, private="yes")
    club = address.rpartition("/")[2]
    post(browser, f"{address}/invited", address, handle="bea")
    post(friend, f"{address}/join", address)
    form = f"/tournaments/new?club={club}"
    assert form in browser.get(address).text
    assert form not in friend.get(address).text
    assert f'<option value="{club}" selected>' in browser.get(form).text
    fields = {"rules": "baron", "format": "single_group", "name": "Cup", "option-club": club}
    closes = f"{wall_clock.now() + timedelta(days=7):%Y-%m-%dT%H:%M}"
    numbers = {"table_size": "2", "rounds": "1", "least": "2", "most": "4", "days": "3"}
    created = post(
        browser,
        "/tournaments",
        form,
        **{**fields, **numbers, "closes": closes, "clock": str(USUAL_CLOCK)},
    )
    assert created.status_code == 303, created.text
    for page in (address, created.location):
        assert "Cup" in friend.get(page).text
        assert stranger.get(page).status_code == 404
    shown = friend.get(created.location).text
    assert "A tournament of the club:" in shown
    assert "Take part" in shown


def test_a_stranger_sees_that_only_members_take_part(
    browser: FlaskClient, friend: FlaskClient, service: Service
) -> None:
    ada = log_in(browser, service)
    log_in(friend, service, "bea")
    club = create(browser).rpartition("/")[2]
    end = wall_clock.now() + timedelta(days=1)
    tournament = service.tournaments.tournaments.create(ada, settings(end, options={"club": club}))
    shown = friend.get(f"/tournaments/{tournament.id}").text
    assert "Only the members of its club can take part in this tournament." in shown
    assert "Take part" not in shown
    assert "Take part" in browser.get(f"/tournaments/{tournament.id}").text
