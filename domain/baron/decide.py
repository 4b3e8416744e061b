"""`decide`: judges an action and says all that comes of it.

Whose turn it is and departures are judged here, the three parts of a turn each in its file.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from domain.baron.actions import DiscardTile, Draw, EndTurn, PlaceKeep, PlaceTile
from domain.baron.apply import apply_outcome
from domain.baron.draw import decide_draw
from domain.baron.keep import decide_end_turn, decide_keep
from domain.baron.lay import decide_discard, decide_tile
from domain.baron.outcome import going_out
from domain.baron.state import State
from domain.baron.turn_order import after_departure, after_turn
from domain.contract import DomainEvent, Json, Resign, untyped_event
from domain.errors import NotNow, Refused
from domain.phrases import ENDED_PHASES

Decider: TypeAlias = Callable[[State, int, Any], DomainEvent]
"""Judges an action of a seat in its part of the turn. Raises Refused."""

DECIDERS: Final[Mapping[type, tuple[str, Decider]]] = {
    Draw: ("draw", decide_draw),
    PlaceTile: ("lay", decide_tile),
    DiscardTile: ("lay", decide_discard),
    PlaceKeep: ("keep", decide_keep),
    EndTurn: ("keep", decide_end_turn),
}
"""The part of the turn that each type of action belongs to (BN-TRN-3), and who judges it."""

_PARTS: Final = {
    "draw": "a tile is to be drawn",
    "lay": "a tile is to be laid",
    "keep": "a keep may be put down, or the turn ended",
}


def decide(state: State, seat: int, action: object) -> DomainEvent:
    """What comes of an action of the seat. Raises Refused with the clause, NotNow when play is over."""
    if state.to_act is None:
        raise NotNow(
            "BN-TRN-2", f"the game takes no more actions: it is {ENDED_PHASES[state.phase]}"
        )
    if state.players[seat].out is not None:
        raise Refused("BN-TRN-2", f"seat {seat} is out of the game")
    if isinstance(action, Resign):
        return _departed(state, seat, "PlayerResigned")
    if seat != state.to_act:
        raise Refused("BN-TRN-2", f"it is seat {state.to_act}'s turn, not seat {seat}'s")
    part, judge = DECIDERS[type(action)]
    if part != state.phase:
        raise Refused("BN-TRN-3", f"at this point of the turn {_PARTS[state.phase]}")
    return judge(state, seat, action)


def _departed(state: State, seat: int, type: str) -> DomainEvent:
    """BN-END-4: the seat is out at a moment of its own."""
    data: Json = {"seat": seat, "out": going_out(state, [seat])}
    after = state.copy()
    apply_outcome(after, data)
    return untyped_event(type, {**data, "then": after_departure(after, seat)})


def forfeit(state: State) -> DomainEvent:
    """BN-TRN-4: the turn of `to_act` is over as things lie. Raises NotNow."""
    if state.to_act is None:
        raise NotNow("BN-TRN-2", "nobody is to act")
    return untyped_event("TurnForfeited", {"seat": state.to_act, "then": after_turn(state)})


def remove(state: State, seat: int) -> DomainEvent:
    """BN-END-4: as if the seat had resigned. Raises Refused when it is out, NotNow when play is over."""
    if state.to_act is None:
        raise NotNow("BN-TRN-2", f"the game is {ENDED_PHASES[state.phase]}")
    if state.players[seat].out is not None:
        raise Refused("BN-TRN-2", f"seat {seat} is out of the game already")
    return _departed(state, seat, "PlayerRemoved")
