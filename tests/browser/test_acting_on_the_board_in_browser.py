"""Players act on the board: few clicks, one bar that moves nothing, and keys for everything."""

import random
import re
from typing import Any, Final

import pytest
from playwright.sync_api import Page

from tests.support.accounts import PlayerClient, take_turn
from tests.support.browsing import STARTED, Visitors
from tests.support.playing_by_clicking import ClickingPlayer

MOST_KEYS: Final = 25
"""For a turn of Sorcery."""
BOXES: Final = """() => {
    const box = (selector) => document.querySelector(selector)?.getBoundingClientRect().toJSON();
    return { board: box("#board-map svg"), window: box(".board-window"), bar: box(".bar") };
}"""
OUTDATED_PARTS: Final = """async () => {
    const html = await (await fetch(location.href)).text();
    const page = new DOMParser().parseFromString(html, "text/html");
    const isOutdated = (id) => !document.getElementById(id).isEqualNode(page.getElementById(id));
    return ["board-map", "board-links"].filter(isOutdated);
}"""
"""Returns which parts of the board are not those of the same page loaded anew."""
FOCUS: Final = "() => document.activeElement.closest('#question, #confirm button') !== null"


def at_round(visitors: Visitors, round: int, **fields: Any) -> tuple[str, PlayerClient]:
    """Start a game of two, play until this round, and return its id and the player whose turn it is."""
    game_id, players = visitors.accounts.start_game(2, **fields)
    while players[0].http.get(f"/api/v1/games/{game_id}/position").json()["round"] < round:
        take_turn(game_id, players)
    (player,) = (player for player in players if player.legal_actions(game_id)[1])
    return game_id, player


def last_action(player: PlayerClient, game_id: str) -> Any:
    events = player.http.get(f"/api/v1/games/{game_id}/events").json()["events"]
    return [event["action"] for event in events if event["action"]][-1]


def at_browser(visitors: Visitors, game_id: str, account: PlayerClient) -> ClickingPlayer:
    player = ClickingPlayer(visitors.new(account), game_id, random.Random(1))
    player.open()
    # The modules of the page have started.
    player.page.locator(".board-tools [data-zoom]:not([hidden])").first.wait_for()
    return player


def tap(player: ClickingPlayer, at: list[int]) -> None:
    player.follow(player.page.locator(f"#board a.option[data-at='{at[0]},{at[1]}']"))


def test_a_placement_takes_two_clicks_and_a_knight_three(visitors: Visitors) -> None:
    game_id, (first, _) = visitors.accounts.start_game(2)
    player = at_browser(visitors, game_id, first)
    player.follow(player.page.locator("#board a.option").first)
    player.confirm()
    assert player.clicks == 2
    assert last_action(first, game_id)["type"] == "place_city"
    game_id, account = at_round(visitors, 2)
    player = at_browser(visitors, game_id, account)
    move = next(action for action in account.legal_actions(game_id)[1] if is_move(action, 1))
    tap(player, move["moves"][0][0])
    tap(player, move["moves"][0][1])
    player.confirm()
    assert player.clicks == 3
    assert last_action(account, game_id) == move


def is_move(action: dict[str, Any], knights: int) -> bool:
    """Whether an action moves so many knights, from different hexes, and takes no token."""
    moves = action.get("moves", [])
    hexes = {tuple(at) for move in moves for at in move}
    return len(moves) == knights and len(hexes) == 2 * knights and not action.get("take")


@pytest.mark.nightly
def test_a_second_knight_is_added_to_an_action_that_could_be_confirmed(visitors: Visitors) -> None:
    game_id, account = at_round(visitors, 3)
    player = at_browser(visitors, game_id, account)
    move = next(action for action in account.legal_actions(game_id)[1] if is_move(action, 2))
    for start, end in move["moves"]:
        tap(player, start)
        if not player.page.locator("#confirm").count() or start == move["moves"][0][0]:
            tap(player, end)
        assert player.page.locator("#confirm").count() == 1
    player.confirm()
    assert player.clicks <= 5
    assert sorted(last_action(account, game_id)["moves"]) == sorted(move["moves"])


@pytest.mark.parametrize(
    "size",
    [
        (360, 740),
        *(
            pytest.param(size, marks=pytest.mark.nightly)
            for size in ((1280, 800), (390, 844), (740, 360))
        ),
    ],
)
def test_nothing_moves_the_board_while_an_action_is_chosen(
    visitors: Visitors, size: tuple[int, int]
) -> None:
    game_id, account = at_round(visitors, 2)
    player = at_browser(visitors, game_id, account)
    player.page.set_viewport_size({"width": size[0], "height": size[1]})
    player.open()
    before = player.page.evaluate(BOXES)
    for _ in range(3):
        player.answer()
        boxes = player.page.evaluate(BOXES)
        assert boxes["board"] == before["board"]
        assert boxes["bar"]["bottom"] <= size[1]
        is_beside = boxes["bar"]["left"] >= boxes["window"]["right"]
        assert is_beside or boxes["bar"]["top"] >= boxes["window"]["bottom"], boxes
        if player.page.locator("#confirm").count():
            break
    assert player.page.locator("#confirm button[type=submit]").count() == 1


@pytest.mark.parametrize(
    "fields",
    [{"options": {"sorcery": True}}, pytest.param({"rules": "baron"}, marks=pytest.mark.nightly)],
)
def test_the_board_after_each_choice_is_that_of_a_page_loaded_anew(
    visitors: Visitors, fields: dict[str, Any]
) -> None:
    game_id, players = visitors.accounts.start_game(2, **fields)
    for _ in range(16):
        take_turn(game_id, players)
    (account,) = (player for player in players if player.legal_actions(game_id)[1])
    player = at_browser(visitors, game_id, account)
    for _ in range(12):
        if player.page.locator("#confirm").count() and not player.goes_on():
            player.follow(player.page.locator("#back"))
        else:
            player.answer()
        assert player.page.evaluate(OUTDATED_PARTS) == []


@pytest.mark.nightly
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (1, 2))]
)
def test_a_turn_of_sorcery_takes_few_keys(visitors: Visitors, seed: int) -> None:
    game_id, account = at_round(visitors, 3, options={"sorcery": True})
    player = at_browser(visitors, game_id, account)
    page, chance = player.page, random.Random(seed)
    keys = 0
    while not page.locator("#confirm").count() or (player.goes_on() and chance.random() < 0.5):
        numbers = page.locator("[data-number]").evaluate_all(
            "links => links.map((link) => link.dataset.number)"
        )
        assert not any(a != b and a.startswith(b) for a in numbers for b in numbers)
        keys += press(page, chance.choice(numbers))
        page.wait_for_function(FOCUS)
    if page.locator("#confirm input[name=sure]").count():
        page.locator("#confirm input[name=sure]").check()
    seq = page.locator("#game").get_attribute("data-seq")
    page.keyboard.press("Enter")
    page.locator(f"#game:not([data-seq='{seq}'])").wait_for()
    assert keys + 1 <= MOST_KEYS


def press(page: Page, number: str) -> int:
    """Type the number of a choice, and wait until the page shows what follows; returns how many keys."""
    page.evaluate("document.getElementById('acting').dataset.old = ''")
    for figure in number:
        page.keyboard.press(figure)
    page.locator("#acting:not([data-old])").wait_for()
    page.locator("body:not(:has(.htmx-request, .htmx-swapping, .htmx-settling))").wait_for()
    page.locator(STARTED).wait_for(state="attached")
    return len(number)


@pytest.mark.nightly
def test_keys_go_back_and_list_themselves_and_leave_fields_alone(visitors: Visitors) -> None:
    game_id, account = at_round(visitors, 2)
    page = at_browser(visitors, game_id, account).page
    start = page.url
    number = page.locator("#board a.option").first.get_attribute("data-number")
    assert number is not None
    page.locator(".do [popovertarget=ways]").click()
    page.locator("#action-text").fill("")
    page.locator("#action-text").press_sequentially(number)
    assert page.locator("#action-text").input_value() == number
    page.locator("#action-text").blur()
    page.locator("#ways .sheet-close").click()
    page.keyboard.press(f"Control+{number[0]}")
    assert page.url == start
    for key in ("Escape", "Backspace"):
        press(page, number)
        assert "choose=" in page.url
        page.keyboard.press(key)
        page.locator("body:not(:has(#back))").wait_for()
        page.locator(STARTED).wait_for(state="attached")
        assert page.url.removesuffix("?") == start
    page.keyboard.press("?")
    page.locator("details.keys[open] >> text=choose by number").wait_for()


@pytest.mark.nightly
def test_ones_own_pieces_answer_even_if_they_can_do_nothing(visitors: Visitors) -> None:
    game_id, account = at_round(visitors, 2)
    player = at_browser(visitors, game_id, account)
    position = account.http.get(f"/api/v1/games/{game_id}/position").json()
    for pawns in position["pawns"]:
        if pawns["seat"] == position["to_act"]:
            player.open()
            q, r = pawns["at"]
            player.follow(player.page.locator(f"#board a[data-at='{q},{r}']"))
            assert player.page.locator("#attempt, #back").count() == 1


def test_a_tap_switches_moves_or_drops_what_is_in_hand(visitors: Visitors) -> None:
    game_id, account = at_round(visitors, 3)
    player = at_browser(visitors, game_id, account)
    page = player.page
    starts: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    for action in account.legal_actions(game_id)[1]:
        if is_move(action, 1):
            start, end = map(tuple, action["moves"][0])
            starts.setdefault(start, set()).add(end)
    (first, ends), (second, _), *_ = (entry for entry in starts.items() if len(entry[1]) > 1)
    tap(player, [*first])
    assert page.locator(f"#board a.chosen[data-at='{first[0]},{first[1]}']").count() == 1
    # Another piece of one's own.
    player.follow(page.locator(f"#board a.other[data-at='{second[0]},{second[1]}']"))
    assert page.locator("#board a.chosen").get_attribute("data-at") == f"{second[0]},{second[1]}"
    # The felt beside the board.
    page.evaluate(LEFT)
    page.locator("#board .board-window").click(position={"x": 3, "y": 3})
    page.locator("html:not([data-left])").wait_for(state="attached")
    assert page.locator("#board a.chosen, #drop").count() == 0
    # Another destination of what is previewed.
    tap(player, [*first])
    place, other_place = sorted(ends)[:2]
    tap(player, [*place])
    address = page.url
    player.follow(page.locator(f"#board a[data-at='{other_place[0]},{other_place[1]}']"))
    assert page.url != address
    assert page.locator("#confirm").count() == 1
    moved = page.locator("#board a.chosen:not(.aside)").get_attribute("data-at")
    assert moved == f"{other_place[0]},{other_place[1]}"


LEFT: Final = """() => {
    document.documentElement.dataset.left = "";
    const forget = () => delete document.documentElement.dataset.left;
    document.addEventListener("htmx:afterSettle", forget, { once: true });
}"""
SENTENCES: Final = ".ask, .side .move, .recap summary, .tray"
COORDINATES: Final = re.compile("[-\u2212]?[0-9]+,[-\u2212]?[0-9]+")


@pytest.mark.nightly
def test_coordinates_are_on_the_board_and_in_words_or_on_neither(visitors: Visitors) -> None:
    game_id, account = at_round(visitors, 3)
    player = at_browser(visitors, game_id, account)
    page = player.page
    player.choose()

    def named() -> list[str]:
        hidden = (
            "(part) => [...part.querySelectorAll('.visually-hidden')].forEach((it) => it.remove())"
        )
        parts = page.locator(SENTENCES).evaluate_all(
            f"(parts) => parts.map((part) => {{ const shown = part.cloneNode(true); ({hidden})(shown); "
            "part.after(shown); const text = shown.innerText; shown.remove(); return text; })"
        )
        return [found for text in parts for found in COORDINATES.findall(text)]

    assert named() == []
    page.locator(".show-coordinates").check()
    assert named() != []
    assert page.locator("#board-coordinates text:visible").count() > 0


@pytest.mark.nightly
def test_pointing_at_a_move_lights_up_its_hexes(visitors: Visitors) -> None:
    game_id, account = at_round(visitors, 3)
    page = at_browser(visitors, game_id, account).page
    row = page.locator(".side .move[data-hexes]").last
    row.hover()
    hexes = (row.get_attribute("data-hexes") or "").split()
    lit = page.locator("#board-map .is-lit").evaluate_all(
        "hexes => hexes.map((it) => it.dataset.at)"
    )
    assert sorted(lit) == sorted(hexes) != []
    page.locator(".table-top h1").hover()
    assert page.locator("#board-map .is-lit").count() == 0


def test_moves_of_others_are_on_the_board_until_the_first_choice(visitors: Visitors) -> None:
    game_id, account = at_round(visitors, 3)
    player = at_browser(visitors, game_id, account)
    frames = player.page.locator("#board-map .frames path")
    assert frames.first.is_visible()
    move = next(action for action in account.legal_actions(game_id)[1] if is_move(action, 1))
    tap(player, move["moves"][0][0])
    assert not frames.first.is_visible()
    player.follow(player.page.locator("#back"))
    assert frames.first.is_visible()
