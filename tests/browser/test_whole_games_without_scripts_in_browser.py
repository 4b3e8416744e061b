"""Two people without scripts and bots play each rule system to its end, by tapping the board."""

import pytest

from tests.support.browsing import Visitors
from tests.support.playing_by_clicking import RANKING, play_to_the_end, two_people_and_bots


@pytest.mark.parametrize(
    ("name", "actions", "phone"),
    [
        pytest.param("barony", None, False, marks=pytest.mark.nightly),
        pytest.param("barony", None, True, marks=pytest.mark.nightly),
        pytest.param("sorcery", None, False, marks=pytest.mark.nightly),
        pytest.param("sorcery", None, True, marks=pytest.mark.nightly),
        pytest.param("baron", None, False, marks=pytest.mark.nightly),
        pytest.param("baron", None, True, marks=pytest.mark.nightly),
        pytest.param("baron of two", 10, True, marks=pytest.mark.nightly),
        pytest.param("seven hexes", None, False, marks=pytest.mark.nightly),
    ],
)
def test_two_people_without_scripts_and_bots_play_to_the_end(
    name: str, actions: int | None, phone: bool, visitors: Visitors
) -> None:
    people = two_people_and_bots(name, visitors, has_scripts=False, phone=phone)
    play_to_the_end(people, actions=actions)
    results = {player.page.locator(RANKING).inner_text() for player in people}
    assert len(results) == 1
