"""Explanations and lessons in a browser, also without scripts: by pointing, by tapping and by keyboard."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.axe import violations
from tests.support.browsing import Visitors
from tests.support.variants import nightly_except


@pytest.mark.parametrize("javascript", nightly_except({True}, (True, False)))
def test_a_tap_and_a_key_open_an_explanation(visitors: Visitors, *, javascript: bool) -> None:
    game_id, (first, _) = visitors.accounts.start_game(2)
    page = visitors.new(first, phone=True, javascript=javascript).open(f"/games/{game_id}")
    page.locator(".strip").first.tap()
    word = page.locator("#seat-0").get_by_role("button", name="Reserve", exact=True)
    box = word.bounding_box()
    assert box is not None
    assert box["height"] >= 24
    explanation = page.locator(f"#{word.get_attribute('popovertarget')}")
    expect(explanation).to_be_hidden()
    word.tap()
    expect(explanation).to_be_visible()
    expect(explanation).to_be_in_viewport()
    if javascript:
        assert violations(page) == []
    page.keyboard.press("Escape")
    expect(explanation).to_be_hidden()
    word.press("Enter")
    expect(explanation).to_be_visible()
    expect(word).to_have_accessible_description(
        "Each player has 7 knights, 5 cities, 2 strongholds and 14 villages."
    )


@pytest.mark.nightly
def test_lessons_are_switched_without_scripts(visitors: Visitors) -> None:
    page = visitors.new(javascript=False).open("/tutorial")
    page.get_by_role("button", name="Learn Barony by playing").click()
    address = page.url
    open_about(page)
    page.get_by_role("button", name="Stop explaining new rules").click()
    expect(page).to_have_url(address)
    expect(page.locator(".lessons")).to_have_count(0)
    open_about(page)
    page.get_by_role("button", name="Explain new rules as they come up").click()
    expect(page).to_have_url(address)
    open_about(page)
    expect(page.get_by_role("button", name="Stop explaining new rules")).to_be_visible()


def open_about(page: Page) -> None:
    """Open what the menu of a game says about it."""
    page.locator(".more-pages summary").click()
    page.get_by_role("button", name="About this game").click()
