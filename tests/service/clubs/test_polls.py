"""Polls for dates: who opens them, votes, and fixes one as a meeting, on pages and over HTTP."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from freezegun import freeze_time

from domain.errors import Malformed, NotNow
from service import wall_clock
from service.bootstrap import Service
from service.clubs.polls import MAX_POLLS
from service.clubs.store import polls_key
from service.errors import Forbidden, NotFound
from tests.support.accounts import Accounts
from tests.support.http_contract import invalid_fields
from tests.support.page_forms import PASSWORD, log_in, post

CLUBS = "/api/v1/clubs"


def in_days(days: float) -> str:
    return wall_clock.format(wall_clock.now() + timedelta(days=days))


class Scene:
    """A club of ada with the officer bea, who may edit, and cid; eve is a stranger."""

    def __init__(self, service: Service, *, is_private: bool = False) -> None:
        self.service, self.polls = service, service.club_polls
        register = service.accounts.players.register
        names = ("ada", "bea", "cid", "eve")
        self.ada, self.bea, self.cid, self.eve = (register(name, PASSWORD)[0].id for name in names)
        self.club = service.clubs.create(self.ada, "Wednesdays", is_private=is_private).id
        for player in (self.bea, self.cid):
            service.clubs.invite(self.club, self.ada, player)
            service.clubs.join(self.club, player)
        service.clubs.appoint(self.club, self.ada, self.bea, ["edit"])
        self.dates = [in_days(2), in_days(3), in_days(5)]

    def open(self) -> str:
        """Open a poll, and return its id."""
        return self.polls.open(self.club, self.bea, "Baron night", self.dates, "Cake").poll.id

    def votes(self) -> tuple[tuple[str, ...], ...]:
        """Return the votes in the only poll."""
        (counted,) = self.polls.polls(self.club, self.ada)
        return counted.votes


def test_members_vote_and_an_officer_fixes_a_date(service: Service) -> None:
    scene = Scene(service)
    poll = scene.open()
    first, second, third = scene.dates
    scene.polls.vote(scene.club, scene.cid, poll, [third, first])
    scene.polls.vote(scene.club, scene.ada, poll, [third])
    assert scene.votes() == ((scene.cid,), (), (scene.ada, scene.cid))
    scene.polls.vote(scene.club, scene.cid, poll, [second])
    assert scene.votes() == ((), (scene.cid,), (scene.ada,))
    scene.polls.vote(scene.club, scene.cid, poll, [])
    assert scene.votes() == ((), (), (scene.ada,))
    meeting = scene.polls.fix(scene.club, scene.bea, poll, third)
    assert (meeting.at, meeting.title, meeting.details) == (third, "Baron night", "Cake")
    assert service.club_agenda.meetings(scene.club, None) == [meeting]
    assert scene.polls.polls(scene.club, scene.ada) == []
    assert not service.redis.exists(polls_key(scene.club))
    with pytest.raises(NotFound):
        scene.polls.fix(scene.club, scene.ada, poll, third)


@pytest.mark.parametrize("is_private", [False, True])
def test_only_members_see_polls_and_only_editors_change_them(
    service: Service, is_private: bool
) -> None:
    scene = Scene(service, is_private=is_private)
    poll = scene.open()
    date = scene.dates[0]
    of_members: tuple[Callable[[str], object], ...] = (
        lambda player: scene.polls.polls(scene.club, player),
        lambda player: scene.polls.vote(scene.club, player, poll, [date]),
    )
    of_editors: tuple[Callable[[str], object], ...] = (
        lambda player: scene.polls.open(scene.club, player, "Mine", scene.dates),
        lambda player: scene.polls.fix(scene.club, player, poll, date),
        lambda player: scene.polls.withdraw(scene.club, player, poll),
    )
    for act in (*of_members, *of_editors):
        with pytest.raises(NotFound if is_private else Forbidden):
            act(scene.eve)
    for act in of_editors:
        with pytest.raises(Forbidden):
            act(scene.cid)
    scene.polls.vote(scene.club, scene.cid, poll, [date])
    service.clubs.leave(scene.club, scene.cid)
    assert scene.votes() == ((), (), ())
    with pytest.raises(NotFound):
        scene.polls.vote(scene.club, scene.ada, "0" * 16, [date])


def test_what_cannot_be_a_poll_is_refused(service: Service) -> None:
    scene = Scene(service)
    past, far = in_days(-1), in_days(400)
    for title, dates, fields in (
        ("", scene.dates, {"title"}),
        ("Night", scene.dates[:1], {"dates"}),
        ("Night", scene.dates[:1] * 3, {"dates"}),
        ("Night", [in_days(day) for day in range(1, 10)], {"dates"}),
        ("Night", [past, *scene.dates], {"dates"}),
        ("Night", [far, *scene.dates], {"dates"}),
        ("Night", ["tomorrow", *scene.dates], {"dates"}),
    ):
        with pytest.raises(Malformed) as refused:
            scene.polls.open(scene.club, scene.ada, title, dates)
        assert set(refused.value.fields) == fields
    poll = scene.open()
    with pytest.raises(Malformed):
        scene.polls.vote(scene.club, scene.cid, poll, [in_days(9)])
    with pytest.raises(Malformed):
        scene.polls.fix(scene.club, scene.ada, poll, in_days(9))
    for _ in range(MAX_POLLS - 1):
        scene.open()
    with pytest.raises(NotNow):
        scene.open()


def test_a_poll_ends_with_its_last_date_and_makes_room(service: Service) -> None:
    scene = Scene(service)
    polls = [scene.open() for _ in range(MAX_POLLS)]
    scene.polls.vote(scene.club, scene.cid, polls[0], scene.dates[:1])
    with freeze_time(wall_clock.now() + timedelta(days=4)):
        assert len(scene.polls.polls(scene.club, scene.ada)) == MAX_POLLS
        with pytest.raises(Malformed):
            scene.polls.fix(scene.club, scene.ada, polls[0], scene.dates[0])
    with freeze_time(wall_clock.now() + timedelta(days=6)):
        assert scene.polls.polls(scene.club, scene.ada) == []
        scene.dates = [in_days(1), in_days(2)]
        scene.open()
        assert service.redis.hlen(polls_key(scene.club)) == 1


def test_an_erasure_takes_votes_and_closing_the_polls(service: Service) -> None:
    scene = Scene(service)
    poll = scene.open()
    for player in (scene.cid, scene.ada):
        scene.polls.vote(scene.club, player, poll, scene.dates)
    service.accounts.erasure.erase(scene.cid, PASSWORD)
    assert scene.cid not in str(service.redis.hgetall(polls_key(scene.club)))
    assert scene.votes() == ((scene.ada,),) * 3
    service.clubs.close(scene.club, scene.ada)
    assert not service.redis.exists(polls_key(scene.club))


def test_polls_over_http(accounts: Accounts) -> None:
    ada, cid, eve = (accounts.register() for _ in range(3))
    club = ada.http.post(CLUBS, json={"name": f"P {ada.handle}"}).json()["id"]
    polls = f"{CLUBS}/{club}/polls"
    token = ada.http.post(f"{CLUBS}/{club}/invitations").json()["token"]
    cid.http.put(f"{CLUBS}/{club}/members/me", json={"invitation": token}).raise_for_status()
    dates = [in_days(2), in_days(3)]
    body = {"title": "Baron night", "dates": dates}
    assert cid.http.post(polls, json=body).status_code == 403
    assert invalid_fields(ada.http.post(polls, json={**body, "dates": dates[:1]})) == {"dates"}
    opened = ada.http.post(polls, json=body).json()
    poll = f"{polls}/{opened['id']}"
    vote = {"dates": dates[:1]}
    voted = cid.http.put(f"{poll}/votes/me", json=vote).json()
    named = {"id": cid.id, "handle": cid.handle}
    assert voted["dates"] == [{"at": dates[0], "voters": [named]}, {"at": dates[1], "voters": []}]
    assert cid.http.get(polls).json() == {"polls": [voted], "next": None}
    assert eve.http.get(polls).status_code == 403
    assert eve.http.put(f"{poll}/votes/me", json=vote).status_code == 403
    assert ada.http.post(f"{CLUBS}/0123456789abcdef/polls", json=body).status_code == 404
    assert cid.http.put(f"{polls}/0123456789abcdef/votes/me", json=vote).status_code == 404
    assert cid.http.delete(poll).status_code == 403
    assert cid.http.post(f"{poll}/meeting", json={"date": dates[0]}).status_code == 403
    other = {"dates": [in_days(4)]}
    assert invalid_fields(cid.http.put(f"{poll}/votes/me", json=other)) == {"dates"}
    meeting = ada.http.post(f"{poll}/meeting", json={"date": dates[0]}).json()
    assert (meeting["at"], meeting["title"]) == (dates[0], "Baron night")
    assert ada.http.post(f"{poll}/meeting", json={"date": dates[0]}).status_code == 404
    last = [ada.http.post(polls, json=body).json()["id"] for _ in range(MAX_POLLS)][-1]
    assert ada.http.post(polls, json=body).status_code == 409
    assert ada.http.delete(f"{polls}/{last}").status_code == 204
    assert ada.http.delete(f"{polls}/{last}").status_code == 404


def test_a_date_is_not_fixed_in_a_full_agenda(accounts: Accounts) -> None:
    ada = accounts.register()
    club = ada.http.post(CLUBS, json={"name": f"F {ada.handle}"}).json()["id"]
    dates = [in_days(2), in_days(3)]
    body = {"title": "Baron night", "dates": dates}
    opened = ada.http.post(f"{CLUBS}/{club}/polls", json=body).json()["id"]
    meeting = {"title": "x", "at": dates[0]}
    while ada.http.post(f"{CLUBS}/{club}/meetings", json=meeting).status_code == 201:
        pass
    path = f"{CLUBS}/{club}/polls/{opened}/meeting"
    assert ada.http.post(path, json={"date": dates[0]}).status_code == 409
    assert len(ada.http.get(f"{CLUBS}/{club}/polls").json()["polls"]) == 1


def test_polls_on_the_page_of_the_agenda(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    friend, stranger = app.test_client(), app.test_client()
    ada, cid = log_in(browser, service), log_in(friend, service, "cid")
    log_in(stranger, service, "eve")
    club = service.clubs.create(ada, "Wednesdays").id
    service.clubs.invite(club, ada, cid)
    service.clubs.join(club, cid)
    agenda, polls = f"/clubs/{club}/agenda", f"/clubs/{club}/polls"
    assert "There is no poll." in browser.get(agenda).text
    assert "Polls for dates" not in friend.get(agenda).text
    dates = {f"date-{n}": in_days(n + 1)[:16] for n in (1, 2)}
    fields = {"title": "<b>Night", "details": "Bring\r\ncake", **dates}
    refused = post(browser, polls, agenda, **{**fields, "date-2": ""})
    assert refused.status_code == 400
    assert "2 to 8 different dates" in refused.text
    assert "&lt;b&gt;Night" in refused.text
    assert post(browser, polls, agenda, **fields).location == agenda
    (counted,) = service.club_polls.polls(club, ada)
    poll, date = counted.poll.id, counted.poll.dates[1]
    shown = friend.get(agenda).text
    assert "&lt;b&gt;Night" in shown
    assert "Fix the date" not in shown
    assert "Polls for dates" not in stranger.get(agenda).text
    assert post(friend, f"{polls}/votes", agenda, poll=poll, date=date).location == agenda
    assert service.club_polls.polls(club, ada)[0].votes == ((), (cid,))
    assert "1 vote:" in browser.get(agenda).text
    assert post(friend, f"{polls}/meeting", agenda, poll=poll, date=date).status_code == 403
    assert post(browser, f"{polls}/meeting", agenda, poll=poll, date="x").status_code == 400
    assert post(browser, f"{polls}/meeting", agenda, poll=poll, date=date).location == agenda
    assert [meeting.at for meeting in service.club_agenda.meetings(club, None)] == [date]
    post(browser, polls, agenda, **fields)
    poll = service.club_polls.polls(club, ada)[0].poll.id
    assert post(browser, f"{polls}/withdrawal", agenda, poll=poll).location == agenda
    assert service.club_polls.polls(club, ada) == []
