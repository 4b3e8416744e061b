"""The movement family (BS-CEL, BS-TEL, BS-TOR): one knight, one step or two, what they lift and sweep."""

from itertools import pairwise

from domain.barony.actions import Cast
from domain.barony.apply import fell, move_knight
from domain.barony.components import VILLAGE
from domain.barony.movement import arrive, barrier, check_step, destroy
from domain.barony.sorcery.places import visit
from domain.barony.sorcery.state import SorceryState
from domain.contract import Json
from domain.errors import Refused
from domain.hex_text import hex_text
from domain.hexes import Hex


def isolated_pawns(state: SorceryState, seat: int, hex: int) -> list[tuple[int, str]]:
    """BS-SPL-5: knights and villages of others that stand alone of their colour there, as (seat, pawn),
    knights first.
    """
    building, landlord = state.building[hex], state.owner[hex]
    if not building:
        landlord = -1
    alone = []
    for other, knights in enumerate(state.knights):
        if knights[hex] == 1 and other not in (seat, landlord):
            alone.append((other, "knight"))
    if building == VILLAGE and landlord != seat and not state.knights[landlord][hex]:
        alone.append((landlord, "village"))
    return alone


def is_teleport(state: SorceryState, seat: int, hex: int) -> bool:
    """BS-TEL-1: whether a step onto the hex needs Teleportation, and may be made by it.

    Where BY-MOV-6 is all that bars a hex, a village there is the only pawn of its owner (BY-MOV-5).
    """
    return (
        barrier(state, seat, hex) == "BY-MOV-6"
        and state.building[hex] == VILLAGE
        and state.owner[hex] != seat
    )


def barrier_lifted(state: SorceryState, seat: int, hex: int) -> str | None:
    """BS-TEL-1: the clause that keeps a knight from arriving on the hex by Teleportation, or None."""
    return None if is_teleport(state, seat, hex) else barrier(state, seat, hex)


def decide_movement(state: SorceryState, seat: int, cast: Cast) -> Json:
    """What comes of the spells, as the data of `SpellsCast` have it. Raises Refused."""
    path, takes = cast.path, list(cast.takes)
    steps = _check_length(cast)
    _check_knight(state, seat, path[0])
    has_tornado = "tornado" in cast.spells
    bar = barrier_lifted if "teleportation" in cast.spells else barrier
    trial = state.copy()
    moves: list[Json] = []
    teleports = 0
    for number, (start, end) in enumerate(pairwise(path), start=1):
        hex = check_step(trial, seat, start, end, bar)
        teleports += is_teleport(trial, seat, hex)
        left = _swept(trial, seat, start, takes) if has_tornado and number == 1 else []
        fell(trial, seat, trial.board.index[start], left)
        move = arrive(trial, seat, start, end, hex, takes)
        if left:
            move["left"] = left
        magic = visit(trial, seat, hex)
        if magic:
            move["magic"] = magic
        move_knight(trial, seat, move)
        swept = _swept(trial, seat, end, takes) if has_tornado and number == steps else []
        if swept:
            move["swept"] = swept
        moves.append(move)
    if "teleportation" in cast.spells and teleports != 1:
        clause = "BS-TEL-1" if steps == 1 else "BS-TEL-2"
        which = "both steps lead" if teleports else "no step leads"
        raise Refused(clause, f"{which} onto a mountain where an opponent's village stands alone")
    if takes:
        raise Refused("BY-CON-3", f"nothing is there to take {', '.join(takes)} for")
    return {"moves": moves}


def _check_length(cast: Cast) -> int:
    """BS-CEL-1, 2: the number of steps. Raises Refused."""
    steps = len(cast.path) - 1
    if "celerity" in cast.spells and steps != 2:
        raise Refused("BS-CEL-1", "with Celerity the knight makes two steps, no fewer")
    if "celerity" not in cast.spells and steps != 1:
        raise Refused("BS-CEL-2", "without Celerity the knight makes one step")
    return steps


def _check_knight(state: SorceryState, seat: int, start: Hex) -> None:
    """BY-MOV-1: the knight that moves. Raises Refused."""
    hex = state.board.index.get(start)
    if hex is None:
        raise Refused("BY-MOV-1", f"{hex_text(start)} is not on the board")
    if not state.knights[seat][hex]:
        raise Refused("BY-MOV-1", f"seat {seat} has no knight on {hex_text(start)}")


def _swept(state: SorceryState, seat: int, at: Hex, takes: list[str]) -> list[Json]:
    """BS-TOR-1, 2: what Tornado destroys on a hex, as facts have it; takes are used up. Raises Refused."""
    pawns = isolated_pawns(state, seat, state.board.index[at])
    return [destroy(state, owner, pawn, at, takes) for owner, pawn in pawns]
