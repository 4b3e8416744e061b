"""Scenes to draw: one that has every feature, those of recorded games, and a hypothesis strategy for any."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, get_args

from hypothesis import strategies as st

from domain.hexes import neighbours
from domain.messages import Message, PlayerAt, message, term
from domain.scene import Arrow, Cell, LegendEntry, Outline, Panel, Piece, Scene, Sign
from ledger.record import Record, read
from replay.history.timeline import game_at, transitions

GAMES = Path(__file__).parent.parent / "games"

TERRAINS = [
    "mountain",
    "forest",
    "plain",
    "field",
    "lake",
    "mysterious_place",
    "meadow",
    "village",
    "vineyard",
    "quarry",
    "pond",
    "marsh",
    "cursed_place",
]
SIGNS: tuple[Sign, ...] = get_args(Sign)
KINDS = ["knight", "village", "stronghold", "city", "keep_knight", "keep_baron"]


def verbatim(text: str) -> Message:
    """Return a message that is the same in every language."""
    return message("{text}", text=text)


UNTITLED = verbatim("")


def _panel(seat: int, heading: str, score: int, *rows: tuple[str, str]) -> Panel:
    return Panel(
        seat, verbatim(heading), score, tuple((verbatim(label), value) for label, value in rows)
    )


FULL_SCENE = Scene(
    package="domain.barony",
    title=message("Round 7, {player} to act", player=PlayerAt(1)),
    cells=(
        Cell(
            (0, 0),
            "plain",
            (Piece("city", 0), Piece("knight", 0, 3), Piece("knight", 1), Piece("village", 2)),
        ),
        Cell(
            (1, 0),
            "field",
            (Piece("knight", 0, 2),),
            is_changed=True,
            removed=(Piece("village", 1),),
            value="3",
        ),
        Cell((0, 1), "forest", is_changed=True),
        Cell((-1, 1), "lake"),
        Cell((0, -1), "swamp", (Piece("dragon", 7, 2),), note="+1"),
        Cell((1, -1), "mysterious_place", (Piece("knight", 1),), marks=(1, 0, 4)),
    ),
    panels=(
        _panel(0, "Ada", 25, ("rank", "viscount"), ("reserve", "4 knights, 10 villages")),
        replace(_panel(1, "Bob", 40, ("rank", "count"), ("reserve", "none")), is_to_act=True),
        replace(_panel(2, "Cy", 0, ("rank", "baron")), is_out=True),
    ),
    caption=message("Ada moves 0,1 > 1,0 and takes plain from Bob"),
    arrows=(Arrow(0, (0, 1), (1, 0)),),
    outlines=(Outline(1, ((0, 0), (1, 0)), "9"),),
    common_rows=((message("bank"), "mountain 20, forest 19"),),
    legend=(
        LegendEntry("terrain", message("open field"), kind="field", value="3"),
        LegendEntry("terrain", message("quarry"), kind="quarry", value="-1"),
        LegendEntry("piece", term("free city; plural: free cities"), kind="city"),
        LegendEntry("piece", term("knight; plural: knights"), kind="knight"),
        LegendEntry("piece", term("village; plural: villages"), kind="village"),
        LegendEntry("contested", message("battlefield")),
        LegendEntry("mark", message("imprint")),
    ),
)

_texts = st.text(max_size=40).map(verbatim)
_names = st.one_of(st.sampled_from(TERRAINS + KINDS), st.text(min_size=1, max_size=30))
_seats = st.integers(0, 6)
_hexes = st.tuples(st.integers(-8, 8), st.integers(-8, 8))
_pieces = st.builds(
    Piece, _names, _seats, st.integers(1, 30), st.one_of(st.just(""), st.text(max_size=6))
)
_marks = st.lists(_seats, max_size=5, unique=True).map(tuple)
_piece_lists = st.lists(_pieces, max_size=6).map(tuple)
_rows = st.lists(st.tuples(_texts, st.text(max_size=120)), max_size=5).map(tuple)


def _with_cells(hexes: set[tuple[int, int]]) -> st.SearchStrategy[tuple[Cell, ...]]:
    fields = st.tuples(
        _names,
        _piece_lists,
        st.booleans(),
        _piece_lists,
        st.text(max_size=8),
        _marks,
        st.booleans(),
        st.text(max_size=3),
    )
    return st.lists(fields, min_size=len(hexes), max_size=len(hexes)).map(
        lambda rows: tuple(Cell(at, *row) for at, row in zip(sorted(hexes), rows, strict=True))
    )


_signs: st.SearchStrategy[Sign] = st.sampled_from(SIGNS)

scenes = st.builds(
    Scene,
    title=_texts,
    cells=st.sets(_hexes, max_size=8).flatmap(_with_cells),
    panels=st.lists(
        st.builds(Panel, _seats, _texts, st.integers(-9, 200), _rows, st.booleans(), st.booleans()),
        max_size=5,
    ).map(tuple),
    caption=st.one_of(st.none(), st.text(max_size=300).map(verbatim)),
    arrows=st.lists(st.builds(Arrow, _seats, _hexes, _hexes), max_size=3).map(tuple),
    outlines=st.lists(
        st.builds(Outline, _seats, st.lists(_hexes, max_size=5).map(tuple), st.text(max_size=9)),
        max_size=3,
    ).map(tuple),
    common_rows=_rows,
    legend=st.lists(
        st.builds(LegendEntry, _signs, _texts, _names, st.text(max_size=4)), max_size=6
    ).map(tuple),
)


def disc(radius: int) -> set[tuple[int, int]]:
    """All hexes within `radius` steps of (0, 0)."""
    hexes = {(0, 0)}
    for _ in range(radius):
        hexes |= {near for at in hexes for near in neighbours(at)}
    return hexes


def wide_scene(hexes: set[tuple[int, int]]) -> Scene:
    """A board of these hexes with terrains in turn, and pieces on two of every three."""
    return Scene(
        UNTITLED,
        tuple(
            Cell(at, TERRAINS[n % 6], (Piece(KINDS[n % 4], n % 5, 1 + n % 3),) if n % 3 else ())
            for n, at in enumerate(sorted(hexes))
        ),
        (),
    )


@cache
def _record(name: str) -> Record:
    with (GAMES / f"{name}.jsonl").open("rb") as file:
        return read(file)


def recorded_scene(name: str, seq: int | None = None) -> Scene:
    """The scene after an event of a recorded game in tests/games/, the last one by default."""
    record = _record(name)
    game = game_at(record, seq or len(record.events))
    position = game.position(None, ended=record.has_ended)
    assert position is not None
    event: Any = record.events[game.seq - 1]
    return game.rules.scene(position, event)


def recorded_scenes(name: str) -> Iterator[Scene]:
    """The scenes after each event of a recorded game, from the start of the game."""
    record = _record(name)
    for transition in transitions(record):
        position = transition.after.position(None, ended=record.has_ended)
        if position is not None:
            event: Any = transition.event
            yield transition.after.rules.scene(position, event)
