"""The board in the window: whole as a page opens, beside the players and the talk where there is room, in its
place during a turn, with coordinates on demand; on a phone what confirms an action is in reach.
"""

import random
from collections.abc import Sequence
from typing import Final

import pytest
from playwright.sync_api import Page, ViewportSize

from tests.support.accounts import take_turn
from tests.support.board_windows import SIZES, wait_for_whole_board
from tests.support.browsing import STARTED, Visitor, Visitors
from tests.support.playing_by_clicking import (
    BOARD_OPTIONS,
    CHOICES,
    ClickingPlayer,
    two_people_and_bots,
)
from tests.support.processes import ROOT, wait_until
from tests.support.variants import nightly_except

BARONY: Final[dict[str, object]] = {"seats": 3}
BARON: Final[dict[str, object]] = {"rules": "baron", "seats": 4}
SORCERY: Final[dict[str, object]] = {"seats": 5, "options": {"sorcery": True}}
FEW: Final = {"barony": SIZES[::8], "baron": SIZES[1::4]}
"""Some sizes of the window for each rule system."""
FEW_WHILE_ACTING: Final = (*SIZES[1:4:2], SIZES[5])
"""Some sizes for tests in which a player acts: a phone, a phone on its side and a desktop.

That no step moves anything, or leaves the window, is tested in Barony as well (test_table_in_browser.py).
"""
BOARDS: Final = [
    pytest.param(BARONY, FEW["barony"], id="barony"),
    pytest.param(BARON, FEW["baron"], id="baron", marks=pytest.mark.nightly),
    *(
        pytest.param(
            fields,
            [size for size in SIZES if size not in FEW[name]],
            id=f"{name}-others",
            marks=pytest.mark.nightly,
        )
        for name, fields in (("barony", BARONY), ("baron", BARON))
    ),
]
"""The fields of a new game, and the sizes of the window in which its board is looked at."""
SYSTEMS_WHILE_ACTING: Final = [
    pytest.param(SORCERY, FEW_WHILE_ACTING, id="sorcery"),
    *(
        pytest.param(fields, SIZES, id=f"{name}-all", marks=pytest.mark.nightly)
        for name, fields in {"barony": BARONY, "sorcery": SORCERY, "baron": BARON}.items()
    ),
]
COLUMNS: Final = """() => [".shelf", ".board-window", ".players", ".side"].map((name) => {
    const { left, right, top } = document.querySelector(name).getBoundingClientRect();
    return [left, right, top].map(Math.round);
})"""
"""The left and right side and the top of the shelf, the board, the players and the moves."""

LEAST_PIXELS: Final = 9
WIDTH: Final = "(element) => element.getBoundingClientRect().width"
SCROLLED: Final = "(element) => [element.scrollLeft, element.scrollTop]"
UNTIL_AT_REST: Final = """async () => {
    const area = document.querySelector("#board .board-window");
    for (let frames = 0, left = NaN; frames < 10; frames = area.scrollLeft === left ? frames + 1 : 0) {
        left = area.scrollLeft;
        await new Promise(requestAnimationFrame);
    }
}"""
IN_THE_MIDDLE: Final = """(hexes, [x, y]) => hexes.map((hex) => {
    const box = hex.getBoundingClientRect();
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2, at: hex.dataset.at };
    return { ...middle, away: Math.hypot(middle.x - x, middle.y - y) };
}).sort((a, b) => a.away - b.away)[0]"""
"""Of the hexes, the one that is nearest to a point of the window."""
MEASURES: Final = """() => [
    document.querySelector(".board-window").getBoundingClientRect().height,
    ...[...document.querySelectorAll("[style]:not(.map *)")].map(({ style }) => style.cssText),
]"""
"""The height of the board, and what the scripts of the page have measured for its style sheet."""
MEASURE_AGAIN: Final = """async () => {
    const notice = document.body.appendChild(document.createElement("p"));
    notice.textContent = "A notice";
    for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame);
    notice.remove();
    for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame);
}"""
"""Changes the height of the page, as what is shown below a board does."""
MOST_STEPS: Final = 6
"""Choices that a player makes at each size of the window."""
HEIGHTS_ABOVE: Final = """() => [".table-top", ".strip"].map(
    (name) => document.querySelector(name).getBoundingClientRect().height)"""
"""The heights of what is above the board of a game."""
PLACE_OF_START: Final = """() => {
    const hex = document.querySelector("#board svg.map [data-at='0,0']");
    const { left, top, width, height } = hex.getBoundingClientRect();
    return [left, top + scrollY, width, height].map(Math.round);
}"""
COORDINATES: Final = """() => [...document.querySelectorAll("#board .coordinates text")]
    .filter((text) => getComputedStyle(text).visibility === "visible")
    .map((text) => ({
        text: text.textContent.replaceAll("\u2212", "-"), box: text.getBoundingClientRect().toJSON(),
    }))"""
"""The coordinates that the board shows, each with its place on the screen."""
TURN_WHEEL: Final = """(distances) => {
    const start = performance.now();
    return distances.map((deltaY, index) => {
        const event = new WheelEvent("wheel", { deltaY, bubbles: true, cancelable: true });
        Object.defineProperty(event, "timeStamp", { value: start + 10 * index });
        return !document.querySelector("#board .board-window").dispatchEvent(event);
    });
}"""
"""
Turns the wheel over the board in one gesture. Returns of each event whether it is kept from the page.

The events are ten milliseconds apart, as those of a wheel are, however long the page takes to handle one.
"""


def visitor_in_play(visitors: Visitors, fields: dict[str, object]) -> tuple[str, Visitor]:
    """Return a game after twelve turns, and a player of it at a browser."""
    game_id, players = visitors.accounts.start_game(**fields)  # type: ignore[arg-type] # "seats" is a number
    for _ in range(12):
        take_turn(game_id, players)
    return game_id, visitors.new(players[0])


@pytest.mark.nightly
@pytest.mark.parametrize(("fields", "sizes"), BOARDS)
def test_the_whole_board_is_visible_in_play_and_in_replay(
    fields: dict[str, object], sizes: Sequence[tuple[int, int]], visitors: Visitors
) -> None:
    game_id, visitor = visitor_in_play(visitors, fields)
    for width, height in sizes:
        visitor.page.set_viewport_size(ViewportSize(width=width, height=height))
        for address in (f"/games/{game_id}", f"/games/{game_id}?seq=8"):
            visitor.open(address)
            wait_for_whole_board(visitor.page)
            assert visitor.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("fields", "sizes"), SYSTEMS_WHILE_ACTING)
def test_the_whole_board_is_visible_and_stays_where_it_is_while_a_player_acts(
    fields: dict[str, object], sizes: Sequence[tuple[int, int]], visitors: Visitors
) -> None:
    game_id, players = visitors.accounts.start_game(**fields)  # type: ignore[arg-type] # "seats" is a number
    for _ in range(16):
        take_turn(game_id, players)
    to_act = players[0].http.get(f"/api/v1/games/{game_id}").json()["to_act"]
    visitor = visitors.new(players[to_act])
    player = ClickingPlayer(visitor, game_id, random.Random(1))
    for width, height in sizes:
        visitor.page.set_viewport_size(ViewportSize(width=width, height=height))
        player.open()
        wait_for_whole_board(visitor.page)
        place = place_of_start(visitor.page)
        for _ in range(MOST_STEPS):
            options = visitor.page.locator(f"{BOARD_OPTIONS}, {CHOICES}")
            if not options.count():
                break
            player.answer()
            wait_for_whole_board(visitor.page)
            assert place_of_start(visitor.page) == pytest.approx(place, abs=1)
            confirm = visitor.page.locator("#confirm button[type=submit]")
            if confirm.count():
                box = confirm.bounding_box()
                assert box is not None
                assert box["y"] + box["height"] <= height
        assert visitor.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    "language", ["fr", *(pytest.param(name, marks=pytest.mark.nightly) for name in ("en", "es"))]
)
def test_one_row_and_one_for_each_player_are_above_the_board_of_a_phone(
    language: str, visitors: Visitors
) -> None:
    # The handles are as long as those of guests.
    creator = visitors.accounts.register(f"guest-{language}9fs6")
    friend = visitors.accounts.register(f"guest-{language}x7m2")
    game_id = creator.create_game(2, clock={"per_turn": 2 * 86_400})
    friend.join(game_id)
    take_turn(game_id, [creator, friend])
    for account in (creator, friend):
        visitor = visitors.new(account, language=language)
        for width in (320, 360):
            visitor.page.set_viewport_size(ViewportSize(width=width, height=740))
            page = visitor.open(f"/games/{game_id}")
            top, strip = page.evaluate(HEIGHTS_ABOVE)
            assert (top < 50, strip < 40) == (True, True)
            assert place_of_board(page) < 135
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def place_of_board(page: Page) -> float:
    """Return how far the board is below the top of the page."""
    box = page.locator("#board .board-window").bounding_box()
    assert box is not None
    return box["y"]


@pytest.mark.nightly
@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param(SIZES[::8], id="some"),
        pytest.param(
            [size for size in SIZES if size not in SIZES[::8]],
            id="others",
            marks=pytest.mark.nightly,
        ),
    ],
)
def test_the_result_leaves_the_whole_board_visible(
    sizes: Sequence[tuple[int, int]], visitors: Visitors
) -> None:
    game_id, players = visitors.accounts.start_game(3, options={"round_limit": 1})
    first = players[0]
    while first.http.get(f"/api/v1/games/{game_id}").json()["to_act"] is not None:
        take_turn(game_id, players)
    wait_until(lambda: first.http.get(f"/api/v1/games/{game_id}").json()["status"] == "finished")
    visitor = visitors.new(first)
    for width, height in sizes:
        visitor.page.set_viewport_size(ViewportSize(width=width, height=height))
        visitor.open(f"/games/{game_id}")
        wait_for_whole_board(visitor.page)
        assert visitor.page.evaluate("document.documentElement.scrollWidth") <= width
        assert visitor.page.locator(".result thead th").count() == 3


@pytest.mark.nightly
def test_the_shelf_and_the_board_and_the_players_with_the_moves_are_beside_each_other(
    visitors: Visitors,
) -> None:
    game_id, players = visitors.accounts.start_game(3)
    visitor = visitors.new(players[0])

    def columns(width: int) -> list[list[int]]:
        visitor.page.set_viewport_size(ViewportSize(width=width, height=1080))
        visitor.open(f"/games/{game_id}")
        columns: list[list[int]] = visitor.page.evaluate(COLUMNS)
        return columns

    for width in (1280, 1920):
        shelf, board, players_column, moves = columns(width)
        assert shelf[1] < board[0] < board[1] < players_column[0] == moves[0]
        assert players_column[2] < moves[2]
        assert moves[1] > width - 70, "the page uses the whole width"
    shelf, board, players_column, _ = columns(360)
    assert players_column[2] < board[2] < shelf[2]


def test_the_confirmation_is_in_reach_without_scrolling_on_a_phone(visitors: Visitors) -> None:
    game_id, (first, _) = visitors.accounts.start_game(2)
    player = ClickingPlayer(visitors.new(first, phone=True), game_id, random.Random(1))
    player.open()
    player.choose()
    box = player.page.locator("#confirm button[type=submit]").bounding_box()
    assert box is not None
    height = player.page.evaluate("innerHeight")
    assert height / 2 < box["y"] < box["y"] + box["height"] <= height


@pytest.mark.nightly
def test_the_board_stays_where_it_is_while_a_player_takes_a_turn(visitors: Visitors) -> None:
    first, second = two_people_and_bots("baron of two", visitors)
    for player in (first, second, first):
        player.open()
        places: set[tuple[int, ...]] = set()
        while player.is_to_act():
            places.add(tuple(place_of_start(player.page)))
            if player.page.locator("#confirm").count():
                player.confirm()
            else:
                player.answer()
        assert len(places) == 1


def place_of_start(page: Page) -> list[int]:
    """Return the place and the size of the first hex of the board on the page."""
    place: list[int] = page.evaluate(PLACE_OF_START)
    return place


@pytest.mark.nightly
@pytest.mark.parametrize(("fields", "sizes"), BOARDS)
def test_coordinates_are_shown_on_demand_and_can_be_read_at_every_size(
    fields: dict[str, object], sizes: Sequence[tuple[int, int]], visitors: Visitors
) -> None:
    game_id, visitor = visitor_in_play(visitors, fields)
    page = visitor.open(f"/games/{game_id}?seq=8")
    page.locator("#board [data-zoom=in]").wait_for()
    assert page.evaluate(COORDINATES) == []
    page.locator("#board svg.map [data-at='0,0']").hover()
    assert [shown["text"] for shown in page.evaluate(COORDINATES)] == ["0,0"]
    page.locator("#board .board-window").focus()
    page.keyboard.press("ArrowRight")
    at = page.evaluate("document.activeElement.dataset.at")
    assert [shown["text"] for shown in page.evaluate(COORDINATES)] == [at]
    page.locator("#board .show-coordinates").check()
    for width, height in sizes:
        page.set_viewport_size(ViewportSize(width=width, height=height))
        # The browser remembers the switch.
        visitor.open(f"/games/{game_id}?seq=8")
        page.locator("#board [data-zoom=in]").wait_for()
        shown = page.evaluate(COORDINATES)
        assert len(shown) >= page.locator("#board svg.map [data-at]").count() / 3
        assert min(each["box"]["height"] for each in shown) >= LEAST_PIXELS
        assert page.locator(".board-layers > :last-child .coordinates").count() == 1
        assert not [
            (a["text"], b["text"]) for a in shown for b in shown if covers(a["box"], b["box"])
        ]
    page.locator("#board .show-coordinates").uncheck()
    visitor.open(f"/games/{game_id}?seq=8")
    page.locator("#board [data-zoom=in]").wait_for()
    assert not page.locator("#board .show-coordinates").is_checked()


def covers(a: dict[str, float], b: dict[str, float]) -> bool:
    """Whether two texts that are not the same overlap in the part where figures stand."""
    height = 0.2 * a["height"]
    return (
        a != b
        and a["left"] < b["right"] - 1
        and b["left"] < a["right"] - 1
        and a["top"] + height < b["bottom"] - height
        and b["top"] + height < a["bottom"] - height
    )


@pytest.mark.nightly
def test_coordinates_can_be_switched_on_without_scripts(visitors: Visitors) -> None:
    game_id, (first, _) = visitors.accounts.start_game(2)
    for width, height in ((320, 568), (1280, 800)):
        visitor = visitors.new(first, javascript=False)
        visitor.page.set_viewport_size(ViewportSize(width=width, height=height))
        page = visitor.open(f"/games/{game_id}")
        assert page.locator("#board [data-zoom=in]").is_hidden()
        text = page.locator("#board .coordinates text").first
        assert text.is_hidden()
        page.locator("#board .show-coordinates").check()
        assert text.is_visible()
        box = text.bounding_box()
        assert box is not None
        assert box["height"] >= LEAST_PIXELS


@pytest.mark.nightly
def test_the_wheel_enlarges_the_board_only_where_it_does_not_hold_the_page_up(
    visitors: Visitors,
) -> None:
    game_id, (first, _) = visitors.accounts.start_game(2)
    page = visitors.new(first).open(f"/games/{game_id}")
    page.locator("#board [data-zoom=in]").wait_for()
    # The table fills the window: there is nothing to scroll.
    assert not page.evaluate("document.documentElement.scrollHeight > innerHeight")
    assert page.evaluate(TURN_WHEEL, [200]) == [True]
    sandbox = first.http.post("/api/v1/sandboxes", json={"game": game_id}).json()["id"]
    page = visitors.new(first).open(f"/sandboxes/{sandbox}")
    page.locator("#board [data-zoom=in]").wait_for()
    assert page.evaluate("document.documentElement.scrollHeight > innerHeight")
    width = "document.querySelector('#board svg.map').getBoundingClientRect().width"
    whole = page.evaluate(width)
    # Down: the page scrolls, and goes on doing so when the same gesture turns back.
    assert page.evaluate(TURN_WHEEL, [200]) == [False]
    assert page.evaluate(TURN_WHEEL, [200, -200]) == [False, False]
    assert page.evaluate(width) == whole
    page.reload()
    page.locator("#board [data-zoom=in]").wait_for()
    # Up, at the top of the page: there is nothing to scroll, so the board becomes larger, and whole again.
    assert page.evaluate(TURN_WHEEL, [-200]) == [True]
    assert page.evaluate(width) > whole
    assert page.evaluate(TURN_WHEEL, [400, 400]) == [True, True]
    assert page.evaluate(width) == whole


def test_two_fingers_enlarge_the_board_one_moves_it_and_a_tap_chooses(visitors: Visitors) -> None:
    game_id, (first, _) = visitors.accounts.start_game(2)
    page = visitors.new(first, phone=True).open(f"/games/{game_id}")
    page.locator("#board [data-zoom=in]:not([hidden])").wait_for(state="attached")
    touch = page.context.new_cdp_session(page)
    box = page.locator("#board .board-window").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def dispatch(type: str, *points: tuple[float, float]) -> None:
        fingers = [{"x": x, "y": y, "id": id} for id, (x, y) in enumerate(points)]
        touch.send("Input.dispatchTouchEvent", {"type": type, "touchPoints": fingers})

    before = page.locator("#board svg.map").evaluate(WIDTH)
    dispatch("touchStart", (x - 20, y), (x + 20, y))
    for distance in range(25, 80, 5):
        dispatch("touchMove", (x - distance, y), (x + distance, y))
    dispatch("touchEnd")
    page.locator("#board .board-window.is-zoomed").wait_for()
    assert page.locator("#board svg.map").evaluate(WIDTH) > 1.5 * before
    # One finger moves the board, and chooses nothing.
    address = page.url
    left, _ = page.locator("#board .board-window").evaluate(SCROLLED)
    dispatch("touchStart", (x, y))
    for distance in range(5, 65, 5):
        dispatch("touchMove", (x - distance, y))
    dispatch("touchEnd")
    page.wait_for_function(
        "left => document.querySelector('#board .board-window').scrollLeft > left", arg=left
    )
    assert page.url == address
    # A tap on a hex in the window chooses it, once the board has come to rest.
    page.evaluate(UNTIL_AT_REST)
    hexes = page.locator(BOARD_OPTIONS)
    at = hexes.evaluate_all(IN_THE_MIDDLE, [x, y])
    page.touchscreen.tap(at["x"], at["y"])
    page.locator("#confirm").wait_for()
    assert f"choose={at['at']}" in page.url
    assert page.locator("#board .board-window.is-zoomed").count() == 1


def test_what_is_shown_of_a_large_board_stays_after_a_choice(visitors: Visitors) -> None:
    game_id, (first, _) = visitors.accounts.start_game(
        2, rules="baron", options={"seating": "joined"}
    )
    player = ClickingPlayer(visitors.new(first), game_id, random.Random(1))
    player.open()
    larger = player.page.locator("#board [data-zoom=in]")
    larger.click()
    larger.click()
    before = place_of_start(player.page)
    player.choose()
    assert place_of_start(player.page) == before


WITH_BOARDS: Final = {
    "game": "/games/{game}",
    "replay": "/games/{game}?seq=8",
    "conditional_actions": "/games/{game}/conditional-actions",
    "sandbox": "/sandboxes/{sandbox}",
}
"""The page of each template that has a board."""
SCROLLED_AT: Final = (SIZES[1], SIZES[5], SIZES[-1])
"""Sizes of the window, one for each layout of a page with a board."""


def test_every_page_with_a_board_is_scrolled() -> None:
    templates = (ROOT / "service").rglob("templates/*.html")
    scrolled = {path.stem for path in templates if "game-main" in path.read_text()}
    assert {*scrolled, "game", "replay"} == set(WITH_BOARDS)


# Each run tries every page, and every layout with one or two of them.
@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("game", SCROLLED_AT[:1]),
        ("replay", SCROLLED_AT[1:2]),
        ("conditional_actions", SCROLLED_AT[2:]),
        ("sandbox", SCROLLED_AT[:1]),
        *(pytest.param(name, SCROLLED_AT, marks=pytest.mark.nightly) for name in WITH_BOARDS),
    ],
    ids=str,
)
def test_nothing_that_a_page_measures_depends_on_how_far_it_is_scrolled(
    name: str, sizes: Sequence[tuple[int, int]], visitors: Visitors
) -> None:
    game_id, players = visitors.accounts.start_game(2)
    for _ in range(7):
        take_turn(game_id, players)
    to_act = players[0].http.get(f"/api/v1/games/{game_id}").json()["to_act"]
    waiting = players[1 - to_act]
    sandbox = waiting.http.post("/api/v1/sandboxes", json={"game": game_id, "seq": 6}).json()["id"]
    visitor = visitors.new(waiting)
    for width, height in sizes:
        visitor.page.set_viewport_size(ViewportSize(width=width, height=height))
        page = visitor.open(WITH_BOARDS[name].format(game=game_id, sandbox=sandbox))
        page.evaluate(MEASURE_AGAIN)
        measures = page.evaluate(MEASURES)
        for place in (250, 100_000):
            page.evaluate("(place) => scrollTo(0, place)", place)
            page.evaluate(MEASURE_AGAIN)
            assert (width, place, page.evaluate(MEASURES)) == (width, place, measures)


@pytest.mark.nightly
@pytest.mark.parametrize("size", nightly_except([SIZES[1]], [SIZES[1], SIZES[5]]), ids=str)
def test_the_board_keeps_its_size_and_place_when_others_act_while_one_has_scrolled(
    size: tuple[int, int], visitors: Visitors
) -> None:
    game_id, players = visitors.accounts.start_game(3)
    for _ in range(9):
        take_turn(game_id, players)
    to_act = players[0].http.get(f"/api/v1/games/{game_id}").json()["to_act"]
    # The last to act, so that what is above the board stays as high.
    visitor = visitors.new(players[to_act - 1])
    visitor.page.set_viewport_size(ViewportSize(width=size[0], height=size[1]))
    page = visitor.open(f"/games/{game_id}")
    before = page.evaluate(MEASURES)
    scrolled = """() => {
        const list = document.querySelector('.moves');
        list.scrollTop = list.scrollTop || -60;
        return list.scrollTop;
    }"""
    place = page.evaluate(scrolled)
    seq = take_turn(game_id, players)["seq"]
    page.wait_for_function(
        "(seq) => Number(document.querySelector('#game').dataset.seq) >= seq", arg=seq
    )
    page.locator(STARTED).wait_for(state="attached")
    assert page.evaluate("scrollY") == 0
    assert page.evaluate("document.querySelector('.moves').scrollTop") == place
    assert page.evaluate(MEASURES) == before
