"""What a player of Barony may do at any time, and previews; the choices are in transcripts."""

import pytest

from domain import barony
from domain.barony.actions import AgreeToEnd
from domain.choices import action_choice
from domain.contract import Resign
from replay.language.renderer import english
from tests.support.barony_positions import given

MOVING = """
    play round 2 seat 0
    0: baron
    1: baron, 2P 1D
    2: baron, 1F
    board
    P0k D0k M1v P1ck
      P   F2v P0k
    """


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("play round 2 seat 1", [Resign()]),
        ("play round 2 seat 0 agreement", [AgreeToEnd(agree=True), Resign()]),
        ("setup seat 0 agreement", [Resign()]),
    ],
)
def test_what_is_possible_at_any_time(text: str, actions: list[object]) -> None:
    state = given(f"{text}\n0: baron\n1: baron\nboard\nP P P")
    assert barony.actions_at_any_time(state, 0) == actions


def test_asking_for_the_end_can_be_withdrawn() -> None:
    state = given("play round 2 seat 0 agreement\n0: baron, asked\n1: baron\nboard\nP0ck P P1c")
    (withdrawal, _) = barony.actions_at_any_time(state, 0)
    assert withdrawal == AgreeToEnd(agree=False)
    (choice,) = barony.choices(state, 0, withdrawal, [action_choice("agree_to_end")])
    position = barony.position(state, 0)
    label = barony.choice_message(position, choice, [action_choice("agree_to_end")])
    assert english(label) == "no longer ask for the end of the game"


def test_a_preview_is_everything_that_follows() -> None:
    state = given(MOVING)
    for action in barony.legal_actions(state, 0):
        preview = barony.preview(state, 0, action)
        assert (preview.event, preview.hidden) == (barony.decide(state, 0, action), None)
