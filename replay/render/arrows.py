"""The arrows of moves, which avoid labels and each other.

An arrow is a curve between two hexes. Of several possible curves, the first one that crosses no label and no
other arrow is drawn, or else the one that crosses the fewest.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import atan2, cos, hypot, sin

from domain.scene import Arrow
from replay.render.descriptions import coordinates
from replay.render.geometry import Box, centre
from replay.render.labels import count_disc
from replay.render.markup import Markup, Point, element, joined, number, path_data
from replay.render.palette import DARK, HALO, seat_colour

_BENDS = (20, 0, -20, 40, -40, 60, -60, 85, -85)
"""Distances of a curve's middle from the straight line, to the left of its direction; best first."""
_TRIMS = ((50, 52), (62, 62), (40, 62), (62, 40), (75, 50), (50, 75), (30, 70), (70, 30))
"""Distances of a curve's ends from the centres of its hexes."""
_WIDTH = 21
_HEAD_LENGTH = 34


@dataclass(frozen=True, slots=True)
class Curve:
    """A quadratic Bézier curve from `start` to `tip`, with its control point."""

    start: Point
    control: Point
    tip: Point

    def at(self, t: float) -> Point:
        """Return the point of the curve at a parameter from 0 to 1."""
        a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t**2
        return (
            a * self.start[0] + b * self.control[0] + c * self.tip[0],
            a * self.start[1] + b * self.control[1] + c * self.tip[1],
        )

    def points(self) -> list[Point]:
        """Return points along the curve, close enough that no label fits between them."""
        length = hypot(self.tip[0] - self.start[0], self.tip[1] - self.start[1])
        steps = min(max(6, round(length / 14)), 100)
        return [self.at(step / steps) for step in range(steps + 1)]

    def covers(self) -> list[tuple[Point, float]]:
        """Return points with distances around them that the arrow along this curve covers."""
        (x, y), (cx, cy) = self.tip, self.control
        back = 26 / (hypot(x - cx, y - cy) or 1)
        head = (x - (x - cx) * back, y - (y - cy) * back)
        return [(head, 20), *((point, _WIDTH / 2) for point in self.points())]


def curve_of(arrow: Arrow, obstacles: Sequence[Box], others: Sequence[Curve] = ()) -> Curve:
    """Return the curve of an arrow that crosses the fewest obstacles and other arrows."""
    (ax, ay), (bx, by) = centre(arrow.start), centre(arrow.end)
    reach = max(abs(bx - ax), abs(by - ay)) / 2 + 150
    nearby = [box for box in obstacles if box.contains(((ax + bx) / 2, (ay + by) / 2), reach)]
    other_points = [point for other in others for point in other.points()]
    fewest, best = float("inf"), None
    for curve in _curves((ax, ay), (bx, by)):
        covered = curve.covers()
        crossings = 10 * sum(
            any(box.contains(point, distance) for point, distance in covered) for box in nearby
        ) + sum(hypot(x - cx, y - cy) < _WIDTH for (x, y), _ in covered for cx, cy in other_points)
        if crossings < fewest:
            fewest, best = crossings, curve
        if not crossings:
            break
    assert best is not None
    return best


def _curves(start: Point, end: Point) -> Iterator[Curve]:
    (ax, ay), (bx, by) = start, end
    length = hypot(bx - ax, by - ay)
    ux, uy = (bx - ax) / length, (by - ay) / length
    # A longer arrow is bent further.
    factor = max(1.0, length / 300)
    for from_start, from_end in _TRIMS if length < 400 else _TRIMS[:1]:
        for bend in _BENDS:
            side = bend * factor
            yield Curve(
                (ax + ux * from_start - uy * side * 0.9, ay + uy * from_start + ux * side * 0.9),
                ((ax + bx) / 2 - uy * side * 1.5, (ay + by) / 2 + ux * side * 1.5),
                (bx - ux * from_end - uy * side * 0.7, by - uy * from_end + ux * side * 0.7),
            )


def arrows_markup(arrows: Sequence[Arrow], obstacles: Sequence[Box], count_size: float) -> Markup:
    """Return all arrows. Arrows that are the same are drawn once, with their number beside them."""
    curves: list[Curve] = []
    parts = []
    for arrow, count in Counter(arrows).items():
        if arrow.start == arrow.end:
            x, y = centre(arrow.start)
            fill = seat_colour(arrow.seat).fill
            parts.append(
                element("circle", cx=x, cy=y, r=70, fill="none", stroke=fill, stroke_width=9)
            )
            continue
        curve = curve_of(arrow, obstacles, curves)
        curves.append(curve)
        parts.append(arrow_markup(curve, arrow))
        if count > 1:
            parts.append(_count(curve, count, count_size))
    return joined(*parts)


def arrow_markup(curve: Curve, arrow: Arrow) -> Markup:
    """Return a curve with an arrowhead, in the colour of the arrow's seat with a dark and a pale rim.

    It has the arrow in attributes, for a script that moves the piece.
    """
    fill = seat_colour(arrow.seat).fill
    (x, y), (cx, cy) = curve.tip, curve.control
    angle = atan2(y - cy, x - cx)
    head = [
        (x + along * cos(angle) - side * sin(angle), y + along * sin(angle) + side * cos(angle))
        for along, side in ((0, 0), (-_HEAD_LENGTH, 20), (-26, 0), (-_HEAD_LENGTH, -20))
    ]
    shaft = " ".join(
        number(value) for point in (curve.start, curve.control, head[2]) for value in point
    )
    start_x, start_y, rest = shaft.split(" ", 2)
    d, tip = f"M{start_x} {start_y}Q{rest}", path_data(head)
    return element(
        "g",
        element("path", d=d, stroke=HALO, stroke_width=_WIDTH),
        element("path", d=tip, fill=HALO, stroke=HALO, stroke_width=13),
        element("path", d=d, stroke=DARK, stroke_width=14),
        element("path", d=tip, fill=DARK, stroke=DARK, stroke_width=7),
        element("path", d=d, stroke=fill, stroke_width=7),
        element("path", d=tip, fill=fill),
        stroke_linecap="round",
        stroke_linejoin="round",
        fill="none",
        pointer_events="none",
        data_from=coordinates(arrow.start),
        data_to=coordinates(arrow.end),
        data_seat=arrow.seat,
    )


def _count(curve: Curve, count: int, size: float) -> Markup:
    (ax, ay), (bx, by), (x, y) = curve.start, curve.tip, curve.at(0.4)
    length = hypot(bx - ax, by - ay) or 1
    away = 16 + size * 0.58
    return count_disc(
        count, x - (by - ay) / length * away, y + (bx - ax) / length * away, size
    ).markup
