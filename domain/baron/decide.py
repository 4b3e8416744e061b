"""`decide`: what a seat's action leads to, or the clause that refuses it; forfeited turns and departures."""

from collections import Counter
from collections.abc import Mapping
from typing import Final, assert_never

from domain.baron.actions import Action, DiscardTile, Draw, EndTurn, PlaceKeep, PlaceTile
from domain.baron.components import BONUS, LEAST_HONOUR, MEADOW, SLOT_COSTS
from domain.baron.consequences import add_consequences, consequences_of_turn, going_out
from domain.baron.formats import (
    KeepPlaced,
    PlayerRemoved,
    PlayerResigned,
    Tile,
    TileDiscarded,
    TileDrawn,
    TilePlaced,
    TurnEnded,
    TurnForfeited,
)
from domain.baron.legal import can_be_beside, can_pay, first_place, known_reserve
from domain.baron.state import State, apply_consequences, go_out, place_keep, place_tile
from domain.baron.terms import HONOUR, TILE, TILE_TERMS
from domain.baron.turn_order import after_departure, after_laying, after_turn, same_turn
from domain.contract import DomainEvent, Resign
from domain.errors import NotNow, Refused, refusal
from domain.life_cycle_messages import ENDED_PHASES
from domain.messages import Message, PlayerAt, counted, hex_at, message

_PARTS_OF_A_TURN: Final[Mapping[str, Message]] = {
    "draw": message("at this point of the turn a tile is to be drawn"),
    "lay": message("at this point of the turn a tile is to be laid"),
    "keep": message("at this point of the turn a keep may be put down, or the turn ended"),
}
"""By part of the turn, why an action of another part is refused."""


def decide(state: State, seat: int, action: Action) -> DomainEvent:
    """What a seat's action leads to. Raises Refused with the clause, NotNow when play is over."""
    if state.to_act is None:
        raise NotNow("BN-TRN-2", ENDED_PHASES[state.phase])
    if state.players[seat].out is not None:
        raise refusal("BN-TRN-2", "{player} is out of the game", player=PlayerAt(seat))
    if isinstance(action, Resign):
        return _resigned(state, seat)
    if seat != state.to_act:
        raise refusal(
            "BN-TRN-2",
            "it is the turn of {active}, not of {player}",
            active=PlayerAt(state.to_act),
            player=PlayerAt(seat),
        )
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
        raise Refused("BN-TRN-3", _PARTS_OF_A_TURN[state.phase])


def _decide_draw(state: State, seat: int, action: Draw) -> DomainEvent:
    """BN-DRW-1, 2, 3: take the tile of a slot, and refill the market from the pile. Raises Refused."""
    slot, honour = action.slot, state.players[seat].honour
    if slot > len(state.market):
        raise refusal(
            "BN-DRW-2",
            "slot {slot} is empty: the market has {tiles}",
            slot=slot,
            tiles=counted(len(state.market), TILE),
        )
    cost = SLOT_COSTS[slot - 1]
    if not can_pay(honour, cost):
        raise refusal(
            "BN-DRW-3",
            "{honour}, less {cost}, would be {left}; {least} is the least allowed",
            honour=counted(honour, HONOUR),
            cost=cost,
            left=honour - cost,
            least=LEAST_HONOUR,
        )
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
    tile, at = action.tile, action.at
    if tile not in known_reserve(state, seat):
        raise Refused("BN-LAY-1", _missing_tile(seat, tile))
    if at in state.tiles:
        laid = TILE_TERMS[state.tiles[at]]
        raise refusal("BN-LAY-1", "there is {tile:a} on {hex} already", tile=laid, hex=hex_at(at))
    adjacent = state.rim.get(at, ())
    if not adjacent:
        raise refusal("BN-LAY-1", "{hex} is adjacent to no tile", hex=hex_at(at))
    if not can_be_beside(tile, adjacent):
        raise refusal(
            "BN-LAY-2", "{hex} is adjacent to another {tile}", hex=hex_at(at), tile=TILE_TERMS[tile]
        )
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
        raise Refused("BN-LAY-4", _missing_tile(seat, action.tile))
    place = first_place(state, reserve)
    if place is not None:
        tile, at = place
        raise refusal(
            "BN-LAY-4", "{tile:a} can be laid on {hex}", tile=TILE_TERMS[tile], hex=hex_at(at)
        )
    data: TileDiscarded = {"seat": seat, "tile": action.tile, "then": after_laying(state)}
    return DomainEvent("TileDiscarded", data)


def _missing_tile(seat: int, tile: Tile) -> Message:
    return message(
        "{player} has no {tile} in reserve", player=PlayerAt(seat), tile=TILE_TERMS[tile]
    )


def _decide_keep(state: State, seat: int, action: PlaceKeep) -> DomainEvent:
    """BN-KEP-1, 2: put down a keep, with everything that it leads to; the turn ends. Raises Refused."""
    at, player = action.at, state.players[seat]
    if not player.keeps:
        raise _no_keep(seat, is_resting=bool(player.resting))
    if state.tiles.get(at) != MEADOW:
        raise refusal("BN-KEP-1", "{hex} is not a meadow", hex=hex_at(at))
    if at in state.keeps:
        owner = PlayerAt(state.keeps[at][0])
        raise refusal(
            "BN-KEP-1", "{player} has a keep on {hex} already", player=owner, hex=hex_at(at)
        )
    after = state.copy()
    place_keep(after, seat, at)
    consequences = consequences_of_turn(after)
    apply_consequences(after, consequences)
    data: KeepPlaced = {"seat": seat, "at": list(at), **consequences, "then": after_turn(after)}
    return DomainEvent("KeepPlaced", data)


def _no_keep(seat: int, *, is_resting: bool) -> Refused:
    """The refusal of a keep to a seat that has none to put down; `is_resting`: because its keeps rest until
    the next turn.
    """
    player = PlayerAt(seat)
    if is_resting:
        return refusal(
            "BN-KEP-2",
            "{player} has only keeps that came back in this turn in reserve",
            player=player,
        )
    return refusal("BN-KEP-1", "{player} has no keep in reserve", player=player)


def _decide_end_turn(state: State, seat: int) -> DomainEvent:
    """BN-KEP-1: the turn ends without a keep."""
    data: TurnEnded = {"seat": seat, "then": after_turn(state)}
    return DomainEvent("TurnEnded", data)


def forfeit(state: State) -> DomainEvent:
    """BN-TRN-4: the turn of `to_act` ends, and nothing is undone. Raises NotNow."""
    if state.to_act is None:
        raise NotNow("BN-TRN-2", message("nobody is to act"))
    data: TurnForfeited = {"seat": state.to_act, "then": after_turn(state)}
    return DomainEvent("TurnForfeited", data)


def remove(state: State, seat: int) -> DomainEvent:
    """BN-END-4: as if the seat had resigned. Raises Refused when it is out, NotNow when play is over."""
    if state.to_act is None:
        raise NotNow("BN-TRN-2", ENDED_PHASES[state.phase])
    if state.players[seat].out is not None:
        raise refusal("BN-TRN-2", "{player} is out of the game already", player=PlayerAt(seat))
    data: PlayerRemoved = _departure(state, seat)
    return DomainEvent("PlayerRemoved", data)


def _resigned(state: State, seat: int) -> DomainEvent:
    """BN-END-4: the seat leaves the game for good."""
    data: PlayerResigned = _departure(state, seat)
    return DomainEvent("PlayerResigned", data)


def _departure(state: State, seat: int) -> PlayerResigned:
    """BN-END-4: the seat goes out alone."""
    out = going_out(state, [seat])
    after = state.copy()
    go_out(after, out)
    return {"seat": seat, "out": out, "then": after_departure(after, seat)}
