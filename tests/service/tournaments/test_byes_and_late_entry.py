"""Half-point byes and late entry, on the page."""

from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from freezegun.api import FrozenDateTimeFactory

from domain.tournaments.tournament import Tournament
from service.bootstrap import Service
from tests.service.tournaments.test_pages import browser_of
from tests.support.page_forms import post
from tests.support.tournaments import advance, create, end_game, register, register_accounts
from tests.support.worker_harness import WorkerHarness

pytestmark = pytest.mark.usefixtures("time")


def test_a_player_asks_for_half_a_point_and_a_late_one_enters(
    app: Flask,
    browser: FlaskClient,
    service: Service,
    olga: str,
    ada: str,
    time: FrozenDateTimeFactory,
) -> None:
    stated = {"half_point_byes": 1, "late_rounds": 1, "late_points": "1/2"}
    id = create(service, olga, **stated).id
    own, harness = f"/tournaments/{id}", WorkerHarness(service)

    def load() -> Tournament:
        return service.tournaments.tournaments.load(id)

    page = browser.get(own).text
    assert "Each player may ask in advance for half a point" in page
    assert "A missed round counts half a point" in page
    assert "Ask for half a point" not in page
    register(service, id, [ada, *register_accounts(service, 3)])
    assert "Ask for half a point" in browser.get(own).text
    assert post(browser, f"{own}/byes", own, round="1").status_code == 303
    page = browser.get(own).text
    assert "You have half a point in round 1, and no table." in page
    assert "Ask for half a point" not in page
    assert post(browser, f"{own}/byes", own, round="1", cancel="yes").status_code == 303
    assert load().requested_byes == {}
    assert post(browser, f"{own}/byes", own, round="2").status_code == 303
    for wrong, status in (("1", 409), ("3", 409), ("x", 400), ("", 400)):
        assert post(browser, f"{own}/byes", own, round=wrong).status_code == status
    time.tick(timedelta(days=1))
    advance(harness)
    service.accounts.players.register("eve", "correct horse")
    late = browser_of(app, service, "eve")
    assert "Enter late" in late.get(own).text
    assert "Log in to enter late" in app.test_client().get(own).text
    assert post(late, f"{own}/players", own).status_code == 303
    page = late.get(own).text
    assert "from round 2" in page
    assert "You have had all half-point byes." in page
    for game in load().rounds[0].games:
        end_game(service, game or "")
    time.tick(timedelta(minutes=1))
    advance(harness)
    assert len(load().rounds) == 2
    page = app.test_client().get(own).text
    assert page.count("Half a point without a table:") == 2
    harness.close()


def test_an_organiser_states_the_rules_of_entry(app: Flask, service: Service, olga: str) -> None:
    host = browser_of(app, service, "olga")
    page = host.get("/tournaments/new?format=swiss&rules=barony").text
    assert 'name="half_point_byes"' in page
    knockout = host.get("/tournaments/new?format=knockout&rules=barony").text
    assert 'name="half_point_byes"' not in knockout
    assert 'name="starts_when_full"' in knockout
    fields = {
        "name": "Cup",
        "closes": "2026-03-10T18:00",
        "days": "7",
        "rounds": "5",
        "table_size": "2",
        "least": "2",
        "most": "8",
        "rules": "barony",
        "clock": "86400",
        "half_point_byes": "2",
        "late_rounds": "2",
        "late_points": "yes",
        "starts_when_full": "yes",
    }
    address = "/tournaments/new?format=swiss&rules=barony"
    refused = post(
        host, "/tournaments", address, format="swiss", **{**fields, "half_point_byes": "9"}
    )
    assert refused.status_code == 400
    assert 'aria-invalid="true"' in refused.text
    answer = post(host, "/tournaments", address, format="swiss", **fields)
    assert answer.status_code == 303, answer.text
    created = service.tournaments.tournaments.load(answer.headers["Location"].rpartition("/")[2])
    assert created.entry_rules.to_json() == {
        "half_point_byes": 2,
        "late_rounds": 2,
        "late_points": "1/2",
        "starts_when_full": True,
    }
