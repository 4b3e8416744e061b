"""The first page that a new browser shows has its times in the zone of the browser, like every later one."""

from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page

from tests.support.accounts import take_turn
from tests.support.browsing import Visitors

ZONE = "Australia/Lord_Howe"


def zone_at(hour: int) -> str:
    """Return a time zone in which it is between this hour and the next one, from 0 to 23."""
    ahead = (hour - datetime.now(UTC).hour + 12) % 24 - 12
    # The names of these zones count the hours that Greenwich is ahead. Browsers say UTC for that without any.
    return f"Etc/GMT{-ahead:+d}" if ahead else "UTC"


def times(page: Page) -> list[str]:
    """Return the times on a page, with the spaces of any kind as spaces."""
    return [" ".join(text.split()) for text in page.locator("time:visible").all_inner_texts()]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("path", "language", "hour"),
    [
        ("/log", "fr", 5),
        *(
            pytest.param(path, language, hour, marks=pytest.mark.nightly)
            for path in ("/log", "?seq=4")
            for language in ("en", "fr", "es")
            for hour in (0, 5, 12, 18)
            if (path, language, hour) != ("/log", "fr", 5)
        ),
    ],
)
def test_the_first_page_shows_the_times_that_the_next_one_shows(
    visitors: Visitors, path: str, language: str, hour: int
) -> None:
    zone = zone_at(hour)
    game_id, players = visitors.accounts.start_game(2)
    take_turn(game_id, players)
    visitor = visitors.new(language=language, time_zone=zone)
    page = visitor.open(f"/games/{game_id}{path}")
    page.locator("time", has_text=zone).first.wait_for()
    first = times(page)
    assert first
    assert all(text.endswith(f"({zone})") for text in first)
    page.reload()
    assert page.locator("[data-zone-unknown]").count() == 0
    assert first == times(page)


def test_a_zone_that_a_player_has_chosen_is_used_on_the_first_page_of_a_new_browser(
    visitors: Visitors,
) -> None:
    game_id, (player, _) = visitors.accounts.start_game(2)
    player.http.patch("/api/v1/me", json={"time_zone": "America/Lima"}).raise_for_status()
    page = visitors.new(player, time_zone=ZONE).open(f"/games/{game_id}/log")
    page.wait_for_function("() => document.cookie.includes('cartulary-time-zone')")
    assert all(text.endswith("(America/Lima)") for text in times(page))


@pytest.mark.nightly
def test_the_time_left_in_a_list_is_no_date_on_the_first_page_either(visitors: Visitors) -> None:
    visitors.accounts.start_game(2, clock={"per_turn": 2 * 86_400})
    page = visitors.new(time_zone=ZONE).open("/games?list=watch")
    page.wait_for_function("() => document.cookie.includes('cartulary-time-zone')")
    assert all(text.endswith("left") for text in times(page))
    assert times(page)
