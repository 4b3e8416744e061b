"""Nothing is lost at 200 % and 400 % zoom: pages reflow, and no text is cut off (WCAG 1.4.4, 1.4.10)."""

import random
from typing import Final

import pytest
from playwright.sync_api import Page, ViewportSize

from tests.support.accounts import take_turn
from tests.support.browsing import Visitors
from tests.support.playing_by_clicking import ClickingPlayer
from tests.support.processes import wait_until

ZOOMED: Final = {
    "200 %": ViewportSize(width=640, height=400),
    "400 %": ViewportSize(width=320, height=256),
}
"""What is left of a window of 1280 pixels, in CSS pixels."""
CUT_OFF: Final = """() => {
    const problems = [];
    if (document.documentElement.scrollWidth > innerWidth)
        problems.push(`the page is ${document.documentElement.scrollWidth} pixels wide`);
    const scrolls = (element) => element && element !== document.body && (
        ["auto", "scroll"].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
    const isForScreenReaders = (element) => element && (
        getComputedStyle(element).clipPath !== "none" || isForScreenReaders(element.parentElement));
    const isHidden = (element) => !element.checkVisibility({ visibilityProperty: true }) ||
        element.closest("svg, .skip-link") || isForScreenReaders(element);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement;
        if (!node.data.trim() || isHidden(element) || scrolls(element)) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const box = range.getBoundingClientRect();
        if (box.width && (box.left < -1 || box.right > innerWidth + 1))
            problems.push(`outside of the window: ${node.data.trim()}`);
        for (let parent = element; parent && parent !== document.body; parent = parent.parentElement) {
            if (!["hidden", "clip"].includes(getComputedStyle(parent).overflowX)) continue;
            const around = parent.getBoundingClientRect();
            if (box.right > around.right + 1 || box.bottom > around.bottom + 1)
                problems.push(`cut off: ${node.data.trim()}`);
        }
    }
    return problems;
}"""
"""Returns what of the texts of a page cannot be read, even by scrolling it up and down."""


def faults(page: Page) -> list[str]:
    """Return what is cut off at either zoom."""
    lines: list[str] = []
    for name, size in ZOOMED.items():
        page.set_viewport_size(size)
        lines += [f"{page.url} at {name}: {problem}" for problem in page.evaluate(CUT_OFF)]
    return lines


@pytest.mark.nightly
@pytest.mark.parametrize(
    "fields",
    [{"options": {"sorcery": True}}, pytest.param({"rules": "baron"}, marks=pytest.mark.nightly)],
)
def test_nothing_of_a_game_is_cut_off(fields: dict[str, object], visitors: Visitors) -> None:
    game_id, players = visitors.accounts.start_game(2, **fields)
    for _ in range(6):
        take_turn(game_id, players)
    address = f"/api/v1/games/{game_id}"
    wait_until(lambda: players[0].http.get(address).json()["to_act"] is not None)
    to_act = players[0].http.get(address).json()["to_act"]
    visitor = visitors.new(players[to_act], language="fr")
    player = ClickingPlayer(visitor, game_id, random.Random(1))
    player.open()
    lines = faults(visitor.page)
    visitor.page.set_viewport_size({"width": 1280, "height": 800})
    player.choose()
    lines += faults(visitor.page)
    player.confirm()
    for page in ("?seq=8", "/messages", "/log", "/scores", "/clock"):
        visitor.open(f"/games/{game_id}{page}")
        lines += faults(visitor.page)
    assert not lines, "\n".join(lines)


@pytest.mark.nightly
def test_nothing_of_the_other_pages_is_cut_off(visitors: Visitors) -> None:
    account = visitors.accounts.register("a-player-with-a-long-handle")
    account.create_game(3, options={"name": "An evening with a rather long name"})
    visitor = visitors.new(account, language="es")
    lines: list[str] = []
    for page in ("/", "/games", "/games/new", "/rules/baron", "/account", "/tutorial", "/verify"):
        visitor.open(page)
        lines += faults(visitor.page)
    assert not lines, "\n".join(lines)


def test_all_controls_of_the_preview_can_be_used_at_twice_the_size(visitors: Visitors) -> None:
    game_id, (first, _) = visitors.accounts.start_game(2)
    visitor = visitors.new(first)
    visitor.page.set_viewport_size(ZOOMED["200 %"])
    player = ClickingPlayer(visitor, game_id, random.Random(1))
    player.open()
    player.act()
    seq = first.http.get(f"/api/v1/games/{game_id}").json()["head"]["seq"]
    assert (
        first.http.get(f"/api/v1/games/{game_id}/events/{seq}").json()["event"]["type"]
        == "CityPlaced"
    )
