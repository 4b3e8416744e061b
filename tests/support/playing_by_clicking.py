"""A player who knows only the page of a game: reads it, taps the board, and plays whatever it offers."""

import random
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page

from tests.support.browsing import STARTED, Visitor, Visitors
from tests.support.processes import Patience

GAMES: Final[dict[str, dict[str, Any]]] = {
    "barony": {"rules": "barony", "seats": 3, "options": {"round_limit": 2}},
    "sorcery": {"rules": "barony", "seats": 3, "options": {"round_limit": 2, "sorcery": True}},
    # More bots make a shorter game: the tiles run out.
    "baron": {"rules": "baron", "seats": 5},
    "baron of two": {"rules": "baron", "seats": 2},
    # A game that is no part of this project: no page contains anything about it.
    "seven hexes": {"rules": "seven_hexes", "seats": 2},
}
"""Games that soon end, one of each rule system: the fields of the request that creates it."""
YOUR_TURN: Final = "#status.your-turn"
RANKING: Final = ".ending .result"
CHOICES: Final = "#acting :is(.acts, .tray, .shelf) a.choice"
BOARD_OPTIONS: Final = "#board a.option[data-at]"
WITH_PLACE: Final = frozenset(
    {
        *("place_city", "recruit", "move", "build", "new_city", "expedition", "cast"),
        *("place_tile", "place_keep"),
    }
)
"""The types of actions that are begun with a hex of the board, never in words."""
WITHOUT_PLACE: Final = frozenset({"noble_title", "pass", "draw", "discard_tile", "end_turn"})
"""The types of actions without a hex."""
SHARE_OF_WORDS: Final = 0.4
"""How often the player takes an action without a hex where the board has hexes as well."""
_MARK: Final = """() => {
    const page = document.documentElement;
    page.dataset.left = "";
    document.addEventListener("htmx:afterRequest", () => delete page.dataset.left, { once: true });
}"""
"""Marks a page until it is left, or until the response to a request that htmx sends has come.

A page that an event of the game replaces in the meantime stays marked.
"""
_SETTLED: Final = (
    "html:not([data-left]) body:not(:has(.htmx-request, .htmx-swapping, .htmx-settling))"
)
"""A page without the mark, whose parts have all been replaced."""
MAX_STEPS: Final = 30
"""Choices on the way to one action. More would mean that the player is led in circles."""


@dataclass
class ClickingPlayer:
    """A visitor who plays a game, on a phone with a finger. All choices come from `chance`.

    Whatever has a place on the board is chosen on the board. In words are only the types of actions without
    a hex, and the details about the hexes that have been chosen, which are asked beside the board: which
    tile, building, token or spell, and how many knights.
    """

    visitor: Visitor
    game_id: str
    chance: random.Random
    has_scripts: bool = True
    clicks: int = 0
    """How many times the player has clicked so far."""

    @property
    def page(self) -> Page:
        """The page of the player's browser."""
        return self.visitor.page

    def open(self) -> None:
        """Open the page of the game."""
        self.visitor.open(f"/games/{self.game_id}")

    def look(self) -> None:
        """Look at the game again. With scripts, the page follows it by itself."""
        if not self.has_scripts and not self.is_to_act():
            self.open()

    def is_to_act(self) -> bool:
        """Whether the page shows that it is the player's turn."""
        return self.page.locator(YOUR_TURN).count() > 0

    def sees_result(self) -> bool:
        """Whether the page shows the result of the game."""
        return self.page.locator(RANKING).count() > 0

    def act(self) -> None:
        """Choose an action step by step, and confirm it."""
        self.choose()
        self.confirm()

    def resign(self) -> None:
        """Leave the game."""
        self.press(self.page.locator(".do [popovertarget=ways]"))
        self.page.locator(".more-actions summary").click()
        self.follow(self.page.locator(".more-actions a[href='?action=resign']"))
        self.confirm()

    def choose(self) -> None:
        """Choose an action step by step, until the page asks for the confirmation."""
        for _ in range(MAX_STEPS):
            if self.page.locator("#confirm").count() and not self.goes_on():
                return
            self.answer()
        raise AssertionError(f"no action after {MAX_STEPS} choices: {self.page.url}")

    def goes_on(self) -> bool:
        """Whether the player adds something to the action that can be confirmed already."""
        can_go_on = self.page.locator(f"{BOARD_OPTIONS}, {CHOICES}").count() > 0
        return can_go_on and self.chance.random() < 0.5

    def answer(self) -> None:
        """Answer the question that the page asks."""
        self.follow(self.option())

    def confirm(self) -> None:
        """Send the action that the page previews."""
        sure = self.page.locator("#confirm input[name=sure]")
        if sure.count():
            self.press(sure)
        self.follow(self.page.locator("#confirm button[type=submit]"))

    def follow(self, target: Locator) -> None:
        """Click on something that leads to another state of the page, and wait for that."""
        self.page.evaluate(_MARK)
        self.press(target)
        self.page.locator(_SETTLED).wait_for(state="attached")
        if self.visitor.has_scripts:
            self.page.locator(STARTED).wait_for(state="attached")

    def press(self, target: Locator) -> None:
        """Click on something, or tap it."""
        self.clicks += 1
        if self.visitor.has_touch:
            target.tap()
        else:
            target.click()

    def option(self) -> Locator:
        """Return one of the options: a hex of the board, or words for what has no place there.

        Raises AssertionError if words say what should be on the board.
        """
        hexes, words = self.page.locator(BOARD_OPTIONS), self.words()
        count = hexes.count()
        if count and not (words and self.chance.random() < SHARE_OF_WORDS):
            return hexes.nth(self.chance.randrange(count))
        assert words, f"only words lead on at {self.page.url}"
        return self.chance.choice(words)

    def words(self) -> list[Locator]:
        """Return the options in words that the board does not have."""
        has_hexes = self.page.locator(BOARD_OPTIONS).count() > 0
        has_begun = any("," in value for value in _choices(self.page.url))
        options = self.page.locator(CHOICES).all()
        values = [_choices(option.get_attribute("href") or "")[-1] for option in options]
        return [
            option
            for option, value in zip(options, values, strict=True)
            if value in WITHOUT_PLACE
            # A spell is cast on what has been chosen, instead of a move.
            or (has_begun and value == "cast")
            or (not has_hexes and (has_begun or value not in WITH_PLACE))
        ]


def _choices(address: str) -> list[str]:
    """Return the choices in an address of the page."""
    return parse_qs(urlsplit(address).query).get("choose", [])


def two_people_and_bots(
    name: str, visitors: Visitors, *, has_scripts: bool = True, phone: bool = False
) -> list[ClickingPlayer]:
    """Start one of the games; returns two people at browsers, who have the first seats."""
    fields = GAMES[name]
    creator, friend = visitors.accounts.register(), visitors.accounts.register()
    game_id = creator.create_game(**fields)
    friend.join(game_id)
    for _ in range(fields["seats"] - 2):
        creator.http.post(f"/api/v1/games/{game_id}/bots", json={}).raise_for_status()
    return [
        ClickingPlayer(
            visitors.new(account, javascript=has_scripts, phone=phone),
            game_id,
            random.Random(seat),
            has_scripts=has_scripts,
        )
        for seat, account in enumerate((creator, friend))
    ]


def play_to_the_end(players: list[ClickingPlayer], *, actions: int | None = None) -> None:
    """Let the players play until all of them see the result.

    After this number of actions (None: never), the player whose turn it is resigns.
    """
    for player in players:
        player.open()
    patience = Patience()
    while not all(player.sees_result() for player in players):
        patience.check("a player sees no result")
        for player in players:
            player.look()
            if player.is_to_act():
                if actions == 0:
                    player.resign()
                else:
                    player.act()
                actions = None if actions is None else actions - 1
        players[0].page.wait_for_timeout(20)
