"""The walk over choices begins with any hex, and leads to the legal actions all the same."""

import random
from collections import Counter
from typing import Any

import pytest

from domain.choices import Choice, action_choice
from domain.contract import Action, AnyRuleSystem
from domain.game import Game
from domain.next_step import Step, next_step
from replay.language.renderer import english
from tests.domain.test_choices import RECORDS, positions
from tests.support.barony_positions import given
from tests.support.choices import action_after, question_after, step_after


@pytest.mark.parametrize("name", RECORDS)
def test_every_action_on_a_hex_can_be_chosen_from_the_hex(name: str) -> None:
    rng = random.Random(name)
    for game, seat, actions in positions(name, every=7):
        for action in rng.sample(actions, min(4, len(actions))):
            choices = path_to(game.rules, game.state, seat, action)
            first = next((choice for choice in choices if choice.at is not None), None)
            if first is not None and len(actions) > 1:
                left = Counter(choice.value for choice in choices)
                left[first.value] -= 1
                assert is_reached(game, seat, actions, action, [first.value], +left)


def path_to(rules: AnyRuleSystem, state: Any, seat: int, action: Action) -> list[Choice]:
    """Return the choices that lead to an action, in the order of the rule system."""
    path = [action_choice(action.type)]
    while following := rules.choices(state, seat, action, path):
        path.append(following[0])
    return path


def is_reached(
    game: Game,
    seat: int,
    actions: list[Action],
    action: Action,
    values: list[str],
    left: Counter[str],
) -> bool:
    """Return whether these values, and then others of the choices that are left, lead to the action."""
    step = next_step(game.rules, game.state, seat, actions, values)
    if step.action == action:
        return True
    following = {choice.value for choice in (*step.options, *step.alternatives)}
    return any(
        is_reached(game, seat, actions, action, [*values, value], left - Counter([value]))
        for value in following & left.keys()
    )


@pytest.mark.parametrize("name", RECORDS)
def test_whatever_is_chosen_on_the_board_leads_to_legal_actions_only(name: str) -> None:
    rng = random.Random(name)
    for game, seat, actions in positions(name, every=5):
        position = game.position(seat)
        values: list[str] = []
        step = next_step(game.rules, game.state, seat, actions, values)
        while step.options:
            assert step.action is None or step.action in actions
            assert step.extended is None or step.extended in actions
            following = (*step.options, *step.alternatives)
            assert len({choice.value for choice in following}) == len(following)
            for choice in following:
                context = step.next_contexts[choice.value]
                assert english(game.rules.choice_message(position, choice, context))
            on_board = [choice for choice in following if choice.at is not None]
            values.append(rng.choice(on_board or following).value)
            step = next_step(game.rules, game.state, seat, actions, values)
        assert step.action in actions
        assert [step.path[number].value for number in step.manual] == values
        for choice, context in zip(step.path, step.contexts, strict=True):
            assert english(game.rules.choice_message(position, choice, context))


KNIGHTS = """
    play round 2 seat 0
    0: baron
    1: baron
    board
    P0kk P P P0k P P1c
    """


def values_of(choices: tuple[Choice, ...]) -> list[str]:
    return [choice.value for choice in choices]


def test_all_hexes_with_something_to_do_can_be_chosen_before_the_type_of_the_action() -> None:
    step: Step[Action] = step_after(given(KNIGHTS))
    assert values_of(step.options) == ["move", "build", "expedition"]
    assert values_of(step.alternatives) == ["0,0", "1,0", "2,0", "3,0", "4,0"]


def test_a_knight_can_move_or_build_whatever_the_type_of_the_action() -> None:
    state = given(KNIGHTS)
    step: Step[Action] = step_after(state, "0,0")
    assert values_of(step.options) == ["build", "1,0"]
    assert question_after(state, "0,0") == "Where does the knight move?"
    assert step.hex_context == (Choice("action", "move"), Choice("knight", "0,0", (0, 0)))
    assert action_after(state, "0,0", "build", "village") == "build village 0,0"


def test_an_action_is_whole_as_soon_as_nothing_has_to_be_added() -> None:
    state = given(KNIGHTS)
    step: Step[Action] = step_after(state, "0,0", "1,0")
    assert str(step.action) == "Move(moves=(((0, 0), (1, 0)),), takes=())"
    assert step.question == "next_knight"
    assert values_of(step.options) == ["done", "0,0", "3,0"]
    further: Step[Action] = step_after(state, "0,0", "1,0", "3,0")
    assert (further.action, further.extended) == (None, step.action)
    assert action_after(state, "0,0", "1,0", "3,0", "4,0") == "move 0,0>1,0 3,0>4,0"


def test_a_knight_moves_without_spells_unless_the_player_chooses_them() -> None:
    state = given("""
        play round 2 seat 0
        spells: celerity
        0: baron, magic 2
        1: baron
        board
        P0k P P P1c
         P P P P
        """)
    step: Step[Action] = step_after(state, "0,0", "1,0")
    assert str(step.action) == "Move(moves=(((0, 0), (1, 0)),), takes=())"
    assert "cast" in values_of(step.alternatives)
    cast: Step[Action] = step_after(state, "0,0", "1,0", "cast")
    assert {choice.value for choice in cast.path} == {"0,0", "1,0", "cast", "celerity", "0,1"}
    assert step_after(state, "0,0", "2,0").path[2].value == "cast"
