"""The agenda of a club: meetings, who enters and sees them, their bounds, and the page beside games."""

from dataclasses import replace
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from freezegun import freeze_time

from domain.errors import Malformed, NotNow
from domain.lifecycle import NewGame
from service import wall_clock
from service.accounts.account_reader import account_key
from service.bootstrap import Service, build
from service.clubs.agenda import FURTHEST, KEPT
from service.clubs.store import meetings_key
from service.errors import Forbidden, NotFound
from tests.support.accounts import Accounts
from tests.support.http_contract import invalid_fields
from tests.support.page_forms import PASSWORD, log_in, post

CLUBS = "/api/v1/clubs"


def in_days(days: float) -> str:
    return wall_clock.format(wall_clock.now() + timedelta(days=days))


def club_with_officer(service: Service, *, is_private: bool = False) -> tuple[str, list[str]]:
    """Return a club of ada with the officer bea, who may edit, the member cid and the stranger eve."""
    register = service.accounts.players.register
    ada, bea, cid, eve = (register(name, PASSWORD)[0].id for name in ("ada", "bea", "cid", "eve"))
    club = service.clubs.create(ada, "Wednesdays", is_private=is_private).id
    for player in (bea, cid):
        service.clubs.invite(club, ada, player)
        service.clubs.join(club, player)
    service.clubs.appoint(club, ada, bea, ["edit"])
    return club, [ada, bea, cid, eve]


@pytest.mark.parametrize("is_private", [False, True])
def test_editors_enter_change_and_cancel_meetings(service: Service, is_private: bool) -> None:
    club, (ada, bea, cid, eve) = club_with_officer(service, is_private=is_private)
    agenda = service.club_agenda
    later = agenda.enter(club, ada, "Baron night", in_days(9))
    sooner = agenda.enter(club, bea, "Barony night", in_days(2), "Bring\ncake.")
    assert agenda.meetings(club, cid) == [sooner, later]
    moved = agenda.enter(club, bea, "Barony night", in_days(12), "", sooner.id)
    assert agenda.meetings(club, cid) == [later, moved]
    for player in (cid, eve):
        error = NotFound if is_private and player == eve else Forbidden
        with pytest.raises(error):
            agenda.enter(club, player, "Mine", in_days(1))
        with pytest.raises(error):
            agenda.cancel(club, player, later.id)
    with pytest.raises(NotFound):
        agenda.cancel(club, ada, "0" * 16)
    with pytest.raises(NotFound):
        agenda.enter(club, ada, "Other", in_days(1), "", "0" * 16)
    agenda.cancel(club, bea, later.id)
    if is_private:
        with pytest.raises(NotFound):
            agenda.meetings(club, eve)
    else:
        assert agenda.meetings(club, None) == [moved]
    service.clubs.close(club, ada)
    assert not service.redis.exists(meetings_key(club))


def test_what_cannot_be_a_meeting_is_refused(service: Service) -> None:
    club, (ada, *_) = club_with_officer(service)
    for title, at, details, wrong in (
        ("", in_days(1), "", "title"),
        ("x" * 81, in_days(1), "", "title"),
        ("two\nlines", in_days(1), "", "title"),
        ("a\x00", in_days(1), "", "title"),
        ("x", "tomorrow", "", "at"),
        ("x", in_days(-1), "", "at"),
        ("x", in_days(FURTHEST.days + 1), "", "at"),
        ("x", in_days(1), "x" * 1001, "details"),
    ):
        with pytest.raises(Malformed) as refused:
            service.club_agenda.enter(club, ada, title, at, details)
        assert set(refused.value.fields) == {wrong}
    assert service.club_agenda.meetings(club, ada) == []


def test_a_club_has_few_meetings_and_forgets_those_of_long_ago(service: Service) -> None:
    bounds = replace(service.settings.bounds, max_meetings_per_club=2)
    bounded = build(replace(service.settings, bounds=bounds))
    club, (ada, *_) = club_with_officer(bounded)
    agenda = bounded.club_agenda
    first = agenda.enter(club, ada, "One", in_days(1))
    agenda.enter(club, ada, "Two", in_days(2))
    with pytest.raises(NotNow, match="as many meetings"):
        agenda.enter(club, ada, "Three", in_days(3))
    agenda.enter(club, ada, "One again", in_days(1), "", first.id)
    with freeze_time(wall_clock.now() + timedelta(days=3)):
        assert agenda.meetings(club, ada) == []
        with pytest.raises(NotNow):
            agenda.enter(club, ada, "Three", in_days(3))
    with freeze_time(wall_clock.now() + KEPT + timedelta(days=3)):
        third = agenda.enter(club, ada, "Three", in_days(3))
        assert agenda.meetings(club, ada) == [third]
    assert service.redis.hlen(meetings_key(club)) == 1


def test_a_meeting_of_a_club_that_is_being_closed_leaves_nothing(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    club, (ada, *_) = club_with_officer(service)
    with_right = service.clubs.with_right

    def with_right_before_closing(*args: str) -> object:
        entry = with_right(*args)  # type: ignore[arg-type] # the names of rights are texts
        service.clubs.close(club, ada)
        return entry

    monkeypatch.setattr(service.clubs, "with_right", with_right_before_closing)
    service.club_agenda.enter(club, ada, "Too late", in_days(1))
    assert not service.redis.exists(meetings_key(club))


def test_meetings_over_http(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    club = ada.http.post(CLUBS, json={"name": f"A {ada.handle}"}).json()["id"]
    path = f"{CLUBS}/{club}/meetings"
    body = {"title": "Barony night", "at": in_days(2), "details": "Bring cake."}
    assert bea.http.post(path, json=body).status_code == 403
    assert invalid_fields(ada.http.post(path, json={**body, "at": "x"})) == {"at"}
    meeting = ada.http.post(path, json=body).json()
    assert meeting == {"id": meeting["id"], **body}
    assert accounts.anonymous.get(path).json() == {"meetings": [meeting], "next": None}
    one = f"{path}/{meeting['id']}"
    changed = ada.http.put(one, json={**body, "details": ""}).json()
    assert changed == {**meeting, "details": ""}
    assert bea.http.delete(one).status_code == 403
    assert ada.http.delete(one).status_code == 204
    assert ada.http.delete(one).status_code == 404
    assert ada.http.put(one, json=body).status_code == 404
    for number in range(100):
        ada.http.post(path, json={**body, "title": f"No. {number}"}).raise_for_status()
    assert ada.http.post(path, json=body).status_code == 409


@pytest.fixture
def friend(app: Flask) -> FlaskClient:
    return app.test_client()


def test_the_page_of_the_agenda(
    browser: FlaskClient, friend: FlaskClient, service: Service
) -> None:
    ada, bea = log_in(browser, service), log_in(friend, service, "bea")
    service.redis.hset(account_key(ada), "time_zone", "America/New_York")
    club = service.clubs.create(ada, "Wednesdays").id
    address = f"/clubs/{club}/agenda"
    assert "No meeting is planned." in friend.get(address).text
    assert "Enter a meeting" not in friend.get(address).text
    begins = wall_clock.parse(in_days(3)).strftime("%Y-%m-%dT19:30")
    refused = post(browser, address, address, title="<b>Barony", at="soon")
    assert refused.status_code == 400
    assert 'id="at-new-fault"' in refused.text
    fields = {"title": "<b>Barony", "at": begins, "details": "Bring\r\ncake."}
    assert post(browser, address, address, **fields).location == address
    (meeting,) = service.club_agenda.meetings(club, None)
    assert meeting.details == "Bring\ncake."
    assert not meeting.at.endswith("19:30:00.000Z")
    shown = browser.get(address).text
    assert "&lt;b&gt;Barony" in shown
    assert f'value="{begins}"' in shown
    assert "Cancel the meeting" not in friend.get(address).text
    assert post(friend, f"{address}/cancellation", address, meeting=meeting.id).status_code == 403
    options = {"private": True, "club": club, "name": "Hidden game"}
    service.games.commands.create(ada, NewGame(rules="baron", seats=2, options=options))
    assert "Hidden game" in browser.get(address).text
    assert "Hidden game" not in friend.get(address).text
    service.clubs.invite(club, ada, bea)
    service.clubs.join(club, bea)
    assert "Hidden game" in friend.get(address).text
    changed = {**fields, "meeting": meeting.id, "title": "Moved"}
    assert post(browser, address, address, **changed).location == address
    assert "Moved" in friend.get(address).text
    cancelled = post(browser, f"{address}/cancellation", address, meeting=meeting.id)
    assert cancelled.location == address
    assert "No meeting is planned." in friend.get(address).text
