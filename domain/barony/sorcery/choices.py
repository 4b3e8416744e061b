"""The choices by which a player of Sorcery comes to an action: those of Barony, and those of casts.

The spells are chosen together. A knight that makes two steps chooses where it goes, and then the hex
between, if that makes a difference.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Final

from domain.barony.actions import Action, Cast
from domain.barony.choices import (
    DONE,
    hexes_or_any,
    hexes_with_knights,
    most_favourable,
    next_in,
    terrain_at,
    token_choice,
    token_of,
)
from domain.barony.choices import FIXED_MESSAGES as BASE_MESSAGES
from domain.barony.choices import QUESTIONS as BASE_QUESTIONS
from domain.barony.choices import action_for_choice as base_action_for_choice
from domain.barony.choices import choice_message as base_choice_message
from domain.barony.choices import choices as base_choices
from domain.barony.components import FAMILY, SPELLS, VILLAGE, Spell
from domain.barony.formats import BaronyPosition
from domain.barony.sorcery.components import (
    COST,
    MAGIC_OF_A_VISIT,
    MAGIC_TOKEN,
    SPELL_NAMES,
    cost_of,
)
from domain.barony.sorcery.decide import decide, legal_casts
from domain.barony.sorcery.movement import decide_movement
from domain.barony.sorcery.recruitment import sites
from domain.barony.sorcery.state import SorceryState
from domain.choices import Choice, card, hex_choice
from domain.hexes import Hex, distance, hex_from_text, neighbours, number_from_text
from domain.messages import Message, Text, counted, hex_at, listing, message

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
    if len(path) == 2:
        return [hex_choice("recruitment_site", at) for at, _ in action.recruits]
    chosen = {choice.at for choice in path}
    sites = [at for at, _ in action.recruits if at not in chosen]
    if not sites:
        return [card("next_recruitment_site", DONE, addition=False)]
    return [hex_choice("next_recruitment_site", at, addition=True) for at in sites]


SORCERY_MESSAGES: Final[Mapping[tuple[str, str], Message]] = {
    **BASE_MESSAGES,
    ("next_recruitment_site", DONE): message("no other knight is recruited"),
}
"""By question and value."""


def choice_message(position: BaronyPosition, choice: Choice, path: Sequence[Choice]) -> Text:
    """The choice after those of `path` in words."""
    if choice.question == "spells":
        spells = spells_of(choice.value)
        return message(
            "{spells}, for {price}",
            spells=listing(SPELL_NAMES[spell] for spell in spells),
            price=counted(cost_of(spells), MAGIC_TOKEN),
        )
    if choice.at is not None and choice.question in ("destination", "way", "edge"):
        has_explored = any(
            earlier.at == choice.at for earlier in path if earlier.question == "destination"
        )
        magic = 0 if has_explored else _magic_of_arrival(position, choice.at)
        if magic:
            return message(
                "the mysterious place on {hex}, which yields {tokens}",
                hex=hex_at(choice.at),
                tokens=counted(magic, MAGIC_TOKEN),
            )
    return base_choice_message(position, choice, path, SORCERY_MESSAGES)


def _magic_of_arrival(position: BaronyPosition, at: Hex) -> int:
    """BS-MYS-2, 3: the magic tokens that the seat to act gains on the hex; 0 if it places no imprint."""
    imprinted = {player["seat"] for player in position["players"] if [*at] in player["imprints"]}
    if position["to_act"] in imprinted or terrain_at(position, at) != "mysterious_place":
        return 0
    return dict(enumerate(MAGIC_OF_A_VISIT)).get(len(imprinted), 0)


def action_for_choice(
    state: SorceryState, seat: int, path: Sequence[Choice], value: str
) -> Action | None:
    """The simplest action that choosing `value` after the choices of `path` amounts to; None if none."""
    type, *values = [*(choice.value for choice in path), value]
    if type != "cast":
        return base_action_for_choice(state, seat, path, value, decide)
    try:
        return most_favourable(state, seat, _casts(state, seat, values), decide)
    except ValueError:  # the text of spells, a hex or a number
        return None


def _casts(state: SorceryState, seat: int, values: Sequence[str]) -> Iterable[Cast]:
    """The casts to which the values can lead. Raises ValueError."""
    if values:
        return _casts_of(state, seat, spells_of(values[0]), values[1:])
    affordable = [spell for spell in state.spells if COST[spell] <= state.magic[seat]]
    if not affordable:  # any cast is refused for its cost
        cheapest = min(state.spells, key=lambda spell: COST[spell])
        return islice(_casts_of(state, seat, (cheapest,), []), 1)
    casts = (_casts_of(state, seat, (spell,), []) for spell in affordable)
    return chain(legal_casts(state, seat)[:1], chain.from_iterable(casts))


def _casts_of(
    state: SorceryState, seat: int, spells: tuple[Spell, ...], values: Sequence[str]
) -> Iterable[Cast]:
    """The casts of these spells to which the values after them can lead. Raises ValueError."""
    match FAMILY[spells[0]], values:
        case "construction", []:
            villages = hexes_or_any(state, state.built(seat, VILLAGE))
            has_sanctuary = "sanctuary" in spells
            places = hexes_with_knights(state, seat) if has_sanctuary else villages
            return [Cast(spells, at=at) for at in places]
        case "construction", [at]:
            return [Cast(spells, at=hex_from_text(at))]
        case "recruitment", []:
            places = hexes_or_any(state, sites(state, seat, spells))
            return [Cast(spells, recruits=((at, 1),)) for at in places]
        case "recruitment", [at]:
            return [Cast(spells, recruits=((hex_from_text(at), 1),))]
        case "recruitment", _ if "charm" in spells:
            places = [hex_from_text(at) for at in values[: -1 if values[-1] == DONE else None]]
            recruits = tuple((at, 1) for at in sorted(set(places)))
            return [Cast(spells, recruits=recruits)] if len(recruits) == len(places) else []
        case "recruitment", [at, knights] if number_from_text(knights) > 0:
            return [Cast(spells, recruits=((hex_from_text(at), number_from_text(knights)),))]
        case "movement", _:
            return _movements(state, seat, spells, values)
        case _:
            return []


def _movements(
    state: SorceryState, seat: int, spells: tuple[Spell, ...], values: Sequence[str]
) -> Iterator[Cast]:
    """The casts of these spells with a path to which the values lead. Raises ValueError."""
    takes = tuple(token for value in values if (token := token_of(value)))
    places = [hex_from_text(value) for value in values if not token_of(value)]
    has_celerity = "celerity" in spells
    if len(places) > 2 + has_celerity:
        return
    for start in places[:1] or hexes_with_knights(state, seat):
        for path in _paths(start, places[1:], has_celerity=has_celerity):
            yield Cast(spells, path, takes)


def _paths(start: Hex, places: Sequence[Hex], *, has_celerity: bool) -> Iterator[tuple[Hex, ...]]:
    """Paths from a hex; `places` are the hex where they end and the one between, if these are chosen."""
    match places:
        case [end, middle]:
            yield start, middle, end
        case [end] if has_celerity:
            steps = {middle: distance(middle, end) for middle in neighbours(start) if middle != end}
            yield from (
                (start, middle, end) for middle in steps if steps[middle] == min(steps.values())
            )
        case [end]:
            yield start, end
        case _ if has_celerity:
            yield from (
                (start, middle, end) for middle in neighbours(start) for end in neighbours(middle)
            )
        case _:
            yield from ((start, end) for end in neighbours(start))
