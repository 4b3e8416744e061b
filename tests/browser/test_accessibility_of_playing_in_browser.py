"""axe finds no obstacle in any state of the page while a game is played, with everything on it unfolded."""

import random
from dataclasses import dataclass, field
from typing import Final

import pytest
from playwright.sync_api import Locator
from typing_extensions import override

from tests.support.accounts import take_turn
from tests.support.axe import violations
from tests.support.browsing import Visitors
from tests.support.playing_by_clicking import RANKING, ClickingPlayer
from tests.support.processes import wait_until

UNFOLD = """(isOpen) => {
    for (const details of document.querySelectorAll("details")) details.toggleAttribute("open", isOpen);
}"""
MAX_ACTIONS: Final = 9
"""After so many actions, the opponent resigns if the game has not ended."""
SORCERY: Final = {"options": {"sorcery": True, "round_limit": 1}}


@dataclass
class CheckingPlayer(ClickingPlayer):
    """A player who looks for obstacles after every step."""

    obstacles: list[str] = field(default_factory=list)

    @override
    def follow(self, target: Locator) -> None:
        super().follow(target)
        self.check()

    def check(self) -> None:
        """Add what axe finds on the page with everything unfolded."""
        self.page.evaluate(UNFOLD, True)
        address = self.page.url.partition(self.game_id)[2]
        self.obstacles += [f"{address}: {line}" for line in violations(self.page)]
        self.page.emulate_media(color_scheme="light")
        # What is unfolded may cover the board.
        self.page.evaluate(UNFOLD, False)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("fields", "phone", "first_actions"),
    [
        (SORCERY, True, 6),
        *(
            (fields, phone, 0)
            for fields in (SORCERY, {"rules": "baron"})
            for phone in (True, False)
        ),
    ],
)
def test_axe_finds_no_obstacle_while_a_game_is_played(
    fields: dict[str, object], phone: bool, first_actions: int, visitors: Visitors
) -> None:
    """The first actions, with which a game is set up, are taken over HTTP."""
    game_id, (first, second) = visitors.accounts.start_game(2, **fields)
    for _ in range(first_actions):
        take_turn(game_id, [first, second])
    player = CheckingPlayer(visitors.new(first, phone=phone), game_id, random.Random(5))
    player.open()
    player.check()

    def summary() -> dict[str, object]:
        game: dict[str, object] = first.http.get(f"/api/v1/games/{game_id}").json()
        return game

    for _ in range(MAX_ACTIONS - first_actions):
        wait_until(lambda: summary()["to_act"] is not None or summary()["status"] == "finished")
        to_act = summary()["to_act"]
        if to_act == 0:
            wait_until(player.is_to_act)
            player.act()
        elif to_act == 1:
            second.act(game_id).raise_for_status()
        else:
            break
    else:
        second.act(game_id, {"type": "resign"}).raise_for_status()
    player.page.locator(RANKING).wait_for()
    player.check()
    assert not player.obstacles, "\n".join(player.obstacles)
