"""Playing on a phone with fingers, with the keyboard alone, and as a guest who gets an account."""

import random

import pytest
from playwright.sync_api import Page

from tests.support.accounts import PASSWORD
from tests.support.browsing import PHONE, Visitor, Visitors
from tests.support.playing_by_clicking import ClickingPlayer
from tests.support.processes import wait_until

MIN_TARGET_PIXELS = 24
MAX_KEYS = 200
SIZES = """() => [...document.querySelectorAll("#board a[data-at]")].map((hex) => {
    const box = hex.getBoundingClientRect();
    return Math.min(box.width, box.height);
})"""
LOW_LINKS = """(least) => [...document.querySelectorAll("a[href]:not(svg a)")]
    .filter((link) => link.checkVisibility() && !link.matches(".visually-hidden, .skip"))
    .filter((link) => link.getClientRects()[0].height < least)
    .map((link) => link.outerHTML.slice(0, 80))"""
FOCUS = """() => {
    const element = document.activeElement;
    return [element.closest("#board a.option") !== null, element.matches("#confirm button[type=submit]")];
}"""


def open_game(visitors: Visitors, *, phone: bool = False) -> "tuple[ClickingPlayer, str]":
    """Return the player whose turn it is, on the page of a game."""
    game_id, (first, _) = visitors.accounts.start_game(2)
    visitor = visitors.new(first, phone=phone)
    player = ClickingPlayer(visitor, game_id, random.Random(1))
    player.open()
    # The script of the board shows its tools.
    player.page.locator("#board .board-tools").wait_for()
    return player, game_id


def seq_of(page: Page) -> int:
    return int(page.locator("#game").get_attribute("data-seq") or "")


@pytest.mark.nightly
def test_on_a_phone_a_player_acts_with_a_finger(visitors: Visitors) -> None:
    player, _ = open_game(visitors, phone=True)
    page = player.page
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE["width"]
    sizes = page.evaluate(SIZES)
    assert sizes
    assert min(sizes) >= MIN_TARGET_PIXELS
    seq = seq_of(page)
    page.locator("#board a.option").first.tap()
    page.locator("#confirm button[type=submit]").tap()
    page.locator(f"#game:not([data-seq='{seq}'])").wait_for()


@pytest.mark.nightly
def test_a_double_tap_on_a_hex_neither_acts_nor_enlarges_the_page(visitors: Visitors) -> None:
    player, _ = open_game(visitors, phone=True)
    page = player.page
    seq = seq_of(page)
    option = page.locator("#board a.option").first
    # Chromium enlarges no page that fits a phone, but other browsers do, unless the element says otherwise.
    assert option.evaluate("link => getComputedStyle(link).touchAction") == "manipulation"
    box = option.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.touchscreen.tap(x, y)
    page.touchscreen.tap(x, y)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("visualViewport.scale") == 1
    page.reload()
    assert seq_of(page) == seq


@pytest.mark.nightly
def test_every_link_is_high_enough_for_a_finger(visitors: Visitors) -> None:
    player, game_id = open_game(visitors, phone=True)
    low = {}
    for path in (
        "/",
        "/games",
        "/account",
        "/rules/baron",
        f"/games/{game_id}",
        f"/games/{game_id}/log",
    ):
        player.visitor.open(path)
        low[path] = player.page.evaluate(LOW_LINKS, MIN_TARGET_PIXELS)
    assert not any(low.values()), low


@pytest.mark.nightly
def test_two_fingers_enlarge_the_board(visitors: Visitors) -> None:
    player, _ = open_game(visitors, phone=True)
    page = player.page
    before = board_width(page)

    def is_enlarged_by_pinching() -> bool:
        page.evaluate("document.querySelector('#board').scrollIntoView()")
        pinch(player.visitor, page)
        return board_width(page) > 1.3 * before

    # If an event replaces the board under the fingers, they pinch again.
    wait_until(is_enlarged_by_pinching)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.nightly
def test_forms_and_lists_are_no_wider_than_a_phone(visitors: Visitors) -> None:
    player, _ = open_game(visitors, phone=True)
    pages = ("notifications", "webhooks", "holidays")
    account = ("/account", *(f"/account/{name}" for name in pages))
    for path in ("/", "/games", "/games/new", "/tutorial", *account):
        player.visitor.open(path)
        width = player.page.evaluate("document.documentElement.scrollWidth")
        assert width <= PHONE["width"], path


def box_of(page: Page, selector: str) -> dict[str, float]:
    """Return where an element is on the screen, even if an event is replacing it."""
    script = """selector => {
        const box = document.querySelector(selector)?.getBoundingClientRect();
        return box?.width ? box.toJSON() : null;
    }"""
    box: dict[str, float] = page.wait_for_function(script, arg=selector).json_value()
    return box


def board_width(page: Page) -> float:
    return box_of(page, "#board svg.map")["width"]


def pinch(visitor: Visitor, page: Page) -> None:
    """Move two fingers apart on the board."""
    box = box_of(page, "#board .board-window")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = visitor.context.new_cdp_session(page)

    def touch(type: str, *distances: int) -> None:
        points = [{"x": x + d, "y": y, "id": i} for i, d in enumerate(distances)]
        session.send("Input.dispatchTouchEvent", {"type": type, "touchPoints": points})

    touch("touchStart", -20, 20)
    for distance in range(30, 90, 10):
        touch("touchMove", -distance, distance)
    touch("touchEnd")


@pytest.mark.nightly
def test_a_player_acts_with_the_keyboard_alone(visitors: Visitors) -> None:
    player, _ = open_game(visitors)
    page = player.page
    seq = seq_of(page)
    keyboard = page.keyboard
    for _ in range(MAX_KEYS):
        if page.evaluate("document.activeElement.closest('.board-window') !== null"):
            break
        keyboard.press("Tab")
    arrows = random.Random(2)
    for _ in range(MAX_KEYS):
        if page.evaluate(FOCUS)[0]:
            break
        keyboard.press(arrows.choice(["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"]))
    keyboard.press("Enter")
    page.locator("#confirm").wait_for()
    for _ in range(MAX_KEYS):
        if page.evaluate(FOCUS)[1]:
            break
        keyboard.press("Tab")
    keyboard.press("Enter")
    page.locator(f"#game:not([data-seq='{seq}'])").wait_for()


def test_keys_and_the_mouse_wheel_change_the_size_of_the_board(visitors: Visitors) -> None:
    player, _ = open_game(visitors)
    page = player.page
    before = board_width(page)
    page.locator("#board .board-window").focus()
    page.keyboard.press("+")
    larger = board_width(page)
    assert larger > before
    page.keyboard.press("0")
    assert board_width(page) == before
    page.locator("#board").hover()
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    page.wait_for_function(
        "width => document.querySelector('#board svg').getBoundingClientRect().width > width",
        arg=before,
    )


def test_a_visitor_plays_within_three_clicks_and_names_the_account_later(
    visitors: Visitors,
) -> None:
    visitor = visitors.new()
    page = visitor.open("/")
    page.locator("form[action='/play'] button").first.click()
    page.locator("#game").wait_for()
    player = ClickingPlayer(visitor, page.url.rsplit("/", 1)[1], random.Random(3))
    while not player.is_to_act():
        page.wait_for_timeout(50)
    seq = seq_of(page)
    player.act()
    page.locator(f"#game:not([data-seq='{seq}'])").wait_for()
    visitor.open("/account")
    page.locator("form[action='/account/name'] input[name=handle]").fill("named-later")
    page.locator("form[action='/account/name'] input[name=password]").fill(PASSWORD)
    page.locator("form[action='/account/name'] button[type=submit]").click()
    page.locator(".site-nav a[href='/account']", has_text="named-later").wait_for()


@pytest.mark.nightly
def test_everything_on_the_page_follows_a_change_of_the_account(visitors: Visitors) -> None:
    account = visitors.accounts.register()
    page = visitors.new().open("/login")
    page.locator("#page input[name=handle]").fill(account.handle)
    page.locator("#page input[name=password]").fill(PASSWORD)
    page.locator("#page button[type=submit]").click()
    page.locator(".site-nav a[href='/account']", has_text=account.handle).click()
    page.locator("#field-language").select_option("fr")
    page.locator("#page form[action='/language'] button").click()
    page.locator("html[lang=fr]").wait_for(state="attached")
    page.locator("#page form[action='/logout'] button").click()
    page.locator(".site-nav a[href='/login']").wait_for()
