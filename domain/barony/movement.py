"""B. Movement and conflict (BY-MOV, BY-CON): deciding a move, what an arrival destroys, listing all moves.

A step of one knight is checked by `barrier`, and its arrival worked out by `arrive`; the expansion's
movement spells are made of these two.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from domain.barony.actions import Move
from domain.barony.components import KIND, LAKE, MOUNTAIN, RESOURCES, VILLAGE, Resource
from domain.barony.formats import Destroyed, KnightsMoved, Step
from domain.barony.state import State, apply_steps
from domain.barony.terms import TOKENS
from domain.barony.turn_order import after_turn
from domain.contract import DomainEvent
from domain.errors import Refused, refusal
from domain.hexes import Hex
from domain.messages import HexAt, Message, PlayerAt, hex_at, listing, message

Leg: TypeAlias = tuple[int, int]
"""A knight's step from hex to hex, as numbers of the board."""
Takes: TypeAlias = tuple[Resource, ...]
"""Kinds of token to take for destroyed villages (BY-CON-3)."""
Pawn: TypeAlias = tuple[int, Literal["knight", "village"]]
"""The seat of a pawn, and its kind."""

NO_CHOICE: Final[list[Takes]] = [()]
"""The choices of takes where there is nothing to take."""

BarrierClause: TypeAlias = Literal["BY-MOV-3", "BY-MOV-4", "BY-MOV-5", "BY-MOV-6"]
BARRIERS: Final[Mapping[str, Callable[[HexAt], Message]]] = {
    "BY-MOV-3": lambda at: message("{hex} is a lake", hex=at),
    "BY-MOV-4": lambda at: message("an opponent's city or stronghold is on {hex}", hex=at),
    "BY-MOV-5": lambda at: message("two or more pawns of one opponent are on {hex}", hex=at),
    "BY-MOV-6": lambda at: message("{hex} is a mountain with an opponent's pawn on it", hex=at),
}
"""By clause, a function that returns why a hex cannot be entered."""


def barrier(state: State, seat: int, hex: int) -> BarrierClause | None:
    """BY-MOV-3, 4, 5, 6: the clause that keeps a knight of the seat from entering the hex, or None."""
    terrain = state.board.terrain[hex]
    if terrain == LAKE:
        return "BY-MOV-3"
    building = state.building[hex]
    village_owner = -1
    if building and state.owner[hex] != seat:
        if building != VILLAGE:
            return "BY-MOV-4"
        village_owner = state.owner[hex]
    has_opponent = village_owner >= 0
    for other, knights in enumerate(state.knights):
        count = knights[hex]
        if count and other != seat:
            if count + (other == village_owner) > 1:
                return "BY-MOV-5"
            has_opponent = True
    if has_opponent and terrain == MOUNTAIN:
        return "BY-MOV-6"
    return None


def barred_hexes(state: State, seat: int, hexes: Iterable[int]) -> dict[int, BarrierClause]:
    """BY-MOV-3..6: those of the hexes that a knight of the seat cannot enter, each with the clause."""
    occupied, terrain = state.occupied(seat), state.board.terrain
    return {
        hex: clause
        for hex in hexes
        if (occupied[hex] or terrain[hex] == LAKE) and (clause := barrier(state, seat, hex))
    }


def hexes_with_opponents(state: State, seat: int, hexes: Iterable[int]) -> dict[int, list[Pawn]]:
    """Those of the hexes that hold knights or a village of other seats, with these pawns."""
    occupied = state.occupied(seat)
    return {
        hex: pawns for hex in hexes if occupied[hex] and (pawns := opposing_pawns(state, seat, hex))
    }


def opposing_pawns(state: State, seat: int, hex: int) -> list[Pawn]:
    """Knights and villages of other seats on the hex, knights first."""
    pawns: list[Pawn] = []
    for other, knights in enumerate(state.knights):
        count = knights[hex]
        if count and other != seat:
            pawns += [(other, "knight")] * count
    if state.building[hex] == VILLAGE and state.owner[hex] != seat:
        pawns.append((state.owner[hex], "village"))
    return pawns


def has_own_pawn(state: State, seat: int, hex: int) -> bool:
    """BY-CON-1: whether a knight that arrives on the hex is at least the second pawn of its seat there."""
    return bool(
        state.knights[seat][hex] or (state.building[hex] == VILLAGE and state.owner[hex] == seat)
    )


def check_step(
    state: State,
    seat: int,
    start: int,
    end: Hex,
    barrier: Callable[[State, int, int], BarrierClause | None] = barrier,
) -> int:
    """BY-MOV-1, 3..6: the number of the hex where a step from the hex of number `start` ends.

    Raises Refused.
    """
    board = state.board
    hex = board.index.get(end)
    if hex is None:
        raise refusal("BY-MOV-1", "{hex} is not on the board", hex=hex_at(end))
    if hex not in board.neighbours[start]:
        raise refusal(
            "BY-MOV-1",
            "{end} is not adjacent to {start}",
            end=hex_at(end),
            start=hex_at(board.hexes[start]),
        )
    clause = barrier(state, seat, hex)
    if clause is not None:
        raise Refused(clause, BARRIERS[clause](hex_at(end)))
    return hex


def check_knight(state: State, seat: int, start: Hex) -> int:
    """BY-MOV-1: the number of the hex from which a knight of the seat moves. Raises Refused."""
    hex = state.board.index.get(start)
    if hex is None:
        raise refusal("BY-MOV-1", "{hex} is not on the board", hex=hex_at(start))
    if not state.knights[seat][hex]:
        raise refusal(
            "BY-MOV-1", "{player} has no knight on {hex}", player=PlayerAt(seat), hex=hex_at(start)
        )
    return hex


def decide_move(state: State, seat: int, action: Move) -> DomainEvent:
    """BY-MOV-1..7, BY-CON-1..3: one or two knights move, one after the other. Raises Refused."""
    moves = move_steps(state, seat, action)
    data: KnightsMoved = {"seat": seat, "moves": moves, "then": after_turn(state)}
    return DomainEvent("KnightsMoved", data)


def move_steps(state: State, seat: int, action: Move) -> list[Step]:
    """BY-MOV-1..7, BY-CON-1..3: the steps of a move, with what they destroy. Raises Refused."""
    takes, knights = [*action.takes], state.knights[seat]
    start, end = action.moves[0]
    left = check_knight(state, seat, start)
    entered = check_step(state, seat, left, end)
    first = arrive(state, seat, start, end, entered, knights[entered], takes)
    steps = [first]
    if len(action.moves) == 2:
        start, end = action.moves[1]
        origin = _check_second_knight(state, seat, start, left, entered)
        if "destroyed" in first:
            state = state.copy()
            apply_steps(state, seat, (first,))
        # Otherwise the first step has changed nothing but where one knight of the seat stands.
        hex = check_step(state, seat, origin, end)
        present = knights[hex] + (hex == entered) - (hex == left)
        steps.append(arrive(state, seat, start, end, hex, present, takes))
    check_takes_used(takes)
    return steps


def _check_second_knight(state: State, seat: int, start: Hex, left: int, entered: int) -> int:
    """BY-MOV-1, 2: the number of the hex from which the second knight moves. Raises Refused.

    At most as many knights leave a hex as stood there in `state`, before the first knight moved from the hex
    of number `left` to `entered`.
    """
    hex, knights = state.board.index.get(start), state.knights[seat]
    if hex is not None and knights[hex] > (hex == left):
        return hex
    if hex in (left, entered):
        raise refusal("BY-MOV-2", "the knight on {hex} has already moved", hex=hex_at(start))
    return check_knight(state, seat, start)


def arrive(
    state: State, seat: int, start: Hex, end: Hex, hex: int, knights: int, takes: list[Resource]
) -> Step:
    """BY-CON-1, 2, 3: a step with what its arrival destroys, as in events.

    `hex` is the number of `end`, where the seat has so many `knights` before the arrival. Removes the takes
    that the step uses from `takes`. Raises Refused for a take that does not match.
    """
    step: Step = {"from": [*start], "to": [*end]}
    has_own_pawn = knights or (state.building[hex] == VILLAGE and state.owner[hex] == seat)
    if has_own_pawn and (pawns := opposing_pawns(state, seat, hex)):
        step["destroyed"] = [destroy(state, pawn, end, takes) for pawn in pawns]
    return step


def destroy(state: State, pawn: Pawn, at: Hex, takes: list[Resource]) -> Destroyed:
    """BY-CON-2, 3: a destroyed pawn as in events; a village uses up the next of `takes`. Raises Refused."""
    owner, kind = pawn
    if kind == "knight":
        return {"seat": owner, "pawn": kind}
    tokens = state.resources[owner]
    if not any(tokens):
        return {"seat": owner, "pawn": kind, "token": None}
    if not takes:
        raise refusal(
            "BY-CON-3",
            "name a token to take for {player}'s village on {hex}",
            player=PlayerAt(owner),
            hex=hex_at(at),
        )
    token = takes.pop(0)
    if not tokens[KIND[token]]:
        raise refusal(
            "BY-CON-3",
            "{player} has no {token} to take",
            player=PlayerAt(owner),
            token=TOKENS[token],
        )
    return {"seat": owner, "pawn": kind, "token": token}


def check_takes_used(takes: Sequence[Resource]) -> None:
    """BY-CON-3: no take is left over. Raises Refused."""
    if takes:
        tokens = listing(message("{token:a}", token=TOKENS[token]) for token in takes)
        raise refusal(
            "BY-CON-3", "no destroyed village is left for which to take: {tokens}", tokens=tokens
        )


def legal_moves(state: State, seat: int) -> list[Move]:
    """BY-MOV, BY-CON: every outcome that one or two moves can have.

    A hex that bars a knight bars it before and after any other move, so two moves are legal together
    if each of them is legal alone. Where their order makes no difference, one order is listed.
    """
    knights, hexes, near = state.knights[seat], state.board.hexes, state.board.neighbours
    starts = [hex for hex, count in enumerate(knights) if count]
    ends = {end for start in starts for end in near[start]}
    free = ends.difference(barred_hexes(state, seat, ends))
    occupied = hexes_with_opponents(state, seat, free)
    steps = [(start, end) for start in starts for end in near[start] if end in free]
    named = {step: (hexes[step[0]], hexes[step[1]]) for step in steps}
    takes_of = {
        step: takes_of_arrival(state, seat, step[1]) for step in steps if step[1] in occupied
    }
    taking = {step for step, choices in takes_of.items() if choices != NO_CHOICE}
    actions = [
        Move((named[step],), takes) for step in steps for takes in takes_of.get(step, NO_CHOICE)
    ]
    for number, first in enumerate(steps):
        start, end = first
        name = named[first]
        # A single knight does not move twice; two knights on a hex may take the same step.
        others = steps[number:] if knights[start] > 1 else steps[number + 1 :]
        for second in others:
            if second[0] == start and knights[start] == 1:
                continue
            is_meeting = end in second or second[1] == start
            if (
                first in taking
                or second in taking
                or (is_meeting and (end in occupied or second[1] in occupied))
            ):
                actions += _dependent_moves(state, seat, first, second)
            else:
                actions.append(Move((name, named[second])))
    return actions


def _dependent_moves(state: State, seat: int, first: Leg, second: Leg) -> list[Move]:
    """Two moves that take tokens or touch each other's hexes, with every choice of tokens."""
    orders = [(first, second)]
    if does_order_matter(state, seat, first, second):
        orders.append((second, first))
    hexes = state.board.hexes
    return [
        Move(tuple((hexes[start], hexes[end]) for start, end in order), takes)
        for order in orders
        for takes in _takes_of_two(state, seat, order)
    ]


def does_order_matter(state: State, seat: int, first: Leg, second: Leg) -> bool:
    """BY-CON-1, BY-MOV-7: whether two moves are listed in both orders.

    The order can matter where one move ends on the hex that the other leaves: as long as the other knight is
    there, the opponents on the hex are destroyed; without it they stay.
    """
    return (first[1] == second[0] or first[0] == second[1]) and bool(
        opposing_pawns(state, seat, first[1]) or opposing_pawns(state, seat, second[1])
    )


def takes_of_arrival(state: State, seat: int, hex: int) -> list[Takes]:
    """BY-CON-2, 3: the choices of takes that an arrival on the hex leaves to the attacker."""
    owner = state.owner[hex]
    if state.building[hex] != VILLAGE or owner == seat or not has_own_pawn(state, seat, hex):
        return NO_CHOICE
    tokens = state.resources[owner]
    return [(RESOURCES[kind],) for kind in range(4) if tokens[kind]] or NO_CHOICE


def _takes_of_two(state: State, seat: int, order: tuple[Leg, Leg]) -> list[Takes]:
    """BY-CON-2, 3, BY-MOV-7: the takes of two moves, the second on the board after the first."""
    hexes = state.board.hexes
    (start, end), (_, goal) = order
    choices: list[Takes] = []
    for takes in takes_of_arrival(state, seat, end):
        after = state.copy()
        present = state.knights[seat][end]
        step = arrive(state, seat, hexes[start], hexes[end], end, present, list(takes))
        apply_steps(after, seat, (step,))
        choices += [takes + more for more in takes_of_arrival(after, seat, goal)]
    return choices
