"""`explain`: the clauses by which an event followed from a state, each with a sentence about that board.

It decides nothing: it describes a recorded event on the board that it happened on. Fights are explained in
`explain_fights` and `explain_battles`, what follows for seats and the turn order in `explain_turn_order`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, cast

from domain.baron.apply import apply, place_keep, place_tile
from domain.baron.components import KEEPS, LEAST_HONOUR, MEADOW, SLOT_COSTS, VALUES
from domain.baron.explain_fights import (
    end_occasion,
    explain_baronies,
    keep_occasion,
    tile_occasion,
)
from domain.baron.explain_turn_order import (
    explain_departure,
    explain_going_out,
    explain_honour,
    explain_no_keep,
    explain_ranking,
    explain_standings,
    explain_turn_order,
    is_turn_over,
)
from domain.baron.formats import (
    GameStarted,
    KeepPlaced,
    PlayerResigned,
    Result,
    Tile,
    TileDiscarded,
    TileDrawn,
    TilePlaced,
    TurnEnded,
    TurnForfeited,
)
from domain.baron.legal import can_be_beside
from domain.baron.phrases import kind_text, tile_text
from domain.baron.state import State
from domain.contract import DomainEvent, Reason
from domain.event import EventData
from domain.hex_text import hex_text
from domain.hexes import Hex, hex_of, neighbours
from domain.phrases import counted, listing


def _game_started(data: GameStarted, secrets: Mapping[str, object]) -> Iterator[Reason]:
    """BN-SET. Before the players are seated, and unless secrets are known, less can be explained."""
    reserves = {
        int(name.split("/")[1]): cast("list[Tile]", tiles)
        for name, tiles in secrets.items()
        if name.startswith("reserve/")
    }
    seats = len(data.get("players", ())) or len(reserves)
    if seats in KEEPS:
        yield "BN-MAT-2", f"with {seats} players each has {counted(KEEPS[seats], 'keep')}"
        dealt = f"two tiles, a {MEADOW} and one of value 1, which it alone knows"
        yield "BN-SET-1", f"each of {counted(seats, 'seat')} starts with 0 honour and {dealt}"
    for seat, tiles in sorted(reserves.items()):
        yield "BN-SET-2", f"seat {seat} was dealt {listing(map(tile_text, tiles))}"
    if data["removed"]:
        removed = listing(map(tile_text, data["removed"]))
        yield "BN-SET-3", f"with five players {removed} are taken out"
    slots = zip(SLOT_COSTS, data["market"], strict=False)
    market = listing(f"{tile_text(kind)} for {cost}" for cost, kind in slots)
    yield "BN-SET-4", f"the first tiles of the pile lie open: {market} honour"
    start = data["start"]
    yield "BN-SET-4", f"{tile_text(start)} is the start tile, on 0,0: it is worth {VALUES[start]}"


def _tile_drawn(state: State, data: TileDrawn) -> Iterator[Reason]:
    seat, slot, cost = data["seat"], data["slot"], data["cost"]
    honour, market = state.players[seat].honour, state.market
    price = "costs nothing" if not cost else f"costs {cost} honour"
    yield "BN-DRW-1", f"{tile_text(data['tile'])} lay in slot {slot}, which {price}"
    behind = [*map(kind_text, market[slot:])]
    verb = "move" if behind[1:] else "moves"
    up = f"{listing(behind)} {verb} up" if behind else "nothing has to move up"
    if data["refill"] is not None:
        refill = f"{tile_text(data['refill'])} from the pile takes slot {len(market)}"
        yield "BN-DRW-1", f"{up}, and {refill}; {counted(state.pile_left - 1, 'tile')} left there"
    else:
        yield "BN-DRW-1", f"{up}, and the pile has nothing to refill with"
        left = counted(len(market) - 1, "tile")
        yield "BN-DRW-2", f"the market has {left} left"
    if cost:
        change = f"seat {seat} had {honour} honour, and has {honour - cost}"
        yield "BN-DRW-3", f"{change}; drawing may bring it down to {LEAST_HONOUR}"


def _tile_placed(state: State, data: TilePlaced) -> Iterator[Reason]:
    seat, at, tile = data["seat"], hex_of(data["at"]), data["tile"]
    adjacent = _adjacent_tiles(state, at)
    tiles = f"{counted(len(adjacent), 'tile')}: {listing(adjacent)}"
    yield "BN-LAY-1", f"{hex_text(at)} was empty, and is adjacent to {tiles}"
    if tile != MEADOW:
        yield "BN-LAY-2", f"none of them is a {kind_text(tile)}"
    elif any(state.tiles.get(near) == MEADOW for near in neighbours(at)):
        yield "BN-LAY-2", "meadows may lie beside each other"
    if "bonus" in data:
        touches = counted(data["touches"], "tile")
        yield (
            "BN-LAY-3",
            f"laid against {touches} it earns seat {seat} {data['bonus']} honour at once",
        )
    laid, results = state.copy(), data.get("baronies", [])
    place_tile(laid, seat, at, tile)
    yield from explain_baronies(laid.board(), results, tile_occasion(results, tile, at))
    after = _after(state, "TilePlaced", data)
    yield from explain_honour(state, after, data, seat)
    if "out" in data:
        yield from explain_going_out(state, after, data["out"]["seats"], "tile")
    if is_turn_over(state, data["then"]) and after.players[seat].out is None:
        yield from explain_no_keep(state, after, data, seat)
    yield from explain_turn_order(state, after, data["then"])


def _tile_discarded(state: State, data: TileDiscarded) -> Iterator[Reason]:
    seat, tile = data["seat"], data["tile"]
    reserve = state.players[seat].reserve
    nowhere = f"nothing that seat {seat} has can be laid anywhere"
    if reserve is not None:
        kinds = sorted(Counter(reserve).items())
        tiles = listing(counted(count, kind_text(kind)) for kind, count in kinds)
        nowhere = f"seat {seat} has {tiles}, of which nothing can be laid"
    if not any(can_be_beside(tile, adjacent) for adjacent in state.rim.values()):
        nowhere += f": every empty hex at the rim lies beside a {kind_text(tile)}"
    yield "BN-LAY-4", f"{nowhere}; {tile_text(tile)} leaves the game"
    after = _after(state, "TileDiscarded", data)
    if is_turn_over(state, data["then"]):
        yield from explain_no_keep(state, after, {}, seat)
    yield from explain_turn_order(state, after, data["then"])


def _keep_placed(state: State, data: KeepPlaced) -> Iterator[Reason]:
    seat, at = data["seat"], hex_of(data["at"])
    keeps = state.players[seat].keeps
    yield "BN-KEP-1", f"{hex_text(at)} is a {MEADOW}, and no keep stood there"
    yield "BN-MAT-2", f"of {counted(keeps, 'keep')} in reserve {keeps - 1} are left"
    yield from _resting_keeps(state, seat)
    laid = len(_adjacent_tiles(state, at))
    if laid < len(neighbours(at)):
        verb = "lies" if laid == 1 else "lie"
        yield "BN-BAR-1", f"{laid or 'none'} of the six tiles around it {verb} there so far"
    placed, results = state.copy(), data.get("baronies", [])
    place_keep(placed, seat, at)
    yield from explain_baronies(placed.board(), results, keep_occasion(at))
    after = _after(state, "KeepPlaced", data)
    yield from explain_honour(state, after, {"baronies": results}, seat)
    if "out" in data:
        yield from explain_going_out(state, after, data["out"]["seats"], "keep")
    yield from explain_turn_order(state, after, data["then"])


def _turn_ended(state: State, data: TurnEnded) -> Iterator[Reason]:
    seat = data["seat"]
    keeps = counted(state.players[seat].keeps, "keep")
    yield "BN-KEP-1", f"seat {seat} need not put down a keep: it has {keeps} in reserve"
    yield from _resting_keeps(state, seat)
    yield from explain_turn_order(state, _after(state, "TurnEnded", data), data["then"])


_FORFEITED_PARTS: Final = {
    "draw": "nothing is drawn and nothing laid",
    "lay": "the tile that it has drawn stays in its reserve, and nothing is laid",
    "keep": "the tile that it has laid stays, and no keep is put down",
}


def _turn_forfeited(state: State, data: TurnForfeited) -> Iterator[Reason]:
    effect = _FORFEITED_PARTS[state.phase]
    if state.phase == "lay" and state.turns_left is not None:
        effect = "nothing is laid"
    yield "BN-TRN-4", f"seat {data['seat']} let its turn lapse: {effect}"
    yield from explain_turn_order(state, _after(state, "TurnForfeited", data), data["then"])


def _player_departed(state: State, data: PlayerResigned) -> Iterator[Reason]:
    yield from explain_departure(state, data)
    after = _after(state, "PlayerResigned", data)
    yield from explain_going_out(state, after, data["out"]["seats"], "departure")
    yield from explain_turn_order(state, after, data["then"])


def _game_finished(state: State, data: Result) -> Iterator[Reason]:
    results = data.get("baronies", [])
    yield from explain_baronies(state.board(), results, end_occasion(results))
    after = _after(state, "GameFinished", data)
    yield from explain_honour(state, after, {"baronies": results}, -1)
    if "out" in data:
        yield from explain_going_out(state, after, data["out"]["seats"], "end")
    yield from explain_ranking(state, data)


def _adjacent_tiles(state: State, at: Hex) -> list[str]:
    """The tiles adjacent to a hex, with their places."""
    return [
        f"{kind_text(state.tiles[near])} {hex_text(near)}"
        for near in sorted(neighbours(at))
        if near in state.tiles
    ]


def _resting_keeps(state: State, seat: int) -> Iterator[Reason]:
    resting = state.players[seat].resting
    if resting:
        back = counted(resting, "keep")
        yield "BN-KEP-2", f"{back} of seat {seat} came back in this turn, and has to rest"


def _after(state: State, type: str, data: EventData) -> State:
    after = state.copy()
    apply(after, type, data)
    return after


EXPLANATIONS: Final[Mapping[str, Callable[[State, Any], Iterator[Reason]]]] = {
    "TileDrawn": _tile_drawn,
    "TilePlaced": _tile_placed,
    "TileDiscarded": _tile_discarded,
    "KeepPlaced": _keep_placed,
    "TurnEnded": _turn_ended,
    "TurnForfeited": _turn_forfeited,
    "PlayerResigned": _player_departed,
    "PlayerRemoved": _player_departed,
    "RoundScored": explain_standings,
    "GameFinished": _game_finished,
}
"""By event type; `GameStarted` follows from no state."""


def explain(state: State | None, seat: int | None, event: DomainEvent) -> list[Reason]:
    """The clauses by which the event followed from the state; [] for an unknown type.

    There is no state (None) before `GameStarted`.
    """
    if event.type == "GameStarted":
        return [*_game_started(cast("GameStarted", event.data), event.secrets)]
    if state is None or event.type not in EXPLANATIONS:
        return []
    return [*EXPLANATIONS[event.type](state, event.data)]
