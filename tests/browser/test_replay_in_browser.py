"""Readers move through the events of a game with the keyboard, the slider and autoplay, and nothing moves."""

import re
from collections.abc import Sequence
from typing import Any, Final

import pytest
from playwright.sync_api import Page, ViewportSize

from tests.support.accounts import take_turn
from tests.support.axe import violations
from tests.support.board_windows import SIZES
from tests.support.browsing import Visitors
from tests.support.table_measures import COUNT_SHIFTS, faults, places

TURNS = 6
SYSTEMS: Final[dict[str, dict[str, Any]]] = {
    "barony": {"seats": 3},
    "sorcery of five": {"seats": 5, "options": {"sorcery": True}},
    "baron": {"rules": "baron", "seats": 3},
}
MARKED: Final = "#replay .move[aria-current]"


def start_game(visitors: Visitors) -> tuple[str, int]:
    """Play some turns, and return the id of the game and the seq of its last event."""
    game_id, players = visitors.accounts.start_game(2)
    last = [take_turn(game_id, players)["seq"] for _ in range(TURNS)][-1]
    return game_id, last


def wait_for_event(page: Page, seq: int) -> None:
    """Wait until the page shows an event, and its scripts run."""
    page.wait_for_url(re.compile(rf"[?&]seq={seq}($|&)"))
    page.locator(f"#replay-seq[value='{seq}']").wait_for()
    page.locator("#autoplay[data-ready]").wait_for()


def test_keys_and_the_slider_lead_to_other_events_without_loading_the_page(
    visitors: Visitors,
) -> None:
    game_id, last = start_game(visitors)
    page = visitors.new().open(f"/games/{game_id}?seq=6")
    wait_for_event(page, 6)
    page.evaluate("window.isSamePage = true")
    start = int(page.locator("#replay-seq").get_attribute("min") or 0)
    assert 1 < start < 6
    for key, seq in (
        ("ArrowRight", 7),
        ("ArrowLeft", 6),
        ("End", last),
        ("ArrowRight", last),
        ("Home", start),
        ("ArrowLeft", start),
    ):
        page.keyboard.press(key)
        wait_for_event(page, seq)
    status = page.locator("#step-status")
    assert (status.text_content() or "").startswith(f"event {start}: ")
    page.locator("#replay-seq").press("ArrowRight")
    wait_for_event(page, start + 1)
    assert page.evaluate("document.activeElement.id") == "replay-seq"
    assert page.evaluate("window.isSamePage")
    # The arrow keys move from hex to hex on the board, and change the value of a field.
    page.goto(page.url.replace(f"seq={start + 1}", f"seq={last}"))
    wait_for_event(page, last)
    page.click("#open-evidence")
    for selector in (".board-window", "#compare-to"):
        page.locator(selector).press("ArrowLeft")
        wait_for_event(page, last)


def choose_speed(page: Page, milliseconds: str) -> None:
    page.click("#open-more-of-game")
    page.select_option("#autoplay-speed", milliseconds)
    page.keyboard.press("Escape")


@pytest.mark.nightly
def test_autoplay_stops_at_the_last_event(visitors: Visitors) -> None:
    game_id, last = start_game(visitors)
    visitor = visitors.new()
    visitor.page.emulate_media(reduced_motion="no-preference")
    page = visitor.open(f"/games/{game_id}?seq={last - 2}")
    wait_for_event(page, last - 2)
    # The next event must not come before the assertions about this one, however slow the machine is.
    choose_speed(page, "4000")
    page.click("#autoplay")
    wait_for_event(page, last - 1)
    assert page.locator("#autoplay").get_attribute("aria-label") == "Pause"
    assert page.input_value("#autoplay-speed") == "4000"
    assert page.evaluate("document.activeElement.id") == "autoplay"
    wait_for_event(page, last)
    assert page.locator("#autoplay").get_attribute("aria-label") == "Autoplay"
    assert page.locator("#autoplay").is_disabled()


@pytest.mark.nightly
def test_autoplay_is_slow_for_those_who_prefer_less_motion(visitors: Visitors) -> None:
    game_id, last = start_game(visitors)
    page = visitors.new().open(f"/games/{game_id}?seq={last - 2}")
    wait_for_event(page, last - 2)
    choose_speed(page, "600")
    page.click("#autoplay")
    page.wait_for_timeout(1000)
    wait_for_event(page, last - 2)
    page.keyboard.press(" ")
    assert page.locator("#autoplay").get_attribute("aria-label") == "Autoplay"


@pytest.mark.nightly
def test_a_reader_tries_what_could_have_been_done_by_clicking(visitors: Visitors) -> None:
    game_id, _ = start_game(visitors)
    page = visitors.new(phone=True).open(f"/games/{game_id}?seq=6")
    wait_for_event(page, 6)
    page.click("#open-more-of-game")
    page.locator("#more-of-game .alternatives .button").click()
    page.locator("#board a.option").first.click()
    page.locator(".preview").wait_for()
    assert page.locator("#confirm").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.click("text=Back to the event")
    wait_for_event(page, 6)


# Each run tries a window of each layout: the smallest phone, a phone on its side, a tablet and desktops.
# The table, which a replay shares, is tried at every size (test_table_in_browser.py).
@pytest.mark.parametrize(
    ("name", "language", "dark", "sizes"),
    [
        pytest.param("sorcery of five", "fr", False, (SIZES[0], *SIZES[3:6], SIZES[-1]), id="few"),
        pytest.param("sorcery of five", "fr", False, SIZES, id="fr", marks=pytest.mark.nightly),
        pytest.param("barony", "en", True, SIZES, id="en", marks=pytest.mark.nightly),
        pytest.param("baron", "es", True, SIZES, id="es", marks=pytest.mark.nightly),
    ],
)
def test_everything_is_in_the_window_and_apart_at_every_size(
    visitors: Visitors, name: str, language: str, sizes: Sequence[tuple[int, int]], *, dark: bool
) -> None:
    game_id, players = visitors.accounts.start_game(**SYSTEMS[name])
    last = [take_turn(game_id, players)["seq"] for _ in range(30)][-1]
    visitor = visitors.new(players[0], language=language, dark=dark)
    page = visitor.page
    for width, height in sizes:
        page.set_viewport_size(ViewportSize(width=width, height=height))
        visitor.open(f"/games/{game_id}?seq={last - 5}")
        wait_for_event(page, last - 5)
        assert (width, height, faults(page)) == (width, height, [])
    assert violations(page) == []


def boxes(page: Page) -> dict[str, Any]:
    """Return where the parts of the table are. How many cards lie on the shelf depends on the event."""
    found = places(page)
    del found[".cards > li"]
    return found


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("baron", (1366, 768)),
        ("barony", (390, 844)),
        pytest.param("sorcery of five", (1920, 1080), marks=pytest.mark.nightly),
    ],
)
def test_no_step_moves_anything(visitors: Visitors, name: str, size: tuple[int, int]) -> None:
    game_id, players = visitors.accounts.start_game(**SYSTEMS[name])
    last = [take_turn(game_id, players)["seq"] for _ in range(16)][-1]
    page = visitors.new(players[0]).page
    page.set_viewport_size(ViewportSize(width=size[0], height=size[1]))
    page.goto(f"{visitors.site.url}/games/{game_id}?seq={last}")
    wait_for_event(page, last)
    before = boxes(page)
    page.evaluate(COUNT_SHIFTS)
    rows = []
    while page.locator("#replay-previous").count():
        rows.append(page.locator(MARKED).get_attribute("data-seq"))
        page.keyboard.press("ArrowLeft")
        page.wait_for_function(
            "(row) => !document.querySelector(row)", arg=f"{MARKED}[data-seq='{rows[-1]}']"
        )
        assert boxes(page) == before, page.url
        marked, frame = page.locator(MARKED).bounding_box(), page.locator(".moves").bounding_box()
        assert marked is not None
        assert frame is not None
        assert frame["y"] - 1 <= marked["y"]
        assert marked["y"] + marked["height"] <= frame["y"] + frame["height"] + 1
    assert len(rows) > 12
    assert page.evaluate("window.shift") == 0


def test_a_reader_plays_on_from_an_event_and_a_player_questions_it(visitors: Visitors) -> None:
    game_id, players = visitors.accounts.start_game(2)
    for _ in range(TURNS):
        take_turn(game_id, players)
    page = visitors.new(players[0]).open(f"/games/{game_id}?seq=6")
    wait_for_event(page, 6)
    page.click("#open-evidence")
    page.click("#question-move")
    page.wait_for_url(f"**/games/{game_id}/disputes?seq=6*")
    assert page.locator("[name=seq]").input_value() == "6"
    page.goto(f"{visitors.site.url}/games/{game_id}?seq=6")
    wait_for_event(page, 6)
    page.click("#what-if")
    page.wait_for_url("**/sandboxes/*")
    assert page.locator(f"a[href='/games/{game_id}?seq=6']").count() == 1
    # Only its players make a sandbox of a game in progress.
    page = visitors.new(visitors.accounts.register("a-spectator")).open(f"/games/{game_id}?seq=6")
    wait_for_event(page, 6)
    assert page.locator("#what-if, #question-move").count() == 0


SHARING: Final = {
    "sheet": """
        window.shared = [];
        navigator.canShare = () => true;
        navigator.share = async ({ files }) => shared.push([files[0].type, files[0].size > 10000]);
    """,
    "clipboard": """
        window.shared = [];
        delete Navigator.prototype.canShare;
        Clipboard.prototype.write = async ([item]) => {
            const picture = await item.getType("image/png");
            shared.push([picture.type, picture.size > 10000]);
        };
    """,
    "neither": "delete Navigator.prototype.canShare; delete window.ClipboardItem;",
}
"""By what a browser can do with a picture, a script that makes it so, which notes what was done."""


@pytest.mark.parametrize("ability", SHARING)
def test_a_reader_shares_the_picture_of_a_position(visitors: Visitors, ability: str) -> None:
    game_id, last = start_game(visitors)
    visitor = visitors.new(fresh=True)
    visitor.page.add_init_script(SHARING[ability])
    page = visitor.open(f"/games/{game_id}?seq={last}")
    wait_for_event(page, last)
    page.click("#open-share")
    button = page.locator(".share-picture")
    if ability == "neither":
        with page.expect_download() as download:
            button.click()
        assert download.value.suggested_filename == f"{game_id}-{last}.png"
        return
    button.click()
    page.wait_for_function("() => window.shared.length")
    assert page.evaluate("window.shared") == [["image/png", True]]
    if ability == "clipboard":
        button.get_by_text("Copied").wait_for()
