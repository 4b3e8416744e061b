"""The set-up (BN-SET): tiles are dealt, laid open and piled up, in the order published in docs/formats.md."""

from collections.abc import Mapping, Sequence
from typing import cast

from domain.baron.components import (
    COUNTS,
    FEWEST_SEATS,
    KEEPS,
    MEADOW,
    MOST_SEATS,
    OF_VALUE_ONE,
    SLOTS,
    TILES,
    TILES_DEALT,
    VALUES,
)
from domain.baron.formats import SetUp, Tile
from domain.baron.state import Player, State
from domain.chance import Chance
from domain.contract import DomainEvent, OwnOptions
from domain.errors import Malformed
from domain.event import EventData
from domain.messages import message


def check_options(seats: int, options: Mapping[str, object]) -> OwnOptions:
    """Baron has no options of its own. Raises Malformed, which names every option that was given."""
    errors = {f"options.{name}": message("is not an option of this game") for name in options}
    if not FEWEST_SEATS <= seats <= MOST_SEATS:
        errors["seats"] = message("must be {least} to {most}", least=FEWEST_SEATS, most=MOST_SEATS)
    if errors:
        raise Malformed(errors)
    return {}


def set_up(seats: int, options: OwnOptions, chance: Chance) -> DomainEvent:
    """BN-SET: `GameStarted` with the market, the start tile and the tiles taken out; the rest is secret."""
    counts = dict(COUNTS)
    ones = deal(seats, chance)
    for kind in ones:
        counts[kind] -= 1
    counts[MEADOW] -= seats
    removed = _take_out(counts, chance) if seats == MOST_SEATS else []
    pile = chance.shuffle(_tiles(counts, TILES))
    market, pile = pile[:SLOTS], pile[SLOTS:]
    start = draw_start_tile(pile)
    reserves = {f"reserve/{seat}": sorted((MEADOW, kind)) for seat, kind in enumerate(ones)}
    data: SetUp = {"market": market, "start": start, "removed": removed}
    return DomainEvent("GameStarted", data, {"pile": pile, **reserves})


def deal(seats: int, chance: Chance) -> list[Tile]:
    """BN-SET-2: the kind of value 1 that each seat is dealt; the kinds vary as much as possible."""
    kinds = chance.shuffle(OF_VALUE_ONE)
    return chance.shuffle([*kinds, *kinds][:seats])


def _take_out(counts: dict[Tile, int], chance: Chance) -> list[Tile]:
    """BN-SET-3: take a meadow and a tile of value 1, drawn tile by tile, out of the counts."""
    ones = _tiles(counts, OF_VALUE_ONE)
    removed: list[Tile] = [MEADOW, ones[chance.below(len(ones))]]
    for kind in removed:
        counts[kind] -= 1
    return removed


def _tiles(counts: Mapping[Tile, int], kinds: Sequence[Tile]) -> list[Tile]:
    """The tiles of these kinds one by one."""
    return [kind for kind in kinds for _ in range(counts[kind])]


def draw_start_tile(pile: list[Tile]) -> Tile:
    """BN-SET-4: take the start tile off the pile; a tile of negative value goes back into its middle."""
    start = pile.pop(0)
    while VALUES[start] < 0:
        another = pile.pop(0)
        pile.insert(len(pile) // 2, start)
        start = another
    return start


def initial_state(
    seats: int, options: OwnOptions, data: EventData, opened: Mapping[str, object]
) -> State:
    """The state in which seat 0 is to draw; secrets that are not in `opened` are unknown in it."""
    public = cast("SetUp", data)
    reserves = [cast("list[Tile] | None", opened.get(f"reserve/{seat}")) for seat in range(seats)]
    state = State([Player(KEEPS[seats], reserve, TILES_DEALT) for reserve in reserves])
    state.lay_tile((0, 0), public["start"])
    state.market, state.removed = tuple(public["market"]), tuple(public["removed"])
    pile = cast("list[Tile] | None", opened.get("pile"))
    state.pile = None if pile is None else tuple(pile)
    elsewhere = TILES_DEALT * seats + len(state.removed) + len(state.market) + len(state.tiles)
    state.pile_left = sum(COUNTS.values()) - elsewhere
    return state


def redraw(state: State, chance: Chance) -> Mapping[str, object]:
    """BN-MAT-1: shuffle the tiles that are left in the pile anew, when play resumes from this state."""
    pile = state.tiles_in_pile()
    counts = {kind: pile.count(kind) for kind in TILES}
    return {"pile": chance.shuffle(_tiles(counts, TILES))}


def apply_redraw(state: State, opened: Mapping[str, object]) -> None:
    """Put the tiles that were shuffled anew in place of the pile; their order may be unknown."""
    pile = cast("list[Tile] | None", opened.get("pile"))
    state.pile = None if pile is None else tuple(pile)


def copy(state: State) -> State:
    """A state that can be changed without changing this one."""
    return state.copy()
