"""B. Movement and conflict (BY-MOV, BY-CON): judging a move, what its arrival destroys, listing all moves.

One step of one knight is judged by `barrier`, and its arrival by `arrive`; an expansion makes other ways of
moving out of these two.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias

from domain.barony.actions import Move
from domain.barony.apply import move_knight
from domain.barony.components import LAKE, MOUNTAIN, RESOURCES, VILLAGE
from domain.barony.state import State
from domain.contract import DomainEvent, Json, untyped_event
from domain.errors import Refused
from domain.hex_text import hex_text
from domain.hexes import Hex

Step: TypeAlias = tuple[int, int]
"""A knight's step from hex to hex, as numbers of the board."""

NOTHING: Final[list[tuple[str, ...]]] = [()]
"""The choices of tokens where none is to be had: one, to take none."""

WHY: Final = {
    "BY-MOV-3": "is a lake",
    "BY-MOV-4": "holds an opponent's city or stronghold",
    "BY-MOV-5": "holds two or more pawns of one opponent",
    "BY-MOV-6": "is a mountain with an opponent's pawn on it",
}


def barrier(state: State, seat: int, hex: int) -> str | None:
    """BY-MOV-3, 4, 5, 6: the clause that keeps a knight of the seat from arriving on the hex, or None."""
    terrain = state.board.terrain[hex]
    if terrain == LAKE:
        return "BY-MOV-3"
    building = state.building[hex]
    landlord = -1
    if building and state.owner[hex] != seat:
        if building != VILLAGE:
            return "BY-MOV-4"
        landlord = state.owner[hex]
    is_met = landlord >= 0
    for other, knights in enumerate(state.knights):
        count = knights[hex]
        if count and other != seat:
            if count + (other == landlord) > 1:
                return "BY-MOV-5"
            is_met = True
    if is_met and terrain == MOUNTAIN:
        return "BY-MOV-6"
    return None


def barred(state: State, seat: int, hexes: Iterable[int]) -> dict[int, str]:
    """BY-MOV-3..6: those of the hexes from which a knight of the seat is kept, each with the clause."""
    occupied, terrain = state.occupied(seat), state.board.terrain
    return {
        hex: clause
        for hex in hexes
        if (occupied[hex] or terrain[hex] == LAKE) and (clause := barrier(state, seat, hex))
    }


def meetings(state: State, seat: int, hexes: Iterable[int]) -> dict[int, list[tuple[int, str]]]:
    """Those of the hexes where a knight of the seat meets knights and villages of others, with these."""
    occupied = state.occupied(seat)
    return {
        hex: pawns for hex in hexes if occupied[hex] and (pawns := opposing_pawns(state, seat, hex))
    }


def check_step(
    state: State,
    seat: int,
    start: Hex,
    end: Hex,
    barrier: Callable[[Any, int, int], str | None] = barrier,
) -> int:
    """BY-MOV-1, 3..6: the number of the hex where a step from a hex of the board ends. Raises Refused."""
    board = state.board
    hex = board.index.get(end)
    if hex is None:
        raise Refused("BY-MOV-1", f"{hex_text(end)} is not on the board")
    if hex not in board.neighbours[board.index[start]]:
        raise Refused("BY-MOV-1", f"{hex_text(end)} is not adjacent to {hex_text(start)}")
    clause = barrier(state, seat, hex)
    if clause is not None:
        raise Refused(clause, f"{hex_text(end)} {WHY[clause]}")
    return hex


def opposing_pawns(state: State, seat: int, hex: int) -> list[tuple[int, str]]:
    """Knights and villages of others on the hex, as (seat, `knight` or `village`), knights first."""
    pawns = []
    for other, knights in enumerate(state.knights):
        count = knights[hex]
        if count and other != seat:
            pawns += [(other, "knight")] * count
    if state.building[hex] == VILLAGE and state.owner[hex] != seat:
        pawns.append((state.owner[hex], "village"))
    return pawns


def has_company(state: State, seat: int, hex: int) -> bool:
    """BY-CON-1: whether a knight that arrives on the hex makes two or more pawns of its owner there."""
    return bool(
        state.knights[seat][hex] or (state.building[hex] == VILLAGE and state.owner[hex] == seat)
    )


def decide_move(state: State, seat: int, action: Move) -> DomainEvent:
    """BY-MOV-1..7, BY-CON-1..3: one or two knights move, one after the other. Raises Refused."""
    takes = list(action.takes)
    start, end = action.moves[0]
    _check_knight(state, state, seat, start, 1)
    steps = [arrive(state, seat, start, end, check_step(state, seat, start, end), takes)]
    if len(action.moves) == 2:
        trial = state
        start, end = action.moves[1]
        if "destroyed" in steps[0] or start in action.moves[0] or end in action.moves[0]:
            # Else the first move has changed nothing that the second one meets.
            trial = state.copy()
            move_knight(trial, seat, steps[0])
        _check_knight(state, trial, seat, start, 2 if start == action.moves[0][0] else 1)
        steps.append(arrive(trial, seat, start, end, check_step(trial, seat, start, end), takes))
    if takes:
        raise Refused("BY-CON-3", f"nothing is there to take {', '.join(takes)} for")
    return untyped_event("KnightsMoved", {"seat": seat, "moves": steps})


def _check_knight(before: State, now: State, seat: int, start: Hex, leaving: int) -> None:
    """BY-MOV-1, 2: as many knights leave a hex as stood there before the action. Raises Refused."""
    hex = before.board.index.get(start)
    if hex is None:
        raise Refused("BY-MOV-1", f"{hex_text(start)} is not on the board")
    if before.knights[seat][hex] < leaving:
        if leaving == 2 or now.knights[seat][hex]:
            raise Refused("BY-MOV-2", f"the knight on {hex_text(start)} has moved already")
        raise Refused("BY-MOV-1", f"seat {seat} has no knight on {hex_text(start)}")


def arrive(state: State, seat: int, start: Hex, end: Hex, hex: int, takes: list[str]) -> Json:
    """BY-CON-1, 2, 3: a step as facts have it, with what the arrival destroys; takes are used up.

    Raises Refused for a take that does not fit.
    """
    step: Json = {"from": list(start), "to": list(end)}
    if has_company(state, seat, hex) and (pawns := opposing_pawns(state, seat, hex)):
        step["destroyed"] = [destroy(state, owner, pawn, end, takes) for owner, pawn in pawns]
    return step


def destroy(state: State, owner: int, pawn: str, at: Hex, takes: list[str]) -> Json:
    """BY-CON-2, 3: a fallen pawn as facts have it; for a village the next of `takes` is used up."""
    if pawn == "knight":
        return {"seat": owner, "pawn": pawn}
    held = state.resources[owner]
    if not any(held):
        return {"seat": owner, "pawn": pawn, "token": None}
    if not takes:
        raise Refused(
            "BY-CON-3", f"say which token to take for seat {owner}'s village on {hex_text(at)}"
        )
    kind = takes.pop(0)
    if not held[RESOURCES.index(kind)]:
        raise Refused("BY-CON-3", f"seat {owner} has no {kind} token to take")
    return {"seat": owner, "pawn": pawn, "token": kind}


def legal_moves(state: State, seat: int) -> list[Move]:
    """BY-MOV, BY-CON: every outcome that one or two moves can have.

    A hex that bars a knight bars it before and after any other move, so two moves are legal together
    when each of them is alone. Where their order makes no difference they are listed in one.
    """
    knights, hexes, near = state.knights[seat], state.board.hexes, state.board.neighbours
    starts = [hex for hex, count in enumerate(knights) if count]
    ends = {end for start in starts for end in near[start]}
    free = ends.difference(barred(state, seat, ends))
    met = meetings(state, seat, free)
    steps = [(start, end) for start in starts for end in near[start] if end in free]
    named = {step: (hexes[step[0]], hexes[step[1]]) for step in steps}
    spoils = {step: _spoils(state, seat, step[1]) for step in steps if step[1] in met}
    robbing = {step for step, choices in spoils.items() if choices != NOTHING}
    actions = [Move((named[step],), takes) for step in steps for takes in spoils.get(step, NOTHING)]
    for number, first in enumerate(steps):
        start, end = first
        name = named[first]
        # a knight that stands alone does not move twice, two together may go the same way
        others = steps[number:] if knights[start] > 1 else steps[number + 1 :]
        for second in others:
            if second[0] == start and knights[start] == 1:
                continue
            is_meeting = end in second or second[1] == start
            if (
                first in robbing
                or second in robbing
                or (is_meeting and (end in met or second[1] in met))
            ):
                actions += _entangled_moves(state, seat, first, second)
            else:
                actions.append(Move((name, named[second])))
    return actions


def _entangled_moves(state: State, seat: int, first: Step, second: Step) -> list[Move]:
    """Two moves that take tokens or touch each other's hexes, with every choice of tokens.

    The order matters where one ends on the hex that the other leaves: with the knight still there the
    opponents fall, without it they stay.
    """
    orders = [(first, second)]
    if first[1] == second[0] or first[0] == second[1]:
        orders.append((second, first))
    hexes = state.board.hexes
    return [
        Move(tuple((hexes[start], hexes[end]) for start, end in order), takes)
        for order in orders
        for takes in _spoils_of_two(state, seat, order)
    ]


def _spoils(state: State, seat: int, hex: int) -> list[tuple[str, ...]]:
    """BY-CON-2, 3: the takes that an arrival on the hex lets the attacker choose from."""
    owner = state.owner[hex]
    if state.building[hex] != VILLAGE or owner == seat or not has_company(state, seat, hex):
        return NOTHING
    held = state.resources[owner]
    return [(RESOURCES[kind],) for kind in range(4) if held[kind]] or NOTHING


def _spoils_of_two(state: State, seat: int, order: tuple[Step, Step]) -> list[tuple[str, ...]]:
    """BY-CON-2, 3, BY-MOV-7: the takes of two moves, the second on the board that the first has left."""
    hexes = state.board.hexes
    (start, end), (_, goal) = order
    found: list[tuple[str, ...]] = []
    for takes in _spoils(state, seat, end):
        after = state.copy()
        move_knight(after, seat, arrive(state, seat, hexes[start], hexes[end], end, list(takes)))
        found += [takes + more for more in _spoils(after, seat, goal)]
    return found
