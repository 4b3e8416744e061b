"""The question of a club: who sets it, what an answer may be, who reads it, and how many may wait."""

from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from domain.errors import Malformed, NotNow
from service.bootstrap import Service, build
from service.clubs.clubs import Clubs
from service.clubs.store import club_key, person_field
from service.connection import read_field
from service.errors import Forbidden, TooManyClubs
from tests.support.accounts import Accounts
from tests.support.http_contract import invalid_fields
from tests.support.page_forms import PASSWORD, log_in, post

CLUBS = "/api/v1/clubs"
QUESTION = "Where do you play?"


def players(service: Service, *handles: str) -> list[str]:
    return [service.accounts.players.register(handle, PASSWORD)[0].id for handle in handles]


def bounded(service: Service, **bounds: int) -> Clubs:
    """Return the clubs of a process with these bounds."""
    settings = service.settings
    return build(replace(settings, bounds=replace(settings.bounds, **bounds))).clubs


def test_who_asks_to_join_answers_the_question(service: Service) -> None:
    ada, bea, cid = players(service, "ada", "bea", "cid")
    clubs = service.clubs
    club = clubs.create(ada, "Wednesdays").id
    clubs.edit(club, ada, question=QUESTION)
    for answer in (None, "", "x" * 1001, "a\u202eb"):
        with pytest.raises(Malformed) as refused:
            clubs.join(club, bea, answer=answer)
        assert set(refused.value.fields) == {"answer"}
    assert clubs.relation(club, bea) is None
    for answer in ("In Lyon", "In Lyon,\nsince 2019"):
        assert clubs.join(club, bea, answer=answer) == "requesting"
        assert clubs.visible(club, ada).people[bea].answer == answer
    clubs.admit(club, ada, bea)
    assert clubs.visible(club, ada).people[bea].answer is None
    clubs.edit(club, ada, question="")
    assert clubs.join(club, cid, answer="to nothing") == "requesting"
    assert clubs.visible(club, ada).people[cid].answer is None


def test_invited_players_and_those_with_the_link_need_no_answer(service: Service) -> None:
    ada, bea, cid = players(service, "ada", "bea", "cid")
    clubs = service.clubs
    club = clubs.create(ada, "Wednesdays").id
    clubs.edit(club, ada, question=QUESTION)
    clubs.invite(club, ada, bea)
    assert clubs.join(club, bea) == "member"
    assert clubs.join(club, cid, clubs.create_link(club, ada)) == "member"


def test_only_those_who_may_edit_set_a_question(service: Service) -> None:
    ada, bea = players(service, "ada", "bea")
    clubs = service.clubs
    club = clubs.create(ada, "Wednesdays").id
    clubs.invite(club, ada, bea)
    clubs.join(club, bea)
    clubs.appoint(club, ada, bea, ["invite", "remove"])
    with pytest.raises(Forbidden):
        clubs.edit(club, bea, question=QUESTION)
    clubs.appoint(club, ada, bea, ["edit"])
    clubs.edit(club, bea, question=QUESTION)
    clubs.edit(club, ada, about="x")
    assert clubs.find(club).question == QUESTION
    for question in ("x" * 301, "\x00"):
        with pytest.raises(Malformed) as refused:
            clubs.edit(club, bea, question=question)
        assert set(refused.value.fields) == {"question"}


def test_a_player_asks_to_join_few_clubs_at_a_time(service: Service) -> None:
    ada, bea = players(service, "ada", "bea")
    clubs = bounded(service, max_club_requests_per_player=2)
    first, second, third = (clubs.create(ada, f"Club {name}").id for name in ("A", "B", "C"))
    for club in (first, second, first):
        assert clubs.join(club, bea) == "requesting"
    with pytest.raises(TooManyClubs, match="at a time"):
        clubs.join(third, bea)
    clubs.invite(third, ada, bea)
    assert clubs.join(third, bea) == "member"
    clubs.leave(first, bea)
    clubs.leave(third, bea)
    assert clubs.join(third, bea) == "requesting"


def test_few_requests_wait_in_a_club(service: Service) -> None:
    ada, bea, cid = players(service, "ada", "bea", "cid")
    clubs = bounded(service, max_candidates_per_club=1)
    club = clubs.create(ada, "Wednesdays").id
    clubs.edit(club, ada, question=QUESTION)
    clubs.join(club, bea, answer="one")
    with pytest.raises(NotNow, match="too many players"):
        clubs.join(club, cid, answer="two")
    clubs.join(club, bea, answer="three")
    assert clubs.visible(club, ada).people[bea].answer == "three"


def test_an_answer_is_erased_with_its_player(service: Service) -> None:
    ada, bea = players(service, "ada", "bea")
    club = service.clubs.create(ada, "Wednesdays").id
    service.clubs.edit(club, ada, question=QUESTION)
    service.clubs.join(club, bea, answer="Lyon")
    assert "Lyon" in (read_field(service.redis, club_key(club), person_field(bea)) or "")
    service.accounts.erasure.erase(bea, PASSWORD)
    assert service.redis.hget(club_key(club), person_field(bea)) is None


def test_answers_are_read_over_http_by_those_who_admit(accounts: Accounts) -> None:
    ada, bea, cid = (accounts.register() for _ in range(3))
    path = f"{CLUBS}/{ada.http.post(CLUBS, json={'name': f'Q {ada.handle}'}).json()['id']}"
    assert ada.http.patch(path, json={"question": QUESTION}).json()["question"] == QUESTION
    assert accounts.anonymous.get(path).json()["question"] == QUESTION
    assert invalid_fields(bea.http.put(f"{path}/members/me")) == {"answer"}
    asked = bea.http.put(f"{path}/members/me", json={"answer": "Lyon"})
    assert asked.json() == {"you": "requesting"}
    cid.http.put(f"{path}/members/me", json={"answer": "Nice"})
    query = {"relation": "requesting"}
    shown = ada.http.get(f"{path}/members", params=query).json()["players"]
    assert [(each["handle"], each["answer"]) for each in shown] == [
        (bea.handle, "Lyon"),
        (cid.handle, "Nice"),
    ]
    assert ada.http.delete(f"{path}/members/{cid.handle}").status_code == 204
    assert ada.http.put(f"{path}/members/{bea.handle}").status_code == 204
    assert bea.http.get(f"{path}/members", params=query).status_code == 403
    assert ada.http.patch(path, json={"question": ""}).json()["question"] is None
    assert cid.http.put(f"{path}/members/me").json() == {"you": "requesting"}


@pytest.fixture
def friend(app: Flask) -> FlaskClient:
    return app.test_client()


def test_the_page_asks_the_question_and_shows_the_answer(
    browser: FlaskClient, friend: FlaskClient, service: Service
) -> None:
    ada, bea = log_in(browser, service), log_in(friend, service, "bea")
    club = service.clubs.create(ada, "Wednesdays").id
    address = f"/clubs/{club}"
    fields = {"name": "Wednesdays", "about": "", "question": "Where <b>?"}
    post(browser, f"{address}/edit", address, **fields)
    assert "Where &lt;b&gt;?" in friend.get(address).text
    refused = post(friend, f"{address}/join", address, answer=" ")
    assert refused.status_code == 400
    assert 'id="field-answer-fault"' in refused.text
    asked = post(friend, f"{address}/join", address, answer="In <i>Lyon\r\nand Nice")
    assert asked.location == address
    for visitor in (browser, friend):
        assert "In &lt;i&gt;Lyon\nand Nice" in visitor.get(address).text
    post(browser, f"{address}/admit", address, player=bea)
    assert service.clubs.is_member(club, bea)
    assert "Lyon" not in browser.get(address).text
