"""Pieces, and the emblems by which seats can be told apart without colour.

A piece is a silhouette in its seat's colour with the seat's emblem on it (`drawings`). A kind without a
drawing becomes a plaque with its first letters.
"""

from functools import lru_cache

from replay.language.text_layout import ems
from replay.render.descriptions import in_words
from replay.render.drawings import PLAQUE, Drawing, drawing_of
from replay.render.markup import Markup, bold_text, element, joined, translation
from replay.render.palette import DARK, HALO, SeatColour, seat_colour

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
def piece_markup(package: str, kind: str, seat: int | None) -> Markup:
    """Return a piece of a seat with a pale rim around it; grey and without an emblem if the seat is None.

    `package` is that of the game, which has its drawings.
    """
    own = drawing_of(package, kind)
    drawing = own or PLAQUE
    colour = seat_colour(seat)
    parts = [
        _outline(drawing, fill="none", stroke=HALO, width=11),
        _outline(drawing, fill=colour.fill, stroke=DARK, width=4),
        _lines(drawing, colour),
    ]
    if own is None:
        parts.append(_first_letters(kind, colour.emblem))
    if seat is not None:
        parts.append(emblem(seat, *drawing.emblem))
    return joined(*parts)


def _outline(drawing: Drawing, *, fill: str, stroke: str, width: float) -> Markup:
    return element(
        "path",
        d=drawing.silhouette,
        fill=fill,
        stroke=stroke,
        stroke_width=width,
        stroke_linejoin="round",
    )


def _lines(drawing: Drawing, colour: SeatColour) -> Markup:
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
def removed_piece_markup(package: str, kind: str, seat: int | None) -> Markup:
    """Return a piece that was removed: pale, with a dashed outline, and crossed out."""
    drawing = drawing_of(package, kind) or PLAQUE
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
