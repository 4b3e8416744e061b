"""The pages around a game: nothing leaves its window or its box, overlaps, or is too small or pale."""

import itertools
from dataclasses import dataclass
from typing import Final

import pytest
from playwright.sync_api import ViewportSize

from tests.support.accounts import PlayerClient, take_turn
from tests.support.axe import violations
from tests.support.browsing import Visitors
from tests.support.layout import layout_faults

EXTREME_WINDOWS: Final[list[ViewportSize]] = [
    {"width": 320, "height": 568},
    {"width": 1366, "height": 768},
]
OTHER_WINDOWS: Final[list[ViewportSize]] = [
    {"width": 390, "height": 844},
    {"width": 768, "height": 1024},
    {"width": 1920, "height": 1080},
]
WINDOWS: Final = [*EXTREME_WINDOWS, *OTHER_WINDOWS]
LANGUAGES: Final = ["en", "fr", "es"]
_long_handles = (f"a-handle-of-thirty-characters-{number}" for number in itertools.count(1))


@dataclass
class Pages:
    """A player with games of every kind, a player without any, and the addresses of their pages."""

    player: PlayerClient
    newcomer: PlayerClient
    open_game: str


@pytest.fixture
def pages(visitors: Visitors) -> Pages:
    """A player has the turn, waits for another, waits for players, and has seen a game end."""
    accounts = visitors.accounts
    player, friend = accounts.register(), accounts.register(next(_long_handles))
    for creator, other in ((player, friend), (friend, player)):
        game = creator.create_game(clock={"per_turn": 86_400})
        other.join(game)
    ended = player.create_game(options={"round_limit": 1})
    friend.join(ended)
    while friend.http.get(f"/api/v1/games/{ended}").json()["to_act"] is not None:
        take_turn(ended, [player, friend])
    open_game = player.create_game(4, options={"sorcery": True}, clock={"per_turn": 3600})
    friend.join(open_game)
    return Pages(player, accounts.register(), f"/games/{open_game}")


# Each run tries every page in the narrowest window and on a desktop, and each of the other windows with some.
@pytest.mark.parametrize(
    ("language", "windows"),
    [
        pytest.param("fr", "some", id="fr"),
        *(
            pytest.param(language, "all", id=f"{language}-all", marks=pytest.mark.nightly)
            for language in LANGUAGES
        ),
    ],
)
def test_pages_around_a_game_keep_everything_in_its_place(
    language: str, windows: str, pages: Pages, visitors: Visitors
) -> None:
    seen: list[tuple[PlayerClient | None, list[str]]] = [
        (None, ["/", pages.open_game, "/games?list=watch", "/tutorial"]),
        (pages.newcomer, ["/"]),
        (pages.player, ["/", pages.open_game, f"/players/{pages.player.handle}"]),
    ]
    faults = []
    others = itertools.cycle(OTHER_WINDOWS)
    for account, addresses in seen:
        visitor = visitors.new(account, language=language)
        for address in addresses:
            page = visitor.open(address)
            chosen = WINDOWS if windows == "all" else [*EXTREME_WINDOWS, next(others)]
            for window in chosen:
                page.set_viewport_size(window)
                faults += [f"{address} at {window}: {fault}" for fault in layout_faults(page)]
            # The first page and a game, as players see them, are checked by test_accessibility_in_browser.py.
            if windows == "all" or account is None or address.startswith("/players/"):
                faults += [f"{address}: {violation}" for violation in violations(page)]
    assert not faults, "\n".join(faults)


def test_a_visitor_plays_within_the_first_window(visitors: Visitors) -> None:
    visitor = visitors.new()
    page = visitor.open("/")
    for window in WINDOWS:
        page.set_viewport_size(window)
        for name in ("Play now", "Invite a friend"):
            box = page.get_by_role("button", name=name).first.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= window["height"], (name, window)
