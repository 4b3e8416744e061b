"""The terminal: what stands where, at any width, with colours and without."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.scene import Cell, Panel, Piece, Scene
from replay.render.glyphs import ground_signs, piece_signs
from replay.render.text import text
from replay.render.text_layout import columns
from tests.support.scenes import FULL_SCENE, GROUNDS, disc, scenes, wide_scene

GOLDEN = Path(__file__).with_name("render_golden.txt")
SEQUENCE = re.compile(r"\x1b\[[0-9;]*m")


def lines(scene: Scene, width: int | None = None) -> list[str]:
    return text(scene, colour=False, width=width).splitlines()


def test_the_golden_page_has_not_changed() -> None:
    """Where it has, and was meant to: look at the new one, then put it in the file's place."""
    assert text(FULL_SCENE, colour=False, width=80) == GOLDEN.read_text(encoding="utf-8")


def test_a_hex_shows_its_coordinates_ground_and_pieces() -> None:
    scene = Scene("", (Cell((3, -2), "lake", (Piece("city", 0), Piece("knight", 0, 3))),), ())
    assert lines(scene)[:2] == [" 3,-2 ~~~~", " ~0CK3~~~~"]


def test_what_has_changed_stands_in_brackets_and_what_is_gone_behind_an_x() -> None:
    drawn = [
        Cell((0, 0), "lake", is_changed=True),
        Cell((1, 0), "lake", is_changed=True, removed=(Piece("knight", 1),)),
    ]
    assert lines(Scene("", tuple(drawn), ()))[:3] == [
        "[0,0 ~~~~~|1,0 ~~~~~]",
        "[~~~~~~~~~|~x1K~~~~~]",
        "[~~~~~~~~~|~~~~~~~~~]",
    ]


def test_what_was_fought_over_stands_in_round_brackets() -> None:
    drawn = [
        Cell((0, 0), "lake", is_contested=True),
        Cell((1, 0), "lake", is_changed=True, is_contested=True),
        Cell((2, 0), "lake", is_changed=True),
    ]
    page = lines(Scene("", tuple(drawn), ()))
    assert page[:3] == [
        "(0,0 ~~~~~|1,0 ~~~~~|2,0 ~~~~~]",
        "(~~~~~~~~~|~~~~~~~~~|~~~~~~~~~]",
        "(~~~~~~~~~|~~~~~~~~~|~~~~~~~~~]",
    ]
    assert any("() fought over" in line for line in page)
    assert lines(Scene("", (drawn[1],), ()))[:2] == ["(1,0 ~~~~~)", "[~~~~~~~~~]"]
    assert not any("fought" in line for line in lines(Scene("", (drawn[2],), ())))


def test_marks_stand_behind_the_pieces_or_are_said_in_words() -> None:
    marked = Cell((0, 0), "lake", (Piece("knight", 1),), marks=(0, 3, 4))
    said = lines(Scene("", (marked,), ()))
    assert said[:3] == [" 0,0 ~~~~~", " ~1K~*0~*3", " ~*4~~~~~~"]
    assert any("* mark of a seat" in line for line in said)
    assert not any("mark" in line for line in lines(Scene("", (replace(marked, marks=()),), ())))
    crowd = replace(marked, pieces=tuple(Piece("knight", seat, 9) for seat in range(5)))
    left_out = " ".join(lines(Scene("", (crowd,), ())))
    assert "+ 0,0: seat 0 9 knights" in left_out
    assert "marked by seat 0, seat 3, seat 4" in left_out


def test_every_other_row_is_shifted_by_half_a_hex() -> None:
    drawn = lines(Scene("", (Cell((0, 0), "lake"), Cell((0, 1), "lake")), ()))
    assert (drawn[0].index("0,0"), drawn[3].index("0,1")) == (1, 6)


def test_ways_and_borders_are_said_in_words() -> None:
    said = lines(FULL_SCENE)
    assert "ways: 0,1 > 1,0 (seat 0)" in said
    twice = lines(replace(FULL_SCENE, arrows=FULL_SCENE.arrows * 2))
    assert "ways: 0,1 > 1,0 (seat 0 x2)" in twice
    assert "border of seat 1 (9): 0,0 1,0" in said


def test_pieces_that_do_not_fit_are_said_in_words() -> None:
    crowd = tuple(Piece("knight", seat, 2) for seat in range(7))
    said = lines(Scene("", (Cell((0, 0), "lake", crowd),), ()))
    assert said[1] == " ~0K2~1K2~"
    assert said[2].endswith("+")
    assert any(line.startswith("+ 0,0: seat 0 2 knights; seat 1 2 knights") for line in said)


def test_whose_turn_it_is_and_who_is_out_is_said() -> None:
    for width, marks in ((100, ("1 > to act", "2 out")), (30, ("Bob (to act)", "Cy (out)"))):
        said = text(FULL_SCENE, colour=False, width=width)
        assert all(mark in said for mark in marks)


def test_known_grounds_have_signs_of_their_own() -> None:
    assert len(set(ground_signs(GROUNDS).values())) == len(GROUNDS)
    assert ground_signs(["lake", "plain"]) == {"lake": "~", "plain": "."}


@given(st.sets(st.text(), max_size=20))
def test_signs_are_never_shared(names: set[str]) -> None:
    for signs in (ground_signs(names), piece_signs(names)):
        assert set(signs) == names
        assert len(set(signs.values())) == len(names)
        assert all(
            len(sign) == 1 and sign.isascii() and sign.isprintable() for sign in signs.values()
        )


def test_an_unknown_name_gets_a_letter_and_stands_in_the_legend() -> None:
    said = text(FULL_SCENE, colour=False, width=80)
    assert "s swamp" in said
    assert "D dragon" in said


@pytest.mark.parametrize(
    ("radius", "width"), [(5, 80), (6, 100), (7, 100), (8, 104), (8, 80), (8, 44)]
)
def test_boards_fit(radius: int, width: int) -> None:
    scene = wide_scene(disc(radius))
    assert max(map(columns, lines(scene, width))) <= width


def test_the_coordinates_stand_in_every_hex_where_there_is_room() -> None:
    hexes = disc(6)
    said = " ".join(lines(wide_scene(hexes), 100))
    found = re.findall(r"-?\d+,-?\d+", said)
    assert sorted(found) == sorted(f"{q},{r}" for q, r in hexes)


def test_without_that_room_they_stand_before_each_row() -> None:
    said = lines(wide_scene(disc(8)), 80)
    rows = [found[0] for line in said if (found := re.match(r"-?\d+,-?\d+", line))]
    assert rows == [f"{max(-8, -8 - r)},{r}" for r in range(-8, 9)]


@given(scenes, st.integers(20, 140))
@settings(max_examples=60, deadline=None)
def test_nothing_but_a_large_board_is_wider_than_the_terminal(scene: Scene, width: int) -> None:
    boardless = replace(scene, cells=())
    assert max(map(columns, lines(boardless, width))) <= width


@given(scenes, st.one_of(st.none(), st.integers(20, 140)))
@settings(max_examples=60, deadline=None)
def test_colours_change_nothing_but_colours(scene: Scene, width: int | None) -> None:
    plain = text(scene, colour=False, width=width)
    coloured = text(scene, colour=True, width=width)
    stripped = SEQUENCE.sub("", coloured)
    assert [line.rstrip() for line in stripped.splitlines()] == plain.splitlines()
    assert "\x1b" not in plain
    assert plain.endswith("\n")


def test_nobody_paints_on_the_terminal_but_us() -> None:
    bad = "\x1b[2J\x1b]0;owned\x07\r\n\u202egnp"
    hostile = Scene(
        bad,
        (Cell((0, 0), bad, (Piece(bad, 0, 1, bad),), note=bad),),
        (Panel(0, bad, 0, ((bad, bad),)),),
        bad,
    )
    for colour in (False, True):
        said = SEQUENCE.sub("", text(hostile, colour=colour, width=80))
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", said)


def test_seats_stand_beside_each_other_where_there_is_room() -> None:
    wide = lines(FULL_SCENE, 100)
    assert any("Ada" in line and "Bob" in line for line in wide)
    narrow = lines(FULL_SCENE, 40)
    assert not any("Ada" in line and "Bob" in line for line in narrow)
