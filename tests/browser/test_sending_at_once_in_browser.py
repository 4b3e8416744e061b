"""A player may have actions that a game names sent without confirming them, such as a draw in Baron."""

import random
from typing import Any, Final

import pytest

from tests.support.accounts import PlayerClient, take_turn
from tests.support.browsing import Visitors
from tests.support.playing_by_clicking import ClickingPlayer

SWITCH: Final = "label[data-at-once=draw] input"


def about_to_draw(visitors: Visitors) -> tuple[str, PlayerClient]:
    """Return a game of Baron, and the player who draws a tile next."""
    game_id, players = visitors.accounts.start_game(2, rules="baron")
    while True:
        for player in players:
            actions: list[Any] = player.legal_actions(game_id)[1]
            if {action["type"] for action in actions} == {"draw"}:
                return game_id, player
        take_turn(game_id, players)


@pytest.mark.nightly
def test_a_draw_is_sent_at_once_for_whoever_prefers_that(visitors: Visitors) -> None:
    game_id, account = about_to_draw(visitors)
    player = ClickingPlayer(visitors.new(account), game_id, random.Random(1))
    page = player.page
    player.open()
    player.answer()
    assert page.locator("#confirm").count() == 1
    page.locator(".do [popovertarget=ways]").click()
    page.locator(SWITCH).check()
    # What was chosen before waits for its confirmation.
    player.open()
    seq = page.locator("#game").get_attribute("data-seq")
    assert page.locator("#confirm").count() == 0
    page.locator(".shelf a.choice").first.click()
    page.locator(f"#game:not([data-seq='{seq}'])").wait_for()
    actions: list[Any] = account.legal_actions(game_id)[1]
    assert "draw" not in {action["type"] for action in actions}
