"""The first page, and that of a game in each rule system, weigh no more than their budgets allow."""

from collections.abc import Callable
from typing import Final, TypeAlias

import httpx
import pytest

from bench.page_rows import Weights, weights
from tests.support.accounts import take_turn
from tests.support.browsing import Visitor, Visitors
from tests.support.variants import nightly_except

MOST_KILOBYTES: Final = 160
"""With the fonts."""
MOST_KILOBYTES_OF_THE_FIRST_PAGE: Final = 60
"""Without the fonts and the pictures, which are of as many boards as there are games to watch."""
MOST_KILOBYTES_OF_FONTS: Final = 60
MOST_KILOBYTES_OF_SCRIPTS: Final = 40
MOST_KILOBYTES_AFTERWARDS: Final = 10
"""On a further visit, with the most seats that a system has, by a browser that keeps the dictionary."""
MOST_KILOBYTES_WITHOUT_DICTIONARY: Final = {"barony": 18, "sorcery": 18, "baron": 14}
"""The page alone, as other browsers receive it."""
SYSTEMS: Final[list[dict[str, object]]] = [
    {"seats": 4},
    {"seats": 5, "options": {"sorcery": True}},
    {"rules": "baron", "seats": 5},
]

Weigh: TypeAlias = Callable[[dict[str, object]], tuple[Weights, Weights, float]]


def _without_dictionary(visitor: Visitor, address: str) -> float:
    """Return the kilobytes of a page for a browser that reads brotli and knows no dictionaries."""
    cookies = {cookie["name"]: cookie["value"] for cookie in visitor.context.cookies()}
    headers = {"Accept-Encoding": "br", "Accept-Language": "en"}
    with httpx.stream("GET", address, cookies=cookies, headers=headers) as response:
        assert response.headers["Content-Encoding"] == "br"
        return sum(map(len, response.iter_raw())) / 1000


@pytest.fixture
def weigh(visitors: Visitors) -> Weigh:
    """Return a function that returns the weights of the page of a game on a first and on a second visit, and
    the kilobytes of the page without a dictionary.
    """

    def weigh(fields: dict[str, object]) -> tuple[Weights, Weights, float]:
        game_id, players = visitors.accounts.start_game(**fields)  # type: ignore[arg-type] # "seats" is a number
        for _ in range(36):
            take_turn(game_id, players)
        visitor = visitors.new(players[0], fresh=True)
        address = f"{visitors.site.url}/games/{game_id}"
        with visitor.page.expect_response(lambda response: "/dictionaries/" in response.url):
            first = weights(visitor.page, address)
        return first, weights(visitor.page, address), _without_dictionary(visitor, address)

    return weigh


@pytest.mark.parametrize("fields", nightly_except(SYSTEMS[1:2], SYSTEMS))
def test_the_page_of_a_game_and_its_scripts_are_within_their_budgets(
    fields: dict[str, object], weigh: Weigh
) -> None:
    first, second, without_dictionary = weigh(fields)
    whole, scripts, *_ = first
    assert 0 < scripts < whole <= MOST_KILOBYTES
    assert scripts <= MOST_KILOBYTES_OF_SCRIPTS
    system = "sorcery" if "options" in fields else str(fields.get("rules", "barony"))
    assert 0 < second.whole <= MOST_KILOBYTES_AFTERWARDS
    assert second.whole < without_dictionary <= MOST_KILOBYTES_WITHOUT_DICTIONARY[system]


def test_the_first_page_is_within_its_budget(visitors: Visitors) -> None:
    whole, _, fonts, pictures = weights(visitors.new(fresh=True).page, visitors.site.url)
    assert 0 < fonts <= MOST_KILOBYTES_OF_FONTS
    assert pictures > 0
    assert whole - fonts - pictures <= MOST_KILOBYTES_OF_THE_FIRST_PAGE
