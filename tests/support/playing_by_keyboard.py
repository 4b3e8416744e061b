"""A player who uses the keyboard only, and takes the shortest way to whatever is to be chosen."""

from dataclasses import dataclass
from typing import Final

from playwright.sync_api import Locator
from typing_extensions import override

from tests.support.playing_by_clicking import ClickingPlayer

_SHORTEST_WAY: Final = """(target) => {
    if (target.dataset.number) return { keys: [...target.dataset.number], isShortcut: true };
    const isActivatedByEnter = document.activeElement.closest("a, button, summary, input");
    if (document.querySelector("details.keys") && target.matches("#confirm button") && !isActivatedByEnter)
        return { keys: ["Enter"], isShortcut: true };
    const focusable = "a[href], button, input, select, textarea, summary, [tabindex]";
    const stops = [...document.querySelectorAll(focusable)].filter((element) =>
        element.tabIndex >= 0 && !element.disabled && element.type !== "hidden" &&
        element.checkVisibility({ visibilityProperty: true }));
    const board = document.querySelector("#board .board-window");
    const start = document.activeElement ?? document.body;
    const scrolled = [board?.scrollLeft, board?.scrollTop];
    const ways = new Map([[start, []]]);
    const queue = [start];
    const add = (element, from, key) => {
        if (!element || ways.has(element)) return;
        ways.set(element, [...ways.get(from), key]);
        queue.push(element);
    };
    const beside = (element) => {
        const index = stops.indexOf(element);
        if (index >= 0) return [stops[index - 1], stops[index + 1]];
        const after = stops.findIndex((stop) =>
            element.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING);
        return after < 0 ? [stops.at(-1), undefined] : [stops[after - 1], stops[after]];
    };
    while (queue.length && !ways.has(target)) {
        const element = queue.shift();
        const [before, after] = beside(element);
        add(after, element, "Tab");
        add(before, element, "Shift+Tab");
        if (!board?.contains(element)) continue;
        for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]) {
            element.focus({ preventScroll: true });
            [board.scrollLeft, board.scrollTop] = scrolled;
            element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
            add(document.activeElement, element, key);
        }
    }
    if (board) [board.scrollLeft, board.scrollTop] = scrolled;
    if (start === document.body) document.activeElement.blur();
    else start.focus({ preventScroll: true });
    return { keys: ways.get(target) ?? null, isShortcut: false };
}"""
"""Finds the fewest keys that lead from the focus to an element.

They are its number, Enter for the confirmation, or else Tab and Shift+Tab in the order of the page, and on
the board the arrow keys, which are tried out.
"""
_IS_UNDER_WAY: Final = """() =>
    document.documentElement.dataset.left === undefined || document.querySelector(".htmx-request") !== null"""
"""Whether the answer to a choice is being loaded or has come. A page that was just replaced takes no numbers
until its script has started.
"""
MAX_ATTEMPTS: Final = 20
"""How often there may turn out to be no such way, because the board was scrolled on it, or because an event
has replaced the page in the meantime.
"""


@dataclass
class KeyboardPlayer(ClickingPlayer):
    """A visitor who plays a game by keyboard only."""

    keys: int = 0
    """How many keys the player has pressed so far."""

    @override
    def press(self, target: Locator) -> None:
        """Press the keys that lead to something, and the one that activates it."""
        for _ in range(MAX_ATTEMPTS):
            way = target.evaluate(_SHORTEST_WAY)
            for key in way["keys"] or ():
                self._type(key)
            if way["isShortcut"]:
                if way["keys"] == ["Enter"] or self.page.evaluate(_IS_UNDER_WAY):
                    return
                continue
            if target.evaluate("(element) => element === document.activeElement"):
                self._type("Space" if target.get_attribute("type") == "checkbox" else "Enter")
                return
        raise AssertionError(f"no keys lead to {target}")

    def _type(self, key: str) -> None:
        self.keys += 1
        self.page.keyboard.press(key)
