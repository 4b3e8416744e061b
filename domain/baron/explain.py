"""`explain`: the clauses by which an event followed from a state, each with a sentence about that board.

It decides nothing: it describes a recorded event on the board that it happened on. Fights are explained in
`explain_fights` and `explain_battles`, what follows for seats and the turn order in `explain_turn_order`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from domain.baron.components import KEEPS, LEAST_HONOUR, MEADOW, SLOT_COSTS, VALUES
from domain.baron.explain_fights import end_occasion, explain_baronies, keep_occasion, tile_occasion
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
from domain.baron.state import State, apply, place_keep, place_tile
from domain.baron.terms import HONOUR, KEEP, TILE, TILE_TERMS, kinds
from domain.contract import DomainEvent, Reason
from domain.event import EventData
from domain.hexes import Hex, hex_of, neighbours
from domain.messages import (
    Message,
    PlayerAt,
    PlayerWithId,
    Value,
    counted,
    hex_at,
    listing,
    message,
    plural_message,
    plural_reason,
    reason,
    semicolon_list,
)


def explain_set_up(data: GameStarted, secrets: Mapping[str, object]) -> Iterator[Reason]:
    """BN-SET. Before the players are seated, and unless secrets are known, less can be explained."""
    reserves = {
        int(name.split("/")[1]): cast("list[Tile]", tiles)
        for name, tiles in secrets.items()
        if name.startswith("reserve/")
    }
    seats = len(data.get("players", ())) or len(reserves)
    if seats in KEEPS:
        yield reason(
            "BN-MAT-2",
            "with {seats} players each has {keeps}",
            seats=seats,
            keeps=counted(KEEPS[seats], KEEP),
        )
        yield reason(
            "BN-SET-1",
            "each of {seats} players starts with 0 honour and two tiles that nobody else knows: a "
            "meadow and one of value 1",
            seats=seats,
        )
    for seat, tiles in sorted(reserves.items()):
        yield reason(
            "BN-SET-2", "{player} was dealt {tiles}", player=PlayerAt(seat), tiles=kinds(tiles)
        )
    if data["removed"]:
        yield reason(
            "BN-SET-3", "with five players {tiles} are taken out", tiles=kinds(data["removed"])
        )
    market = [
        message("{tile:a} for {honour}", tile=TILE_TERMS[kind], honour=counted(cost, HONOUR))
        for cost, kind in zip(SLOT_COSTS, data["market"], strict=False)
    ]
    yield reason("BN-SET-4", "the first tiles of the pile lie open: {tiles}", tiles=listing(market))
    yield reason(
        "BN-SET-4",
        "{tile:a} is the start tile, on {hex}: it is worth {value}",
        tile=TILE_TERMS[data["start"]],
        hex=hex_at((0, 0)),
        value=VALUES[data["start"]],
    )
    if data.get("players"):
        yield reason(
            "BN-SET-5",
            "by the game's seating {player} is the first player",
            player=PlayerWithId(data["players"][0]),
        )


def _tile_drawn(state: State, data: TileDrawn) -> Iterator[Reason]:
    cost = data["cost"]
    yield "BN-DRW-1", _drawn_slot(data)
    is_preview = data["refill"] is None and state.pile_left > 0
    if not is_preview:
        yield "BN-DRW-1", _refill(state, data)
    if data["refill"] is None and not is_preview:
        yield reason(
            "BN-DRW-2", "the market has {tiles} left", tiles=counted(len(state.market) - 1, TILE)
        )
    if cost:
        honour = state.players[data["seat"]].honour
        yield reason(
            "BN-DRW-3",
            "{player} had {honour}, and has {left}; drawing may bring it down to {least}",
            player=PlayerAt(data["seat"]),
            honour=counted(honour, HONOUR),
            left=honour - cost,
            least=LEAST_HONOUR,
        )


def _drawn_slot(data: TileDrawn) -> Message:
    tile, slot, cost = TILE_TERMS[data["tile"]], data["slot"], data["cost"]
    if not cost:
        return message("{tile:a} lay in slot {slot}, which costs nothing", tile=tile, slot=slot)
    return message(
        "{tile:a} lay in slot {slot}, which costs {honour}",
        tile=tile,
        slot=slot,
        honour=counted(cost, HONOUR),
    )


def _refill(state: State, data: TileDrawn) -> Message:
    """The tiles that move up in the market, and the one that comes from the pile."""
    moved = _moved_tiles(state.market[data["slot"] :])
    if data["refill"] is None:
        return message("{moved}, and the pile has nothing to refill with", moved=moved)
    return plural_message(
        "{moved}, and {tile:a} from the pile takes slot {slot}; {count} tile is left in the pile",
        "{moved}, and {tile:a} from the pile takes slot {slot}; {count} tiles are left in the pile",
        count=state.pile_left - 1,
        moved=moved,
        tile=TILE_TERMS[data["refill"]],
        slot=len(state.market),
    )


def _moved_tiles(tiles: Sequence[Tile]) -> Message:
    """The tiles behind the one that was drawn: `the pond and the field move up`, `2 meadows move up`."""
    if not tiles:
        return message("nothing has to move up")
    if tiles[1:] and len(set(tiles)) == 1:
        names: list[Value] = [counted(len(tiles), TILE_TERMS[tiles[0]])]
    else:
        names = [message("{tile:the}", tile=TILE_TERMS[kind]) for kind in tiles]
    return plural_message(
        "{tiles} moves up", "{tiles} move up", count=len(tiles), tiles=listing(names)
    )


def _tile_placed(state: State, data: TilePlaced) -> Iterator[Reason]:
    seat, at, tile = data["seat"], hex_of(data["at"]), data["tile"]
    yield from _place_of_tile(state, data)
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


def _place_of_tile(state: State, data: TilePlaced) -> Iterator[Reason]:
    """BN-LAY-1, 2, 3: where a tile was laid, and what it earned."""
    at, tile = hex_of(data["at"]), data["tile"]
    adjacent = _adjacent_tiles(state, at)
    yield plural_reason(
        "BN-LAY-1",
        "{hex} was empty, and is adjacent to {count} tile: {tiles}",
        "{hex} was empty, and is adjacent to {count} tiles: {tiles}",
        count=len(adjacent),
        hex=hex_at(at),
        tiles=listing(adjacent),
    )
    if tile != MEADOW:
        yield reason("BN-LAY-2", "none of them is {tile:a}", tile=TILE_TERMS[tile])
    elif any(state.tiles.get(near) == MEADOW for near in neighbours(at)):
        yield reason("BN-LAY-2", "meadows may lie beside each other")
    if "bonus" in data:
        yield reason(
            "BN-LAY-3",
            "laid against {tiles}, it earns {player} {honour} immediately",
            tiles=counted(data["touches"], TILE),
            player=PlayerAt(data["seat"]),
            honour=counted(data["bonus"], HONOUR),
        )


def _tile_discarded(state: State, data: TileDiscarded) -> Iterator[Reason]:
    seat, tile = data["seat"], data["tile"]
    reasons = [_unplayable_reserve(state, seat)]
    if not any(can_be_beside(tile, adjacent) for adjacent in state.rim.values()):
        reasons.append(
            message("every empty hex at the rim lies beside {tile:a}", tile=TILE_TERMS[tile])
        )
    reasons.append(message("{tile:a} leaves the game", tile=TILE_TERMS[tile]))
    yield reason("BN-LAY-4", "{reasons}", reasons=semicolon_list(reasons))
    after = _after(state, "TileDiscarded", data)
    if is_turn_over(state, data["then"]):
        yield from explain_no_keep(state, after, {}, seat)
    yield from explain_turn_order(state, after, data["then"])


def _unplayable_reserve(state: State, seat: int) -> Message:
    """The tiles of a seat that can lay none of them, if they are known."""
    reserve = state.players[seat].reserve
    if reserve is None:
        return message("nothing that {player} has can be laid anywhere", player=PlayerAt(seat))
    tiles = [counted(count, TILE_TERMS[kind]) for kind, count in sorted(Counter(reserve).items())]
    return message(
        "{player} has {tiles}, of which nothing can be laid",
        player=PlayerAt(seat),
        tiles=listing(tiles),
    )


def _keep_placed(state: State, data: KeepPlaced) -> Iterator[Reason]:
    seat, at = data["seat"], hex_of(data["at"])
    keeps = state.players[seat].keeps
    yield reason("BN-KEP-1", "{hex} is a meadow, and no keep stood there", hex=hex_at(at))
    yield plural_reason(
        "BN-MAT-2",
        "of {keeps} in reserve {count} is left",
        "of {keeps} in reserve {count} are left",
        count=keeps - 1,
        keeps=counted(keeps, KEEP),
    )
    yield from _resting_keeps(state, seat)
    laid, around = len(_adjacent_tiles(state, at)), len(neighbours(at))
    if laid < around:
        yield plural_reason(
            "BN-BAR-1",
            "{count} of the {around} tiles around it lies there so far",
            "{count} of the {around} tiles around it lie there so far",
            count=laid,
            around=around,
        )
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
    yield reason(
        "BN-KEP-1",
        "{player} need not put down a keep: {keeps} in reserve",
        player=PlayerAt(seat),
        keeps=counted(state.players[seat].keeps, KEEP),
    )
    yield from _resting_keeps(state, seat)
    yield from explain_turn_order(state, _after(state, "TurnEnded", data), data["then"])


def _turn_forfeited(state: State, data: TurnForfeited) -> Iterator[Reason]:
    yield "BN-TRN-4", _effect_of_forfeit(state, PlayerAt(data["seat"]))
    yield from explain_turn_order(state, _after(state, "TurnForfeited", data), data["then"])


def _effect_of_forfeit(state: State, player: PlayerAt) -> Message:
    match state.phase:
        case "draw":
            return message(
                "{player} let the turn lapse: nothing is drawn and nothing laid", player=player
            )
        case "keep":
            return message(
                "{player} let the turn lapse: the tile that was laid stays, and no keep is put down",
                player=player,
            )
        case _ if state.turns_left is not None:
            return message("{player} let the turn lapse: nothing is laid", player=player)
        case _:
            return message(
                "{player} let the turn lapse: the tile that was drawn stays in the reserve, and nothing is "
                "laid",
                player=player,
            )


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


def _adjacent_tiles(state: State, at: Hex) -> list[Message]:
    """The tiles adjacent to a hex, with their places."""
    return [
        message("{tile} {hex}", tile=TILE_TERMS[state.tiles[near]], hex=hex_at(near))
        for near in sorted(neighbours(at))
        if near in state.tiles
    ]


def _resting_keeps(state: State, seat: int) -> Iterator[Reason]:
    resting = state.players[seat].resting
    if resting:
        yield plural_reason(
            "BN-KEP-2",
            "{count} keep of {player} came back in this turn, and has to rest",
            "{count} keeps of {player} came back in this turn, and have to rest",
            count=resting,
            player=PlayerAt(seat),
        )


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
        return [*explain_set_up(cast("GameStarted", event.data), event.secrets)]
    if state is None or event.type not in EXPLANATIONS:
        return []
    return [*EXPLANATIONS[event.type](state, event.data)]
