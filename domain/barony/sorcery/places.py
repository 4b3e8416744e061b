"""Mysterious places (BS-MYS, BS-SET-3): what an arrival brings, and what is never built on one."""

from typing import Final

from domain.barony.actions import Build, Expedition, Move, PlaceCity
from domain.barony.components import MYSTERIOUS_PLACE
from domain.barony.construction import bar_to_building, decide_build
from domain.barony.decide import place_city
from domain.barony.movement import decide_move
from domain.barony.recruitment import decide_expedition
from domain.barony.sorcery.components import MAGIC_OF_A_VISIT
from domain.barony.sorcery.state import SorceryBoard, SorceryState
from domain.contract import DomainEvent, untyped_data
from domain.errors import Refused
from domain.hex_text import hex_text

NO_BUILDING_HERE: Final = "nothing is ever built on a mysterious place"


def visit(state: SorceryState, seat: int, hex: int) -> int:
    """BS-MYS-2, 3: the magic tokens that an arrival of the seat on the hex brings, if any."""
    if state.board.terrain[hex] != MYSTERIOUS_PLACE or hex in state.imprints[seat]:
        return 0
    there = sum(hex in places for places in state.imprints)
    return MAGIC_OF_A_VISIT[there] if there < len(MAGIC_OF_A_VISIT) else 0


def move(state: SorceryState, seat: int, action: Move) -> DomainEvent:
    """BY-MOV, BS-MYS-2, 4: one or two knights move, and may come to mysterious places. Raises Refused."""
    fact = decide_move(state, seat, action)
    explored: set[int] = set()
    for step in untyped_data(fact)["moves"]:
        hex = state.board.index[step["to"][0], step["to"][1]]
        magic = visit(state, seat, hex)
        if magic and hex not in explored:
            step["magic"] = magic
            explored.add(hex)
    return fact


def expedition(state: SorceryState, seat: int, action: Expedition) -> DomainEvent:
    """BY-EXP, BS-MYS-2, 4: an expedition, which may come to a mysterious place. Raises Refused."""
    fact = decide_expedition(state, seat, action)
    magic = visit(state, seat, state.board.index[action.to])
    if magic:
        untyped_data(fact)["magic"] = magic
    return fact


def build(state: SorceryState, seat: int, action: Build) -> DomainEvent:
    """BY-BLD, BS-MYS-1: knights become buildings, never on a mysterious place. Raises Refused."""
    for at, _ in action.builds:
        hex = state.board.index.get(at)
        if hex is not None and bar_to_site(state, seat, hex) == "BS-MYS-1":
            raise Refused("BS-MYS-1", f"no building on {hex_text(at)}: {NO_BUILDING_HERE}")
    return decide_build(state, seat, action)


def bar_to_site(state: SorceryState, seat: int, hex: int) -> str | None:
    """BY-BLD-1, 2, 3, BS-MYS-1: the clause that keeps the seat from building on the hex, or None."""
    clause = bar_to_building(state, seat, hex)
    if clause is None and state.board.terrain[hex] == MYSTERIOUS_PLACE:
        return "BS-MYS-1"
    return clause


def first_city(state: SorceryState, seat: int, action: PlaceCity) -> DomainEvent:
    """BY-SET-3, 4, BS-SET-3: a first city, away from mysterious places. Raises Refused."""
    board = state.board
    hex = board.index.get(action.at)
    if (
        state.phase == "setup"
        and hex is not None
        and isinstance(board, SorceryBoard)
        and board.by_a_place[hex]
    ):
        where = "is" if board.terrain[hex] == MYSTERIOUS_PLACE else "is adjacent to"
        raise Refused("BS-SET-3", f"{hex_text(action.at)} {where} a mysterious place")
    return place_city(state, seat, action)
