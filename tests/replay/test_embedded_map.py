"""The map for HTML pages: its hexes are described and can be links, and nothing in it breaks a strict CSP."""

import gzip
from dataclasses import replace
from typing import Literal
from xml.etree import ElementTree as ET

from hypothesis import given, settings

from domain.hexes import Hex
from domain.messages import hex_at, message
from domain.scene import Scene
from replay.render.embedded_map import HexLink, board_svg
from tests.support.languages import ENGLISH, FRENCH
from tests.support.scenes import FULL_SCENE, recorded_scene, scenes, verbatim
from tests.support.svg import SVG, parsed


def link(at: Hex, state: Literal["option", "chosen", ""] = "option") -> HexLink:
    return HexLink(f"?choose={at[0]},{at[1]}", message("{hex}", hex=hex_at(at)), state)


def hexes(document: str) -> dict[str, ET.Element]:
    """The element of each hex, by its coordinates."""
    return {e.attrib["data-at"]: e for e in parsed(document).iter() if "data-at" in e.attrib}


def view_box(document: str) -> list[float]:
    """Left, top, width and height of the map."""
    return [float(value) for value in parsed(document).attrib["viewBox"].split()]


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


def test_a_link_says_what_it_does_and_what_is_on_its_hex() -> None:
    links = {(0, 1): HexLink("?choose=a&choose=b", message("march"), "option")}
    hex_ = hexes(board_svg(FULL_SCENE, ENGLISH, links=links))["0,1"]
    assert hex_.tag == f"{SVG}a"
    assert hex_.attrib["href"] == "?choose=a&choose=b"
    assert hex_.attrib["class"] == "option"
    assert hex_.attrib["aria-label"] == "March; forest 0,1; just changed"


def test_options_and_choices_have_signs_and_other_links_have_none() -> None:
    links = {(0, 0): link((0, 0)), (1, 0): link((1, 0), "chosen"), (0, 1): link((0, 1), "")}
    by_hex = hexes(board_svg(FULL_SCENE, ENGLISH, prefix="m-", links=links))
    rings = {at: e.find(f"{SVG}use[@class='ring']") for at, e in by_hex.items()}
    signs = {at: ring.attrib["href"] for at, ring in rings.items() if ring is not None}
    assert signs == {"0,0": "#m-option", "1,0": "#m-chosen"}
    assert "class" not in by_hex["0,1"].attrib


def test_a_hex_beside_the_board_is_an_empty_target_within_the_view() -> None:
    document = board_svg(FULL_SCENE, ENGLISH, links={(4, 0): link((4, 0))})
    assert hexes(document)["4,0"].attrib["aria-label"] == "4,0; empty space 4,0"
    assert len(parsed(document).findall(f".//{SVG}use[@class='empty']")) == 1
    left, top, width, height = view_box(document)
    assert left + width >= 173.2 * 4.5
    without = view_box(board_svg(FULL_SCENE, ENGLISH))
    assert [left, top, height] == [without[0], without[1], without[3]]


def test_a_board_without_hexes_can_be_drawn() -> None:
    assert not hexes(board_svg(replace(FULL_SCENE, cells=(), arrows=(), outlines=()), ENGLISH))


def test_descriptions_are_in_the_language_of_the_reader() -> None:
    document = board_svg(FULL_SCENE, FRENCH, links={(4, 0): link((4, 0))})
    assert parsed(document).attrib["lang"] == "fr"
    assert hexes(document)["4,0"].attrib["aria-label"] == "4,0\xa0; case vide 4,0"


@settings(max_examples=20)
@given(scenes)
def test_nothing_in_the_map_breaks_a_strict_content_security_policy(scene: Scene) -> None:
    links = {cell.at: link(cell.at) for cell in scene.cells[::2]}
    for element in parsed(board_svg(scene, ENGLISH, links=links)).iter():
        assert element.tag.removeprefix(SVG) not in {"script", "style", "image", "foreignObject"}
        assert not [name for name in element.attrib if name == "style" or name.startswith("on")]


def test_texts_and_addresses_are_escaped() -> None:
    bad = '"><script>alert(1)</script>'
    links = {(0, 0): HexLink(bad, verbatim(bad), "option")}
    document = board_svg(FULL_SCENE, ENGLISH, links=links)
    assert hexes(document)["0,0"].attrib["href"] == bad
    assert "<script" not in document


def test_a_board_of_four_seats_on_which_every_hex_is_a_link_takes_8_kilobytes_compressed() -> None:
    scene = recorded_scene("duke-of-four", 40)
    links = {cell.at: link(cell.at) for cell in scene.cells}
    document = board_svg(scene, ENGLISH, prefix="map-", links=links)
    assert len(hexes(document)) == 108
    assert len(gzip.compress(document.encode())) < 8 * 1024
