"""What there is to draw of a position, in words that any renderer understands.

A rule system says what lies where; `replay.render` knows how to draw it, as SVG or in a terminal. Grounds
and pieces go by name (`mountain`, `knight`); a renderer that has no picture for a name writes the name.
"""

from dataclasses import dataclass

from domain.hexes import Hex


@dataclass(frozen=True, slots=True)
class Piece:
    """Pieces of one kind and seat on a hex. `note` is a short text on the piece (a value), or empty."""

    kind: str
    seat: int
    count: int = 1
    note: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One hex: its ground, what stands on it, and whether the last event changed it.

    `note` is a short text in the corner (a value), `gone` the pieces that the last event took away, `marks`
    the seats that have left a mark on the hex, one that stays when their pieces go. `contested`: in the
    last event it was fought over.
    """

    at: Hex
    ground: str
    pieces: tuple[Piece, ...] = ()
    changed: bool = False
    gone: tuple[Piece, ...] = ()
    note: str = ""
    marks: tuple[int, ...] = ()
    contested: bool = False


@dataclass(frozen=True, slots=True)
class Arrow:
    """A way that a piece of `seat` took in the last event."""

    seat: int
    start: Hex
    end: Hex


@dataclass(frozen=True, slots=True)
class Outline:
    """A border around some hexes that belong together, in a seat's colour."""

    seat: int
    hexes: tuple[Hex, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """What a seat has beside the board: (label, value) rows; `heading` and `score` stand out."""

    seat: int
    heading: str
    score: int
    facts: tuple[tuple[str, str], ...]
    to_act: bool = False
    out: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """A whole picture: `title` says where the game stands, `caption` what the last event was."""

    title: str
    cells: tuple[Cell, ...]
    panels: tuple[Panel, ...]
    caption: str = ""
    arrows: tuple[Arrow, ...] = ()
    outlines: tuple[Outline, ...] = ()
    common: tuple[tuple[str, str], ...] = ()
    """(label, value) rows that belong to no seat: the bank, a market, spells that lie open."""
