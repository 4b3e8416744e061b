"""The pages of a game's clock and of holidays: what they show, pauses, announcing and cancelling."""

from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask

from domain.event import Clock
from service.bootstrap import Service
from tests.support.page_players import PlayersOfPages, forms_of

HOLIDAYS = "/account/holidays"
CLOCK: Clock = {
    "per_turn": 86_400,
    "bank": 864_000,
    "increment": 3600,
    "nights": ["22:00", "08:00"],
    "time_zone": "Europe/Paris",
    "weekends": True,
    "holidays": True,
}


@pytest.fixture
def players(app: Flask, service: Service) -> PlayersOfPages:
    return PlayersOfPages(app, service)


def days(first: int, last: int) -> dict[str, str]:
    """Return what is entered to announce a holiday, in days from today."""
    today = datetime.now(UTC).date()
    return {
        "first_day": (today + timedelta(days=first)).isoformat(),
        "last_day": (today + timedelta(days=last)).isoformat(),
    }


def test_the_page_of_a_clock_shows_its_settings_and_what_is_left(players: PlayersOfPages) -> None:
    address = f"/games/{players.game('barony', clock=CLOCK)}/clock"
    shown = players["ada"].get(address)
    for text in (
        "1 day a turn",
        "a time bank of 10 days, which grows by 1 hour after each turn",
        "nights from 22:00 to 08:00 (Europe/Paris) do not count",
        "weekends (Europe/Paris) do not count",
        "announced holidays of the player to act do not count",
        "10 d 0 h",
    ):
        assert text.lower() in shown.lower()
    assert address not in forms_of(players["eve"].get(address))
    assert players.visitor.get(address).status_code == 200


def test_a_game_without_a_clock_has_a_page_that_says_so(players: PlayersOfPages) -> None:
    game = players.game("barony")
    assert "no time limit" in players["ada"].get(f"/games/{game}/clock").lower()
    assert f"/games/{game}/clock" not in players["ada"].get(f"/games/{game}")


def test_players_pause_a_game_and_continue(players: PlayersOfPages, service: Service) -> None:
    game = players.game("barony", clock={"per_turn": 3600})
    address = f"/games/{game}/clock"
    assert f'href="{address}"' in players["ada"].get(f"/games/{game}")
    assert players["ada"].submit(address, address, answer="agree").status_code == 303
    assert "grace has not agreed" in players["ada"].get(address)
    assert players["grace"].submit(address, address, answer="perhaps").status_code == 400
    assert players["ada"].submit(address, address, answer="agree").status_code == 409
    assert players["grace"].submit(address, address, answer="agree").status_code == 303
    assert "The game is paused." in players["grace"].get(address)
    assert "all players have agreed to a pause" in players["ada"].get(f"/games/{game}")
    assert players["grace"].submit(address, address, answer="withdraw").status_code == 303
    assert "all players have agreed to a pause" not in players["ada"].get(f"/games/{game}")
    assert service.games.queries.game(game).pauses.current is None
    forged = players["eve"].forge(address, address, {"answer": "agree"})
    assert forged.status_code == 403


def test_a_player_gives_another_one_more_time(players: PlayersOfPages, service: Service) -> None:
    game = players.game("barony", clock={"per_turn": 86_400})
    address = f"/games/{game}/clock"
    form = f"{address}/time"
    assert form not in forms_of(players["ada"].get(address))
    assert form not in forms_of(players["eve"].get(address))
    shown = players["grace"].get(address)
    assert '<option value="86400" selected>1 day</option>' in shown
    assert players["grace"].submit(address, form, seconds="86400").status_code == 303
    assert service.games.queries.game(game).turn_extension == 86_400
    assert '<option value="604800"' not in players["grace"].get(address)
    refused = players["grace"].submit(address, form, seconds="604800")
    assert refused.status_code == 400
    assert "1 to 518400" in refused.text
    assert players["ada"].forge(address, form, {"to": "0", "seconds": "60"}).status_code == 409
    assert "gives ada more time: 1 day" in players["ada"].get(f"/games/{game}/log")


def test_a_player_announces_and_cancels_a_holiday(players: PlayersOfPages) -> None:
    game = players.game("barony", clock=CLOCK)
    ada = players["ada"]
    assert ada.submit(HOLIDAYS, HOLIDAYS, **days(10, 12)).status_code == 303
    assert days(10, 12)["last_day"] in ada.get(HOLIDAYS)
    assert "Announced holidays" in players["grace"].get(f"/games/{game}/clock")
    cancel = f"{HOLIDAYS}/cancel"
    assert ada.submit(HOLIDAYS, cancel).status_code == 303
    assert cancel not in forms_of(ada.get(HOLIDAYS))
    assert "Announced holidays" not in players["grace"].get(f"/games/{game}/clock")


def test_refused_holidays_are_explained_beside_their_fields(players: PlayersOfPages) -> None:
    ada = players["ada"]
    for entered, status, text in (
        (days(0, 1), 400, "Must begin at least 24 hours from now"),
        ({"first_day": "soon", "last_day": "later"}, 400, "Must be a day such as 2027-07-14"),
        (days(20, 90), 409, "30 days of holidays in a year"),
    ):
        refused = ada.submit(HOLIDAYS, HOLIDAYS, **entered)
        assert refused.status_code == status
        assert text in refused.text
        assert f'value="{entered["first_day"]}"' in refused.text
    ada.submit(HOLIDAYS, HOLIDAYS, **days(10, 12))
    missing = ada.submit(HOLIDAYS, f"{HOLIDAYS}/cancel", holiday="x")
    assert (missing.status_code, "no such holiday" in missing.text) == (404, True)
    assert players.visitor.get(HOLIDAYS).status_code in (302, 303, 401)


def test_a_player_chooses_a_time_zone(players: PlayersOfPages, service: Service) -> None:
    ada, form = players["ada"], f"{HOLIDAYS}/time-zone"
    assert ada.submit(HOLIDAYS, form, time_zone="Australia/Lord_Howe").status_code == 303
    (account,) = service.accounts.players.get([ada.id])
    assert account is not None
    assert account.time_zone == "Australia/Lord_Howe"
    assert "in the time zone Australia/Lord_Howe" in ada.get(HOLIDAYS)
    assert ada.submit(HOLIDAYS, form, time_zone="Mars").status_code == 400


def test_the_form_for_a_new_game_offers_the_whole_clock(
    players: PlayersOfPages, service: Service
) -> None:
    ada = players["ada"]
    ada.submit(HOLIDAYS, f"{HOLIDAYS}/time-zone", time_zone="America/New_York")
    assert "<option selected>America/New_York</option>" in ada.get("/games/new")
    entered = {
        "seats": 2,
        "clock": 86_400,
        "clock-bank": 604_800,
        "clock-increment": 3600,
        "clock-night_from": "22:00",
        "clock-night_to": "08:00",
        "clock-weekends": "yes",
        "clock-holidays": "yes",
        "clock-time_zone": "Europe/Paris",
        "clock-turn": "bot",
        "option-seating": "joined",
        "option-name": "",
    }
    created = ada.submit("/games/new", "/games", **entered)
    game = service.games.queries.game(created.headers["Location"].rpartition("/")[2])
    assert game.clock == {
        "per_turn": 86_400,
        "bank": 604_800,
        "increment": 3600,
        "nights": ["22:00", "08:00"],
        "weekends": True,
        "holidays": True,
        "time_zone": "Europe/Paris",
        "on_deadline": {"turn": "bot", "excused": 1, "remove_after": 3},
    }


def test_wrong_settings_of_a_clock_are_explained_beside_their_fields(
    players: PlayersOfPages,
) -> None:
    entered = {
        "seats": 2,
        "clock": 86_400,
        "clock-night_from": "22:00",
        "clock-excused": "99",
        "option-seating": "joined",
    }
    refused = players["ada"].submit("/games/new", "/games", **entered)
    assert refused.status_code == 400
    for field in ("clock-night_from", "clock-excused"):
        assert f'id="field-{field}-fault"' in refused.text
    assert '<details class="all-options" open>' in refused.text
