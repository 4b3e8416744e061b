"""Two people at browsers and bots play each rule system to its end, by tapping the board."""

import random

import pytest

from tests.support.accounts import take_turn
from tests.support.browsing import Visitors
from tests.support.playing_by_clicking import (
    CHOICES,
    RANKING,
    ClickingPlayer,
    play_to_the_end,
    two_people_and_bots,
)


@pytest.mark.parametrize(
    ("name", "actions", "phone"),
    [
        pytest.param("barony", None, False, marks=pytest.mark.nightly),
        pytest.param("barony", None, True, marks=pytest.mark.nightly),
        pytest.param("sorcery", None, True, marks=pytest.mark.nightly),
        pytest.param("sorcery", None, False, marks=pytest.mark.nightly),
        pytest.param("baron", None, False, marks=pytest.mark.nightly),
        pytest.param("baron", None, True, marks=pytest.mark.nightly),
        pytest.param("baron of two", 10, False, marks=pytest.mark.nightly),
        ("seven hexes", None, False),
    ],
)
def test_two_people_and_bots_play_to_the_end(
    name: str, actions: int | None, phone: bool, visitors: Visitors
) -> None:
    people = two_people_and_bots(name, visitors, phone=phone)
    play_to_the_end(people, actions=actions)
    results = {player.page.locator(RANKING).inner_text() for player in people}
    assert len(results) == 1
    account = people[0].visitor.account
    assert account is not None
    game = account.http.get(f"/api/v1/games/{people[0].game_id}").json()
    assert game["status"] == "finished"
    assert account.handle in results.pop()


def test_a_player_takes_no_words_for_what_the_board_says(visitors: Visitors) -> None:
    game_id, players = visitors.accounts.start_game(2)
    # The set-up leaves no types of actions to choose among.
    while players[0].http.get(f"/api/v1/games/{game_id}/position").json()["round"] < 1:
        take_turn(game_id, players)
    (account,) = (player for player in players if player.legal_actions(game_id)[1])
    player = ClickingPlayer(visitors.new(account), game_id, random.Random(1))
    player.open()
    assert player.page.locator(CHOICES).count() > 1
    player.page.locator("#board-links").evaluate("(links) => links.replaceChildren()")
    with pytest.raises(AssertionError, match="only words lead on"):
        player.option()
