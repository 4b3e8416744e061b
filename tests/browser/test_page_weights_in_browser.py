"""The page of a game weighs no more than its budgets allow on a first visit, in each rule system."""

import pytest

from bench.page_rows import weights
from tests.support.accounts import take_turn
from tests.support.browsing import Visitors

MOST_KILOBYTES = 120
MOST_KILOBYTES_OF_SCRIPTS = 40


@pytest.mark.parametrize(
    "fields",
    [{"seats": 4}, {"seats": 5, "options": {"sorcery": True}}, {"rules": "baron", "seats": 5}],
)
def test_the_page_of_a_game_is_within_its_budgets(
    fields: dict[str, object], visitors: Visitors
) -> None:
    game_id, players = visitors.accounts.start_game(**fields)  # type: ignore[arg-type] # "seats" is a number
    for _ in range(12):
        take_turn(game_id, players)
    visitor = visitors.new(players[0])
    whole, scripts = weights(visitor.page, f"{visitors.site.url}/games/{game_id}")
    assert 0 < scripts <= MOST_KILOBYTES_OF_SCRIPTS
    assert scripts < whole <= MOST_KILOBYTES
