"""The map for HTML pages: its hexes are described, and nothing in it breaks a strict CSP."""

import gzip
from dataclasses import replace

from hypothesis import given, settings

from domain.scene import Scene
from replay.render.embedded_map import board_svg, coordinates_svg
from tests.support.languages import ENGLISH, FRENCH
from tests.support.scenes import FULL_SCENE, recorded_scene, scenes
from tests.support.svg import SVG, assert_allowed_by_a_strict_policy, hexes, parsed, view_box


def test_every_hex_has_its_description_for_screen_readers() -> None:
    hex_ = hexes(board_svg(FULL_SCENE, ENGLISH))["1,0"]
    description = (
        "open field 1,0; seat 0: 2 knights; value 3; lost by seat 1: village; just changed"
    )
    assert hex_.tag == f"{SVG}g"
    assert hex_.attrib["role"] == "img"
    assert hex_.attrib["aria-label"] == hex_.findtext(f"{SVG}title") == description


def test_hexes_are_read_in_rows_from_top_to_bottom() -> None:
    assert list(hexes(board_svg(FULL_SCENE, ENGLISH))) == [
        "0,-1",
        "1,-1",
        "0,0",
        "1,0",
        "-1,1",
        "0,1",
    ]


def test_there_is_room_for_hexes_beside_the_board() -> None:
    left, top, width, height = view_box(board_svg(FULL_SCENE, ENGLISH, beside=[(4, 0)]))
    assert left + width >= 173.2 * 4.5
    without = view_box(board_svg(FULL_SCENE, ENGLISH))
    assert [left, top, height] == [without[0], without[1], without[3]]


def test_a_board_without_hexes_can_be_drawn() -> None:
    assert not hexes(board_svg(replace(FULL_SCENE, cells=(), arrows=(), outlines=()), ENGLISH))


def test_coordinates_lie_on_a_map_without_them_and_have_its_size() -> None:
    board = board_svg(FULL_SCENE, ENGLISH, has_coordinates=False)
    drawn = coordinates_svg(FULL_SCENE)
    assert sorted(texts_of(drawn)) == ["0,0", "0,1", "0,\u22121", "1,0", "1,\u22121", "\u22121,1"]
    assert not {*texts_of(drawn)} & {*texts_of(board)}
    assert view_box(drawn) == view_box(board)


def texts_of(document: str) -> list[str]:
    return [text.text or "" for text in parsed(document).iter(f"{SVG}text")]


def test_hexes_beside_a_board_that_grows_have_coordinates_too() -> None:
    room = ((-9, 0), (9, 0), (0, 9), (0, -9))
    texts = {*texts_of(coordinates_svg(replace(FULL_SCENE, room=room)))}
    assert {"2,0", "0,2"} <= texts
    assert "3,0" not in texts


def test_coordinates_can_be_read_on_a_small_phone_without_scripts() -> None:
    for scene in (FULL_SCENE, recorded_scene("duke-of-four", 40)):
        drawn = parsed(coordinates_svg(scene))
        pixels = 280 / view_box(coordinates_svg(scene))[2]
        assert float(drawn.attrib["font-size"]) * pixels >= 9
        widest = 173.2 * pixels * (2 if "dense" in drawn.attrib["class"] else 1)
        assert widest >= 27


def test_descriptions_are_in_the_language_of_the_reader() -> None:
    assert parsed(board_svg(FULL_SCENE, FRENCH)).attrib["lang"] == "fr"


@settings(max_examples=20)
@given(scenes)
def test_nothing_in_the_map_breaks_a_strict_content_security_policy(scene: Scene) -> None:
    assert_allowed_by_a_strict_policy(board_svg(scene, ENGLISH))


def test_a_board_of_four_seats_takes_7_kilobytes_compressed() -> None:
    scene = recorded_scene("duke-of-four", 40)
    document = board_svg(scene, ENGLISH, prefix="map-")
    assert len(hexes(document)) == 108
    assert len(gzip.compress(document.encode())) < 7 * 1024
