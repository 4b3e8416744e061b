"""What the pages offer on the way to an action."""

import pytest

from replay.language.renderer import english
from service.pages.action_steps import Request, action_steps
from tests.games.records import course_of


@pytest.mark.parametrize(
    ("seat", "label", "action"),
    [
        (1, "ask for the end of the game", "agree"),
        (0, "no longer ask for the end of the game", "disagree"),
    ],
)
def test_asking_for_the_end_and_withdrawing_it_have_different_words(
    seat: int, label: str, action: str
) -> None:
    game = course_of("agreement")[24]
    assert game.state is not None
    assert game.state.end_agreed_by == (0,)
    steps = action_steps(game, seat, Request())
    assert steps is not None
    options = {english(option.label): option.address for option in steps.others}
    assert options == {label: f"?action={action}", "resign": "?action=resign"}
