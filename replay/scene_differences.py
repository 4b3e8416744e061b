"""Marks on a scene what differs from another scene of the same game."""

from dataclasses import replace

from domain.hexes import Hex
from domain.scene import Cell, Scene


def with_differences(scene: Scene, other: Scene) -> Scene:
    """Return the scene with those hexes marked as changed that differ in the other scene."""
    others: dict[Hex, Cell] = {cell.at: cell for cell in other.cells}
    cells = tuple(
        replace(cell, is_changed=_contents(cell) != _contents(others.get(cell.at)))
        for cell in scene.cells
    )
    return replace(scene, cells=cells)


def _contents(cell: Cell | None) -> object:
    """What is on a hex, without what the last event did there; None for a hex that is not on the board."""
    return None if cell is None else (cell.terrain, cell.pieces, cell.marks, cell.value)
