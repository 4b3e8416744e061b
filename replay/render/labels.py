"""The labels and small signs on the board, drawn above pieces and arrows: nothing covers them.

Their sizes follow from the scale at which the board is shown: on a large board, whose hexes are small on
the page, labels are larger in proportion. Coordinates are left out of the hexes where they would
be too small to read; the frame of the map has them too.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from domain.hexes import Hex
from domain.scene import Cell, Piece
from replay.language.text_layout import clean, cut, ems, with_minus
from replay.render.descriptions import coordinates
from replay.render.drawings import terrain_colour
from replay.render.geometry import Box, Spot, box_around, centre, piece_spots
from replay.render.markup import Markup, bold_text, element, joined, moved
from replay.render.palette import CARD, DARK, HALO
from replay.render.pieces import badge


@dataclass(frozen=True, slots=True)
class Label:
    """A label in board units, with the box that it takes."""

    box: Box
    markup: Markup


@dataclass(frozen=True, slots=True)
class LabelSizes:
    """Font sizes in board units. `coordinates` is None where they are left out of the hexes."""

    coordinates: float | None
    note: float
    count: float
    value: float


def label_sizes(scale: float, target: float, minimum: float) -> LabelSizes:
    """Font sizes for a board that is drawn at a scale.

    Labels are given the font size `target` on the page where a hex has room for them. Coordinates are left
    out when they would be smaller than `minimum`.
    """

    def clamped(smallest: float, largest: float) -> float:
        return min(max(target / scale, smallest), largest)

    size = clamped(30, 36)
    return LabelSizes(
        coordinates=size if size * scale >= minimum else None,
        note=clamped(26, 40),
        count=clamped(34, 46),
        value=clamped(28, 42),
    )


def pieces_on(cell: Cell) -> list[tuple[Piece, bool, Spot]]:
    """Return the groups of pieces on a hex, whether each was removed, and where it is drawn."""
    groups = [(piece, False) for piece in sorted(cell.pieces, key=lambda piece: piece.seat)]
    groups += [(piece, True) for piece in cell.removed]
    spots = piece_spots(len(groups))
    return [(*group, spot) for group, spot in zip(groups, spots, strict=True)]


def cell_labels(cells: Iterable[Cell], sizes: LabelSizes, package: str) -> list[Label]:
    """Return the labels of hexes, in the order of the hexes. `package` has the drawings of terrains."""
    return [label for cell in cells for label in _placed_labels(cell, sizes, package)]


@lru_cache(maxsize=4096)
def _placed_labels(cell: Cell, sizes: LabelSizes, package: str) -> tuple[Label, ...]:
    x, y = centre(cell.at)
    return tuple(
        Label(moved_box(label.box, x, y), moved(label.markup, x, y))
        for label in _labels_of(cell, sizes, package)
    )


def moved_box(box: Box, x: float, y: float) -> Box:
    """Return a box moved by (x, y)."""
    return Box(box.left + x, box.top + y, box.right + x, box.bottom + y)


def _labels_of(cell: Cell, sizes: LabelSizes, package: str) -> Iterator[Label]:
    if sizes.coordinates:
        yield _coordinates(cell.at, sizes.coordinates)
    if cell.value:
        yield _value(cell, sizes.value, package)
    for piece, _, spot in pieces_on(cell):
        x, y = spot.x + 23 * spot.scale, spot.y - 21 * spot.scale
        if piece.note:
            # A long note of a piece on the right must not run off the page.
            centre_of_note = min(spot.x + 34 * spot.scale, 64)
            yield tag(piece.note, centre_of_note, spot.y + 13 * spot.scale, sizes.note, 80)
        if piece.count != 1:
            yield count_disc(piece.count, min(x, 64), y, sizes.count)
    if cell.is_contested:
        yield _of_event(Label(box_around(-60, 0, 48, 48), moved(SWORDS, -60, 0)))
    if cell.note:
        yield _of_event(tag(cell.note, 0, -60, sizes.note, 124))
    yield from _marks(cell)


def _of_event(label: Label) -> Label:
    return Label(label.box, element("g", label.markup, class_="of-event"))


_SWORD = "M-13 14L11 -10L14 -14L10 -11L-14 13ZM-12 5L-5 12M-11 11L-15 15"
SWORDS = joined(
    element("circle", r=23, fill=CARD, stroke=DARK, stroke_width=3),
    element(
        "g",
        element("path", d=_SWORD),
        element("path", d=_SWORD, transform="scale(-1 1)"),
        fill=DARK,
        stroke=DARK,
        stroke_width=3.2,
        stroke_linecap="round",
        stroke_linejoin="round",
    ),
)
"""Crossed swords, for a hex that was fought over; radius 23."""


def _marks(cell: Cell) -> Iterator[Label]:
    """Yield the badges of the seats that left a mark, along the upper edges of the hex."""
    step = min(54.0, 92 / max(len(cell.marks) - 1, 1))
    for index, seat in enumerate(cell.marks):
        x = (index - (len(cell.marks) - 1) / 2) * step
        y = -71 + abs(x) * 0.45
        yield Label(box_around(x, y, 42, 42), moved(mark_badge(seat), x, y))


def mark_badge(seat: int) -> Markup:
    """Return a seat's badge with a pale rim, radius 21."""
    return joined(element("circle", r=21, fill=HALO), badge(seat))


@lru_cache(maxsize=4096)
def _coordinates(at: Hex, size: float) -> Label:
    text = with_minus(coordinates(at))
    size = min(size, 116 / ems(text))
    return Label(
        box_around(0, 67, ems(text) * size, size * 0.8),
        element(
            "text",
            text,
            y=67 + size * 0.36,
            font_size=size,
            fill=DARK,
            stroke=HALO,
            stroke_opacity=".8",
            stroke_width=5,
            stroke_linejoin="round",
            paint_order="stroke",
            text_anchor="middle",
        ),
    )


def _value(cell: Cell, size: float, package: str) -> Label:
    coin = value_coin(cell.value, size, terrain_colour(package, cell.terrain).line)
    x, y = min(58, 84 - coin.box.right), 26
    return Label(moved_box(coin.box, x, y), moved(coin.markup, x, y))


def value_coin(value: str, size: float, stroke: str) -> Label:
    """Return a value in a pale coin around (0, 0), which is broader for longer values."""
    text = cut(with_minus(clean(value)), 3, ems)
    height = size * 1.3
    width = max(height, (ems(text) + 0.3) * size)
    coin = element(
        "rect",
        x=-width / 2,
        y=-height / 2,
        width=width,
        height=height,
        rx=height / 2,
        fill=CARD,
        stroke=stroke,
        stroke_width=3,
    )
    return Label(
        box_around(0, 0, width, height), joined(coin, bold_text(text, 0, size * 0.36, size, DARK))
    )


def count_disc(count: int, x: float, y: float, size: float) -> Label:
    """Return a number in a dark disc around (x, y)."""
    radius = size * 0.58
    font_size = min(size, 1.15 * size / ems(str(count)))
    return Label(
        box_around(x, y, 2 * radius, 2 * radius),
        element(
            "g",
            element("circle", cx=x, cy=y, r=radius, fill=DARK, stroke=HALO, stroke_width=4),
            bold_text(str(count), x, y + font_size * 0.36, font_size, "#ffffff"),
            class_="count",
        ),
    )


def tag(text: str, x: float, y: float, size: float, max_width: float) -> Label:
    """Return a short text in a pale box around (x, y), cut to a width."""
    text = with_minus(clean(text))
    size = max(min(size, max_width / max(ems(text), 1)), 14)
    text = cut(text, max_width, lambda part: ems(part) * size)
    width, height = ems(text) * size + size * 0.4, size * 1.25
    return Label(
        box_around(x, y, width, height),
        joined(
            element(
                "rect",
                x=x - width / 2,
                y=y - height / 2,
                width=width,
                height=height,
                rx=6,
                fill=CARD,
                stroke=DARK,
                stroke_width=2.5,
            ),
            bold_text(text, x, y + size * 0.36, size, DARK),
        ),
    )
