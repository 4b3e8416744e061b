"""`decide`: what a seat's action leads to, or the clause that refuses it; forfeited turns and departures."""

from collections import Counter
from typing import assert_never

from domain.baron.actions import Action, DiscardTile, Draw, EndTurn, PlaceKeep, PlaceTile
from domain.baron.apply import apply_consequences, go_out, place_keep, place_tile
from domain.baron.components import BONUS, LEAST_HONOUR, MEADOW, SLOT_COSTS
from domain.baron.consequences import add_consequences, consequences_of_turn, going_out
from domain.baron.formats import (
    KeepPlaced,
    PlayerRemoved,
    PlayerResigned,
    TileDiscarded,
    TileDrawn,
    TilePlaced,
    TurnEnded,
    TurnForfeited,
)
from domain.baron.legal import can_be_beside, can_pay, first_place, known_reserve
from domain.baron.phrases import kind_text
from domain.baron.state import State
from domain.baron.turn_order import after_departure, after_laying, after_turn, same_turn
from domain.contract import DomainEvent, Resign
from domain.errors import NotNow, Refused
from domain.hex_text import hex_text
from domain.phrases import ENDED_PHASES

_PARTS_OF_A_TURN = {
    "draw": "a tile is to be drawn",
    "lay": "a tile is to be laid",
    "keep": "a keep may be put down, or the turn ended",
}


def decide(state: State, seat: int, action: Action) -> DomainEvent:
    """What a seat's action leads to. Raises Refused with the clause, NotNow when play is over."""
    if state.to_act is None:
        reason = ENDED_PHASES[state.phase]
        raise NotNow("BN-TRN-2", f"the game takes no more actions: it is {reason}")
    if state.players[seat].out is not None:
        raise Refused("BN-TRN-2", f"seat {seat} is out of the game")
    if isinstance(action, Resign):
        return _resigned(state, seat)
    if seat != state.to_act:
        raise Refused("BN-TRN-2", f"it is seat {state.to_act}'s turn, not seat {seat}'s")
    match action:
        case Draw():
            _require_part(state, "draw")
            return _decide_draw(state, seat, action)
        case PlaceTile():
            _require_part(state, "lay")
            return _decide_tile(state, seat, action)
        case DiscardTile():
            _require_part(state, "lay")
            return _decide_discard(state, seat, action)
        case PlaceKeep():
            _require_part(state, "keep")
            return _decide_keep(state, seat, action)
        case EndTurn():
            _require_part(state, "keep")
            return _decide_end_turn(state, seat)
        case _:
            assert_never(action)


def _require_part(state: State, part: str) -> None:
    """BN-TRN-3: refuse an action that belongs to another part of the turn."""
    if part != state.phase:
        raise Refused("BN-TRN-3", f"at this point of the turn {_PARTS_OF_A_TURN[state.phase]}")


def _decide_draw(state: State, seat: int, action: Draw) -> DomainEvent:
    """BN-DRW-1, 2, 3: take the tile of a slot, and refill the market from the pile. Raises Refused."""
    slot, honour = action.slot, state.players[seat].honour
    if slot > len(state.market):
        raise Refused("BN-DRW-2", f"slot {slot} is empty: the market has {len(state.market)}")
    cost = SLOT_COSTS[slot - 1]
    if not can_pay(honour, cost):
        difference = f"{honour} honour, less {cost}, would be {honour - cost}"
        raise Refused("BN-DRW-3", f"{difference}; {LEAST_HONOUR} is the least allowed")
    data: TileDrawn = {
        "seat": seat,
        "slot": slot,
        "tile": state.market[slot - 1],
        "cost": cost,
        "refill": state.top_of_pile(),
        "then": same_turn(state, "lay"),
    }
    return DomainEvent("TileDrawn", data)


def _decide_tile(state: State, seat: int, action: PlaceTile) -> DomainEvent:
    """BN-LAY-1, 2, 3: lay a tile, with everything that it earns and leads to. Raises Refused."""
    tile, at, here = action.tile, action.at, hex_text(action.at)
    if tile not in known_reserve(state, seat):
        raise Refused("BN-LAY-1", f"seat {seat} has no {kind_text(tile)} in its reserve")
    if at in state.tiles:
        raise Refused("BN-LAY-1", f"there is a {kind_text(state.tiles[at])} on {here} already")
    adjacent = state.rim.get(at, ())
    if not adjacent:
        raise Refused("BN-LAY-1", f"{here} is adjacent to no tile")
    if not can_be_beside(tile, adjacent):
        raise Refused("BN-LAY-2", f"{here} is adjacent to another {kind_text(tile)}")
    bonus = BONUS.get(len(adjacent), 0)
    after = state.copy()
    place_tile(after, seat, at, tile)
    consequences = consequences_of_turn(after, Counter({seat: bonus}))
    apply_consequences(after, consequences)
    data: TilePlaced = {
        "seat": seat,
        "tile": tile,
        "at": list(at),
        "touches": len(adjacent),
        "then": after_laying(after),
    }
    if bonus:
        data["bonus"] = bonus
    add_consequences(data, consequences)
    return DomainEvent("TilePlaced", data)


def _decide_discard(state: State, seat: int, action: DiscardTile) -> DomainEvent:
    """BN-LAY-4: a tile leaves the game, if none can be laid. Raises Refused."""
    reserve = known_reserve(state, seat)
    if action.tile not in reserve:
        raise Refused("BN-LAY-4", f"seat {seat} has no {kind_text(action.tile)} in its reserve")
    place = first_place(state, reserve)
    if place is not None:
        tile, at = place
        raise Refused("BN-LAY-4", f"a {kind_text(tile)} can be laid on {hex_text(at)}")
    data: TileDiscarded = {"seat": seat, "tile": action.tile, "then": after_laying(state)}
    return DomainEvent("TileDiscarded", data)


def _decide_keep(state: State, seat: int, action: PlaceKeep) -> DomainEvent:
    """BN-KEP-1, 2: put down a keep, with everything that it leads to; the turn ends. Raises Refused."""
    at, here = action.at, hex_text(action.at)
    player = state.players[seat]
    if not player.keeps:
        clause = "BN-KEP-2" if player.resting else "BN-KEP-1"
        available = "only keeps that came back this turn" if player.resting else "no keep"
        raise Refused(clause, f"seat {seat} has {available} in its reserve")
    if state.tiles.get(at) != MEADOW:
        raise Refused("BN-KEP-1", f"{here} is no meadow")
    if at in state.keeps:
        raise Refused("BN-KEP-1", f"seat {state.keeps[at][0]} has a keep on {here} already")
    after = state.copy()
    place_keep(after, seat, at)
    consequences = consequences_of_turn(after)
    apply_consequences(after, consequences)
    data: KeepPlaced = {
        "seat": seat,
        "at": list(at),
        **consequences,
        "then": after_turn(after),
    }
    return DomainEvent("KeepPlaced", data)


def _decide_end_turn(state: State, seat: int) -> DomainEvent:
    """BN-KEP-1: the turn ends without a keep."""
    data: TurnEnded = {"seat": seat, "then": after_turn(state)}
    return DomainEvent("TurnEnded", data)


def forfeit(state: State) -> DomainEvent:
    """BN-TRN-4: the turn of `to_act` ends, and nothing is undone. Raises NotNow."""
    if state.to_act is None:
        raise NotNow("BN-TRN-2", "nobody is to act")
    data: TurnForfeited = {"seat": state.to_act, "then": after_turn(state)}
    return DomainEvent("TurnForfeited", data)


def remove(state: State, seat: int) -> DomainEvent:
    """BN-END-4: as if the seat had resigned. Raises Refused when it is out, NotNow when play is over."""
    if state.to_act is None:
        raise NotNow("BN-TRN-2", f"the game is {ENDED_PHASES[state.phase]}")
    if state.players[seat].out is not None:
        raise Refused("BN-TRN-2", f"seat {seat} is out of the game already")
    data: PlayerRemoved = _departure(state, seat)
    return DomainEvent("PlayerRemoved", data)


def _resigned(state: State, seat: int) -> DomainEvent:
    """BN-END-4: the seat leaves the game for good."""
    data: PlayerResigned = _departure(state, seat)
    return DomainEvent("PlayerResigned", data)


def _departure(state: State, seat: int) -> PlayerResigned:
    """BN-END-4: the seat is out, at a moment of its own."""
    out = going_out(state, [seat])
    after = state.copy()
    go_out(after, out)
    return {"seat": seat, "out": out, "then": after_departure(after, seat)}
