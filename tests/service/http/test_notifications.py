"""What players are notified of, the deliveries to them, and their feeds over HTTP."""

from typing import Any
from xml.etree import ElementTree as ET

import httpx
import pytest
import redis
from icalendar import Calendar

from service.bounds import Bounds
from service.notifications.deliveries import Deliveries
from service.notifications.delivery import Delivery
from tests.support.accounts import Accounts, PlayerClient

ME = "/api/v1/me/notifications"
DELIVERIES = "/api/v1/me/deliveries"
FEEDS = "/api/v1/me/feeds"
ATOM = "{http://www.w3.org/2005/Atom}"


def test_preferences_have_defaults_and_can_be_changed_one_by_one(accounts: Accounts) -> None:
    ada = accounts.register()
    body = ada.http.get(ME).json()
    assert body["channels"] == []
    kinds = body["preferences"]["kinds"]
    assert "round_scored" not in kinds["email"]
    assert "your_turn" in kinds["email"]
    assert (body["preferences"]["digest"], body["preferences"]["quiet_hours"]) == (None, None)
    for change in (
        {"kinds": {"push": ["game_over", "your_turn"]}},
        {"digest": "18:30"},
        {"quiet_hours": ["22:00", "08:00"]},
    ):
        assert ada.http.patch(ME, json=change).status_code == 200
    expected = {
        "kinds": {**kinds, "push": ["your_turn", "game_over"]},
        "digest": "18:30",
        "quiet_hours": ["22:00", "08:00"],
    }
    assert ada.http.get(ME).json()["preferences"] == expected
    changed = ada.http.patch(ME, json={"digest": None, "quiet_hours": None})
    assert changed.json() == ada.http.get(ME).json()
    assert ada.http.get(ME).json()["preferences"] == {
        **expected,
        "digest": None,
        "quiet_hours": None,
    }


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"kinds": []}, "kinds"),
        ({"kinds": {"pigeon": []}}, "kinds.pigeon"),
        ({"kinds": {"email": ["birthday"]}}, "kinds.email"),
        ({"kinds": {"email": "your_turn"}}, "kinds.email"),
        ({"kinds": {"email": [[]]}}, "kinds.email"),
        ({"digest": "8:00"}, "digest"),
        ({"digest": "24:00"}, "digest"),
        ({"digest": 8}, "digest"),
        ({"quiet_hours": ["22:00"]}, "quiet_hours"),
        ({"quiet_hours": "22:00"}, "quiet_hours"),
        ({"quiet_hours": ["22:00", "x"]}, "quiet_hours.1"),
        ({"quiet_hours": ["08:00", "08:00"]}, "quiet_hours"),
        ({"quiet_hours": ["08:00", "01:00"]}, "quiet_hours"),
        ({"sound": "loud"}, "sound"),
    ],
)
def test_preferences_that_make_no_sense_change_nothing(
    accounts: Accounts, change: dict[str, Any], field: str
) -> None:
    ada = accounts.register()
    before = ada.http.get(ME).json()
    # Nothing of a request is done if a part of it is wrong.
    response = ada.http.patch(ME, json={"digest": "18:00", **change})
    assert response.status_code == 400
    assert [error["field"] for error in response.json()["errors"]] == [field]
    assert ada.http.get(ME).json() == before


def create_delivery(redis_client: redis.Redis, player: PlayerClient, number: int) -> str:
    id = f"{player.id}-{number}"
    Deliveries(redis_client, Bounds()).create(
        Delivery(
            id,
            "your_turn",
            "your_turn",
            "g",
            4,
            player=player.id,
            channel="email",
            endpoint="one",
            created_at=f"2026-11-20T09:15:0{number}.000Z",
            due_at="2036-11-20T09:15:00.000Z",
        )
    )
    return id


def test_players_see_the_deliveries_to_themselves_in_pages(
    accounts: Accounts, redis_client: redis.Redis
) -> None:
    ada, bea = accounts.register(), accounts.register()
    ids = [create_delivery(redis_client, ada, number) for number in (1, 2, 3)]
    first = ada.http.get(f"{DELIVERIES}?limit=2").json()
    assert [item["delivery"] for item in first["deliveries"]] == [ids[2], ids[1]]
    assert first["deliveries"][0]["status"] == "pending"
    second = ada.http.get(f"{DELIVERIES}?limit=2&cursor={first['next']}").json()
    assert [item["delivery"] for item in second["deliveries"]] == [ids[0]]
    assert second["next"] is None
    assert bea.http.get(DELIVERIES).json() == {"deliveries": [], "next": None}
    assert ada.http.get(f"{DELIVERIES}?limit=0").status_code == 400


def parse_xml(document: bytes) -> ET.Element:
    return ET.fromstring(document)  # noqa: S314 # the server of the test made it


def feed_path(address: str) -> str:
    return httpx.URL(address).path


def test_the_atom_feed_has_stable_ids_and_an_etag(accounts: Accounts) -> None:
    game, (ada, bea) = accounts.start_game()
    created = ada.http.post(FEEDS)
    assert created.status_code == 201
    path = feed_path(created.json()["atom"])
    response = accounts.anonymous.get(path)
    assert response.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    feed = parse_xml(response.content)
    entries = feed.findall(f"{ATOM}entry")
    events = ada.http.get(f"/api/v1/games/{game}/events").json()["events"]
    assert [entry.findtext(f"{ATOM}updated") for entry in entries] == [
        event["at"] for event in reversed(events)
    ]
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert all(id is not None and id.startswith("urn:uuid:") for id in ids)
    assert len(set(ids)) == len(ids) == 4
    assert feed.findtext(f"{ATOM}updated") == events[-1]["at"]
    unchanged = accounts.anonymous.get(path, headers={"If-None-Match": response.headers["ETag"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    seq, actions = ada.legal_actions(game)
    ada.act(game, actions[0], seq)
    changed = parse_xml(
        accounts.anonymous.get(path, headers={"If-None-Match": response.headers["ETag"]}).content
    )
    assert [item.findtext(f"{ATOM}id") for item in changed.findall(f"{ATOM}entry")][1:] == ids
    others = accounts.anonymous.get(feed_path(bea.http.post(FEEDS).json()["atom"])).content
    assert parse_xml(others).findtext(f"{ATOM}id") != feed.findtext(f"{ATOM}id")


def test_the_calendar_has_the_deadlines_of_the_own_turns(accounts: Accounts) -> None:
    game, (ada, bea) = accounts.start_game(clock={"per_turn": 86400})
    deadline = ada.http.get(f"/api/v1/games/{game}").json()["deadline"]
    path = feed_path(ada.http.post(FEEDS).json()["calendar"])
    response = accounts.anonymous.get(path)
    assert response.headers["Content-Type"] == "text/calendar; charset=utf-8"
    (event,) = Calendar.from_ical(response.text).walk("VEVENT")
    assert event["UID"] == f"{game}-1@cartulary"
    assert f"DTSTART:{deadline[:19].replace('-', '').replace(':', '')}Z" in response.text
    assert event["SUMMARY"] == "Barony: your turn ends"
    assert "VALARM" not in response.text
    etag = response.headers["ETag"]
    assert accounts.anonymous.get(path, headers={"If-None-Match": etag}).status_code == 304
    others = accounts.anonymous.get(feed_path(bea.http.post(FEEDS).json()["calendar"]))
    assert "VEVENT" not in others.text
    seq, actions = ada.legal_actions(game)
    ada.act(game, actions[0], seq)
    assert "VEVENT" not in accounts.anonymous.get(path).text


def test_feeds_are_bounded_and_can_be_revoked(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    created = [ada.http.post(FEEDS).json() for _ in range(Bounds().max_feeds_per_player)]
    assert ada.http.post(FEEDS).status_code == 409
    listed = ada.http.get(FEEDS).json()["feeds"]
    assert sorted(feed["id"] for feed in listed) == sorted(feed["id"] for feed in created)
    assert all(feed.keys() == {"id", "created"} for feed in listed)
    first, second = created[:2]
    assert bea.http.delete(f"{FEEDS}/{first['id']}").status_code == 404
    assert ada.http.delete(f"{FEEDS}/{first['id']}").status_code == 204
    assert ada.http.delete(f"{FEEDS}/{first['id']}").status_code == 404
    for name in ("atom", "calendar"):
        assert accounts.anonymous.get(feed_path(first[name])).status_code == 404
        assert accounts.anonymous.get(feed_path(second[name])).status_code == 200
    assert ada.http.post(FEEDS).status_code == 201


def test_the_feeds_of_a_player_who_was_erased_are_gone(accounts: Accounts) -> None:
    ada = accounts.register()
    address = ada.http.post(FEEDS).json()["atom"]
    response = ada.http.request("DELETE", "/api/v1/me", json={"password": "correct horse"})
    assert response.status_code == 204
    assert accounts.anonymous.get(feed_path(address)).status_code == 404
