"""Scenes in the terminal: what is where, at any width, with styles and without."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.scene import Cell, Panel, Piece, Scene
from replay.language.text_layout import columns
from replay.render.styles import Styler
from replay.render.text import text as text_in
from replay.render.text_board import piece_glyphs, terrain_glyphs
from tests.support.languages import ENGLISH
from tests.support.scenes import FULL_SCENE, TERRAINS, UNTITLED, disc, scenes, verbatim, wide_scene

GOLDEN = Path(__file__).with_name("render_golden.txt")
SEQUENCE = re.compile(r"\x1b\[[0-9;]*m")
PLAIN, STYLED = Styler(is_on=False), Styler(is_on=True)


def text(scene: Scene, styler: Styler, width: int | None) -> str:
    return text_in(scene, ENGLISH, styler, width)


def lines(scene: Scene, width: int | None = None) -> list[str]:
    return text(scene, PLAIN, width).splitlines()


def test_the_page_equals_the_golden_file() -> None:
    """After an intended change, look at the new page and replace the file with it."""
    assert text(FULL_SCENE, PLAIN, 80) == GOLDEN.read_text(encoding="utf-8")


def test_a_hex_shows_its_coordinates_terrain_and_pieces() -> None:
    scene = Scene(UNTITLED, (Cell((3, -2), "lake", (Piece("city", 0), Piece("knight", 0, 3))),), ())
    assert lines(scene)[:2] == [" 3,-2 ~~~~", " ~0CK3~~~~"]


def test_brackets_surround_changed_hexes_and_an_x_stands_before_removed_pieces() -> None:
    cells = [
        Cell((0, 0), "lake", is_changed=True),
        Cell((1, 0), "lake", is_changed=True, removed=(Piece("knight", 1),)),
    ]
    assert lines(Scene(UNTITLED, tuple(cells), ()))[:3] == [
        "[0,0 ~~~~~|1,0 ~~~~~]",
        "[~~~~~~~~~|~x1K~~~~~]",
        "[~~~~~~~~~|~~~~~~~~~]",
    ]


def test_round_brackets_surround_contested_hexes() -> None:
    cells = [
        Cell((0, 0), "lake", is_contested=True),
        Cell((1, 0), "lake", is_changed=True, is_contested=True),
        Cell((2, 0), "lake", is_changed=True),
    ]
    page = lines(Scene(UNTITLED, tuple(cells), ()))
    assert page[:3] == [
        "(0,0 ~~~~~|1,0 ~~~~~|2,0 ~~~~~]",
        "(~~~~~~~~~|~~~~~~~~~|~~~~~~~~~]",
        "(~~~~~~~~~|~~~~~~~~~|~~~~~~~~~]",
    ]
    assert any("() fought over in the last event" in line for line in page)
    assert lines(Scene(UNTITLED, (cells[1],), ()))[:2] == ["(1,0 ~~~~~)", "[~~~~~~~~~]"]
    assert not any("fought" in line for line in lines(Scene(UNTITLED, (cells[2],), ())))


def test_marks_stand_behind_the_pieces_or_are_described_below_the_board() -> None:
    marked = Cell((0, 0), "lake", (Piece("knight", 1),), marks=(0, 3, 4))
    page = lines(Scene(UNTITLED, (marked,), ()))
    assert page[:3] == [" 0,0 ~~~~~", " ~1K~*0~*3", " ~*4~~~~~~"]
    assert any(re.search(r"\* +mark of a player", line) for line in page)
    assert not any(
        "mark" in line for line in lines(Scene(UNTITLED, (replace(marked, marks=()),), ()))
    )
    crowd = replace(marked, pieces=tuple(Piece("knight", seat, 9) for seat in range(5)))
    described = " ".join(lines(Scene(UNTITLED, (crowd,), ())))
    assert "+ 0,0: seat 0: knight (9)" in described
    assert "marked by seat 0, seat 3, seat 4" in described


def test_every_other_row_is_shifted_by_half_a_hex() -> None:
    page = lines(Scene(UNTITLED, (Cell((0, 0), "lake"), Cell((0, 1), "lake")), ()))
    assert (page[0].index("0,0"), page[3].index("0,1")) == (1, 6)


def test_moves_and_outlines_are_listed_below_the_board() -> None:
    page = lines(FULL_SCENE)
    assert "moves: 0,1 > 1,0 (seat 0)" in page
    twice = lines(replace(FULL_SCENE, arrows=FULL_SCENE.arrows * 2))
    assert "moves: 0,1 > 1,0 (seat 0, 2 pieces)" in twice
    assert "hexes that belong together, seat 1 (9): 0,0 1,0" in page


def test_pieces_that_do_not_fit_are_described_below_the_board() -> None:
    crowd = tuple(Piece("knight", seat, 2) for seat in range(7))
    page = lines(Scene(UNTITLED, (Cell((0, 0), "lake", crowd),), ()))
    assert page[1] == " ~0K2~1K2~"
    assert page[2].endswith("+")
    assert any(line.startswith("+ 0,0: seat 0: knight (2); seat 1: knight (2)") for line in page)


def test_the_seat_to_act_and_seats_that_are_out_are_marked() -> None:
    for width, marks in ((100, ("1 > to act", "2 out")), (30, ("Bob (to act)", "Cy (out)"))):
        page = text(FULL_SCENE, PLAIN, width)
        assert all(mark in page for mark in marks)


def test_known_terrains_have_different_characters() -> None:
    assert len(set(terrain_glyphs("", TERRAINS).values())) == len(TERRAINS)
    assert terrain_glyphs("", ["lake", "plain"]) == {"lake": "~", "plain": "."}


@given(st.sets(st.text(), max_size=20))
def test_no_two_names_share_a_character(names: set[str]) -> None:
    for glyphs in (terrain_glyphs("", names), piece_glyphs("", names)):
        assert set(glyphs) == names
        assert len(set(glyphs.values())) == len(names)
        assert all(
            len(glyph) == 1 and glyph.isascii() and glyph.isprintable() for glyph in glyphs.values()
        )


def test_an_unknown_name_has_a_letter_and_is_in_the_legend() -> None:
    page = text(FULL_SCENE, PLAIN, 80)
    assert "s  swamp" in page
    assert "D  dragon" in page


def test_the_legend_lists_the_games_terrains_with_their_values() -> None:
    page = text(FULL_SCENE, PLAIN, 80)
    assert "=  open field 3" in page
    assert "#  quarry -1" in page


@pytest.mark.parametrize(
    ("radius", "width"), [(5, 80), (6, 100), (7, 100), (8, 104), (8, 80), (8, 44)]
)
def test_boards_fit(radius: int, width: int) -> None:
    scene = wide_scene(disc(radius))
    assert max(map(columns, lines(scene, width))) <= width


def test_every_hex_shows_its_coordinates_where_there_is_room() -> None:
    hexes = disc(6)
    page = " ".join(lines(wide_scene(hexes), 100))
    assert sorted(re.findall(r"-?\d+,-?\d+", page)) == sorted(f"{q},{r}" for q, r in hexes)


def test_coordinates_stand_before_each_row_where_hexes_are_small() -> None:
    page = lines(wide_scene(disc(8)), 80)
    rows = [match[0] for line in page if (match := re.match(r"-?\d+,-?\d+", line))]
    assert rows == [f"{max(-8, -8 - r)},{r}" for r in range(-8, 9)]


@given(scenes, st.integers(20, 140))
@settings(max_examples=25)
def test_only_a_large_board_is_wider_than_the_terminal(scene: Scene, width: int) -> None:
    boardless = replace(scene, cells=())
    assert max(map(columns, lines(boardless, width))) <= width


@given(scenes, st.one_of(st.none(), st.integers(20, 140)))
@settings(max_examples=25)
def test_styles_change_no_text(scene: Scene, width: int | None) -> None:
    plain = text(scene, PLAIN, width)
    stripped = SEQUENCE.sub("", text(scene, STYLED, width))
    assert [line.rstrip() for line in stripped.splitlines()] == plain.splitlines()
    assert "\x1b" not in plain
    assert plain.endswith("\n")


@pytest.mark.parametrize(
    "environment", [{"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}, {"TERM": "dumb"}, {"COLUMNS": "30"}]
)
def test_styles_do_not_depend_on_the_environment(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command line decides whether there are styles, and how wide the page is."""
    plain, styled = text(FULL_SCENE, PLAIN, 80), text(FULL_SCENE, STYLED, 80)
    assert any("\x1b[" in line for line in styled.splitlines() if "Ada" in line)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert text(FULL_SCENE, PLAIN, 80) == plain
    assert text(FULL_SCENE, STYLED, 80) == styled


def test_text_from_outside_cannot_control_the_terminal() -> None:
    bad = "\x1b[2J\x1b]0;owned\x07\r\n\u202egnp"
    hostile = Scene(
        verbatim(bad),
        (Cell((0, 0), bad, (Piece(bad, 0, 1, bad),), note=bad),),
        (Panel(0, verbatim(bad), 0, ((verbatim(bad), bad),)),),
        verbatim(bad),
    )
    for styler in (PLAIN, STYLED):
        page = SEQUENCE.sub("", text(hostile, styler, 80))
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", page)


def test_seats_are_beside_each_other_where_there_is_room() -> None:
    wide = lines(FULL_SCENE, 100)
    assert any("Ada" in line and "Bob" in line for line in wide)
    narrow = lines(FULL_SCENE, 40)
    assert not any("Ada" in line and "Bob" in line for line in narrow)
