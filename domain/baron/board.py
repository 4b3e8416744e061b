"""The board as it is laid: where there is room for a tile (BN-LAY) and for a keep (BN-KEP-1)."""

from collections.abc import Collection

from domain.baron.components import MEADOW
from domain.baron.state import State
from domain.hexes import Hex


def rim(state: State) -> list[Hex]:
    """BN-LAY-1: the empty hexes adjacent to a tile, in order."""
    return sorted(state.rim)


def kinds_around(state: State, at: Hex) -> tuple[str, ...]:
    """The tiles adjacent to an empty hex."""
    return state.rim.get(at, ())


def may_lie(tile: str, around: Collection[str]) -> bool:
    """BN-LAY-2: whether a tile of this kind may lie beside these."""
    return tile == MEADOW or tile not in around


def somewhere(state: State, tiles: Collection[str]) -> tuple[str, Hex] | None:
    """BN-LAY-4: one of these tiles and a hex where it can be laid, None where there is none."""
    kinds = sorted(set(tiles))
    for at in rim(state) if kinds else ():
        around = kinds_around(state, at)
        for tile in kinds:
            if may_lie(tile, around):
                return tile, at
    return None


def free_meadows(state: State) -> list[Hex]:
    """BN-KEP-1: the meadows without a keep, in order."""
    keeps = state.keeps
    return sorted(at for at, tile in state.tiles.items() if tile == MEADOW and at not in keeps)
