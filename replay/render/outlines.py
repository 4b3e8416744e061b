"""Outlines around hexes that belong together: lines in a seat's colour, each with a badge and a note."""

from collections.abc import Sequence

from domain.scene import Outline, Scene
from replay.render.geometry import Box, borders, box_around
from replay.render.labels import Label, LabelSizes, tag
from replay.render.markup import Markup, Point, element, joined, moved, path_data
from replay.render.palette import DARK, HALO, seat_colour
from replay.render.pieces import badge


def outline_lines(outlines: Sequence[Outline]) -> list[Markup]:
    """Return the lines of all outlines, from back to front."""
    return [
        outline_line("".join(path_data(line) for line in _borders(outline, level)), outline.seat)
        for outline, level in zip(outlines, _levels(outlines), strict=True)
    ]


def outline_line(d: str, seat: int) -> Markup:
    """Return a line in a seat's colour and with the seat's dashes."""
    dashes = (None, "26 12", "4 15", "40 10 4 10", "14 12")[seat % 5]
    line = {"d": d, "fill": "none", "stroke_linejoin": "round"}
    return joined(
        element("path", **line, stroke=DARK, stroke_width=13),
        element("path", **line, stroke=HALO, stroke_width=8),
        element(
            "path",
            **line,
            stroke=seat_colour(seat).fill,
            stroke_width=8,
            stroke_linecap="round",
            stroke_dasharray=dashes,
        ),
    )


def outline_labels(scene: Scene, sizes: LabelSizes, others: Sequence[Box]) -> list[Label]:
    """Return each outline's badge and note, at the highest corner where the badge covers no other label.

    A note that a piece inside the outline has is not repeated.
    """
    notes = {(cell.at, piece.note) for cell in scene.cells for piece in cell.pieces}
    result: list[Label] = []
    levels = _levels(scene.outlines)
    for outline, level in zip(scene.outlines, levels, strict=True):
        corners = sorted(
            (point for line in _borders(outline, level) for point in line),
            key=lambda point: (round(point[1]), point[0]),
        )
        if not corners:
            continue
        obstacles = [*others, *(label.box for label in result)]
        x, y = next(
            (point for point in corners if not any(box.contains(point, 17) for box in obstacles)),
            corners[0],
        )
        result.append(Label(box_around(x, y + 8, 40, 40), moved(badge(outline.seat), x, y + 8)))
        if outline.note and not any((at, outline.note) in notes for at in outline.hexes):
            result.append(tag(outline.note, x + 50, y + 8, sizes.note, 90))
    return result


def _levels(outlines: Sequence[Outline]) -> list[int]:
    """Return how far inside its hexes to draw each outline, so that outlines of the same hexes differ."""
    levels: list[int] = []
    for index, outline in enumerate(outlines):
        before = zip(outlines[:index], levels, strict=True)
        used = {level for other, level in before if not {*outline.hexes}.isdisjoint(other.hexes)}
        levels.append(min({*range(index + 1)} - used) % 4)
    return levels


def _borders(outline: Outline, level: int) -> list[list[Point]]:
    return borders(outline.hexes, 9 + 11 * level)
