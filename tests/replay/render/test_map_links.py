"""The links upon a map: what each does, how it is marked, and that it lies exactly on its hex."""

import gzip
from collections.abc import Mapping
from typing import Literal
from xml.etree.ElementTree import Element

from hypothesis import given, settings

from domain.hexes import Hex
from domain.messages import hex_at, message
from domain.scene import Scene
from replay.render.embedded_map import board_svg
from replay.render.map_links import HexLink, links_svg, sign_of
from tests.support.languages import ENGLISH, FRENCH
from tests.support.scenes import FULL_SCENE, recorded_scene, scenes, verbatim
from tests.support.svg import SVG, assert_allowed_by_a_strict_policy, hexes, parsed, view_box


def link(at: Hex, state: Literal["option", "chosen", ""] = "option") -> HexLink:
    return HexLink(f"?choose={at[0]},{at[1]}", message("{hex}", hex=hex_at(at)), state)


def test_an_option_says_what_it_does_and_what_is_on_its_hex() -> None:
    links = {(0, 1): HexLink("?choose=a&choose=b", message("march"), "option")}
    hex_ = hexes(links_svg(FULL_SCENE, ENGLISH, links))["0,1"]
    assert hex_.tag == f"{SVG}a"
    assert hex_.attrib["href"] == "?choose=a&choose=b"
    assert hex_.attrib["class"] == "option"
    assert hex_.attrib["aria-label"] == "March; forest 0,1; just changed"
    assert hex_.attrib["tabindex"] == "-1"


def test_the_tab_key_passes_all_links_and_hexes() -> None:
    why_not = message("why not")
    scene = recorded_scene("duke-of-four", 40)
    links = {cell.at: HexLink("?try", why_not) for cell in scene.cells}
    drawn = hexes(board_svg(scene, ENGLISH))
    for at, hex_ in hexes(links_svg(scene, ENGLISH, links)).items():
        assert hex_.attrib["tabindex"] == "-1"
        assert hex_.attrib["aria-label"] == f"Why not; {drawn[at].attrib['aria-label']}"


def test_an_option_shows_the_number_by_which_a_keyboard_chooses_it() -> None:
    links = {(0, 1): HexLink("?choose=0,1", message("march"), "option", "42")}
    hex_ = hexes(links_svg(FULL_SCENE, ENGLISH, links))["0,1"]
    assert hex_.attrib["data-number"] == "42"
    text = hex_.find(f"{SVG}text[@class='number']")
    assert text is not None
    assert (text.text, text.attrib["aria-hidden"]) == ("42", "true")


def test_options_and_choices_have_signs_and_other_links_have_none() -> None:
    links = {(0, 0): link((0, 0)), (1, 0): link((1, 0), "chosen"), (0, 1): link((0, 1), "")}
    by_hex = hexes(links_svg(FULL_SCENE, ENGLISH, links))
    assert signs(by_hex) == {"0,0": "#link-go", "1,0": "#link-chosen"}
    assert "class" not in by_hex["0,1"].attrib


def signs(by_hex: Mapping[str, Element]) -> dict[str, str]:
    """The signs of links, by hex."""
    marks = {at: hex_.find(f"{SVG}use[@class='mark']") for at, hex_ in by_hex.items()}
    return {at: mark.attrib["href"] for at, mark in marks.items() if mark is not None}


def test_the_sign_of_an_option_says_who_is_on_the_hex() -> None:
    assert [sign_of(seats, 0) for seats in ((), (0,), (1,), (0, 1))] == [
        "go",
        "share",
        "take",
        "share",
    ]


def test_a_veil_lies_on_the_other_hexes_where_most_can_be_chosen() -> None:
    cells = [cell.at for cell in FULL_SCENE.cells]
    most = links_svg(FULL_SCENE, ENGLISH, {at: link(at) for at in cells[1:]})
    assert signs(hexes(most)) == {}
    assert len(parsed(most).findall(f".//{SVG}use[@class='veil']")) == 1
    few = links_svg(FULL_SCENE, ENGLISH, {cells[0]: link(cells[0])})
    assert len(signs(hexes(few))) == 1
    assert parsed(few).findall(f".//{SVG}use[@class='veil']") == []


def test_a_hex_beside_the_board_is_an_empty_target() -> None:
    document = links_svg(FULL_SCENE, ENGLISH, {(4, 0): link((4, 0))})
    assert hexes(document)["4,0"].attrib["aria-label"] == "4,0; 4,0"
    assert len(parsed(document).findall(f".//{SVG}use[@class='empty']")) == 1


@settings(max_examples=20)
@given(scenes)
def test_the_links_have_the_places_of_their_hexes_on_the_map(scene: Scene) -> None:
    links = {cell.at: link(cell.at) for cell in scene.cells[::2]} | {(7, 7): link((7, 7))}
    document, board = links_svg(scene, ENGLISH, links), board_svg(scene, ENGLISH, beside=links)
    assert view_box(document) == view_box(board)
    drawn = hexes(board)
    for at, hex_ in hexes(document).items():
        assert at == "7,7" or hex_.attrib["transform"] == drawn[at].attrib["transform"]
    assert_allowed_by_a_strict_policy(document)


def test_texts_and_addresses_are_escaped() -> None:
    bad = '"><script>alert(1)</script>'
    document = links_svg(FULL_SCENE, ENGLISH, {(0, 0): HexLink(bad, verbatim(bad), "option")})
    assert hexes(document)["0,0"].attrib["href"] == bad
    assert "<script" not in document


def test_the_links_are_in_the_language_of_the_reader() -> None:
    assert parsed(links_svg(FULL_SCENE, FRENCH, {})).attrib["lang"] == "fr"


def test_links_on_every_hex_of_a_board_of_four_seats_take_3_kilobytes_compressed() -> None:
    scene = recorded_scene("duke-of-four", 40)
    document = links_svg(scene, ENGLISH, {cell.at: link(cell.at, "") for cell in scene.cells})
    assert len(hexes(document)) == 108
    assert len(gzip.compress(document.encode())) < 3 * 1024
