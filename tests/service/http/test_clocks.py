"""Clocks over HTTP: their settings, time banks, pauses by agreement, and holidays."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service import wall_clock
from tests.support.accounts import Accounts, Json
from tests.support.http_contract import invalid_fields

USED = {"Idempotency-Key": "used"}
HOLIDAYS = "/api/v1/me/holidays"


def days(first: int, last: int) -> dict[str, str]:
    """Return the body with which a player announces a holiday, in days from today."""
    today = datetime.now(UTC).date()
    return {
        "first_day": (today + timedelta(days=first)).isoformat(),
        "last_day": (today + timedelta(days=last)).isoformat(),
    }


def summary(accounts: Accounts, game: str) -> Json:
    body: Json = accounts.anonymous.get(f"/api/v1/games/{game}").json()
    return body


def test_a_game_with_a_time_bank_shows_what_is_left(accounts: Accounts) -> None:
    settings = {
        "per_turn": 86_400,
        "bank": 864_000,
        "increment": 3600,
        "time_zone": "Australia/Lord_Howe",
        "nights": ["22:00", "08:00"],
        "weekends": True,
        "holidays": True,
    }
    game, _ = accounts.start_game(clock=settings)
    shown = summary(accounts, game)
    assert shown["clock"] == settings
    timing = shown["timing"]
    assert timing["banks_ms"] == [864_000_000, 864_000_000]
    assert timing["bank_from"] < shown["deadline"]
    assert (timing["pause"], timing["holidays"]) == (None, [])


def test_games_without_a_clock_or_a_start_have_no_timing(accounts: Accounts) -> None:
    game, (ada, _) = accounts.start_game()
    assert summary(accounts, game)["timing"] is None
    assert summary(accounts, ada.create_game(clock={"bank": 60}))["timing"] is None


@pytest.mark.parametrize(
    ("clock", "fields"),
    [
        ({}, {"clock.per_turn"}),
        ({"per_turn": 0, "nights": ["22:00", "22:00"]}, {"clock.per_turn", "clock.nights"}),
        (
            {"per_turn": 60, "time_zone": "Mars", "weekend": True},
            {"clock.time_zone", "clock.weekend"},
        ),
        ({"per_turn": 60, "increment": 60}, {"clock.increment"}),
    ],
)
def test_wrong_settings_of_a_clock_are_named(
    accounts: Accounts, clock: dict[str, Any], fields: set[str]
) -> None:
    body = {"rules": "barony", "seats": 2, "clock": clock}
    assert invalid_fields(accounts.register().http.post("/api/v1/games", json=body)) == fields


def test_players_pause_a_game_and_continue(accounts: Accounts) -> None:
    game, (ada, bea) = accounts.start_game(clock={"per_turn": 3600})
    before, url = summary(accounts, game), f"/api/v1/games/{game}/pause"
    agreed = ada.http.post(url, json={"agree": True}).json()
    assert agreed["events"][0]["data"] == {"seat": 0, "agree": True}
    assert agreed["receipt"]["seq"] == agreed["events"][0]["seq"]
    waiting = summary(accounts, game)
    assert waiting["timing"]["pause"] == {"agreed_by": [0], "since": None, "until": None}
    assert waiting["deadline"] == before["deadline"]
    bea.http.post(url, json={"agree": True})
    paused = summary(accounts, game)
    assert paused["timing"]["pause"]["agreed_by"] == [0, 1]
    assert paused["timing"]["pause"]["since"] < paused["timing"]["pause"]["until"]
    assert paused["deadline"] > paused["timing"]["pause"]["until"]
    ada.http.post(url, json={"agree": False})
    assert summary(accounts, game)["deadline"] < paused["timing"]["pause"]["until"]


def test_refused_agreements_to_a_pause(accounts: Accounts) -> None:
    game, (ada, bea) = accounts.start_game(clock={"per_turn": 3600})
    without_clock, (eve, _) = accounts.start_game()
    url, agree = f"/api/v1/games/{game}/pause", {"agree": True}
    outsider = accounts.register()
    assert invalid_fields(ada.http.post(url, json={"agree": "yes", "x": 1})) == {"agree", "x"}
    assert outsider.http.post(url, json=agree).status_code == 403
    assert ada.http.post(url, json={"agree": False}).status_code == 409
    assert bea.http.post(url, json=agree, headers=USED).status_code == 201
    assert bea.http.post(url, json=agree, headers=USED).status_code == 201
    assert bea.http.post(url, json={"agree": False}, headers=USED).status_code == 422
    assert bea.http.post(url, json=agree).status_code == 409
    assert eve.http.post(f"/api/v1/games/{without_clock}/pause", json=agree).status_code == 409


def test_a_player_gives_another_one_more_time(accounts: Accounts) -> None:
    game, (_, bea) = accounts.start_game(clock={"per_turn": 3600})
    before = summary(accounts, game)["deadline"]
    given = bea.http.post(f"/api/v1/games/{game}/time", json={"to": 0, "seconds": 86_400}).json()
    assert given["events"][0]["data"] == {"seat": 1, "to": 0, "seconds": 86_400}
    assert given["receipt"]["seq"] == given["events"][0]["seq"]
    moved = wall_clock.parse(summary(accounts, game)["deadline"]) - wall_clock.parse(before)
    assert moved == timedelta(days=1)


def test_refused_gifts_of_time(accounts: Accounts) -> None:
    game, (ada, bea) = accounts.start_game(clock={"per_turn": 3600})
    url, hour = f"/api/v1/games/{game}/time", {"to": 0, "seconds": 3600}
    outsider = accounts.register()
    assert invalid_fields(bea.http.post(url, json={"to": -1, "seconds": 0})) == {"to", "seconds"}
    too_long = bea.http.post(url, json={"to": 0, "seconds": 8 * 86_400})
    assert invalid_fields(too_long) == {"seconds"}
    assert outsider.http.post(url, json=hour).status_code == 403
    assert ada.http.post(url, json=hour).status_code == 409
    assert bea.http.post(url, json={**hour, "to": 1}).status_code == 409
    assert bea.http.post(url, json=hour, headers=USED).status_code == 201
    assert bea.http.post(url, json=hour, headers=USED).status_code == 201
    assert bea.http.post(url, json={**hour, "seconds": 1}, headers=USED).status_code == 422


def test_a_player_announces_lists_and_cancels_a_holiday(accounts: Accounts) -> None:
    game, (ada, _) = accounts.start_game(clock={"per_turn": 3600, "holidays": True})
    holiday = ada.http.post(HOLIDAYS, json=days(10, 12)).json()
    assert (holiday["time_zone"], holiday["cancelled_at"]) == ("UTC", None)
    assert holiday["from"] == f"{holiday['first_day']}T00:00:00.000Z"
    assert summary(accounts, game)["timing"]["holidays"] == [
        {"player": ada.id, "from": holiday["from"], "to": holiday["to"]}
    ]
    listed = ada.http.get(HOLIDAYS).json()
    assert listed["holidays"] == [holiday]
    assert (listed["days_per_year"], listed["notice_hours"]) == (30, 24)
    assert sum(year["days"] for year in listed["days_used"]) == 3
    for _ in range(2):
        cancelled = ada.http.delete(f"{HOLIDAYS}/{holiday['id']}").json()
        assert cancelled == {**holiday, "cancelled_at": cancelled["cancelled_at"]}
    assert ada.http.get(HOLIDAYS).json()["days_used"] == []
    assert summary(accounts, game)["timing"]["holidays"] == []
    types = [
        event["type"]
        for event in accounts.anonymous.get(f"/api/v1/games/{game}/events").json()["events"]
    ]
    assert types[-2:] == ["HolidayAnnounced", "HolidayCancelled"]


def test_refused_holidays(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    holiday = ada.http.post(HOLIDAYS, json=days(10, 12)).json()
    for body, fields in (
        ({}, {"first_day", "last_day"}),
        ({"first_day": "tomorrow", "last_day": "20270714"}, {"first_day", "last_day"}),
        ({"first_day": "2027-02-29", "last_day": 5}, {"first_day", "last_day"}),
        (days(0, 2), {"first_day"}),
        (days(-9, -8), {"first_day"}),
        (days(20, 19), {"last_day"}),
        (days(400, 401), {"first_day"}),
    ):
        if isinstance(body.get("last_day"), int):
            assert invalid_fields(ada.http.post(HOLIDAYS, json=body)) == {"last_day"}
        else:
            assert invalid_fields(ada.http.post(HOLIDAYS, json=body)) == fields
    assert ada.http.post(HOLIDAYS, json=days(12, 14)).status_code == 409
    assert ada.http.post(HOLIDAYS, json=days(20, 120)).status_code == 409
    url = f"{HOLIDAYS}/{holiday['id']}"
    assert bea.http.delete(url).status_code == 404
    assert ada.http.delete(f"{HOLIDAYS}/x").status_code == 404
    assert ada.http.get(HOLIDAYS).json()["holidays"] == [holiday]


def test_a_player_sets_their_time_zone(accounts: Accounts) -> None:
    ada = accounts.register(locale="fr")
    assert ada.http.get("/api/v1/me").json()["player"]["time_zone"] is None
    changed = ada.http.patch("/api/v1/me", json={"time_zone": "Australia/Lord_Howe"}).json()
    assert changed["player"]["time_zone"] == "Australia/Lord_Howe"
    assert changed["player"]["locale"] == "fr"
    holiday = ada.http.post(HOLIDAYS, json=days(10, 10)).json()
    assert (holiday["time_zone"], holiday["from"][10:13]) == ("Australia/Lord_Howe", "T13")
    for body, fields in (
        ({"time_zone": "Mars"}, {"time_zone"}),
        ({"time_zone": "UTC", "locale": "?"}, {"locale"}),
        ({"time_zone": 5}, {"time_zone"}),
        ({}, {"body"}),
    ):
        assert invalid_fields(ada.http.patch("/api/v1/me", json=body)) == fields
    assert ada.http.get("/api/v1/me").json()["player"]["time_zone"] == "Australia/Lord_Howe"
    removed = ada.http.patch("/api/v1/me", json={"time_zone": None}).json()
    assert removed["player"]["time_zone"] is None
