"""The colours of seats and the page, for pictures and for the terminal.

The seats' colours differ in lightness (purple, blue, red, green, yellow, from dark to light), so that they
can be told apart in grey and by colour-blind readers. Each seat also has an emblem (`pieces.EMBLEMS`)
and a hatching, the one that engravers use for its colour. Terrains are pale, pieces are saturated.
"""

from dataclasses import dataclass

PAPER = "#f6ecd4"
CARD = "#fcf6e6"
SEA = "#e6d7b4"
THIN_LINE = "#b59f74"
DARK = "#2a1f14"
"""Text and outlines."""
MUTED = "#5d4a33"
"""Secondary text; its contrast with the paper is 7:1."""
GOLD = "#ffc933"
"""The star of a compass rose."""
HALO = "#fff8e8"
"""A pale rim around pieces and labels."""


@dataclass(frozen=True, slots=True)
class SeatColour:
    """The colours of a seat: the fill of its pieces, the emblem on them, and both for a terminal.

    `hatching` is the `d` attribute of a path in a square of 8 by 8 units. Numbers are those of a terminal's
    256 colours.
    """

    fill: str
    emblem: str
    hatching: str
    fill_256: int
    emblem_256: int


SEATS = (
    SeatColour("#23569f", "#ffffff", "M0 2h8M0 6h8", 25, 231),
    SeatColour("#f5c62e", "#2a1f14", "M2 2h.1M6 6h.1", 220, 16),
    SeatColour("#46b083", "#10241b", "M-2 -2l12 12M-2 6l4 4M6 -2l4 4", 79, 16),
    SeatColour("#c5372b", "#ffffff", "M2 0v8M6 0v8", 160, 231),
    SeatColour("#43224f", "#ffe27a", "M10 -2l-12 12M2 -2l-4 4M10 6l-4 4", 54, 228),
)
"""Blue, yellow, green, red and purple, for the seats 0 to 4."""
_GREY_SEAT = SeatColour("#8b8378", "#ffffff", "", 244, 231)


def seat_colour(seat: int | None) -> SeatColour:
    """Return the colours of a seat; grey for None and for seats beyond the five that the games have."""
    return SEATS[seat] if seat is not None and 0 <= seat < len(SEATS) else _GREY_SEAT


@dataclass(frozen=True, slots=True)
class TerrainColour:
    """The colours of a terrain: its fill, the lines drawn on it, and both for a terminal."""

    fill: str
    line: str
    fill_256: int
    line_256: int


PLAIN_PAPER = TerrainColour("#e9e2d6", "#5d4a33", 254, 239)
"""The colours of a terrain without a drawing."""
