"""Scenes to draw: one written out that has everything in it, and a strategy for any."""

from hypothesis import strategies as st

from domain.hexes import neighbours
from domain.scene import Arrow, Cell, Outline, Panel, Piece, Scene

GROUNDS = [
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
KINDS = ["knight", "village", "stronghold", "city", "keep_knight", "keep_baron"]

FULL_SCENE = Scene(
    title="Round 7, seat 1 to act",
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
        ),
        Cell((0, 1), "forest", is_changed=True),
        Cell((-1, 1), "lake"),
        Cell((0, -1), "swamp", (Piece("dragon", 7, 2),), note="+1"),
        Cell((1, -1), "mysterious_place", (Piece("knight", 1),), marks=(1, 0, 4)),
    ),
    panels=(
        Panel(0, "Ada", 25, (("rank", "viscount"), ("reserve", "4 knights, 10 villages"))),
        Panel(1, "Bob", 40, (("rank", "count"), ("reserve", "none")), is_to_act=True),
        Panel(2, "Cy", 0, (("rank", "baron"),), is_out=True),
    ),
    caption="Ada moves 0,1 > 1,0 and takes plain from Bob",
    arrows=(Arrow(0, (0, 1), (1, 0)),),
    outlines=(Outline(1, ((0, 0), (1, 0)), "9"),),
    common_rows=(("bank", "mountain 20, forest 19"),),
)

_texts = st.text(max_size=40)
_names = st.one_of(st.sampled_from(GROUNDS + KINDS), st.text(min_size=1, max_size=30))
_seats = st.integers(0, 6)
_hexes = st.tuples(st.integers(-8, 8), st.integers(-8, 8))
_pieces = st.builds(
    Piece, _names, _seats, st.integers(1, 30), st.one_of(st.just(""), st.text(max_size=6))
)
_marks = st.lists(_seats, max_size=5, unique=True).map(tuple)
_piece_lists = st.lists(_pieces, max_size=6).map(tuple)
_facts = st.lists(st.tuples(_texts, st.text(max_size=120)), max_size=5).map(tuple)


def _with_cells(hexes: set[tuple[int, int]]) -> st.SearchStrategy[tuple[Cell, ...]]:
    cell = st.tuples(
        _names,
        _piece_lists,
        st.booleans(),
        _piece_lists,
        st.text(max_size=8),
        _marks,
        st.booleans(),
    )
    return st.lists(cell, min_size=len(hexes), max_size=len(hexes)).map(
        lambda drawn: tuple(Cell(at, *rest) for at, rest in zip(sorted(hexes), drawn, strict=True))
    )


scenes = st.builds(
    Scene,
    title=_texts,
    cells=st.sets(_hexes, max_size=8).flatmap(_with_cells),
    panels=st.lists(
        st.builds(
            Panel, _seats, _texts, st.integers(-9, 200), _facts, st.booleans(), st.booleans()
        ),
        max_size=5,
    ).map(tuple),
    caption=st.text(max_size=300),
    arrows=st.lists(st.builds(Arrow, _seats, _hexes, _hexes), max_size=3).map(tuple),
    outlines=st.lists(
        st.builds(Outline, _seats, st.lists(_hexes, max_size=5).map(tuple), st.text(max_size=9)),
        max_size=3,
    ).map(tuple),
    common_rows=_facts,
)


def disc(radius: int) -> set[tuple[int, int]]:
    """All hexes within so many steps of (0, 0)."""
    hexes = {(0, 0)}
    for _ in range(radius):
        hexes |= {near for at in hexes for near in neighbours(at)}
    return hexes


def wide_scene(hexes: set[tuple[int, int]]) -> Scene:
    """A board of these hexes, a ground after the other, with a piece on every third."""
    return Scene(
        "",
        tuple(
            Cell(at, GROUNDS[n % 6], (Piece(KINDS[n % 4], n % 5, 1 + n % 3),) if n % 3 else ())
            for n, at in enumerate(sorted(hexes))
        ),
        (),
    )
