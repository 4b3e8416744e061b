"""What the pages offer on the way to an action."""

import pytest

from domain.game import copy
from replay.language.renderer import english
from service.pages.view_models.action_steps import ActionQuery, action_steps
from tests.games.records import course_of
from tests.support.barony_positions import given


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
    steps = action_steps(game, seat, ActionQuery())
    assert steps is not None
    options = {english(option.label): option.address for option in steps.others}
    assert options == {label: f"?action={action}", "resign": "?action=resign"}


def test_an_allowed_choice_that_is_not_offered_is_explained() -> None:
    game = copy(course_of("sorcery-movement")[-1])
    game.status = "playing"
    game.state = given("""
        play round 2 seat 0
        spells: celerity
        0: baron, magic 1
        1: baron
        board
        P0k D P P P0k P F P1c
        """)
    request = ActionQuery(("cast", "4,0"), attempt="4,0")
    steps = action_steps(game, 0, request)
    assert steps is not None
    assert [choice.value for choice in steps.step.options] == ["2,0", "6,0"]
    assert steps.attempts
    assert english(steps.attempts[0].why) == "this would have the same result as another choice"
    steps = action_steps(game, 0, ActionQuery(("cast",), attempt="charm"))
    assert steps is not None
    assert steps.attempts
    assert english(steps.attempts[0].why) == "this cannot be chosen here"
