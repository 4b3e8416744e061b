"""The course of the game: whose turn comes next, when a round ends, when play is over.

What a fact brings about for the course stands in it under `then`, so that applying it needs no rule.
"""

from functools import cache

from domain.barony.components import CITIES, CITY, DUKE, FIRST_CITIES, RANKS
from domain.barony.state import State, replaced
from domain.contract import DomainEvent, Json, untyped_data


@cache
def placements(seats: int) -> tuple[int, ...]:
    """BY-SET-3: the seats in the order in which they place their cities."""
    last = seats - 1
    there = list(range(last))
    back = [seat for seat in reversed(there) for _ in range(FIRST_CITIES - 1)]
    return (*there, *[last] * FIRST_CITIES, *back)


def cities_placed(state: State, seat: int) -> int:
    """How many cities the seat has placed; for set-up, when none is founded."""
    return CITIES - state.reserve_cities[seat]


def can_hold_first_city(state: State, hex: int) -> bool:
    """BY-SET-4: whether a first city could be placed on this hex of the board, by anyone."""
    board, building = state.board, state.building
    return (
        board.can_be_settled[hex]
        and building[hex] != CITY
        and all(building[near] != CITY for near in board.neighbours[hex])
    )


def after_placement(after: State) -> Json:
    """BY-SET-3, 5, 6: the course after a placement, or a departure in set-up, already made in `after`."""
    placed = [cities_placed(after, seat) for seat in range(after.seats)]
    free = any(can_hold_first_city(after, hex) for hex in range(len(after.board.hexes)))
    for seat in placements(after.seats) if free else ():
        if placed[seat]:
            placed[seat] -= 1
        elif not after.is_out[seat]:
            return _then("setup", 0, after.turn + 1, seat)
    return _then("play", 1, after.turn + 1, after.in_game()[0])


def after_turn(state: State, fact: DomainEvent | None, leaver: int | None = None) -> Json:
    """BY-TURN-1, 4, BY-END-2, 5: the course once the turn of `to_act` is over.

    `state` is from before the turn, `fact` is what was done in it; None where the seat left the game.
    """
    seat = state.to_act
    assert seat is not None
    passed = fact is not None and fact.type == "TurnPassed"
    is_plain = not (passed or state.passed or leaver is not None)
    if is_plain and seat + 1 < len(state.is_out) and not state.is_out[seat + 1]:
        return _then("play", state.round, state.turn + 1, seat + 1)  # nearly every turn
    staying = state.in_game()
    if leaver is not None:
        staying.remove(leaver)
    who_passed = state.passed
    if passed:
        who_passed = tuple(sorted({*who_passed, seat}))
    if leaver in who_passed:
        who_passed = tuple(other for other in who_passed if other != leaver)
    if seat < staying[-1]:
        following = next(other for other in staying if other > seat)
        return _then("play", state.round, state.turn + 1, following, who_passed)
    is_over = (
        (fact is not None and untyped_data(fact).get("rank") == RANKS[DUKE])
        or DUKE in state.rank
        or state.round == state.round_limit
        or is_end_agreed(state, leaver)
        or list(who_passed) == staying
    )
    if is_over:
        return _then("scoring", state.round, state.turn, None)
    return _then("play", state.round + 1, state.turn + 1, staying[0])


def after_departure(state: State, leaver: int) -> Json:
    """BY-END-6: the course when a seat leaves the game; `state` is from before that."""
    staying = [seat for seat in state.in_game() if seat != leaver]
    if len(staying) == 1:
        return _then("scoring", state.round, state.turn, None)
    if leaver == state.to_act:
        if state.phase == "play":
            return after_turn(state, None, leaver)
        after = state.copy()
        after.is_out = replaced(after.is_out, leaver, True)  # noqa: FBT003
        return after_placement(after)
    passed = tuple(seat for seat in state.passed if seat != leaver)
    return _then(state.phase, state.round, state.turn, state.to_act, passed)


def is_end_agreed(state: State, leaver: int | None = None) -> bool:
    """BY-END-5: whether all seats still playing (but for one that leaves) have asked for the end."""
    return state.end_by_agreement and all(
        seat in state.end_agreed_by for seat in state.in_game() if seat != leaver
    )


def _then(
    phase: str, round: int, turn: int, to_act: int | None, passed: tuple[int, ...] = ()
) -> Json:
    """`passed` is left out when empty, as it is but for the last rounds of a blocked game."""
    then: Json = {"phase": phase, "round": round, "turn": turn, "to_act": to_act}
    if passed:
        then["passed"] = list(passed)
    return then
