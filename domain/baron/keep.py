"""Putting a keep on a meadow (BN-KEP), or none."""

from domain.baron.actions import EndTurn, PlaceKeep
from domain.baron.apply import apply, apply_outcome
from domain.baron.board import free_meadows
from domain.baron.components import MEADOW
from domain.baron.outcome import set_off
from domain.baron.state import State
from domain.baron.turn_order import after_turn
from domain.contract import DomainEvent, Json, untyped_event
from domain.errors import Refused
from domain.hex_text import hex_text


def decide_keep(state: State, seat: int, action: PlaceKeep) -> DomainEvent:
    """BN-KEP-1, 2: a keep, knight side up, with all that it sets off; the turn is over. Raises Refused."""
    at, here = action.at, hex_text(action.at)
    player = state.players[seat]
    if not player.keeps:
        clause = "BN-KEP-2" if player.resting else "BN-KEP-1"
        what = "only keeps that came back this turn" if player.resting else "no keep"
        raise Refused(clause, f"seat {seat} has {what} in its reserve")
    if state.tiles.get(at) != MEADOW:
        raise Refused("BN-KEP-1", f"{here} is no meadow")
    if at in state.keeps:
        raise Refused("BN-KEP-1", f"seat {state.keeps[at][0]} has a keep on {here} already")
    data: Json = {"seat": seat, "at": list(at)}
    after = state.copy()
    apply(after, "KeepPlaced", data)
    data |= set_off(after)
    apply_outcome(after, data)
    data["then"] = after_turn(after)
    return untyped_event("KeepPlaced", data)


def decide_end_turn(state: State, seat: int, action: EndTurn) -> DomainEvent:
    """BN-KEP-1: no keep, and the turn is over."""
    return untyped_event("TurnEnded", {"seat": seat, "then": after_turn(state)})


def legal_keeps(state: State, seat: int) -> list[PlaceKeep | EndTurn]:
    """Every meadow that is free, and none."""
    meadows = free_meadows(state) if state.players[seat].keeps else []
    return [*map(PlaceKeep, meadows), EndTurn()]
