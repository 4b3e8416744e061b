"""The choices by which a player of Sorcery comes to an action: those of Barony, and those of casts.

The spells are chosen together. A knight that makes two steps chooses where it goes, and then the hex between,
if that makes a difference.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from domain.barony.actions import Action, Cast
from domain.barony.choices import DONE, next_in, token_choice
from domain.barony.choices import QUESTIONS as BASE_QUESTIONS
from domain.barony.choices import choices as base_choices
from domain.barony.components import SPELLS, Spell
from domain.barony.sorcery.movement import decide_movement
from domain.barony.sorcery.state import SorceryState
from domain.choices import Choice, card, hex_choice
from domain.messages import Text, message

QUESTIONS: Final[Mapping[str, Text]] = {
    **BASE_QUESTIONS,
    "spells": message("Which spells do you cast?"),
    "way": message("Over which hex does the knight move?"),
    "recruitment_site": message("On which hex do you recruit?"),
    "next_recruitment_site": message("On which other hex do you recruit?"),
    "new_city": message("Where do you build the city?"),
}


def choices(
    state: SorceryState, seat: int, action: Action, path: Sequence[Choice]
) -> Sequence[Choice]:
    """The choices after those of `path` that lead on to the action."""
    if not isinstance(action, Cast):
        return base_choices(state, seat, action, path)
    if len(path) > 1 and "charm" in action.spells:
        return _charm_choices(action, path)
    choice = next_in(_cast_sequence(state, seat, action), path)
    return [choice] if choice else []


def spells_choice(spells: Sequence[Spell]) -> Choice:
    """The choice of spells that are cast together."""
    return card("spells", "+".join(spells))


def spells_of(value: str) -> tuple[Spell, ...]:
    """The spells of such a choice. Raises ValueError."""
    names = value.split("+")
    spells = tuple(spell for spell in SPELLS if spell in names)
    if len(spells) != len(names):
        raise ValueError(value)
    return spells


def _cast_sequence(state: SorceryState, seat: int, action: Cast) -> Iterator[Choice]:
    """BS-SPL: the spells, and then where they take effect; with Charm, only the spells."""
    yield spells_choice(action.spells)
    if action.at is not None:
        yield hex_choice("new_city", action.at)
    elif action.recruits:
        ((at, knights),) = action.recruits
        yield hex_choice("recruitment_site", at)
        yield card("knights", str(knights), "knight")
    else:
        yield hex_choice("knight", action.path[0])
        yield hex_choice("destination", action.path[-1])
        if len(action.path) > 2:
            yield hex_choice("way", action.path[1])
        if action.takes:
            owners = _owners_of_taken_tokens(state, seat, action)
            yield from map(token_choice, action.takes, owners)


def _owners_of_taken_tokens(state: SorceryState, seat: int, action: Cast) -> list[int]:
    """BY-CON-2: the seats from which the cast takes tokens, in the order in which it does."""
    return [
        pawn["seat"]
        for step in decide_movement(state, seat, action)["moves"]
        for pawn in (*step.get("left", ()), *step.get("destroyed", ()), *step.get("swept", ()))
        if pawn.get("token")
    ]


def _charm_choices(action: Cast, path: Sequence[Choice]) -> Sequence[Choice]:
    """BS-CHA-1: the sites in any order, and then that there is no other."""
    if path[-1].value == DONE:
        return []
    question = "recruitment_site" if len(path) == 2 else "next_recruitment_site"
    chosen = {choice.at for choice in path}
    sites = [hex_choice(question, at) for at, _ in action.recruits if at not in chosen]
    return sites or [card("next_recruitment_site", DONE)]
