"""A scene: what there is to draw of a position, independent of how it is drawn.

A rule system's `scene` function describes a position and the last event in these classes, and
`replay.render` draws them as SVG or as text in a reader's language. Terrains and kinds of pieces are referred
to by name (`mountain`, `knight`); a picture that has no drawing for a name shows the name. The drawings of
pieces are files in the package of the game. Notes and values are strings of figures, which are the same in
every language.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from domain.event import Event, EventData, recorded_data
from domain.hexes import Hex
from domain.messages import PlayerAt, PlayerWithId, Text, Value, message

Row: TypeAlias = tuple[Text, Value]
"""A label and its value."""


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
    """What a seat has beside the board, as rows under a heading and a score."""

    seat: int
    heading: Text
    score: int
    rows: tuple[Row, ...]
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
    """What a sign means in a game.

    `kind` is the name of the terrain or piece that the entry explains; the meaning is then the term for it.
    """

    sign: Sign
    meaning: Text
    kind: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that a picture of a position shows.

    `title` describes the state of the game and `caption` the last event. `common_rows` belong to no
    seat, such as the bank or a market. `legend` explains the game's terrains, pieces and signs; a picture
    leaves out signs that the scene does not have. A page leaves room for the hexes of `room` too: those of a
    board that grows are the same for a whole turn, so that its scale seldom changes. `package` is the package
    that has the drawings of the game's pieces.
    """

    title: Text
    cells: tuple[Cell, ...]
    panels: tuple[Panel, ...]
    caption: Text | None = None
    arrows: tuple[Arrow, ...] = ()
    outlines: tuple[Outline, ...] = ()
    common_rows: tuple[Row, ...] = ()
    legend: tuple[LegendEntry, ...] = ()
    room: tuple[Hex, ...] = ()
    package: str = ""


def with_changes(scenes: Sequence[Scene]) -> Scene:
    """The last of several scenes of one position, with what the events of all of them have changed."""
    *others, last = scenes
    cells: dict[Hex, Cell] = {cell.at: cell for cell in last.cells}
    for scene in others:
        for cell in scene.cells:
            same = cells[cell.at]
            cells[cell.at] = replace(
                same,
                is_changed=same.is_changed or cell.is_changed,
                removed=cell.removed + same.removed,
                note=same.note or cell.note,
                is_contested=same.is_contested or cell.is_contested,
            )
    arrows = tuple(arrow for scene in scenes for arrow in scene.arrows)
    return replace(last, cells=tuple(cells.values()), arrows=arrows)


def outcome_of(event: Event, event_message: Callable[[str, EventData], Text]) -> Text:
    """What `event_message` returns for an event; if it was prepared, or for whom the clock took it."""
    outcome = event_message(event["type"], recorded_data(event))
    seat = event["data"].get("seat")
    if event["by"] == {"system": "clock"} and event["action"] is not None and type(seat) is int:
        return message("{outcome} (for {player})", player=PlayerAt(seat), outcome=outcome)
    if "conditional" not in event:
        return outcome
    return message("{outcome} (as prepared)", outcome=outcome)


def caption(event: Event, event_message: Callable[[str, EventData], Text]) -> Text:
    """The caption for an event: the player who caused it, and what happened."""
    outcome = outcome_of(event, event_message)
    by = event["by"]
    if "seat" in by:
        return message("{player} {outcome}", player=PlayerAt(by["seat"]), outcome=outcome)
    if "player" in by:
        return message("{player} {outcome}", player=PlayerWithId(by["player"]), outcome=outcome)
    if event["action"] is not None:
        return message("the clock {outcome}", outcome=outcome)
    if by["system"] == "administrator":
        return message("the administrator {outcome}", outcome=outcome)
    return outcome
