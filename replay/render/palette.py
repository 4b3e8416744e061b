"""Colours: of seats, grounds, paper and ink, for a picture and for a terminal.

The seats' colours climb in lightness (purple, blue, red, green, yellow), so that they stay apart in
grey and to eyes that see no red or no green; each seat has besides a charge of its own
(`pieces.CHARGES`) and the hatching that engravers have used for its tincture since the seventeenth
century. Grounds are pale, pieces are full.
"""

from dataclasses import dataclass

PAPER = "#f6ecd4"
PANEL = "#fcf6e6"
SEA = "#e6d7b4"
LINE = "#b59f74"
INK = "#2a1f14"
FADED = "#5d4a33"
"""Ink for what is said in passing; still 7:1 on the paper."""
GILT = "#ffc933"
GHOST = "#fff8e8"


@dataclass(frozen=True, slots=True)
class SeatColour:
    """A seat: the field of its arms, what is painted on it, its hatching, and both in the 256 colours of a
    terminal. `hatch` is a path in a tile of 8 by 8.
    """

    name: str
    field: str
    charge: str
    hatch: str
    field_256: int
    charge_256: int


SEATS = (
    SeatColour("blue", "#23569f", "#ffffff", "M0 2h8M0 6h8", 25, 231),
    SeatColour("yellow", "#f5c62e", "#2a1f14", "M2 2h.1M6 6h.1", 220, 16),
    SeatColour("green", "#46b083", "#10241b", "M-2 -2l12 12M-2 6l4 4M6 -2l4 4", 79, 16),
    SeatColour("red", "#c5372b", "#ffffff", "M2 0v8M6 0v8", 160, 231),
    SeatColour("purple", "#43224f", "#ffe27a", "M10 -2l-12 12M2 -2l-4 4M10 6l-4 4", 54, 228),
)
_NEUTRAL = SeatColour("grey", "#8b8378", "#ffffff", "", 244, 231)


def seat_colour(seat: int) -> SeatColour:
    """The colours of a seat; grey for one that no rulebook has (its number is drawn as its charge)."""
    return SEATS[seat] if 0 <= seat < len(SEATS) else _NEUTRAL


@dataclass(frozen=True, slots=True)
class GroundColour:
    """A ground: its fill, the ink of its drawing, and both in the 256 colours of a terminal."""

    fill: str
    ink: str
    fill_256: int
    ink_256: int


_GROUNDS = {
    "mountain": GroundColour("#cfc5b8", "#54463a", 250, 239),
    "forest": GroundColour("#a9c48f", "#2f5130", 108, 22),
    "plain": GroundColour("#f3e9b6", "#8d8138", 230, 143),
    "field": GroundColour("#edc56e", "#8a5713", 179, 94),
    "lake": GroundColour("#93c3df", "#174f73", 117, 24),
    "mysterious_place": GroundColour("#dcc7e6", "#553270", 183, 54),
    "meadow": GroundColour("#dbe6ab", "#5f7a2c", 193, 64),
    "village": GroundColour("#eccfa9", "#7b4320", 223, 94),
    "vineyard": GroundColour("#dcb8c2", "#6d2246", 181, 89),
    "quarry": GroundColour("#dcd7cf", "#575250", 253, 240),
    "pond": GroundColour("#c9dfc6", "#2a6b80", 151, 24),
    "marsh": GroundColour("#b5b98f", "#454a22", 144, 58),
    "cursed_place": GroundColour("#8f8496", "#1f1526", 103, 16),
}
_NEUTRAL_GROUND = GroundColour("#e9e2d6", "#5d4a33", 254, 239)


def ground_colour(name: str) -> GroundColour:
    """The colours of a ground; those of bare paper for a name that nobody has painted."""
    return _GROUNDS.get(name, _NEUTRAL_GROUND)
