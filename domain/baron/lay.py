"""Laying a tile of the reserve (BN-LAY), and giving one up where none can be laid."""

from domain.baron.actions import DiscardTile, PlaceTile
from domain.baron.apply import apply, apply_outcome
from domain.baron.board import kinds_around, may_lie, somewhere
from domain.baron.components import BONUS, MEADOW
from domain.baron.outcome import set_off
from domain.baron.state import State
from domain.baron.turn_order import after_laying
from domain.contract import DomainEvent, Json, untyped_event
from domain.errors import Refused
from domain.hex_text import hex_text


def decide_tile(state: State, seat: int, action: PlaceTile) -> DomainEvent:
    """BN-LAY-1, 2, 3: lay a tile, with all that it earns and sets off. Raises Refused."""
    tile, at, here = action.tile, action.at, hex_text(action.at)
    if tile not in reserve_of(state, seat):
        raise Refused("BN-LAY-1", f"seat {seat} has no {_name(tile)} in its reserve")
    if at in state.tiles:
        raise Refused("BN-LAY-1", f"there is a {_name(state.tiles[at])} on {here} already")
    around = kinds_around(state, at)
    if not around:
        raise Refused("BN-LAY-1", f"{here} is adjacent to no tile")
    if not may_lie(tile, around):
        raise Refused("BN-LAY-2", f"{here} is adjacent to another {_name(tile)}")
    data: Json = {"seat": seat, "tile": tile, "at": list(at), "touches": len(around)}
    bonus = BONUS.get(len(around), 0)
    if bonus:
        data["bonus"] = bonus
    after = state.copy()
    apply(after, "TilePlaced", data)
    data |= set_off(after, {"seat": seat, "change": bonus})
    apply_outcome(after, data)
    data["then"] = after_laying(after)
    return untyped_event("TilePlaced", data)


def decide_discard(state: State, seat: int, action: DiscardTile) -> DomainEvent:
    """BN-LAY-4: a tile leaves the game, where none can be laid. Raises Refused."""
    reserve = reserve_of(state, seat)
    if action.tile not in reserve:
        raise Refused("BN-LAY-4", f"seat {seat} has no {_name(action.tile)} in its reserve")
    place = somewhere(state, reserve)
    if place is not None:
        tile, at = place
        raise Refused("BN-LAY-4", f"a {_name(tile)} can be laid on {hex_text(at)}")
    data: Json = {"seat": seat, "tile": action.tile, "then": after_laying(state)}
    return untyped_event("TileDiscarded", data)


def reserve_of(state: State, seat: int) -> tuple[str, ...]:
    """The tiles of the seat, which must be known."""
    reserve = state.players[seat].reserve
    assert reserve is not None, "laying needs what is known of the reserve"
    return reserve


def _name(tile: str) -> str:
    return tile.replace("_", " ")


def legal_layings(state: State, seat: int) -> list[PlaceTile | DiscardTile]:
    """Every tile of the reserve on every hex where it may lie; the tiles to give up where there is none."""
    kinds = sorted(set(reserve_of(state, seat)))
    layings: list[PlaceTile | DiscardTile] = []
    places = sorted(state.rim.items())
    for tile in kinds:
        if tile == MEADOW:
            layings += [PlaceTile(tile, at) for at, _ in places]
        else:
            layings += [PlaceTile(tile, at) for at, around in places if tile not in around]
    return layings or [DiscardTile(tile) for tile in kinds]
