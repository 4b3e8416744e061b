"""`explain`: the clauses that let a fact come of a state, each with a sentence about this very board.

It judges nothing: of a recorded fact it says what holds on the board it came of. Fights are explained in
`explain_fights`, what followed for seats and for the course in `explain_course`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from domain.baron.apply import EVENT_APPLIERS
from domain.baron.board import may_lie, rim
from domain.baron.components import (
    DEEPEST_DEBT,
    KEEPS,
    MEADOW,
    SLOT_COSTS,
    VALUES,
)
from domain.baron.explain_fights import Reason, explain_baronies
from domain.baron.explain_turn_order import (
    explain_course,
    explain_departure,
    explain_ranking,
    explain_standings,
)
from domain.baron.phrases import kind_text, tile_text
from domain.baron.state import State
from domain.contract import DomainEvent, Json, untyped_data
from domain.hex_text import hex_text
from domain.hexes import Hex, hex_of, neighbours
from domain.phrases import counted, listing


def _started(data: Json, secrets: Mapping[str, Any]) -> Iterator[Reason]:
    """BN-SET; `secrets` are there once they have been opened, the players once the game has some."""
    dealt = {
        int(name.split("/")[1]): tiles
        for name, tiles in secrets.items()
        if name.startswith("reserve/")
    }
    seats = len(data.get("players", ())) or len(dealt)
    if seats in KEEPS:
        yield "BN-MAT-2", f"with {seats} players each has {counted(KEEPS[seats], 'keep')}"
        tiles = f"two tiles, a {MEADOW} and one of value 1, which it alone knows"
        yield "BN-SET-1", f"each of {counted(seats, 'seat')} starts with 0 honour and {tiles}"
    for seat, tiles in sorted(dealt.items()):
        yield "BN-SET-2", f"seat {seat} was dealt {listing(map(tile_text, tiles))}"
    if data["removed"]:
        what = listing(map(tile_text, data["removed"]))
        yield "BN-SET-3", f"with five players {what} are taken out"
    slots = zip(SLOT_COSTS, data["market"], strict=False)
    market = listing(f"{tile_text(kind)} for {cost}" for cost, kind in slots)
    yield "BN-SET-4", f"the first tiles of the pile lie open: {market} honour"
    start = data["start"]
    yield "BN-SET-4", f"{tile_text(start)} is the start tile, on 0,0: it is worth {VALUES[start]}"


def _drawn(state: State, data: Json) -> Iterator[Reason]:
    seat, slot, cost = data["seat"], data["slot"], data["cost"]
    honour, market = state.players[seat].honour, state.market
    free = "costs nothing" if not cost else f"costs {cost} honour"
    yield "BN-DRW-1", f"{tile_text(data['tile'])} lay in slot {slot}, which {free}"
    moved = [*map(kind_text, market[slot:])]
    verb = "move" if moved[1:] else "moves"
    up = f"{listing(moved)} {verb} up" if moved else "nothing has to move up"
    if data["refill"] is not None:
        refill = f"{tile_text(data['refill'])} from the pile takes slot {len(market)}"
        yield "BN-DRW-1", f"{up}, and {refill}; {counted(state.pile_left - 1, 'tile')} left there"
    else:
        yield "BN-DRW-1", f"{up}, and the pile has nothing to refill with"
        left = counted(len(market) - 1, "tile")
        yield "BN-DRW-2", f"the market has {left} left"
    if cost:
        paid = f"seat {seat} had {honour} honour, and has {honour - cost}"
        yield "BN-DRW-3", f"{paid}; drawing may bring it down to {DEEPEST_DEBT}"


def _around(state: State, at: Hex) -> list[str]:
    """The tiles adjacent to a hex, with their places."""
    return [
        f"{kind_text(state.tiles[near])} {hex_text(near)}"
        for near in sorted(neighbours(at))
        if near in state.tiles
    ]


def _placed(state: State, data: Json) -> Iterator[Reason]:
    at, tile = hex_of(data["at"]), data["tile"]
    here = hex_text(at)
    around = _around(state, at)
    yield (
        "BN-LAY-1",
        f"{here} was empty, and is adjacent to {counted(len(around), 'tile')}: {listing(around)}",
    )
    if tile != MEADOW:
        yield "BN-LAY-2", f"none of them is a {kind_text(tile)}"
    elif any(state.tiles.get(near) == MEADOW for near in neighbours(at)):
        yield "BN-LAY-2", "meadows may lie beside each other"
    if "bonus" in data:
        tiles, bonus = counted(data["touches"], "tile"), data["bonus"]
        yield (
            "BN-LAY-3",
            f"laid against {tiles} it earns seat {data['seat']} {bonus} honour at once",
        )


def _discarded(state: State, data: Json) -> Iterator[Reason]:
    seat, reserve = data["seat"], state.players[data["seat"]].reserve
    nowhere = f"nothing that seat {seat} has can be laid anywhere"
    if reserve is not None:
        held = listing(
            counted(count, kind_text(kind)) for kind, count in sorted(Counter(reserve).items())
        )
        nowhere = f"seat {seat} has {held}, of which nothing can be laid"
    room = [at for at in rim(state) if may_lie(data["tile"], _kinds(state, at))]
    if not room:
        nowhere += f": every empty hex at the rim lies beside a {kind_text(data['tile'])}"
    yield "BN-LAY-4", f"{nowhere}; {tile_text(data['tile'])} leaves the game"


def _kinds(state: State, at: Hex) -> list[str]:
    return [state.tiles[near] for near in neighbours(at) if near in state.tiles]


def _keep(state: State, data: Json) -> Iterator[Reason]:
    player = state.players[data["seat"]]
    yield "BN-KEP-1", f"{hex_text(data['at'])} is a {MEADOW}, and no keep stood there"
    yield "BN-MAT-2", f"of {counted(player.keeps, 'keep')} in reserve {player.keeps - 1} are left"
    yield from _resting(state, data["seat"])
    lie = len(_around(state, hex_of(data["at"])))
    if lie < len(neighbours(hex_of(data["at"]))):
        yield "BN-BAR-1", f"{lie or 'none'} of the six tiles around it {_lies(lie)} there so far"


def _lies(count: int) -> str:
    return "lies" if count == 1 else "lie"


def _resting(state: State, seat: int) -> Iterator[Reason]:
    resting = state.players[seat].resting
    if resting:
        back = counted(resting, "keep")
        yield "BN-KEP-2", f"{back} of seat {seat} came back in this turn, and has to rest"


def _ended(state: State, data: Json) -> Iterator[Reason]:
    seat = data["seat"]
    held = counted(state.players[seat].keeps, "keep")
    yield "BN-KEP-1", f"seat {seat} need not put down a keep: it has {held} in reserve"
    yield from _resting(state, seat)


_LAPSED: Final = {
    "draw": "nothing is drawn and nothing laid",
    "lay": "what it has drawn stays in its reserve, and nothing is laid",
    "keep": "the tile it has laid stays, and no keep is put down",
}


def _forfeited(state: State, data: Json) -> Iterator[Reason]:
    what = _LAPSED[state.phase]
    if state.phase == "lay" and state.turns_left is not None:
        what = "nothing is laid"
    yield "BN-TRN-4", f"seat {data['seat']} let its turn lapse: {what}"


REASONS: Final[Mapping[str, Callable[[State, Json], Iterator[Reason]]]] = {
    "TileDrawn": _drawn,
    "TilePlaced": _placed,
    "TileDiscarded": _discarded,
    "KeepPlaced": _keep,
    "TurnEnded": _ended,
    "TurnForfeited": _forfeited,
    "PlayerResigned": explain_departure,
    "PlayerRemoved": explain_departure,
    "RoundScored": explain_standings,
    "GameFinished": explain_ranking,
}
"""What explains each type of fact, but for what it set off; `GameStarted` comes of no state."""


def explain(state: Any, seat: int | None, fact: DomainEvent) -> list[Reason]:
    """The clauses that let this fact come of this state, and what they did; [] for an unknown type.

    There is no state (None) before `GameStarted`.
    """
    if fact.type == "GameStarted":
        return [*_started(untyped_data(fact), fact.secrets)]
    if state is None or fact.type not in REASONS:
        return []
    why = [*REASONS[fact.type](state, untyped_data(fact))]
    fights = [
        *explain_baronies(_reckoned_on(state, fact).standing(), fact.type, untyped_data(fact))
    ]
    course = [*explain_course(state, fact)]
    # Of the end first what the knights came to, then who stands where.
    return [*fights, *course, *why] if fact.type == "GameFinished" else [*why, *fights, *course]


def _reckoned_on(state: State, fact: DomainEvent) -> State:
    """The state with what was laid or put down, before anything came of it."""
    if "baronies" not in untyped_data(fact):
        return state
    board: State = state.copy()
    EVENT_APPLIERS[fact.type](board, untyped_data(fact))
    return board
