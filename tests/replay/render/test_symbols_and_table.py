"""Symbols of terrains and pieces, and positions as tables, for HTML pages."""

import pytest

from domain.scene import Scene
from replay.render.descriptions import TableRow, table_rows
from replay.render.drawings import terrain_colour
from replay.render.embedded_map import symbol_svg
from replay.render.palette import DARK, SEATS
from tests.support.languages import ENGLISH, FRENCH
from tests.support.scenes import FULL_SCENE, KINDS, TERRAINS, UNTITLED, recorded_scene
from tests.support.svg import parsed


@pytest.mark.parametrize("kind", [*TERRAINS, *KINDS, "<b>swamp</b>"])
def test_a_symbol_can_be_on_a_page_many_times_and_says_nothing_to_screen_readers(kind: str) -> None:
    root = parsed(symbol_svg(FULL_SCENE, kind))
    assert root.attrib["aria-hidden"] == "true"
    assert not [e for e in root.iter() if {"id", "style", "clip-path"} & e.attrib.keys()]


def test_a_name_is_that_of_a_piece_in_one_game_and_of_a_terrain_in_another() -> None:
    in_barony = symbol_svg(recorded_scene("duke-of-two"), "village", 1)
    in_baron = symbol_svg(recorded_scene("baron-five"), "village")
    assert SEATS[1].fill in in_barony
    assert terrain_colour("", "village").fill not in in_barony
    assert f'fill="{terrain_colour("", "village").fill}" stroke="{DARK}"' in in_baron


def test_a_kind_that_the_scene_does_not_have_is_drawn_as_a_terrain() -> None:
    empty = Scene(UNTITLED, (), ())
    assert terrain_colour("", "forest").fill in symbol_svg(empty, "forest")


def test_a_position_is_a_table_in_the_order_of_the_board() -> None:
    rows = table_rows(FULL_SCENE, ENGLISH)
    assert [row.at for row in rows] == ["0,-1", "1,-1", "0,0", "1,0", "-1,1", "0,1"]
    assert rows[0] == TableRow("0,-1", "swamp", "Seat 7: dragon (2)", "+1")
    assert rows[3] == TableRow(
        "1,0", "Open field", "Seat 0: 2 knights", "Value 3; lost by seat 1: village; just changed"
    )
    assert rows[4] == TableRow("-1,1", "lake", "", "")


def test_a_table_is_in_the_language_of_the_reader() -> None:
    rows = table_rows(recorded_scene("duke-of-two", 60), FRENCH)
    assert [row.pieces for row in rows if row.pieces.startswith("Siège 0\xa0:")]
    assert {row.terrain for row in rows} == {"Champ", "Forêt", "Lac", "Montagne", "Plaine"}
