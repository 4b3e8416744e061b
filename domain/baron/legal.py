"""What a seat may do: the conditions on each action, and the complete list of legal actions."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from domain.baron.actions import Action, DiscardTile, Draw, EndTurn, PlaceKeep, PlaceTile
from domain.baron.components import LEAST_HONOUR, MEADOW, SLOT_COSTS
from domain.baron.formats import Tile
from domain.baron.state import State
from domain.hexes import Hex


def can_pay(honour: int, cost: int) -> bool:
    """BN-DRW-3: whether a seat with this honour may take a tile of this cost."""
    return cost == 0 or honour - cost >= LEAST_HONOUR


def known_reserve(state: State, seat: int) -> tuple[Tile, ...]:
    """The tiles of a seat, which must be known."""
    reserve = state.players[seat].reserve
    assert reserve is not None, "laying requires the tiles of the reserve"
    return reserve


def can_be_beside(tile: Tile, adjacent: Collection[Tile]) -> bool:
    """BN-LAY-2: whether a tile of this kind may be adjacent to these tiles."""
    return tile == MEADOW or tile not in adjacent


def first_place(state: State, tiles: Collection[Tile]) -> tuple[Tile, Hex] | None:
    """BN-LAY-4: one of these tiles with a hex where it can be laid; None if none of them can be laid."""
    kinds = sorted(set(tiles))
    for at, adjacent in sorted(state.rim.items()) if kinds else ():
        for tile in kinds:
            if can_be_beside(tile, adjacent):
                return tile, at
    return None


def free_meadows(state: State) -> list[Hex]:
    """BN-KEP-1: the meadows without a keep, in order."""
    keeps = state.keeps
    return sorted(at for at, tile in state.tiles.items() if tile == MEADOW and at not in keeps)


def legal_draws(state: State, seat: int) -> list[Draw]:
    """BN-DRW: the filled slots of the market that the seat can pay for."""
    honour = state.players[seat].honour
    costs = enumerate(SLOT_COSTS[: len(state.market)], start=1)
    return [Draw(slot) for slot, cost in costs if can_pay(honour, cost)]


def legal_tiles(state: State, seat: int) -> list[PlaceTile | DiscardTile]:
    """BN-LAY: each tile of the reserve on each hex where it can be laid; if none can, each to discard."""
    kinds = sorted(set(known_reserve(state, seat)))
    actions: list[PlaceTile | DiscardTile] = []
    places = sorted(state.rim.items())
    for tile in kinds:
        if tile == MEADOW:
            actions += [PlaceTile(tile, at) for at, _ in places]
        else:
            actions += [PlaceTile(tile, at) for at, adjacent in places if tile not in adjacent]
    return actions or [DiscardTile(tile) for tile in kinds]


def legal_keeps(state: State, seat: int) -> list[PlaceKeep | EndTurn]:
    """BN-KEP: a keep on each free meadow, or no keep."""
    meadows = free_meadows(state) if state.players[seat].keeps else []
    return [*map(PlaceKeep, meadows), EndTurn()]


ACTION_GENERATORS: Final[Mapping[str, Callable[[State, int], Sequence[Action]]]] = {
    "draw": legal_draws,
    "lay": legal_tiles,
    "keep": legal_keeps,
}
"""By part of the turn, a function that lists the seat's actions."""


def legal_actions(state: State, seat: int) -> Sequence[Action]:
    """What the seat may do now; [] when it is not its turn. `resign` is not listed."""
    return ACTION_GENERATORS[state.phase](state, seat) if seat == state.to_act else []
