"""The choices by which a player of Barony comes to an action (`domain.choices`).

Parts of an action whose order makes no difference can be chosen in any order: the knights that move, and the
sites of a construction.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias, assert_never

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
from domain.barony.components import Resource
from domain.barony.movement import NO_CHOICE, Takes, does_order_matter, takes_of_arrival
from domain.barony.state import State
from domain.choices import COMMON_QUESTIONS, Choice, card, hex_choice
from domain.contract import Resign
from domain.hexes import Hex
from domain.messages import Text, message

Moves: TypeAlias = tuple[tuple[Hex, Hex], ...]
"""The moves of one action: where each begins and ends."""

QUESTIONS: Final[Mapping[str, Text]] = {
    **COMMON_QUESTIONS,
    "first_city": message("Where do you place a city and a knight?"),
    "city": message("In which city do you recruit?"),
    "knights": message("How many knights do you recruit?"),
    "knight": message("Which knight moves?"),
    "destination": message("Where does the knight move?"),
    "token": message("Which token do you take for the village?"),
    "next_knight": message("Which other knight moves?"),
    "site": message("On which hex do you build?"),
    "building": message("What do you build there?"),
    "next_site": message("On which other hex do you build?"),
    "village": message("Which village becomes a city?"),
    "edge": message("Where does the expedition arrive?"),
    "payment": message("Which tokens do you discard?"),
    "agreement": message("What do you say about the end of the game?"),
}

DONE: Final = "done"
"""The value of the choice that an action has no further part."""


def choices(state: State, seat: int, action: Action, path: Sequence[Choice]) -> Sequence[Choice]:
    """The choices after those of `path` that lead on to the action."""
    match action:
        case Move():
            return _move_choices(state, seat, action, path)
        case Build():
            return _build_choices(action, path)
        case _:
            return _fixed_sequence(action)[len(path) - 1 : len(path)]


def _fixed_sequence(action: Action) -> tuple[Choice, ...]:
    """The choices after the type of an action whose parts are chosen in one order only."""
    match action:
        case PlaceCity(at):
            return (hex_choice("first_city", at),)
        case Recruit(at, knights):
            return (hex_choice("city", at), card("knights", str(knights), "knight"))
        case NewCity(at):
            return (hex_choice("village", at),)
        case Expedition(to):
            return (hex_choice("edge", to),)
        case NobleTitle(discard):
            return (card("payment", "-".join(map(str, discard))),)
        case AgreeToEnd(agree):
            return (card("agreement", "agree" if agree else "disagree"),)
        case Pass() | Resign() | Move() | Build() | Cast():
            return ()
        case _:
            assert_never(action)


def _move_choices(
    state: State, seat: int, action: Move, path: Sequence[Choice]
) -> Sequence[Choice]:
    """BY-MOV, BY-CON-3: each knight, where it moves and the token that it takes; either knight first, unless
    their order matters.
    """
    moves = action.moves
    following = [next_in(_move_sequence(state, seat, moves, action.takes), path)]
    if len(moves) == 2 and moves[0] != moves[1] and not _is_ordered(state, seat, moves):
        following.append(
            next_in(_move_sequence(state, seat, moves[::-1], action.takes[::-1]), path)
        )
        if following[0] == following[1]:
            del following[1]
    return [choice for choice in following if choice]


def _is_ordered(state: State, seat: int, moves: Moves) -> bool:
    """Whether the action with these two moves in the other order is another action."""
    (start, end), (second_start, second_end) = moves
    if end != second_start and start != second_end:
        return False
    index = state.board.index
    first, second = (index[start], index[end]), (index[second_start], index[second_end])
    return does_order_matter(state, seat, first, second)


def _move_sequence(state: State, seat: int, moves: Moves, takes: Takes) -> Iterator[Choice]:
    """The choices for these moves in this order; `takes` are the tokens that they take, in this order."""
    question = "knight"
    for number, (start, end) in enumerate(moves):
        yield hex_choice(question, start)
        yield hex_choice("destination", end)
        if takes and (number or _takes_token(state, seat, moves, takes)):
            yield token_choice(takes[0], state.owner[state.board.index[end]])
            takes = takes[1:]
        question = "next_knight"
    if len(moves) == 1:
        yield card("next_knight", DONE)


def _takes_token(state: State, seat: int, moves: Moves, takes: Takes) -> bool:
    """Whether the first of the moves takes the first of the tokens, and not the second move."""
    if len(takes) == len(moves):
        return True
    end = state.board.index[moves[0][1]]
    return takes_of_arrival(state, seat, end) != NO_CHOICE


def token_choice(token: Resource, owner: int) -> Choice:
    """The choice of a token to take from the owner of a destroyed village."""
    return card("token", f"{token}-{owner}", token)


def next_in(sequence: Iterator[Choice], path: Sequence[Choice]) -> Choice | None:
    """The choice of the sequence after those of `path`; None if the sequence is another or at its end."""
    for choice in path[1:]:
        if next(sequence, None) != choice:
            return None
    return next(sequence, None)


def _build_choices(action: Build, path: Sequence[Choice]) -> Sequence[Choice]:
    """BY-BLD-1: the sites in any order, each with its building, and then that there is no other."""
    last = path[-1]
    if last.question in ("site", "next_site"):
        return [card("building", name, name) for at, name in action.builds if at == last.at]
    question = "site" if len(path) == 1 else "next_site"
    chosen = {choice.at for choice in path}
    sites = [hex_choice(question, at) for at, _ in action.builds if at not in chosen]
    return sites or [card("next_site", DONE)]
