"""The course of the game: whose turn comes next, when a round ends, when play is over.

What a fact brings about for the course stands in it under `then`, so that applying it needs no rule. The
functions take the state in which all else that the fact did is done already.
"""

from collections.abc import Sequence

from domain.baron.board import free_meadows
from domain.baron.components import LAST_TURNS
from domain.baron.state import State
from domain.contract import Json


def is_decided(after: State) -> bool:
    """BN-OUB-3: whether a single seat is left, or none."""
    return len(after.in_game()) <= 1


def turn_goes_on(after: State, phase: str) -> Json:
    """BN-TRN-3: the same turn, in this part of it."""
    return _then(phase, after.round, after.turn, after.to_act, after.turns_left)


def after_laying(after: State) -> Json:
    """BN-KEP-1, 4: on to the keep, where one can be put down; else the turn ends by itself."""
    seat = after.to_act
    assert seat is not None
    player = after.players[seat]
    if not is_decided(after) and player.out is None and player.keeps and free_meadows(after):
        return turn_goes_on(after, "keep")
    return after_turn(after)


def after_turn(after: State) -> Json:
    """BN-TRN-1, BN-END-1: the course once the turn of `to_act` is over; BN-OUB-3: or the game."""
    if is_decided(after):
        return _at_once(after)
    seat = after.to_act
    assert seat is not None
    left = after.turns_left
    if left is not None:
        left = _one_less(left, seat)
    elif not after.market and not after.pile_left:
        left = (LAST_TURNS,) * len(after.players)
    left = _none_for_who_is_out(after, left)
    playing = [other for other in after.in_game() if left is None or left[other]]
    if not playing:
        return _over(after, left)
    later = [other for other in playing if other > seat]
    then = _then(
        "draw" if after.market else "lay",
        after.round if later else after.round + 1,
        after.turn + 1,
        (later or playing)[0],
        left,
    )
    return _with_rested(after, then)


def after_departure(after: State, leaver: int) -> Json:
    """BN-END-4: the course when a seat has left the game."""
    if leaver == after.to_act or is_decided(after):
        return after_turn(after)
    left = _none_for_who_is_out(after, after.turns_left)
    return _then(after.phase, after.round, after.turn, after.to_act, left)


def finished(after: State) -> Json:
    """Play is over, and what came of it told."""
    left = _none_for_who_is_out(after, after.turns_left)
    then = _then("finished", after.round, after.turn, None, left)
    return _with_rested(after, then)


def _at_once(after: State) -> Json:
    """BN-OUB-3: the game is over in the middle of a turn, which is over with it."""
    left = after.turns_left
    if left is not None and after.to_act is not None:
        left = _one_less(left, after.to_act)
    return _over(after, _none_for_who_is_out(after, left))


def _over(after: State, left: Sequence[int] | None) -> Json:
    return _with_rested(after, _then("scoring", after.round, after.turn, None, left))


def _one_less(left: Sequence[int], seat: int) -> tuple[int, ...]:
    """One turn of the seat is over."""
    return tuple(turns - (other == seat) for other, turns in enumerate(left))


def _none_for_who_is_out(after: State, left: Sequence[int] | None) -> tuple[int, ...] | None:
    if left is None:
        return None
    staying = after.in_game()
    return tuple(turns if seat in staying else 0 for seat, turns in enumerate(left))


def _with_rested(after: State, then: Json) -> Json:
    """BN-KEP-2: the turn is over, and the keeps that came back in it can be put down again."""
    rested = [
        {"seat": seat, "keeps": player.resting}
        for seat, player in enumerate(after.players)
        if player.resting
    ]
    return {**then, "rested": rested} if rested else then


def _then(
    phase: str, round: int, turn: int, to_act: int | None, left: Sequence[int] | None
) -> Json:
    """`turns_left` is left out until it is counted, `rested` when there are none."""
    then: Json = {"phase": phase, "round": round, "turn": turn, "to_act": to_act}
    if left is not None:
        then["turns_left"] = list(left)
    return then
