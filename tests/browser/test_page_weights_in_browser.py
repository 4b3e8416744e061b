"""The first page, and that of a game in each rule system, weigh no more than their budgets allow."""

from collections.abc import Callable
from typing import Final

import pytest

from bench.page_rows import Weights, weights
from tests.support.accounts import take_turn
from tests.support.browsing import Visitors
from tests.support.variants import nightly_except

MOST_KILOBYTES: Final = 160
"""With the fonts."""
MOST_KILOBYTES_OF_THE_FIRST_PAGE: Final = 60
"""Without the fonts and the pictures, which are of as many boards as there are games to watch."""
MOST_KILOBYTES_OF_FONTS: Final = 60
MOST_KILOBYTES_OF_SCRIPTS: Final = 40
MOST_KILOBYTES_AFTERWARDS: Final = {"barony": 19, "sorcery": 19, "baron": 15}
"""On a further visit, with the most seats that the system has."""
SYSTEMS: Final[list[dict[str, object]]] = [
    {"seats": 4},
    {"seats": 5, "options": {"sorcery": True}},
    {"rules": "baron", "seats": 5},
]


@pytest.fixture
def weigh(visitors: Visitors) -> Callable[[dict[str, object]], tuple[Weights, Weights]]:
    """Return a function that returns the weights of the page of a game on a first and on a second visit."""

    def weigh(fields: dict[str, object]) -> tuple[Weights, Weights]:
        game_id, players = visitors.accounts.start_game(**fields)  # type: ignore[arg-type] # "seats" is a number
        for _ in range(36):
            take_turn(game_id, players)
        visitor = visitors.new(players[0], fresh=True)
        address = f"{visitors.site.url}/games/{game_id}"
        return weights(visitor.page, address), weights(visitor.page, address)

    return weigh


@pytest.mark.parametrize("fields", nightly_except(SYSTEMS[1:2], SYSTEMS))
def test_the_page_of_a_game_and_its_scripts_are_within_their_budgets(
    fields: dict[str, object], weigh: Callable[[dict[str, object]], tuple[Weights, Weights]]
) -> None:
    first, second = weigh(fields)
    whole, scripts, *_ = first
    assert 0 < scripts < whole <= MOST_KILOBYTES
    assert scripts <= MOST_KILOBYTES_OF_SCRIPTS
    system = "sorcery" if "options" in fields else str(fields.get("rules", "barony"))
    assert 0 < second.whole <= MOST_KILOBYTES_AFTERWARDS[system]


def test_the_first_page_is_within_its_budget(visitors: Visitors) -> None:
    whole, _, fonts, pictures = weights(visitors.new(fresh=True).page, visitors.site.url)
    assert 0 < fonts <= MOST_KILOBYTES_OF_FONTS
    assert pictures > 0
    assert whole - fonts - pictures <= MOST_KILOBYTES_OF_THE_FIRST_PAGE
