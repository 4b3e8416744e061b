"""A player who knows of a page only what a screen reader says: the roles and names of its elements."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from playwright.sync_api import Locator
from ruamel.yaml import YAML
from typing_extensions import override

from tests.support.playing_by_keyboard import KeyboardPlayer
from tests.support.processes import wait_until

BOARD: Final = re.compile(r"^The board")
"""The name of the region with the board."""
ACTION: Final = "Your action"
OTHER_CHOICES: Final = "Other choices"
"""The name of the list of what can be chosen where nothing is asked."""
CONFIRM: Final = "Confirm and send"
WHY: Final = "Why "
"""How the names of hexes and of actions begin that only explain why they cannot be chosen."""
_ENTRY: Final = re.compile(r'^(?P<role>\w+)(?: "(?P<name>(?:[^"\\]|\\.)*)")?(?: \[.*\])?$')


@dataclass
class ScreenReaderPlayer(KeyboardPlayer):
    """A visitor who finds everything by what a screen reader says, and presses keys."""

    heard: list[str] = field(default_factory=list)
    """The names of what the player has chosen, one after the other."""

    @override
    def is_to_act(self) -> bool:
        return "It is your turn" in self.page.get_by_role("status").first.aria_snapshot()

    @override
    def option(self) -> Locator:
        """Return one of the links of a hex, or of the list that bears the name of the question."""
        choices: list[tuple[Locator, str]] = []

        def has_choices() -> bool:
            # An event may be replacing the page.
            choices[:] = self._choices()
            return bool(choices)

        wait_until(has_choices)
        place, name = self.chance.choice(choices)
        self.heard.append(name)
        return place.get_by_role("link", name=name, exact=True).first

    def _choices(self) -> list[tuple[Locator, str]]:
        """Return what can be chosen: where it is and its name."""
        board = self.page.get_by_role("region", name=BOARD)
        action = self.page.get_by_role("region", name=ACTION)
        if not board.count() or not action.count():
            return []
        choices = [(board, name) for name in names(board, "link") if not name.startswith(WHY)]
        for question in [*names(action, "heading"), OTHER_CHOICES]:
            for answers in action.get_by_role("list", name=question, exact=True).all():
                choices += [
                    (answers, name) for name in names(answers, "link") if not name.startswith(WHY)
                ]
        return choices

    @override
    def confirm(self) -> None:
        for box in self.page.get_by_role("region", name=ACTION).get_by_role("checkbox").all():
            self.press(box)
        self.follow(self.page.get_by_role("button", name=CONFIRM))


def names(place: Locator, role: str) -> list[str]:
    """Return the names of the elements with this role, as a screen reader says them."""
    return list(_names(YAML(typ="safe").load(place.aria_snapshot()), role))


def _names(node: Any, role: str) -> Iterator[str]:
    for entry in node if isinstance(node, list) else []:
        key, below = next(iter(entry.items())) if isinstance(entry, dict) else (str(entry), None)
        match = _ENTRY.match(key)
        if match and match["role"] == role and match["name"]:
            yield match["name"].replace('\\"', '"')
        yield from _names(below, role)
