"""The choices of the game in `token_game`: how many stones to take."""

from collections.abc import Mapping, Sequence
from typing import Final

from domain.choices import COMMON_QUESTIONS, Choice, card
from domain.contract import Resign
from domain.messages import Text, message
from tests.support.token_game_formats import StonesPosition
from tests.support.token_game_state import Action, State, Take

QUESTIONS: Final[Mapping[str, Text]] = {
    **COMMON_QUESTIONS,
    "stones": message("How many stones do you take?"),
}


def choices(state: State, seat: int, action: Action, path: Sequence[Choice]) -> Sequence[Choice]:
    """The number of stones."""
    if isinstance(action, Take) and len(path) == 1:
        return [card("stones", str(action.stones))]
    return []


def choice_message(position: StonesPosition, choice: Choice, path: Sequence[Choice]) -> Text:
    """The number of stones, or the type of the action."""
    return message("{value}", value=choice.value)


def action_for_choice(state: State, seat: int, path: Sequence[Choice], value: str) -> Action | None:
    """Any number of stones, also one that there is not."""
    match [choice.value for choice in path] + [value]:
        case ["take"]:
            return Take(1)
        case ["take", stones] if stones.isdecimal():
            return Take(int(stones))
        case ["resign"]:
            return Resign()
        case _:
            return None
