"""Drawings of pieces, by kind, and the emblems by which seats can be told apart without colour.

A piece is a silhouette in its seat's colour with the seat's emblem on it. It is drawn around (0, 0) and is
about 60 wide and 64 high. A kind without a drawing becomes a plaque with its first letters.
"""

from dataclasses import dataclass
from functools import lru_cache

from replay.render.descriptions import in_words
from replay.render.markup import Markup, bold_text, element, joined, translation
from replay.render.palette import DARK, HALO, SeatColour, seat_colour
from replay.render.text_layout import ems


@dataclass(frozen=True, slots=True)
class _Drawing:
    """A silhouette, the lines on it, and the emblem's place: x, y and radius."""

    silhouette: str
    lines: str
    emblem: tuple[float, float, float]


_TOWER = "M-20 32L-16 -6H-23V-30H-13V-21H-5V-30H5V-21H13V-30H23V-6H16L20 32Z"

_DRAWINGS = {
    "knight": _Drawing(
        "M-19 32H23C25 13 22 -4 13 -16C9 -22 3 -26 -3 -27L-7 -34L-12 -25C-18 -22 -21 -14 -25 -7"
        "C-29 -1 -31 2 -28 6C-25 11 -20 9 -16 5C-12 3 -8 3 -4 3C-6 11 -15 15 -18 23Z",
        "M-13 -13h.1M4 -21C13 -13 18 -2 18 12M-25 3h.1",
        (4.5, 17.5, 9.5),
    ),
    "village": _Drawing(
        "M-24 32V6L-31 4L-31 -1L0 -28L11 -18V-27H20V-10L31 -1V4L24 6V32Z",
        "M-24 6L0 -15L24 6",
        (0, 15, 11),
    ),
    "stronghold": _Drawing(_TOWER, "M-16 -6H16", (0, 11, 11)),
    "city": _Drawing(
        "M-36 32V-3H-40L-27 -29L-14 -3H-17V5H-12V-13H-16L0 -38L16 -13H12V5H17V-3H14L27 -29L40 -3H36V32Z",
        "M-36 -3H-17M17 -3H36M-12 -13H12M-17 5V14M17 5V14",
        (0, 14, 11.5),
    ),
    "keep_knight": _Drawing(
        "M-18 32L-15 0H-20V-18H-11V-11H-4.5V-18H-2V-38H21L15 -31L21 -24H3V-18H4.5V-11H11V-18H20V0H15L18 32Z",
        "M-15 0H15",
        (0, 14.5, 10.5),
    ),
    "keep_baron": _Drawing(
        "M-26 32V24H-19L-16 2H-21L-29 -26L-13 -13L0 -36L13 -13L29 -26L21 2H16L19 24H26V32Z",
        "M-21 2H21M-18 -5H18M-19 24H19",
        (0, 13.5, 10),
    ),
}
_PLAQUE = _Drawing("M-27 -26Q0 -34 27 -26V28Q0 36 -27 28Z", "", (0, 15, 10))

EMBLEMS = (
    "M-3.3 -10H3.3V-3.3H10V3.3H3.3V10H-3.3V3.3H-10V-3.3H-3.3Z",
    "M0 -9A9 9 0 0 1 0 9A9 9 0 0 1 0 -9Z",
    "M0 -11L9 0L0 11L-9 0Z",
    "M-9.5 -8.5H9.5V-2.5H-9.5ZM-9.5 2.5H9.5V8.5H-9.5Z",
    "M0 -11L2.8 -3.6L10.5 -3.4L4.4 1.5L6.5 9L0 4.6L-6.5 9L-4.4 1.5L-10.5 -3.4L-2.8 -3.6Z",
)
"""Cross, disc, diamond, bars and star, for the seats 0 to 4, with a radius of 10."""


def emblem(seat: int, x: float, y: float, radius: float) -> Markup:
    """Return the emblem of a seat, or its number if it has none."""
    fill = seat_colour(seat).emblem
    if 0 <= seat < len(EMBLEMS):
        return element("path", d=EMBLEMS[seat], fill=fill, transform=translation(x, y, radius / 10))
    size = min(radius * 2.2, radius * 2.2 / ems(str(seat)))
    return bold_text(str(seat), x, y + size * 0.36, size, fill)


@lru_cache(maxsize=256)
def piece_markup(kind: str, seat: int | None) -> Markup:
    """Return a piece of a seat with a pale rim around it; grey and without an emblem if the seat is None."""
    drawing = _DRAWINGS.get(kind, _PLAQUE)
    colour = seat_colour(seat)
    parts = [
        _outline(drawing, fill="none", stroke=HALO, width=11),
        _outline(drawing, fill=colour.fill, stroke=DARK, width=4),
        _lines(drawing, colour),
    ]
    if kind not in _DRAWINGS:
        parts.append(_first_letters(kind, colour.emblem))
    if seat is not None:
        parts.append(emblem(seat, *drawing.emblem))
    return joined(*parts)


def _outline(drawing: _Drawing, *, fill: str, stroke: str, width: float) -> Markup:
    return element(
        "path",
        d=drawing.silhouette,
        fill=fill,
        stroke=stroke,
        stroke_width=width,
        stroke_linejoin="round",
    )


def _lines(drawing: _Drawing, colour: SeatColour) -> Markup:
    return element(
        "path",
        d=drawing.lines or "M0 0",
        fill="none",
        stroke=colour.emblem,
        stroke_width=3,
        stroke_linecap="round",
        opacity=".75",
    )


@lru_cache(maxsize=256)
def removed_piece_markup(kind: str, seat: int | None) -> Markup:
    """Return a piece that was removed: pale, with a dashed outline, and crossed out."""
    drawing = _DRAWINGS.get(kind, _PLAQUE)
    cross = "M-29 -29L29 31M29 -29L-29 31"
    return joined(
        element("path", d=drawing.silhouette, fill=HALO, stroke=HALO, stroke_width=9),
        element(
            "path",
            d=drawing.silhouette,
            fill=seat_colour(seat).fill,
            fill_opacity=".6",
            stroke=DARK,
            stroke_width=3.5,
            stroke_dasharray="6 5",
        ),
        Markup() if seat is None else emblem(seat, *drawing.emblem),
        element("path", d=cross, stroke=HALO, stroke_width=11, stroke_linecap="round"),
        element("path", d=cross, stroke=DARK, stroke_width=5.5, stroke_linecap="round"),
    )


def _first_letters(kind: str, fill: str) -> Markup:
    text = in_words(kind)[:4]
    size = min(22.0, 46 / max(ems(text), 1))
    return bold_text(text, None, -4, size, fill)


def badge(seat: int | None) -> Markup:
    """Return a small round shield with a seat's colour and emblem, radius 17."""
    disc = element("circle", r=17, fill=seat_colour(seat).fill, stroke=DARK, stroke_width=3.5)
    return disc if seat is None else joined(disc, emblem(seat, 0, 0, 11))


def shield(seat: int, hatching: str) -> Markup:
    """Return a seat's shield, 40 wide and 48 high: colour, hatching (the pattern of that id) and emblem."""
    fill = seat_colour(seat).fill
    outline = "M-20 -24H20V0C20 13 11 20 0 25C-11 20 -20 13 -20 0Z"
    return joined(
        element("path", d=outline, fill=fill),
        element("path", d=outline, fill=f"url(#{hatching})"),
        element(
            "path", d=outline, fill="none", stroke=DARK, stroke_width=3, stroke_linejoin="round"
        ),
        element("circle", cy=-2, r=15, fill=fill),
        emblem(seat, 0, -2, 13),
    )
