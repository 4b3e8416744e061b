"""Mysterious places (BS-MYS, BS-SET-3): what an arrival gains, and that nothing is built on them."""

from typing import Final, cast

from domain.barony.actions import Build, Expedition, Move, PlaceCity
from domain.barony.components import MYSTERIOUS_PLACE
from domain.barony.construction import SITE_CLAUSES, decide_build
from domain.barony.decide import decide_first_city as base_decide_first_city
from domain.barony.movement import move_steps
from domain.barony.recruitment import check_expedition
from domain.barony.sorcery.components import MAGIC_OF_A_VISIT
from domain.barony.sorcery.construction import NOT_ON_A_PLACE
from domain.barony.sorcery.formats import ExpeditionSent, KnightsMoved, MovedStep
from domain.barony.sorcery.state import SorceryBoard, SorceryState
from domain.barony.turn_order import after_turn
from domain.contract import DomainEvent
from domain.errors import Refused
from domain.hexes import Hex
from domain.messages import Message, hex_at, message

SORCERY_SITE_CLAUSES: Final = (NOT_ON_A_PLACE, *SITE_CLAUSES)
"""BY-BLD-1, 2, 3, BS-MYS-1: where villages and strongholds are built."""


def magic_of_arrival(state: SorceryState, seat: int, hex: int) -> int:
    """BS-MYS-2, 3: the magic tokens that an arrival of the seat on the hex gains; 0 without an imprint."""
    if state.board.terrain[hex] != MYSTERIOUS_PLACE or hex in state.imprints[seat]:
        return 0
    imprints = sum(hex in places for places in state.imprints)
    return MAGIC_OF_A_VISIT[imprints] if imprints < len(MAGIC_OF_A_VISIT) else 0


def decide_move(state: SorceryState, seat: int, action: Move) -> DomainEvent:
    """BY-MOV, BS-MYS-2, 4: one or two knights move, and may reach mysterious places. Raises Refused."""
    moves: list[MovedStep] = []
    explored: set[int] = set()
    for step in move_steps(state, seat, action):
        move = cast("MovedStep", step)
        q, r = step["to"]
        hex = state.board.index[q, r]
        magic = magic_of_arrival(state, seat, hex)
        if magic and hex not in explored:
            move["magic"] = magic
            explored.add(hex)
        moves.append(move)
    data: KnightsMoved = {"seat": seat, "moves": moves, "then": after_turn(state)}
    return DomainEvent("KnightsMoved", data)


def decide_expedition(state: SorceryState, seat: int, action: Expedition) -> DomainEvent:
    """BY-EXP, BS-MYS-2, 4: an expedition, which may reach a mysterious place. Raises Refused."""
    hex = check_expedition(state, seat, action)
    data: ExpeditionSent = {"seat": seat, "to": list(action.to), "then": after_turn(state)}
    magic = magic_of_arrival(state, seat, hex)
    if magic:
        data["magic"] = magic
    return DomainEvent("ExpeditionSent", data)


def decide_buildings(state: SorceryState, seat: int, action: Build) -> DomainEvent:
    """BY-BLD, BS-MYS-1: knights become buildings, never on a mysterious place. Raises Refused."""
    return decide_build(state, seat, action, SORCERY_SITE_CLAUSES)


def _near_a_place(at: Hex, terrain: int) -> Message:
    """BS-SET-3: why a hex of this terrain, on or beside a mysterious place, holds no first city."""
    if terrain == MYSTERIOUS_PLACE:
        return message("{hex} is a mysterious place", hex=hex_at(at))
    return message("{hex} is adjacent to a mysterious place", hex=hex_at(at))


def decide_first_city(state: SorceryState, seat: int, action: PlaceCity) -> DomainEvent:
    """BY-SET-3, 4, BS-SET-3: a first city, away from mysterious places. Raises Refused."""
    board = state.board
    hex = board.index.get(action.at)
    if (
        state.phase == "setup"
        and hex is not None
        and isinstance(board, SorceryBoard)
        and board.by_a_place[hex]
    ):
        raise Refused("BS-SET-3", _near_a_place(action.at, board.terrain[hex]))
    return base_decide_first_city(state, seat, action)
