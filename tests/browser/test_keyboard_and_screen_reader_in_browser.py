"""Turns of Sorcery and of Baron by keyboard only, and by what a screen reader says of the page."""

import random
import re
from collections.abc import Callable
from typing import Final, TypeVar

import pytest

from tests.support.browsing import Visitors
from tests.support.playing_by_clicking import ClickingPlayer
from tests.support.playing_by_keyboard import KeyboardPlayer
from tests.support.playing_by_screen_reader import ScreenReaderPlayer, names
from tests.support.processes import wait_until

SYSTEMS: Final[dict[str, dict[str, object]]] = {
    "sorcery": {"rules": "barony", "options": {"sorcery": True}},
    "baron": {"rules": "baron"},
}
LAST_TURN: Final = {"sorcery": 9, "baron": 5}
PlayerT = TypeVar("PlayerT", bound=ClickingPlayer)


def play(system: str, player_class: Callable[..., PlayerT], visitors: Visitors) -> PlayerT:
    """Let a player at a browser take the turns of the first seat, against one over HTTP.

    After these turns, each system has had its set-up, or some laid tiles, and whole turns.
    """
    game_id, (first, second) = visitors.accounts.start_game(2, **SYSTEMS[system])
    player = player_class(visitors.new(first), game_id, random.Random(3))
    player.open()

    def game() -> dict[str, object]:
        summary: dict[str, object] = first.http.get(f"/api/v1/games/{game_id}").json()
        return summary

    def turn() -> int:
        event = first.http.get(f"/api/v1/games/{game_id}/events?limit=500").json()["events"][-1]
        return int(event["data"].get("then", {}).get("turn", 0))

    while turn() < LAST_TURN[system]:
        wait_until(lambda: game()["to_act"] is not None)
        if game()["to_act"] == 1:
            second.act(game_id).raise_for_status()
            continue
        wait_until(player.is_to_act)
        player.act()
    return player


@pytest.mark.parametrize("system", ["sorcery", pytest.param("baron", marks=pytest.mark.nightly)])
def test_turns_are_taken_by_keyboard_only(system: str, visitors: Visitors) -> None:
    player = play(system, KeyboardPlayer, visitors)
    assert player.clicks == 0
    assert player.keys > 0


@pytest.mark.parametrize("system", ["baron", pytest.param("sorcery", marks=pytest.mark.nightly)])
def test_turns_are_taken_with_a_screen_reader(system: str, visitors: Visitors) -> None:
    player = play(system, ScreenReaderPlayer, visitors)
    assert player.heard
    # A number, a sign or a position on the board alone would say nothing.
    silent = [name for name in player.heard if not re.search(r"[^\W\d]{3,}", name)]
    assert not silent
    hexes: list[str] = []

    def has_hexes() -> bool:
        # The page may be about to replace the board.
        hexes[:] = names(player.page.locator("#board"), "img")
        return bool(hexes)

    wait_until(has_hexes)
    assert all(re.search(r"[^\W\d]{3,}.* -?\d+,-?\d+", name) for name in hexes), hexes
    own = player.visitor.account
    assert own is not None
    if system == "sorcery":
        assert any(f"{own.handle}: city, " in name for name in hexes), hexes
