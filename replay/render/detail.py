"""A detail of a scene: the part of its board that the last event was about."""

from dataclasses import replace

from domain.hexes import Hex, distance
from domain.scene import Cell, Scene


def detail(scene: Scene, reach: int) -> Scene:
    """Return the scene with only the hexes within `reach` steps of those that the last event changed.

    It has all hexes if the event changed none.
    """
    centres = {cell.at for cell in scene.cells if _has_changed(cell)}
    centres |= {at for arrow in scene.arrows for at in (arrow.start, arrow.end)}
    if not centres:
        return scene

    def is_shown(at: Hex) -> bool:
        return any(distance(at, other) <= reach for other in centres)

    return replace(
        scene,
        cells=tuple(cell for cell in scene.cells if is_shown(cell.at)),
        outlines=tuple(outline for outline in scene.outlines if all(map(is_shown, outline.hexes))),
    )


def _has_changed(cell: Cell) -> bool:
    return cell.is_changed or cell.is_contested or bool(cell.removed)
