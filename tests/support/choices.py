"""What tests read of the choices of a position: questions, options, actions and refusals as text."""

from typing import Any

from domain.choices import Choice, action_choice
from domain.next_step import Step, next_step, refusal
from replay.language.renderer import english
from tests.support.given_when import rule_system_for


def step_after(state: Any, *values: str) -> Step[Any]:
    """Return the step of the seat to act after choosing these values."""
    rules, seat = rule_system_for(state), state.to_act
    return next_step(rules, state, seat, rules.legal_actions(state, seat), values)


def question_after(state: Any, *values: str) -> str:
    """Return the question that is open after choosing these values."""
    step = step_after(state, *values)
    assert step.question is not None, f"leads to {step.action}"
    return english(rule_system_for(state).QUESTIONS[step.question])


def action_after(state: Any, *values: str) -> str:
    """Return the action to which these values lead, in its short form."""
    step = step_after(state, *values)
    assert step.action is not None, f"leads to the question {step.question}"
    return rule_system_for(state).action_text(step.action)


def path_of(state: Any, *values: str) -> tuple[Choice, ...]:
    """Return the choices with these values, those included that are made automatically."""
    rules, seat = rule_system_for(state), state.to_act
    actions = rules.legal_actions(state, seat)
    path: tuple[Choice, ...] = ()
    for value in values:
        following = {
            action: [action_choice(action.type)]
            if not path
            else rules.choices(state, seat, action, path)
            for action in actions
        }
        (choice,) = {
            choice for choices in following.values() for choice in choices if choice.value == value
        }
        actions = [action for action in actions if choice in following[action]]
        path = (*path, choice)
    return path


def refusal_of(state: Any, *values: str) -> tuple[str | None, str]:
    """Return the clause and the reason for which the last of the values cannot be chosen after the others."""
    path = path_of(state, *values[:-1])
    refused = refusal(rule_system_for(state), state, state.to_act, path, values[-1])
    assert refused is not None, f"{values[-1]} is not refused"
    return refused.clause, english(refused.why)
