"""Geometry of the board: hexes to points, borders around hexes, places for pieces on a hex.

A hex stands on its point and has the radius 100 here, with x to the right and y down; `svg` scales
the whole board to its page. Nothing here draws.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, hypot, sqrt
from typing import TypeAlias

from domain.hexes import DIRECTIONS, Hex

Point: TypeAlias = tuple[float, float]

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
"""From the top, clockwise."""

# The side towards each of domain.hexes.DIRECTIONS, as the index of its first corner, going clockwise.
_SIDES = (1, 0, 5, 4, 3, 2)


def number(value: float) -> str:
    """A coordinate, to a tenth, with no tail: `12`, `-3.5`."""
    text = f"{value:.1f}"
    text = text.removesuffix(".0")
    return "0" if text == "-0" else text


def path(points: Iterable[Point], *, closed: bool = True) -> str:
    """The points as an SVG path of straight lines."""
    body = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return f"M{body}{'Z' if closed else ''}"


def centre(at: Hex) -> Point:
    """The middle of a hex."""
    q, r = at
    return (2 * HALF_WIDTH * (q + r / 2), 1.5 * RADIUS * r)


def corner(at: Hex, index: int) -> Point:
    """One of its corners, from the top clockwise."""
    x, y = centre(at)
    dx, dy = CORNERS[index % 6]
    return (x + dx, y + dy)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle around hexes: left, top, right, bottom."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom - self.top


def bounds(hexes: Iterable[Hex]) -> Box:
    """The box around whole hexes; around one at the origin where there are none."""
    points = [centre(at) for at in hexes] or [(0.0, 0.0)]
    xs = [x for x, _ in points]
    ys = [y for _, y in points]
    return Box(min(xs) - HALF_WIDTH, min(ys) - RADIUS, max(xs) + HALF_WIDTH, max(ys) + RADIUS)


def borders(hexes: Iterable[Hex], inset: float) -> list[list[Point]]:
    """The closed lines around a set of hexes, `inset` units inside their edge; holes have lines
    of their own.

    Of the three hexes that meet in a corner none, one, two or all belong to the set, so at most one
    line passes through any corner: following the sides from corner to corner cannot go astray.
    """
    inside = set(hexes)
    following: dict[tuple[int, int], tuple[int, int]] = {}
    points: dict[tuple[int, int], Point] = {}
    for q, r in sorted(inside):
        for (dq, dr), side in zip(DIRECTIONS, _SIDES, strict=True):
            if (q + dq, r + dr) not in inside:
                start, end = corner((q, r), side), corner((q, r), side + 1)
                points[_key(start)], points[_key(end)] = start, end
                following[_key(start)] = _key(end)
    loops = []
    while following:
        first = min(following)
        keys = [first]
        at = following.pop(first)
        while at != first:
            keys.append(at)
            at = following.pop(at)
        loops.append(_drawn_in([points[key] for key in keys], inset))
    return loops


def _key(point: Point) -> tuple[int, int]:
    """Corners reckoned from two hexes differ in the last bits; rounded they are one."""
    return (round(point[0]), round(point[1]))


def _drawn_in(loop: list[Point], inset: float) -> list[Point]:
    """A clockwise line moved inwards; all its angles are 120 or 240 degrees."""
    moved = []
    for index, (x, y) in enumerate(loop):
        (ax, ay), (bx, by) = loop[index - 1], loop[(index + 1) % len(loop)]
        before, after = hypot(x - ax, y - ay), hypot(bx - x, by - y)
        nx = -(y - ay) / before - (by - y) / after
        ny = (x - ax) / before + (bx - x) / after
        moved.append((x + nx * inset / 1.5, y + ny * inset / 1.5))
    return moved


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on a hex: offset from its middle, and how large to draw there."""

    x: float
    y: float
    scale: float


def piece_spots(count: int) -> list[Spot]:
    """Where `count` groups of pieces stand on a hex, from left to right and top to bottom.

    The middle band of the hex is theirs: above it the ground shows, below it stand the coordinates.
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
            across = ceil(count / rows)
            scale = min(144 / across / 64, 112 / rows / 68)
            spots = []
            for index in range(count):
                row, place = divmod(index, across)
                in_row = min(across, count - row * across)
                spots.append(
                    Spot(
                        (place - (in_row - 1) / 2) * 146 / across,
                        -8 + (row - (rows - 1) / 2) * 114 / rows,
                        scale,
                    )
                )
            return spots
