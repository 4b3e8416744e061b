"""The choices of every rule system lead to exactly its legal actions, as the contract requires."""

import random
from collections.abc import Iterator

import pytest

from domain import barony
from domain.barony import sorcery
from domain.choices import Choice, action_choice
from domain.contract import Action, AnyRuleSystem, Position, evolve
from domain.game import Game
from domain.next_step import Step, UnknownChoice, next_step
from replay.language.renderer import english
from tests.games.records import course_of
from tests.support.barony_positions import random_game
from tests.support.choice_trees import nodes

RECORDS = ["duke-of-three", "sorcery-duke-of-five", "sorcery-movement", "baron-battles"]
MOST_ACTIONS = 40
"""The most legal actions of the positions whose trees are walked completely."""


def positions(name: str, *, every: int = 1) -> Iterator[tuple[Game, int, list[Action]]]:
    """Iterate over positions of a recorded game, with the seat to act and its legal actions."""
    for game in course_of(name)[::every]:
        if game.to_act is not None:
            yield game, game.to_act, list(game.rules.legal_actions(game.state, game.to_act))


@pytest.mark.parametrize("name", RECORDS)
def test_choices_lead_to_all_legal_actions_and_to_one_each(name: str) -> None:
    for game, seat, actions in positions(name, every=3):
        if len(actions) > MOST_ACTIONS:
            continue
        reached = []
        for path, branches, complete in nodes(game.rules, game.state, seat, actions):
            values = {choice.value for choice in branches}
            assert len(values) == len(branches), f"two choices after {path} have the same value"
            questions = {choice.question for choice in branches}
            assert len(questions) <= 1
            assert questions <= game.rules.QUESTIONS.keys()
            assert not complete or (len(complete) == 1 and not branches), path
            reached += complete
        assert set(reached) == set(actions)


@pytest.mark.parametrize("name", RECORDS)
def test_the_first_and_the_last_option_of_every_step_lead_to_a_legal_action(name: str) -> None:
    for game, seat, actions in positions(name, every=9):
        for index in (0, -1):
            values: list[str] = []
            step = next_step(game.rules, game.state, seat, actions, values)
            while step.options:
                assert len(step.options) > 1
                assert step.question == step.options[0].question
                check_options(game, seat, step)
                values.append(step.options[index].value)
                step = next_step(game.rules, game.state, seat, actions, values)
            assert step.action in actions
            assert [step.path[number].value for number in step.manual] == values
            attempt = game.rules.action_for_choice(
                game.state, seat, step.path[:-1], step.path[-1].value
            )
            assert outcome(game, seat, attempt) == outcome(game, seat, step.action)
            with pytest.raises(UnknownChoice):
                next_step(game.rules, game.state, seat, actions, [*values, "done"])


def check_options(game: Game, seat: int, step: Step[Action]) -> None:
    """Check that every option has words of its own, and that the attempt at it is allowed."""
    position = game.position(seat)
    labels = set()
    for option in step.options:
        labels.add(english(game.rules.choice_message(position, option, step.path)))
        attempt = game.rules.action_for_choice(game.state, seat, step.path, option.value)
        assert attempt is not None
        assert game.rules.decide(game.state, seat, attempt)
    assert len(labels) == len(step.options)


def outcome(game: Game, seat: int, action: Action | None) -> Position:
    """Return the position after an action, which has to be one."""
    assert action is not None
    event = game.rules.decide(game.state, seat, action)
    after: Position = game.rules.position(evolve(game.rules, game.state, [event]), seat)
    return after


@pytest.mark.parametrize(("rules", "seats", "seed"), [(barony, 4, 1), (sorcery, 5, 3)])
def test_the_choices_of_an_action_lead_to_it_among_all_actions(
    rules: AnyRuleSystem, seats: int, seed: int
) -> None:
    rng = random.Random(seed)
    for state, _ in list(random_game(seats, seed, rules=rules))[:-1:9]:
        seat = state.to_act
        assert seat is not None
        actions = rules.legal_actions(state, seat)
        for action in rng.sample(actions, min(3, len(actions))):
            values: list[str] = []
            step = next_step(rules, state, seat, actions, values)
            while step.options:
                choices = [action_choice(action.type)]
                if step.path:
                    choices = [*rules.choices(state, seat, action, step.path)]
                values.append(rng.choice(choices).value)
                step = next_step(rules, state, seat, actions, values)
            assert step.action == action


def test_a_value_that_is_no_option_is_an_unknown_choice() -> None:
    game, seat, actions = next(positions("duke-of-three"))
    with pytest.raises(UnknownChoice) as raised:
        next_step(game.rules, game.state, seat, actions, ["99,99"])
    assert raised.value.path == (Choice("action", "place_city"),)
    assert raised.value.value == "99,99"
