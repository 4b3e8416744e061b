"""A scene: what there is to draw of a position, independent of how it is drawn.

A rule system's `scene` function describes a position and the last event in these classes, and
`replay.render` draws them as SVG or as text. Terrains and kinds of pieces are referred to by name
(`mountain`, `knight`); a renderer that has no drawing for a name writes the name.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from domain.hexes import Hex


@dataclass(frozen=True, slots=True)
class Piece:
    """Pieces of one kind and one seat on a hex. `note` is a short text on the piece, or empty."""

    kind: str
    seat: int
    count: int = 1
    note: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One hex of the board, with the pieces on it and what the last event changed on it.

    `removed` are the pieces that the last event took away, `marks` the seats that have left a mark
    which stays when their pieces leave, `value` is the printed value of the hex, and `note` a short
    text about the last event. `is_contested` is true where the last event led to a fight over the hex.
    """

    at: Hex
    terrain: str
    pieces: tuple[Piece, ...] = ()
    is_changed: bool = False
    removed: tuple[Piece, ...] = ()
    note: str = ""
    marks: tuple[int, ...] = ()
    is_contested: bool = False
    value: str = ""


@dataclass(frozen=True, slots=True)
class Arrow:
    """A move that a piece of `seat` made in the last event."""

    seat: int
    start: Hex
    end: Hex


@dataclass(frozen=True, slots=True)
class Outline:
    """A border around hexes that belong together, in a seat's colour."""

    seat: int
    hexes: tuple[Hex, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """What a seat has beside the board, as (label, value) rows under a heading and a score."""

    seat: int
    heading: str
    score: int
    rows: tuple[tuple[str, str], ...]
    is_to_act: bool = False
    is_out: bool = False


Sign: TypeAlias = Literal[
    "terrain",
    "piece",
    "piece_note",
    "value",
    "note",
    "mark",
    "outline",
    "contested",
    "removed",
    "arrow",
    "changed",
]
"""What a picture shows: terrains, pieces, and a sign for each of the other fields of a cell or scene."""


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """What a sign means in a game. `kind` is the name of the terrain or piece that the entry explains."""

    sign: Sign
    meaning: str
    kind: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that a picture of a position shows.

    `title` describes the state of the game and `caption` the last event. `common_rows` are
    (label, value) rows that belong to no seat, such as the bank or a market. `legend` explains the
    game's terrains, pieces and signs; a renderer leaves out signs that the scene does not have.
    """

    title: str
    cells: tuple[Cell, ...]
    panels: tuple[Panel, ...]
    caption: str = ""
    arrows: tuple[Arrow, ...] = ()
    outlines: tuple[Outline, ...] = ()
    common_rows: tuple[tuple[str, str], ...] = ()
    legend: tuple[LegendEntry, ...] = ()
