"""Drawings of the pieces, by name, and the charges that tell the seats apart without colour.

A piece is a silhouette in its seat's colour with the seat's charge painted on it, as on a shield.
It is drawn around (0, 0), about 60 wide and 64 high; a name that nobody has drawn yet becomes a
plaque with its letters on it.
"""

from dataclasses import dataclass
from html import escape

from replay.render.layout import number
from replay.render.palette import GHOST, INK, SeatColour, seat_colour
from replay.render.text_layout import ems
from replay.render.words import spoken


@dataclass(frozen=True, slots=True)
class Drawing:
    """A silhouette, lines drawn upon it, and where its charge sits: x, y, size (radius)."""

    body: str
    lines: str
    charge: tuple[float, float, float]


_TOWER = "M-20 32L-16 -6H-23V-30H-13V-21H-5V-30H5V-21H13V-30H23V-6H16L20 32Z"

_DRAWINGS = {
    "knight": Drawing(
        "M-19 32H23C25 13 22 -4 13 -16C9 -22 3 -26 -3 -27L-7 -34L-12 -25C-18 -22 -21 -14 -25 -7"
        "C-29 -1 -31 2 -28 6C-25 11 -20 9 -16 5C-12 3 -8 3 -4 3C-6 11 -15 15 -18 23Z",
        "M-13 -13h.1M4 -21C13 -13 18 -2 18 12M-25 3h.1",
        (4.5, 17.5, 9.5),
    ),
    "village": Drawing(
        "M-24 32V6L-31 4L-31 -1L0 -28L11 -18V-27H20V-10L31 -1V4L24 6V32Z",
        "M-24 6L0 -15L24 6",
        (0, 15, 11),
    ),
    "stronghold": Drawing(_TOWER, "M-16 -6H16", (0, 11, 11)),
    "city": Drawing(
        "M-36 32V-3H-40L-27 -29L-14 -3H-17V5H-12V-13H-16L0 -38L16 -13H12V5H17V-3H14L27 -29L40 -3H36V32Z",
        "M-36 -3H-17M17 -3H36M-12 -13H12M-17 5V14M17 5V14",
        (0, 14, 11.5),
    ),
    "keep_knight": Drawing(
        "M-18 32L-15 0H-20V-18H-11V-11H-4.5V-18H-2V-38H21L15 -31L21 -24H3V-18H4.5V-11H11V-18H20V0H15L18 32Z",
        "M-15 0H15",
        (0, 14.5, 10.5),
    ),
    "keep_baron": Drawing(
        "M-26 32V24H-19L-16 2H-21L-29 -26L-13 -13L0 -36L13 -13L29 -26L21 2H16L19 24H26V32Z",
        "M-21 2H21M-18 -5H18M-19 24H19",
        (0, 13.5, 10),
    ),
}
_PLAQUE = Drawing("M-27 -26Q0 -34 27 -26V28Q0 36 -27 28Z", "", (0, 15, 10))

CHARGES = (
    "M-3.3 -10H3.3V-3.3H10V3.3H3.3V10H-3.3V3.3H-10V-3.3H-3.3Z",
    "M0 -9A9 9 0 0 1 0 9A9 9 0 0 1 0 -9Z",
    "M0 -11L9 0L0 11L-9 0Z",
    "M-9.5 -8.5H9.5V-2.5H-9.5ZM-9.5 2.5H9.5V8.5H-9.5Z",
    "M0 -11L2.8 -3.6L10.5 -3.4L4.4 1.5L6.5 9L0 4.6L-6.5 9L-4.4 1.5L-10.5 -3.4L-2.8 -3.6Z",
)
"""Cross, roundel, lozenge, bars and mullet, for the seats 0 to 4; radius 10."""


def charge(seat: int, x: float, y: float, radius: float) -> str:
    """The charge of a seat; a seat that has none bears its number."""
    fill = seat_colour(seat).charge
    if 0 <= seat < len(CHARGES):
        at = f"translate({number(x)} {number(y)}) scale({radius / 10:.3g})"
        return f'<path d="{CHARGES[seat]}" fill="{fill}" transform="{at}"/>'
    size = min(radius * 2.2, radius * 2.2 / ems(str(seat)))
    return (
        f'<text x="{number(x)}" y="{number(y + size * 0.36)}" font-size="{number(size)}" '
        f'font-weight="bold" text-anchor="middle" fill="{fill}">{seat}</text>'
    )


def piece_markup(kind: str, seat: int) -> str:
    """A piece of a seat, with a pale rim that parts it from whatever lies under it."""
    drawing = _DRAWINGS.get(kind, _PLAQUE)
    colour = seat_colour(seat)
    return (
        f'<path d="{drawing.body}" fill="none" stroke="{GHOST}" stroke-width="11" stroke-linejoin="round"/>'
        f'<path d="{drawing.body}" fill="{colour.field}" stroke="{INK}" stroke-width="4" '
        f'stroke-linejoin="round"/>{_lines(drawing, colour)}'
        f"{'' if kind in _DRAWINGS else _lettered(kind, colour.charge)}{charge(seat, *drawing.charge)}"
    )


def _lines(drawing: Drawing, colour: SeatColour) -> str:
    if not drawing.lines:
        return ""
    stroke = INK if colour.charge == INK else colour.charge
    return (
        f'<path d="{drawing.lines}" fill="none" stroke="{stroke}" stroke-width="3" '
        'stroke-linecap="round" opacity=".75"/>'
    )


def ghost_markup(kind: str, seat: int) -> str:
    """A piece that is no longer there: pale, in a broken outline, and struck out."""
    drawing = _DRAWINGS.get(kind, _PLAQUE)
    field = seat_colour(seat).field
    cross = "M-29 -29L29 31M29 -29L-29 31"
    return (
        f'<path d="{drawing.body}" fill="{GHOST}" stroke="{GHOST}" stroke-width="9"/>'
        f'<path d="{drawing.body}" fill="{field}" fill-opacity=".6" stroke="{INK}" '
        'stroke-width="3.5" stroke-dasharray="6 5"/>'
        f"{charge(seat, *drawing.charge)}"
        f'<path d="{cross}" stroke="{GHOST}" stroke-width="11" stroke-linecap="round"/>'
        f'<path d="{cross}" stroke="{INK}" stroke-width="5.5" stroke-linecap="round"/>'
    )


def _lettered(kind: str, ink: str) -> str:
    """The first letters of a kind that has no drawing."""
    label = spoken(kind)[:4]
    size = min(22.0, 46 / max(ems(label), 1))
    return (
        f'<text y="-4" font-size="{number(size)}" font-weight="bold" text-anchor="middle" '
        f'fill="{ink}">{escape(label)}</text>'
    )


def shield(seat: int, pattern: str) -> str:
    """The arms of a seat, 40 wide and 48 high around (0, 0): field, hatching (the id `pattern`), charge."""
    colour = seat_colour(seat)
    outline = "M-20 -24H20V0C20 13 11 20 0 25C-11 20 -20 13 -20 0Z"
    return (
        f'<path d="{outline}" fill="{colour.field}"/><path d="{outline}" fill="url(#{pattern})"/>'
        f'<path d="{outline}" fill="none" stroke="{INK}" stroke-width="3" stroke-linejoin="round"/>'
        f'<circle cy="-2" r="15" fill="{colour.field}"/>{charge(seat, 0, -2, 13)}'
    )
