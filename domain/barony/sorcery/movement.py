"""The movement family (BS-CEL, BS-TEL, BS-TOR): one knight makes one step or two."""

from itertools import pairwise
from typing import cast

from domain.barony.actions import Cast
from domain.barony.apply import apply_destroyed
from domain.barony.components import VILLAGE, Resource
from domain.barony.formats import Destroyed
from domain.barony.movement import (
    BarrierClause,
    Pawn,
    arrive,
    barrier,
    check_knight,
    check_step,
    check_takes_used,
    destroy,
)
from domain.barony.sorcery.apply import apply_steps
from domain.barony.sorcery.components import cost_of
from domain.barony.sorcery.formats import CastStep, MovementCast
from domain.barony.sorcery.places import magic_of_arrival
from domain.barony.sorcery.state import SorceryState
from domain.barony.state import State
from domain.barony.turn_order import after_turn
from domain.errors import Refused
from domain.hexes import Hex
from domain.messages import Message, message


def isolated_pawns(state: State, seat: int, hex: int) -> list[Pawn]:
    """BS-SPL-5: knights and villages of other seats that are the only pawn of their seat on the hex, knights
    first.
    """
    building, village_owner = state.building[hex], state.owner[hex]
    if not building:
        village_owner = -1
    isolated: list[Pawn] = []
    for other, knights in enumerate(state.knights):
        if knights[hex] == 1 and other not in (seat, village_owner):
            isolated.append((other, "knight"))
    if building == VILLAGE and village_owner != seat and not state.knights[village_owner][hex]:
        isolated.append((village_owner, "village"))
    return isolated


def is_teleportation(state: State, seat: int, hex: int) -> bool:
    """BS-TEL-1: whether a step onto the hex needs Teleportation, and may be made by it.

    Where BY-MOV-6 is all that bars a hex, a village there is the only pawn of its seat (BY-MOV-5).
    """
    return (
        barrier(state, seat, hex) == "BY-MOV-6"
        and state.building[hex] == VILLAGE
        and state.owner[hex] != seat
    )


def barrier_to_teleportation(state: State, seat: int, hex: int) -> BarrierClause | None:
    """BS-TEL-1: the clause that keeps a knight with Teleportation from entering the hex, or None."""
    return None if is_teleportation(state, seat, hex) else barrier(state, seat, hex)


def decide_movement(state: SorceryState, seat: int, action: Cast) -> MovementCast:
    """BS-CEL, BS-TEL, BS-TOR, BS-MYS-2: the data of the event. Raises Refused."""
    path, takes = action.path, list(action.takes)
    steps = _check_length(action)
    hex = check_knight(state, seat, path[0])
    has_tornado, has_teleportation = "tornado" in action.spells, "teleportation" in action.spells
    barrier_to_step = barrier_to_teleportation if has_teleportation else barrier
    trial = state.copy()
    moves: list[CastStep] = []
    teleportations = 0
    for number, (start, end) in enumerate(pairwise(path), start=1):
        hex = check_step(trial, seat, hex, end, barrier_to_step)
        teleportations += is_teleportation(trial, seat, hex)
        left: list[Destroyed] = []
        if has_tornado and number == 1:
            left = _sweep(trial, seat, start, takes)
            apply_destroyed(trial, seat, trial.board.index[start], left)
        present = trial.knights[seat][hex]
        move = cast("CastStep", arrive(trial, seat, start, end, hex, present, takes))
        if left:
            move["left"] = left
        magic = magic_of_arrival(trial, seat, hex)
        if magic:
            move["magic"] = magic
        apply_steps(trial, seat, (move,))
        if has_tornado and number == steps and (swept := _sweep(trial, seat, end, takes)):
            move["swept"] = swept
        moves.append(move)
    if has_teleportation and teleportations != 1:
        clause = "BS-TEL-1" if steps == 1 else "BS-TEL-2"
        raise Refused(clause, _not_one_teleportation(teleportations))
    check_takes_used(takes)
    return {
        "seat": seat,
        "spells": list(action.spells),
        "cost": cost_of(action.spells),
        "moves": moves,
        "then": after_turn(state),
    }


def _not_one_teleportation(teleportations: int) -> Message:
    """BS-TEL-1, 2: why a move with this number of teleportations, none or two, is refused."""
    if teleportations:
        return message(
            "both steps lead onto a mountain with an opponent's isolated village, and only one may"
        )
    return message("no step leads onto a mountain with an opponent's isolated village")


def _check_length(action: Cast) -> int:
    """BS-CEL-1, 2: the number of steps. Raises Refused."""
    steps = len(action.path) - 1
    if "celerity" in action.spells and steps != 2:
        raise Refused("BS-CEL-1", message("with Celerity the knight makes exactly two steps"))
    if "celerity" not in action.spells and steps != 1:
        raise Refused("BS-CEL-2", message("without Celerity the knight makes one step"))
    return steps


def _sweep(state: SorceryState, seat: int, at: Hex, takes: list[Resource]) -> list[Destroyed]:
    """BS-TOR-1, 2: what Tornado destroys on a hex, as in events.

    Removes the takes that it uses from `takes`. Raises Refused for a take that does not match.
    """
    pawns = isolated_pawns(state, seat, state.board.index[at])
    return [destroy(state, pawn, at, takes) for pawn in pawns]
