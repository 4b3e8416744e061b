"""The choices by which a player of Sorcery comes to an action: those of Barony, and those of casts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from domain.barony.actions import Action, Cast
from domain.barony.choice_messages import choice_message as base_choice_message
from domain.barony.choices import DONE, next_in
from domain.barony.choices import QUESTIONS as BASE_QUESTIONS
from domain.barony.choices import choices as base_choices
from domain.barony.formats import BaronyPosition
from domain.barony.sorcery.state import SorceryState
from domain.barony.sorcery.terms import SPELL_NAMES
from domain.choices import Choice, card, hex_choice
from domain.messages import Text, listing, message

QUESTIONS: Final[Mapping[str, Text]] = {
    **BASE_QUESTIONS,
    "spells": message("Which spells do you cast?"),
    "way": message("Over which hex does the knight move?"),
    "spell_site": message("Where do you recruit?"),
    "next_spell_site": message("Where else do you recruit?"),
    "new_city": message("Where do you build the city?"),
}
SPELLS_SEPARATOR: Final = "+"
"""Between the names of spells that are cast together, in the value of a choice."""


def choices(
    state: SorceryState, seat: int, action: Action, path: Sequence[Choice]
) -> Sequence[Choice]:
    """The choices after those of `path` that lead on to the action."""
    if not isinstance(action, Cast):
        return base_choices(state, seat, action, path)
    if len(path) > 1 and "charm" in action.spells:
        return _charm_choices(action, path)
    choice = next_in(_cast_sequence(action), path)
    return [choice] if choice else []


def _cast_sequence(action: Cast) -> Iterator[Choice]:
    """BS-SPL: the spells, and then where they take effect."""
    yield card("spells", SPELLS_SEPARATOR.join(action.spells))
    if action.at is not None:
        yield hex_choice("new_city", action.at)
    elif action.recruits:
        ((at, knights),) = action.recruits
        yield hex_choice("spell_site", at)
        yield card("knights", str(knights), "knight")
    else:
        yield hex_choice("knight", action.path[0])
        yield hex_choice("destination", action.path[-1])
        if len(action.path) > 2:
            yield hex_choice("way", action.path[1])
        for token in action.takes:
            yield card("token", token, token)


def _charm_choices(action: Cast, path: Sequence[Choice]) -> Sequence[Choice]:
    """BS-CHA-1: the sites in any order, and then that there is no other."""
    if path[-1].value == DONE:
        return []
    question = "spell_site" if len(path) == 2 else "next_spell_site"
    chosen = {choice.at for choice in path}
    sites = [hex_choice(question, at) for at, _ in action.recruits if at not in chosen]
    return sites or [card("next_spell_site", DONE)]


def choice_message(position: BaronyPosition, choice: Choice, path: Sequence[Choice]) -> Text:
    """The choice after those of `path` in words."""
    match choice.question:
        case "spells":
            names = choice.value.split(SPELLS_SEPARATOR)
            return listing(term for name, term in SPELL_NAMES.items() if name in names)
        case "next_spell_site" if choice.value == DONE:
            return message("nobody else is recruited")
        case _:
            return base_choice_message(position, choice, path)
