"""Attempts of Barony: the action that a choice amounts to, whether or not the rules allow it.

The parts of the action that are not chosen yet are tried out, and the first action that is allowed is taken.
If there is none, one is taken that breaks a clause which is checked late: the clauses of a group are numbered
in the order in which they are checked, and those about single spells come last.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Final, Literal, TypeAlias

from domain.barony.actions import (
    Action,
    AgreeToEnd,
    Build,
    Cast,
    Expedition,
    Move,
    NewCity,
    NobleTitle,
    Pass,
    PlaceCity,
    Recruit,
)
from domain.barony.choices import DONE
from domain.barony.components import CITY, RESOURCES, VILLAGE, Resource
from domain.barony.decide import decide as base_decide
from domain.barony.state import State, StateT
from domain.barony.titles import legal_titles
from domain.choices import Choice
from domain.contract import DomainEvent, Resign
from domain.errors import Refused
from domain.hexes import Hex, hex_from_text, neighbours, number_from_text

Decide: TypeAlias = Callable[[StateT, int, Action], DomainEvent]
"""The function `decide` of a rule system."""

MOST_TAKES: Final = 3
"""The greatest number of villages that one action can destroy, with Celerity and Tornado."""
BUILDINGS: Final[tuple[Literal["village", "stronghold"], ...]] = ("village", "stronghold")


def attempt(
    state: StateT,
    seat: int,
    path: Sequence[Choice],
    value: str,
    decide: Decide[StateT] = base_decide,
) -> Action | None:
    """The simplest action that choosing `value` after the choices of `path` amounts to; None if none.

    Actions that the whole game or the rest of it does not have amount to none: casts, a request for the end
    without the option, and first cities after the set-up.
    """
    type, *values = [*(choice.value for choice in path), value]
    try:
        return most_favourable(state, seat, _candidates(state, seat, type, values), decide)
    except ValueError:  # the text of a hex or a number
        return None


def most_favourable(
    state: StateT, seat: int, candidates: Iterable[Action], decide: Decide[StateT]
) -> Action | None:
    """The first action that is allowed, or else one that breaks the latest clause; None if there is none.

    Tokens for destroyed villages are added where they are missing.
    """
    best: Action | None = None
    latest = (False, "")
    for candidate in candidates:
        for action in _with_takes(candidate):
            try:
                decide(state, seat, action)
            except Refused as error:
                clause = error.clause or ""
            else:
                return action
            rank = (not clause.startswith("BY"), clause)
            if best is None or rank > latest:
                best, latest = action, rank
            if clause != "BY-CON-3":
                break
    return best


def _with_takes(action: Action) -> Iterator[Action]:
    """BY-CON-3: the action as it is, and then with more tokens to take."""
    yield action
    if isinstance(action, Move | Cast):
        for count in range(1, MOST_TAKES + 1 - len(action.takes)):
            for takes in product(RESOURCES, repeat=count):
                yield replace(action, takes=(*action.takes, *takes))


def _candidates(state: State, seat: int, type: str, values: Sequence[str]) -> Iterable[Action]:
    """The actions of a type to which the values can lead. Raises ValueError."""
    hexes = state.board.hexes
    match type, values:
        case "place_city", [] if state.phase == "setup":
            return map(PlaceCity, hexes)
        case "place_city", [at]:
            return [PlaceCity(hex_from_text(at))]
        case "recruit", []:
            return [Recruit(at, 1) for at in hexes_or_any(state, state.built(seat, CITY))]
        case "recruit", [at]:
            return [Recruit(hex_from_text(at), 1)]
        case "recruit", [at, knights] if number_from_text(knights) > 0:
            return [Recruit(hex_from_text(at), number_from_text(knights))]
        case "move", _:
            return _moves(state, seat, values)
        case "build", _:
            return _builds(state, seat, values)
        case "new_city", []:
            return map(NewCity, hexes_or_any(state, state.built(seat, VILLAGE)))
        case "new_city", [at]:
            return [NewCity(hex_from_text(at))]
        case "expedition", []:
            return [
                Expedition(at)
                for at, is_edge in zip(hexes, state.board.edge, strict=True)
                if is_edge
            ]
        case "expedition", [to]:
            return [Expedition(hex_from_text(to))]
        case _:
            return _cards(state, seat, type, values)


def hexes_or_any(state: State, hexes: Sequence[int]) -> list[Hex]:
    """The hexes with these numbers, or one hex of the board if there are none."""
    return [state.board.hexes[hex] for hex in hexes or [0]]


def hexes_with_knights(state: State, seat: int) -> list[Hex]:
    """The hexes from which a knight of the seat could move, or one hex of the board if it has none there."""
    return hexes_or_any(state, [hex for hex, count in enumerate(state.knights[seat]) if count])


def _cards(state: State, seat: int, type: str, values: Sequence[str]) -> Iterable[Action]:
    """The actions of a type whose choices are no hexes. Raises ValueError."""
    match type, values:
        case "noble_title", []:
            mountain, forest, plain, field = state.resources[seat]
            return [*legal_titles(state, seat), NobleTitle((mountain, forest, plain, field))]
        case "noble_title", [payment]:
            mountain, forest, plain, field = map(number_from_text, payment.split("-"))
            return [NobleTitle((mountain, forest, plain, field))]
        case "agree_to_end", [] if state.end_by_agreement:
            return [AgreeToEnd(agree=seat not in state.end_agreed_by)]
        case "agree_to_end", ["agree" | "disagree" as answer]:
            return [AgreeToEnd(agree=answer == "agree")]
        case "pass", []:
            return [Pass()]
        case "resign", []:
            return [Resign()]
        case _:
            return []


def token_of(value: str) -> Resource | None:
    """The kind of token in the value of a choice, such as `plain-1`; None if the value is another choice."""
    word = value.partition("-")[0]
    return next((name for name in RESOURCES if name == word), None)


def _moves(state: State, seat: int, values: Sequence[str]) -> Iterator[Move]:
    """Moves of knights; of a knight without a destination yet, to every adjacent hex. Raises ValueError."""
    takes = tuple(token for value in values if (token := token_of(value)))
    places = [value for value in values if value != DONE and not token_of(value)]
    hexes = [hex_from_text(place) for place in places]
    if not values:
        starts = hexes_with_knights(state, seat)
        paths = [[start, end] for start in starts for end in neighbours(start)]
    elif len(hexes) % 2 == 0:
        paths = [hexes]
    elif values[-1] == places[-1]:
        paths = [[*hexes, end] for end in neighbours(hexes[-1])]
    else:
        paths = []
    for path in paths:
        if 2 <= len(path) <= 4 and DONE not in values[:-1]:
            yield Move(tuple(zip(path[::2], path[1::2], strict=True)), takes)


def _builds(state: State, seat: int, values: Sequence[str]) -> Iterator[Build]:
    """Constructions; on a site without a building yet, each of the two kinds. Raises ValueError."""
    places = values[:-1:2] if values[-1:] == [DONE] else values[::2]
    names = values[1::2]
    buildings = [building for name in names for building in BUILDINGS if building == name]
    hexes = [hex_from_text(place) for place in places]
    if len(buildings) < len(names) or len(set(hexes)) < len(hexes):
        return
    for sites in [hexes] if values else [[at] for at in hexes_with_knights(state, seat)]:
        for last in product(BUILDINGS, repeat=len(sites) - len(buildings)):
            if sites:
                yield Build(tuple(sorted(zip(sites, [*buildings, *last], strict=True))))
