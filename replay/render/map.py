"""The map of a picture: the board on a sea chart, in a frame with the coordinates of rows and columns.

Rows run from left to right, columns along the slanted lines of the chart from the top left to the bottom
right. The frame numbers the rows at its sides and the columns at its top and bottom, in a size that can
be read on a phone even where the hexes are too small for labels.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from math import hypot, sqrt

from domain.hexes import Hex
from domain.scene import Scene
from replay.language.renderer import Renderer
from replay.language.text_layout import ems, with_minus
from replay.render.board import board, hexes_of
from replay.render.cards import Block
from replay.render.geometry import HALF_WIDTH, RADIUS, Box, bounds, centre
from replay.render.labels import label_sizes
from replay.render.markup import Ids, Markup, element, joined, moved, number
from replay.render.palette import DARK, GOLD, MUTED, PAPER, SEA, THIN_LINE
from replay.render.pieces import EMBLEMS

_LARGEST_SCALE = 0.66
_PADDING = 2.0
"""The minimum distance between the frame and a hex."""
_SLOPE = 1 / sqrt(3)
"""How far a column runs to the right for each unit down."""


@dataclass(frozen=True, slots=True)
class MapSizes:
    """The size of a map and its texts: width, greatest height, font sizes of the frame and of labels.

    `label` is the font size that labels on the board should have, `min_coordinates` the smallest one
    at which coordinates stand in the hexes. `overhang` is how far the map extends into the page's
    margins; a map with an overhang has numbers of rows only at its left, to leave room for the board.
    """

    width: float
    max_height: float
    frame: float
    label: float
    min_coordinates: float
    overhang: float = 0


@dataclass(frozen=True, slots=True)
class _View:
    """Where the board is on the map: the point of the hex (0, 0), the scale, and the opening of the frame."""

    x: float
    y: float
    scale: float
    opening: Box

    @property
    def row_height(self) -> float:
        """The distance from a row to the next one."""
        return 1.5 * RADIUS * self.scale

    @property
    def column_width(self) -> float:
        """The distance from a column to the next one."""
        return 2 * HALF_WIDTH * self.scale

    def point(self, at: tuple[float, float]) -> tuple[float, float]:
        """Return the point on the map of a point of the board."""
        return (self.x + at[0] * self.scale, self.y + at[1] * self.scale)


def draw_map(scene: Scene, renderer: Renderer, sizes: MapSizes, ids: Ids) -> Block:
    """Return the board of a scene in its frame, as large as the page allows."""
    hexes = hexes_of(scene)
    box = bounds(hexes)
    rows, columns = _span(r for _, r in hexes), _span(q for q, _ in hexes)
    left = max(ems(with_minus(str(r))) for r in (rows[0], rows[-1])) * sizes.frame + 6
    right = 7 if sizes.overhang else left
    band = sizes.frame * 1.3 + 2
    inner = sizes.width - left - right - 2 * _PADDING
    scale = min(inner / box.width, sizes.max_height / box.height, _LARGEST_SCALE)
    height = box.height * scale + 2 * (band + _PADDING)
    opening = Box(left, band, sizes.width - right, height - band)
    view = _View(
        (opening.left + opening.right) / 2 - (box.left + box.right) / 2 * scale,
        height / 2 - (box.top + box.bottom) / 2 * scale,
        scale,
        opening,
    )
    label = label_sizes(scale, sizes.label, sizes.min_coordinates)
    parts = [
        element("rect", width=sizes.width, height=height, fill=SEA),
        _graticule(view, rows, columns),
        *_rose(hexes, view),
        moved(board(scene, renderer, ids, label), view.x, view.y, scale),
        _frame(view, sizes, height, rows, columns),
    ]
    return Block(moved(joined(*parts), -sizes.overhang, 0), height)


def _span(coordinates: Iterable[int]) -> range:
    """Return the range from the least to the greatest coordinate; only 0 if there are none."""
    values = list(coordinates) or [0]
    return range(min(values), max(values) + 1)


def _thinned(lines: range, distance: float, room: float) -> range:
    """Return rows or columns that are `distance` apart, thinned out until they are `room` apart.

    The multiples of 1, 2, 5, 10, 20, ... remain.
    """
    steps = (digit * 10**power for power in count() for digit in (1, 2, 5))
    step = next(step for step in steps if step * distance >= room)
    return range(-(-lines.start // step) * step, lines.stop, step)


def _graticule(view: _View, rows: range, columns: range) -> Markup:
    """Return the lines of rows and columns, through the centres of their hexes, from frame to frame."""
    opening = view.opening
    lines = []
    for r in _thinned(rows, view.row_height, 8):
        _, y = view.point((0, 1.5 * RADIUS * r))
        lines.append(f"M{number(opening.left)} {number(y)}H{number(opening.right)}")
    for q in _thinned(columns, view.column_width, 8):
        ends = [
            (_column_x(view, q, y), y)
            for y in sorted(
                (
                    min(max(_column_y(view, q, opening.left), opening.top), opening.bottom),
                    min(max(_column_y(view, q, opening.right), opening.top), opening.bottom),
                )
            )
        ]
        lines.append("M" + "L".join(f"{number(x)} {number(y)}" for x, y in ends))
    return element("path", d="".join(lines), stroke=MUTED, stroke_width=1, opacity=".32")


def _column_x(view: _View, q: int, y: float) -> float:
    return view.x + q * view.column_width + (y - view.y) * _SLOPE


def _column_y(view: _View, q: int, x: float) -> float:
    return view.y + (x - view.x - q * view.column_width) / _SLOPE


def _frame(view: _View, sizes: MapSizes, height: float, rows: range, columns: range) -> Markup:
    width, opening, font = sizes.width, view.opening, sizes.frame
    band = (
        f"M0 0H{number(width)}V{number(height)}H0Z"
        f"M{number(opening.left)} {number(opening.top)}V{number(opening.bottom)}"
        f"H{number(opening.right)}V{number(opening.top)}Z"
    )
    parts = [
        element("path", d=band, fill=PAPER, stroke=THIN_LINE, stroke_width=1),
        element(
            "rect",
            x=opening.left,
            y=opening.top,
            width=opening.width,
            height=opening.height,
            fill="none",
            stroke=DARK,
            stroke_width=1.5,
        ),
        element(
            "rect",
            x=1.5,
            y=1.5,
            width=width - 3,
            height=height - 3,
            fill="none",
            stroke=DARK,
            stroke_width=3,
        ),
    ]
    for r in _thinned(rows, view.row_height, font * 1.15):
        _, y = view.point((0, 1.5 * RADIUS * r))
        parts.append(_number(r, opening.left / 2 + 1, y, font))
        if not sizes.overhang:
            parts.append(_number(r, width - opening.left / 2 - 1, y, font))
    widest = max(ems(with_minus(str(q))) for q in (columns[0], columns[-1])) * font
    for q in _thinned(columns, view.column_width, widest * 1.05):
        for y, edge in (
            (opening.top / 2 + 1, opening.top),
            (height - opening.top / 2 - 1, opening.bottom),
        ):
            x, half = _column_x(view, q, y), widest / 2 + 2
            is_visible = opening.left < _column_x(view, q, edge) < opening.right
            if is_visible and half < x < width - half:
                parts.append(_number(q, x, y, font))
    return element("g", *parts, text_anchor="middle", fill=DARK)


def _number(value: int, x: float, y: float, size: float) -> Markup:
    return element("text", with_minus(str(value)), x=x, y=y + size * 0.36, font_size=size)


def _rose(hexes: set[Hex], view: _View) -> Iterator[Markup]:
    """Yield a compass rose in the corner with the most room, if there is enough."""
    centres = [view.point(centre(at)) for at in hexes]
    hex_radius = RADIUS * view.scale
    best = (0.0, 0.0, 0.0)
    opening = view.opening
    for is_right in (False, True):
        for is_bottom in (False, True):
            radius = 58.0
            while radius > max(26, best[2]):
                x = opening.right - radius if is_right else opening.left + radius
                y = opening.bottom - radius if is_bottom else opening.top + radius
                if all(hypot(cx - x, cy - y) > hex_radius + radius for cx, cy in centres):
                    best = (x, y, radius)
                    break
                radius -= 4
    if best[2]:
        yield moved(_ROSE, best[0], best[1], best[2] / 100)


def _rose_markup() -> Markup:
    axes = (
        element(
            "g",
            element("path", d="M0 -7L66 0L0 7Z", fill=DARK),
            element("path", d="M0 -7L-30 0L0 7Z", fill=MUTED),
            transform=f"rotate({angle})",
        )
        for angle in (0, 60)
    )
    names = (
        element(
            "text",
            name,
            x=x,
            y=y,
            font_size=34,
            font_style="italic",
            font_weight="bold",
            text_anchor="middle",
            fill=DARK,
        )
        for name, x, y in (("q", 82, 10), ("r", 42, 86))
    )
    star = element(
        "path",
        d=EMBLEMS[2],
        transform="rotate(30) scale(1.3)",
        fill=GOLD,
        stroke=DARK,
        stroke_width=2,
    )
    return joined(
        element(
            "circle", r=62, fill="none", stroke=MUTED, stroke_width=2.5, stroke_dasharray="2 6"
        ),
        element("circle", r=40, fill="none", stroke=MUTED, stroke_width=2),
        *axes,
        star,
        *names,
    )


_ROSE = _rose_markup()
