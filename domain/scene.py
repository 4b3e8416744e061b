"""A scene: what there is to draw of a position, independent of how it is drawn.

A rule system's `scene` function describes a position and the last event in these classes, and
`replay.render` draws them as SVG or as text in a reader's language. Terrains and kinds of pieces are referred
to by name (`mountain`, `knight`); a picture that has no drawing for a name shows the name. The drawings of
pieces are files in the package of the game. Notes and values are strings of figures, which are the same in
every language.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    `changed_by` is the seat that has changed it, for a page that marks it in the colour of this seat.
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
    changed_by: int | None = None


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
class Count:
    """How many of something there are: a number beside a drawing.

    `kind` is the name of a terrain, of a kind of piece or of an icon of the game, and `name` what people call
    it. A `number` that the viewer may not know is None.
    """

    kind: str
    name: Text
    number: int | None


@dataclass(frozen=True, slots=True)
class CountGroup:
    """Counts that belong together, such as the pawns in a reserve, and what they are together."""

    label: Text
    counts: tuple[Count, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """What a seat has beside the board, as rows under a heading and a score.

    `groups` has the same as drawings and numbers, where the game has them: at most three groups. `rank` is
    the number of pearls of a coronet, 0 without a title. `progress` is how many of how many points the seat
    has for the next title.
    """

    seat: int
    heading: Text
    score: int
    rows: tuple[Row, ...]
    is_to_act: bool = False
    is_out: bool = False
    groups: tuple[CountGroup, ...] = ()
    rank: int = 0
    progress: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """Something beside the board that can be taken or used: a drawing with its name.

    `choices` are the values of the choices that take it (`domain.choices`); () if it is only looked at. Its
    `price` is in `currency`, an icon of the game; None if it has none. `family` is the name of its colour.
    """

    kind: str
    name: Text
    choices: tuple[str, ...] = ()
    price: int | None = None
    currency: str = ""
    family: str = ""


@dataclass(frozen=True, slots=True)
class Rung:
    """A title of a game, with the points that it is worth, the pearls of its coronet, and who has it."""

    name: Text
    points: int
    rank: int
    seats: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Shelf:
    """What lies beside the board and belongs to nobody, or to the viewer: cards, counts, or a ladder."""

    label: Text
    cards: tuple[Card, ...] = ()
    counts: tuple[Count, ...] = ()
    rungs: tuple[Rung, ...] = ()
    total: Count | None = None
    """What stands beside the label, such as the tiles left in the pile."""
    places: int = 0
    """For how many cards there is room, if there are fewer, so that none moves when one comes or goes."""


Sound: TypeAlias = Literal["piece", "take", "token", "spell"]
"""What is heard of an action: a piece that moves, one that is taken, something gained, magic."""

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
    that has the drawings of the game's pieces and its icons. `shelves` have the common rows as drawings,
    and `verbs` what a button says for a type of action, in one short word. `sounds` has what is heard of a
    type of action where its changes do not say it. `sent_at_once` are the types of actions that players may
    send without confirming them, if they prefer that: those that are chosen often, and seldom by mistake.
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
    shelves: tuple[Shelf, ...] = ()
    verbs: Mapping[str, Text] = field(default_factory=dict)
    sounds: Mapping[str, Sound] = field(default_factory=dict)
    sent_at_once: tuple[str, ...] = ()


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
                changed_by=same.changed_by if same.is_changed else cell.changed_by,
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
