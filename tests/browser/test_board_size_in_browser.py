"""The whole board is in the window as a page opens, and on a phone what confirms an action is in reach."""

import random
from typing import Final

import pytest
from playwright.sync_api import ViewportSize

from tests.support.accounts import take_turn
from tests.support.browsing import Visitors
from tests.support.playing_by_clicking import ClickingPlayer

SIZES: Final = (
    (320, 568),
    (360, 740),
    (390, 844),
    (768, 1024),
    (1280, 720),
    (1280, 800),
    (1366, 768),
    (1920, 1080),
)
IS_WHOLE: Final = """() => {
    const area = document.querySelector("#board .board-window").getBoundingClientRect();
    const hexes = [...document.querySelectorAll("#board svg.map [data-at]")];
    const isVisible = ({ left, right, top, bottom }) =>
        left >= Math.max(0, area.left) && right <= Math.min(innerWidth, area.right) &&
        top >= Math.max(0, area.top) && bottom <= Math.min(innerHeight, area.bottom);
    return hexes.length > 0 && hexes.every((hex) => isVisible(hex.getBoundingClientRect()));
}"""


COLUMNS: Final = """() => [".game-main", ".game-side", ".game-talk"].map((name) => {
    const { left, right, top } = document.querySelector(name).getBoundingClientRect();
    return [left, right, top].map(Math.round);
})"""
"""The left and right side and the top of the board, of the players' cards and of the talk."""


@pytest.mark.parametrize("fields", [{"seats": 3}, {"rules": "baron", "seats": 4}])
def test_the_whole_board_is_visible_in_play_and_in_replay(
    fields: dict[str, object], visitors: Visitors
) -> None:
    game_id, players = visitors.accounts.start_game(**fields)  # type: ignore[arg-type] # "seats" is a number
    for _ in range(12):
        take_turn(game_id, players)
    visitor = visitors.new(players[0])
    for width, height in SIZES:
        visitor.page.set_viewport_size(ViewportSize(width=width, height=height))
        for address in (f"/games/{game_id}", f"/games/{game_id}?seq=8"):
            visitor.open(address)
            # A script fits the board as soon as it has been loaded.
            visitor.page.wait_for_function(IS_WHOLE)
            assert visitor.page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_wide_window_shows_the_board_the_players_and_the_talk_beside_each_other(
    visitors: Visitors,
) -> None:
    game_id, players = visitors.accounts.start_game(3)
    visitor = visitors.new(players[0])

    def columns(width: int) -> list[list[int]]:
        visitor.page.set_viewport_size(ViewportSize(width=width, height=1080))
        visitor.open(f"/games/{game_id}")
        found: list[list[int]] = visitor.page.evaluate(COLUMNS)
        return found

    board, players_column, talk = columns(1920)
    assert board[1] < players_column[0] < players_column[1] < talk[0]
    assert board[2] == players_column[2] == talk[2]
    assert talk[1] > 1850, "the page uses the whole width"
    board, players_column, talk = columns(1280)
    assert board[1] < players_column[0] == talk[0]
    assert board[2] == players_column[2] < talk[2]
    board, players_column, talk = columns(360)
    assert board[0] == players_column[0] == talk[0]
    assert board[2] < players_column[2] < talk[2]


def test_the_confirmation_is_in_reach_without_scrolling_on_a_phone(visitors: Visitors) -> None:
    game_id, (first, _) = visitors.accounts.start_game(2)
    player = ClickingPlayer(visitors.new(first, phone=True), game_id, random.Random(1))
    player.open()
    player.choose()
    box = player.page.locator("#confirm button[type=submit]").bounding_box()
    assert box is not None
    height = player.page.evaluate("innerHeight")
    assert height / 2 < box["y"] < box["y"] + box["height"] <= height
