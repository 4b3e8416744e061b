"""What moves and sounds at a table when something has happened: once, for a short time, only if wanted."""

from typing import Any, Final

import pytest
from playwright.sync_api import Page

from tests.support.accounts import PlayerClient, take_turn
from tests.support.browsing import STARTED, Visitors

MOST_MILLISECONDS: Final = 400
DURATIONS: Final = {120, 180, 260, 320, 900}
"""How long anything but a score moves, in milliseconds."""
WATCH: Final = """() => {
    window.moved = [];
    window.shifts = [];
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (frames, options) {
        window.moved.push([this.classList.value || this.tagName, options.duration]);
        return animate.call(this, frames, options);
    };
    document.addEventListener("animationstart", (event) => {
        const [{ effect }] = event.target.getAnimations().slice(-1);
        const { duration, iterations } = effect.getTiming();
        window.moved.push([event.animationName, iterations === 1 ? duration : Infinity]);
    }, true);
    new PerformanceObserver((list) => {
        for (const { value, sources } of list.getEntries())
            window.shifts.push([value, sources.map(({ node }) => node?.outerHTML?.slice(0, 80))]);
    }).observe({ type: "layout-shift", buffered: true });
}"""
HEAR: Final = """() => {
    window.heard = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...times) {
        window.heard += 1;
        return start.apply(this, times);
    };
}"""
LENGTHS: Final = """async () => {
    const site = document.querySelector("script[src*='/js/site.js']").src;
    const { SOUNDS } = await import(site.replace("site.js", "tones.js"));
    return Object.fromEntries(Object.entries(SOUNDS).map(([name, tones]) =>
        [name, Math.max(...tones.map(([begin, length]) => begin + length))]));
}"""


@pytest.fixture
def table(visitors: Visitors) -> tuple[str, list[PlayerClient]]:
    """A game of two after some turns, and its players."""
    game_id, players = visitors.accounts.start_game(2)
    for _ in range(10):
        take_turn(game_id, players)
    return game_id, players


def watcher(visitors: Visitors, game_id: str, players: list[PlayerClient]) -> Page:
    """Return the page of a player whose turn it is not."""
    to_act = players[0].http.get(f"/api/v1/games/{game_id}").json()["to_act"]
    visitor = visitors.new(players[1 - to_act], fresh=True)
    visitor.page.emulate_media(reduced_motion="no-preference")
    return visitor.open(f"/games/{game_id}")


def see_turn(page: Page, game_id: str, players: list[PlayerClient]) -> None:
    """Take a turn, and wait until the page shows it."""
    seq = take_turn(game_id, players)["seq"]
    shown = "(seq) => Number(document.querySelector('#game').dataset.seq) >= seq"
    page.wait_for_function(shown, arg=seq)
    page.locator(STARTED).wait_for(state="attached")
    page.wait_for_timeout(1200)


def test_what_has_happened_moves_once_and_shifts_nothing(
    visitors: Visitors, table: tuple[str, list[PlayerClient]]
) -> None:
    page = watcher(visitors, *table)
    page.evaluate(WATCH)
    see_turn(page, *table)
    moved: list[Any] = page.evaluate("window.moved")
    assert ["your-turn", 900] in moved
    assert {duration for _, duration in moved} <= DURATIONS
    assert page.evaluate("window.shifts") == []
    page.wait_for_function("() => document.getAnimations().length === 0")


@pytest.mark.nightly
def test_visitors_who_prefer_less_motion_see_the_end_at_once(
    visitors: Visitors, table: tuple[str, list[PlayerClient]]
) -> None:
    page = watcher(visitors, *table)
    page.emulate_media(reduced_motion="reduce")
    page.evaluate(WATCH)
    see_turn(page, *table)
    assert page.evaluate("window.moved") == []


@pytest.mark.nightly
def test_sounds_are_off_until_they_are_switched_on(
    visitors: Visitors, table: tuple[str, list[PlayerClient]]
) -> None:
    page = watcher(visitors, *table)
    page.evaluate(HEAR)
    see_turn(page, *table)
    assert page.evaluate("window.heard") == 0
    page.locator(".table-top .more-pages summary").click()
    page.locator("[data-sound=on]").click()
    assert page.locator("[data-sound=on]").get_attribute("aria-current") == "true"
    page.wait_for_function("() => window.heard > 0")
    tried = page.evaluate("window.heard")
    take_turn(*table)
    see_turn(page, *table)
    page.wait_for_function("(tried) => window.heard > tried", arg=tried)
    page.reload()
    assert page.locator("[data-sound=on]").get_attribute("aria-current") == "true"


@pytest.mark.nightly
def test_the_list_of_moves_is_one_stop_in_which_arrow_keys_lead_on(
    visitors: Visitors, table: tuple[str, list[PlayerClient]]
) -> None:
    page = watcher(visitors, *table)
    page.locator(".moves").focus()
    for key, back in (("ArrowUp", 1), ("ArrowUp", 2), ("ArrowDown", 1)):
        page.keyboard.press(key)
        rows = page.locator(".moves .move")
        focused = rows.evaluate_all("(rows) => rows.indexOf(document.activeElement)")
        assert focused == rows.count() - back


def test_no_sound_takes_long(visitors: Visitors) -> None:
    lengths = visitors.new().open("/").evaluate(LENGTHS)
    assert lengths.keys() == {"piece", "take", "token", "spell", "turn", "seconds", "end"}
    assert max(lengths.values()) < MOST_MILLISECONDS
