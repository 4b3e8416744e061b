"""Readers move through the events of a game with the keyboard, the slider and autoplay."""

import re

import pytest
from playwright.sync_api import Page

from tests.support.accounts import take_turn
from tests.support.browsing import Visitors

TURNS = 6


def start_game(visitors: Visitors) -> tuple[str, int]:
    """Play some turns, and return the id of the game and the seq of its last event."""
    game_id, players = visitors.accounts.start_game(2)
    last = [take_turn(game_id, players)["seq"] for _ in range(TURNS)][-1]
    return game_id, last


def wait_for_event(page: Page, seq: int) -> None:
    """Wait until the page shows an event, and its scripts run."""
    page.wait_for_url(re.compile(rf"[?&]seq={seq}($|&)"))
    page.locator(f"#replay-seq[value='{seq}']").wait_for()
    page.locator(".autoplay:not([hidden])").wait_for()


def test_keys_and_the_slider_lead_to_other_events_without_loading_the_page(
    visitors: Visitors,
) -> None:
    game_id, last = start_game(visitors)
    page = visitors.new().open(f"/games/{game_id}?seq=6")
    wait_for_event(page, 6)
    page.evaluate("window.isSamePage = true")
    for key, seq in (
        ("ArrowRight", 7),
        ("ArrowLeft", 6),
        ("End", last),
        ("ArrowRight", last),
        ("Home", 1),
        ("ArrowLeft", 1),
    ):
        page.keyboard.press(key)
        wait_for_event(page, seq)
    status = page.locator("#step-status")
    assert (status.text_content() or "").startswith("event 1: ")
    page.locator("#replay-seq").press("ArrowRight")
    wait_for_event(page, 2)
    assert page.evaluate("document.activeElement.id") == "replay-seq"
    assert page.evaluate("window.isSamePage")
    # The arrow keys move from hex to hex on the board, and change the value of a field.
    page.goto(page.url.replace("seq=2", f"seq={last}"))
    wait_for_event(page, last)
    for selector in (".board-window", "#compare-to"):
        page.locator(selector).press("ArrowLeft")
        wait_for_event(page, last)


def test_autoplay_stops_at_the_last_event(visitors: Visitors) -> None:
    game_id, last = start_game(visitors)
    visitor = visitors.new()
    visitor.page.emulate_media(reduced_motion="no-preference")
    page = visitor.open(f"/games/{game_id}?seq={last - 2}")
    wait_for_event(page, last - 2)
    # The next event must not come before the assertions about this one, however slow the machine is.
    page.select_option("#autoplay-speed", "4000")
    page.click("#autoplay")
    wait_for_event(page, last - 1)
    assert page.locator("#autoplay").text_content() == "Pause"
    assert page.input_value("#autoplay-speed") == "4000"
    assert page.evaluate("document.activeElement.id") == "autoplay"
    wait_for_event(page, last)
    assert page.locator("#autoplay").text_content() == "Autoplay"
    assert page.locator("#autoplay").is_disabled()


@pytest.mark.nightly
def test_autoplay_is_slow_for_those_who_prefer_less_motion(visitors: Visitors) -> None:
    game_id, last = start_game(visitors)
    page = visitors.new().open(f"/games/{game_id}?seq={last - 2}")
    wait_for_event(page, last - 2)
    page.select_option("#autoplay-speed", "600")
    page.click("#autoplay")
    page.wait_for_timeout(1000)
    wait_for_event(page, last - 2)
    page.click("#autoplay")
    assert page.locator("#autoplay").text_content() == "Autoplay"


def test_a_reader_tries_what_could_have_been_done_by_clicking(visitors: Visitors) -> None:
    game_id, _ = start_game(visitors)
    page = visitors.new(phone=True).open(f"/games/{game_id}?seq=6")
    wait_for_event(page, 6)
    page.click("text=Try the actions that")
    page.locator("#board a.option").first.click()
    page.locator(".preview").wait_for()
    assert page.locator("#confirm").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.click("text=Back to the event")
    page.locator("text=Try the actions that").wait_for()
