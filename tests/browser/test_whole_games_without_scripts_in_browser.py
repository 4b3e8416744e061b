"""Two people whose browsers run no scripts play each rule system with bots to its end, by clicking."""

import pytest

from tests.support.browsing import Visitors
from tests.support.playing_by_clicking import (
    RANKING,
    play_to_the_end,
    two_people_and_bots,
)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("barony", marks=pytest.mark.nightly),
        pytest.param("sorcery", marks=pytest.mark.nightly),
        "baron",
        pytest.param("seven hexes", marks=pytest.mark.nightly),
    ],
)
def test_two_people_without_scripts_and_bots_play_to_the_end(name: str, visitors: Visitors) -> None:
    people = two_people_and_bots(name, visitors, has_scripts=False)
    play_to_the_end(people)
    results = {player.page.locator(RANKING).inner_text() for player in people}
    assert len(results) == 1
