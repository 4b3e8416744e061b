"""Turns of Sorcery and of Baron by keyboard only, and by what a screen reader says of the page."""

import random
from typing import Final

import pytest

from tests.support.browsing import Visitors
from tests.support.playing_by_clicking import ClickingPlayer
from tests.support.playing_by_keyboard import KeyboardPlayer
from tests.support.processes import wait_until

SYSTEMS: Final[dict[str, dict[str, object]]] = {
    "sorcery": {"rules": "barony", "seats": 2, "options": {"sorcery": True}},
    "baron": {"rules": "baron", "seats": 2},
}


def take_own_turns(
    system: str, player_class: type[ClickingPlayer], visitors: Visitors
) -> ClickingPlayer:
    """Let a player at a browser act in a game against one over HTTP until three turns are over."""
    game_id, (first, second) = visitors.accounts.start_game(**SYSTEMS[system])  # type: ignore[arg-type] # "seats" is a number
    player = player_class(visitors.new(first), game_id, random.Random(3))
    player.open()
    turns = 0

    def to_act() -> object:
        return first.http.get(f"/api/v1/games/{game_id}").json()["to_act"]

    while turns < 5:
        wait_until(lambda: to_act() is not None)
        if to_act() == 1:
            second.act(game_id).raise_for_status()
            turns += 1
            continue
        wait_until(player.is_to_act)
        player.act()
    return player


@pytest.mark.parametrize("system", SYSTEMS)
def test_turns_are_taken_by_keyboard_only(system: str, visitors: Visitors) -> None:
    player = take_own_turns(system, KeyboardPlayer, visitors)
    assert player.clicks == 0
