"""Geometry of the board: the points of hexes, the borders of sets of hexes, and places for pieces on a hex.

Lengths are in board units: a hex has a corner at its top and a radius of 100, x points to the right and
y down. The code that draws a board scales it to its page.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, hypot, sqrt

from domain.hexes import DIRECTIONS, Hex, distance
from domain.scene import Scene
from replay.render.markup import Point

RADIUS = 100.0
HALF_WIDTH = RADIUS * sqrt(3) / 2
CORNERS: tuple[Point, ...] = (
    (0.0, -RADIUS),
    (HALF_WIDTH, -RADIUS / 2),
    (HALF_WIDTH, RADIUS / 2),
    (0.0, RADIUS),
    (-HALF_WIDTH, RADIUS / 2),
    (-HALF_WIDTH, -RADIUS / 2),
)
"""The corners of a hex around its centre, clockwise from the top."""

# For each of domain.hexes.DIRECTIONS the index of the first corner, clockwise, of the side it crosses.
_SIDES = (1, 0, 5, 4, 3, 2)

_MAX_DISTANCE = 200
"""The greatest distance between two hexes of a board that is drawn: a forged board could fill the memory."""


def is_drawable(scene: Scene) -> bool:
    """Return whether the board of a scene, which may be forged, is small enough to be drawn."""
    return all(distance(cell.at, scene.cells[0].at) <= _MAX_DISTANCE for cell in scene.cells)


def centre(at: Hex) -> Point:
    """Return the centre of a hex."""
    q, r = at
    return (2 * HALF_WIDTH * (q + r / 2), 1.5 * RADIUS * r)


def corner(at: Hex, index: int) -> Point:
    """Return a corner of a hex, by its index in `CORNERS` modulo 6."""
    x, y = centre(at)
    dx, dy = CORNERS[index % 6]
    return (x + dx, y + dy)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle by its left, top, right and bottom sides."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """The distance from left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """The distance from top to bottom."""
        return self.bottom - self.top

    def contains(self, point: Point, margin: float = 0) -> bool:
        """Return whether a point is in the rectangle, or within `margin` of it along either axis."""
        x, y = point
        return (
            self.left - margin < x < self.right + margin
            and self.top - margin < y < self.bottom + margin
        )


def box_around(x: float, y: float, width: float, height: float) -> Box:
    """Return a rectangle with its centre at (x, y)."""
    return Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def bounds(hexes: Iterable[Hex]) -> Box:
    """Return the smallest rectangle around all hexes; without any, the one around the hex (0, 0)."""
    return _bounds(frozenset(hexes))


# Every choice of a player measures the same board several times.
@lru_cache(maxsize=256)
def _bounds(hexes: frozenset[Hex]) -> Box:
    points = [centre(at) for at in hexes] or [(0.0, 0.0)]
    xs = [x for x, _ in points]
    ys = [y for _, y in points]
    return Box(min(xs) - HALF_WIDTH, min(ys) - RADIUS, max(xs) + HALF_WIDTH, max(ys) + RADIUS)


def borders(hexes: Iterable[Hex], inset: float) -> list[list[Point]]:
    """Return the closed lines around a set of hexes, `inset` units inside its edge. Holes have lines too.

    Of the three hexes that meet in a corner none, one, two or all belong to the set, so at most one
    line passes through any corner, and the sides can be followed from corner to corner.
    """
    inside = set(hexes)
    next_corner: dict[tuple[int, int], tuple[int, int]] = {}
    points: dict[tuple[int, int], Point] = {}
    for q, r in sorted(inside):
        for (dq, dr), side in zip(DIRECTIONS, _SIDES, strict=True):
            if (q + dq, r + dr) not in inside:
                start, end = corner((q, r), side), corner((q, r), side + 1)
                points[_key(start)], points[_key(end)] = start, end
                next_corner[_key(start)] = _key(end)
    lines = []
    while next_corner:
        first = min(next_corner)
        keys = [first]
        at = next_corner.pop(first)
        while at != first:
            keys.append(at)
            at = next_corner.pop(at)
        lines.append(_inset([points[key] for key in keys], inset))
    return lines


def _key(point: Point) -> tuple[int, int]:
    """Return a corner with rounded coordinates, which are the same from each of the hexes that share it."""
    return (round(point[0]), round(point[1]))


def _inset(line: list[Point], distance: float) -> list[Point]:
    """Return a clockwise closed line, moved inwards. All of its angles are 120 or 240 degrees."""
    result = []
    for index, (x, y) in enumerate(line):
        (ax, ay), (bx, by) = line[index - 1], line[(index + 1) % len(line)]
        before, after = hypot(x - ax, y - ay), hypot(bx - x, by - y)
        nx = -(y - ay) / before - (by - y) / after
        ny = (x - ax) / before + (bx - x) / after
        result.append((x + nx * distance / 1.5, y + ny * distance / 1.5))
    return result


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on a hex: the offset from its centre, and the scale at which to draw there."""

    x: float
    y: float
    scale: float


def piece_spots(count: int) -> list[Spot]:
    """Return places for `count` groups of pieces on a hex, from left to right and top to bottom.

    They lie in the middle of the hex: the terrain shows above them, and the coordinates are below.
    A piece is about 60 wide and 64 high at scale 1.
    """
    match count:
        case 0:
            return []
        case 1:
            return [Spot(0, 2, 1.4)]
        case 2:
            return [Spot(-40, 3, 1.18), Spot(40, 3, 1.18)]
        case 3:
            return [Spot(0, -37, 0.96), Spot(-43, 18, 0.98), Spot(43, 18, 0.98)]
        case 4:
            return [Spot(x, y, 0.88) for y in (-37, 20) for x in (-38, 38)]
        case _:
            rows = 2 if count <= 6 else ceil(sqrt(count / 1.6))
            per_row = ceil(count / rows)
            scale = min(144 / per_row / 64, 112 / rows / 68)
            spots = []
            for index in range(count):
                row, column = divmod(index, per_row)
                in_row = min(per_row, count - row * per_row)
                spots.append(
                    Spot(
                        (column - (in_row - 1) / 2) * 146 / per_row,
                        -8 + (row - (rows - 1) / 2) * 114 / rows,
                        scale,
                    )
                )
            return spots
