"""Makes the pictures of docs/screenshots: `python -m tests.browser.screenshots FOLDER`, called by make.

A service of its own runs games of a player with bots. The pictures show them on a phone and on a desktop, in
light and in dark mode, in three languages.
"""

import random
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, ViewportSize, sync_playwright

from tests.support import chromium
from tests.support.accounts import PlayerClient
from tests.support.browsing import Visitors
from tests.support.playing_by_clicking import BOARD_OPTIONS, CHOICES, RANKING
from tests.support.processes import wait_until
from tests.support.running_service import RunningService

DESKTOP: Final[ViewportSize] = {"width": 1100, "height": 700}


@dataclass
class Games:
    """Games of a player with bots: one of each rule system under way, and one that has ended."""

    player: PlayerClient
    chance: random.Random = field(default_factory=lambda: random.Random(7))

    def start(self, actions: int, **fields: Any) -> str:
        """Start a game with bots, in which the player has taken this many actions and is to act again."""
        seats = fields.pop("seats", 3)
        game_id = self.player.create_game(seats, **fields)
        for _ in range(seats - 1):
            self.player.http.post(f"/api/v1/games/{game_id}/bots", json={}).raise_for_status()
        for _ in range(actions):
            if not self.act(game_id):
                break
        self.wait_for_turn(game_id)
        return game_id

    def act(self, game_id: str) -> bool:
        """Take a legal action when it is the player's turn. Returns whether the game goes on."""
        if not self.wait_for_turn(game_id):
            return False
        actions = self.player.legal_actions(game_id)[1]
        types = sorted({action["type"] for action in actions} - {"pass"}) or ["pass"]
        type = self.chance.choice(types)
        action = self.chance.choice([each for each in actions if each["type"] == type])
        self.player.act(game_id, action).raise_for_status()
        return True

    def wait_for_turn(self, game_id: str) -> bool:
        """Wait until it is the player's turn, or the game has ended. Returns whether it is the turn."""
        address = f"/api/v1/games/{game_id}"

        def summary() -> Any:
            return self.player.http.get(address).json()

        wait_until(lambda: summary()["to_act"] == 0 or summary()["status"] == "finished")
        return bool(summary()["to_act"] == 0)


@dataclass(frozen=True)
class Shot:
    """A picture: its name, the address of the page, and how it is seen."""

    name: str
    address: str
    phone: bool = False
    dark: bool = False
    language: str = "en"
    prepare: Callable[[Page], None] | None = None
    """Does something on the page first."""


def choose(*values: str) -> Callable[[Page], None]:
    """Follow choices whose values are these; "*" follows the first one that there is."""

    def follow(page: Page) -> None:
        for value in values:
            named = page.locator(f"{CHOICES}[href$='choose={value}']")
            hexes = page.locator(BOARD_OPTIONS)
            options = hexes if hexes.count() else page.locator(CHOICES)
            if page.locator("#confirm").count() or not options.count():
                return
            (named if named.count() else options).first.click()
            page.wait_for_timeout(500)

    return follow


def try_impossible(page: Page) -> None:
    """Ask why an action is not possible."""
    page.locator(".act.is-impossible").first.click()
    page.locator("#attempt .clause").wait_for()


def show_end(page: Page) -> None:
    """Open the result of a game on a phone."""
    page.locator(".ways-back [popovertarget='side']").click()
    page.locator(RANKING).wait_for()


def show_comments(page: Page) -> None:
    """Open the comments beside the moves."""
    page.locator("#show-comments").check()


def shots(games: Games) -> list[Shot]:
    """Return what is shown."""
    barony = games.start(8)
    sorcery = games.start(9, options={"sorcery": True})
    baron = games.start(14, rules="baron")
    ended = games.start(100, options={"round_limit": 12})
    for text, seq in (("What a city!", 40), ("I did not see that coming.", None)):
        games.player.http.post(f"/api/v1/games/{ended}/comments", json={"text": text, "seq": seq})
    return [
        Shot("home-desktop-light-en", "/"),
        Shot("home-phone-dark-fr", "/", phone=True, dark=True, language="fr"),
        Shot("barony-desktop-light-en", f"/games/{barony}", prepare=choose("move")),
        Shot(
            "barony-phone-light-es",
            f"/games/{barony}",
            phone=True,
            language="es",
            prepare=choose("move"),
        ),
        Shot(
            "preview-desktop-dark-fr",
            f"/games/{barony}",
            dark=True,
            language="fr",
            prepare=choose("move", *"******"),
        ),
        Shot("sorcery-desktop-dark-en", f"/games/{sorcery}", dark=True),
        Shot("baron-desktop-light-es", f"/games/{baron}", language="es"),
        Shot("baron-phone-dark-en", f"/games/{baron}", phone=True, dark=True),
        Shot("refusal-desktop-light-fr", f"/games/{barony}", language="fr", prepare=try_impossible),
        Shot("replay-desktop-light-en", f"/games/{ended}?seq=40"),
        Shot(
            "comments-desktop-light-fr",
            f"/games/{ended}?seq=52",
            language="fr",
            prepare=show_comments,
        ),
        Shot("replay-phone-dark-es", f"/games/{ended}?seq=40", True, True, "es"),
        Shot("end-desktop-dark-es", f"/games/{ended}", dark=True, language="es"),
        Shot("end-phone-light-en", f"/games/{ended}", phone=True, prepare=show_end),
        Shot("scores-desktop-light-en", f"/games/{ended}/scores"),
        Shot("rules-phone-light-fr", "/rules/barony#BY-MOV-1", phone=True, language="fr"),
    ]


def main() -> None:
    """Make the pictures in the folder that the command line names."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        site = RunningService(Path(data), CARTULARY_RATE_ACCOUNTS="", CARTULARY_RATE_GAMES="")
        site.start()
        try:
            visitors = Visitors(site, chromium.launch(playwright))
            games = Games(visitors.accounts.register("Ana"))
            for shot in shots(games):
                _take(shot, visitors, games.player, folder)
            problems = visitors.close()
        finally:
            site.stop()
    if problems:
        sys.exit("\n".join(problems))


def _take(shot: Shot, visitors: Visitors, player: PlayerClient, folder: Path) -> None:
    visitor = visitors.new(
        player, phone=shot.phone, dark=shot.dark, language=shot.language, has_key=False
    )
    if not shot.phone:
        visitor.page.set_viewport_size(DESKTOP)
    # An account has at most eight keys, and every picture is taken with a browser of its own.
    visitor.expected_statuses.add(409)
    page = visitor.open(shot.address)
    if shot.prepare is not None:
        shot.prepare(page)
    page.mouse.move(0, 0)
    before = len(visitor.problems)
    page.screenshot(path=folder / f"{shot.name}.png", animations="disabled")
    # The Content-Security-Policy forbids the style that Playwright adds for the picture.
    del visitor.problems[before:]
    visitor.context.close()


if __name__ == "__main__":
    main()
