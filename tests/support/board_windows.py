"""How much of a board is visible in the window of a browser."""

from typing import Final

from playwright.sync_api import Page

SIZES: Final = (
    (320, 568),
    (360, 740),
    (390, 844),
    (740, 360),
    (768, 1024),
    (1000, 700),
    (1280, 720),
    (1280, 800),
    (1366, 768),
    (1920, 1080),
)
"""Widths and heights of windows, in CSS pixels."""
_COUNT_HEXES: Final = """() => {
    const area = document.querySelector("#board .board-window").getBoundingClientRect();
    const hexes = [...document.querySelectorAll("#board svg.map [data-at]")];
    const bar = document.querySelector(".bar");
    const cover = bar ? bar.getBoundingClientRect() : new DOMRect(-1, -1, 0, 0);
    const isVisible = ({ left, right, top, bottom }) =>
        left >= Math.max(0, area.left) && right <= Math.min(innerWidth, area.right) &&
        top >= Math.max(0, area.top) && bottom <= Math.min(innerHeight, area.bottom) &&
        (right <= cover.left || left >= cover.right || bottom <= cover.top || top >= cover.bottom);
    return [hexes.filter((hex) => isVisible(hex.getBoundingClientRect())).length, hexes.length];
}"""


def count_hexes(page: Page) -> tuple[int, int]:
    """Return how many hexes of the board lie wholly in the window, and how many there are.

    A hex below the bar of the action is not visible.
    """
    visible, total = page.evaluate(_COUNT_HEXES)
    return visible, total


def wait_for_whole_board(page: Page) -> None:
    """Wait until the whole board is visible: a script fits it as soon as it has been loaded."""
    page.wait_for_function(
        f"() => {{ const [visible, total] = ({_COUNT_HEXES})(); return total && visible === total; }}"
    )
