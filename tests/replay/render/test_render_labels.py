"""Boards of recorded games can be read: labels, minus signs, values, arrows and the legend."""

import re

import pytest

from domain.scene import Cell, Piece, Scene, Sign
from replay.language.renderer import english
from replay.render.descriptions import legend_entries
from tests.support.scenes import UNTITLED, recorded_scene, recorded_scenes
from tests.support.svg import SVG, arrow_points, board_scale, board_texts, drawn_texts, parsed, svg
from tests.support.variants import nightly_except

FIVE_SEATS = ["sorcery-duke-of-five", "baron-five"]
BOARDS = [*FIVE_SEATS, "baron-battles", "baron-last-turns-run-out", "duke-of-four", "duke-of-two"]
MINUS = "\u2212"
PHONE = 0.5
"""The scale of a picture of 720 units on a phone that is 360 CSS pixels wide."""


def on_paper(at: tuple[int, int]) -> str:
    return f"{at[0]},{at[1]}".replace("-", MINUS)


def map_numbers(document: str) -> list[str]:
    """The numbers on the frame of the map."""
    (frame,) = (
        e for e in parsed(document).iter(f"{SVG}g") if e.attrib.get("text-anchor") == "middle"
    )
    return [text.text or "" for text in frame.iter(f"{SVG}text")]


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("wide", [False, True])
def test_no_text_is_smaller_than_11_pixels_at_natural_size(name: str, wide: bool) -> None:
    texts = drawn_texts(svg(recorded_scene(name), wide=wide))
    assert min(text.size for text in texts) >= 11


@pytest.mark.parametrize("name", BOARDS)
def test_coordinates_in_hexes_can_be_read_on_a_phone_or_are_left_to_the_frame(name: str) -> None:
    scene = recorded_scene(name)
    document = svg(scene)
    shown = [text for text in board_texts(document) if "," in text.content]
    assert len(shown) in {0, len(scene.cells)}
    assert all(text.size * PHONE >= 8 for text in shown)
    frame = [text for text in drawn_texts(document) if text.size == 17.5]
    assert min(text.size for text in frame) * PHONE >= 8.5
    numbers = set(map_numbers(document))
    for axis in zip(*(cell.at for cell in scene.cells), strict=True):
        assert {str(value).replace("-", MINUS) for value in axis} <= numbers


@pytest.mark.parametrize("name", BOARDS)
def test_a_wide_picture_shows_the_coordinates_of_every_hex_with_minus_signs(name: str) -> None:
    scene = recorded_scene(name)
    texts = [text.content for text in board_texts(svg(scene, wide=True))]
    assert {on_paper(cell.at) for cell in scene.cells} <= set(texts)
    assert not any("-" in text for text in texts)


def test_hexes_of_a_five_seat_board_are_24_pixels_wide_on_a_phone() -> None:
    scale = board_scale(svg(recorded_scene("sorcery-duke-of-five")))
    assert 3**0.5 * 100 * scale * PHONE >= 24


@pytest.mark.parametrize(
    "name",
    nightly_except(
        ["sorcery-movement", "duke-of-two"],
        ["sorcery-movement", "sorcery-duke-of-five", "duke-of-three", "duke-of-two"],
    ),
)
def test_arrows_cover_no_labels(name: str) -> None:
    scenes = [scene for scene in recorded_scenes(name) if scene.arrows]
    assert len(scenes) > 10
    for scene in scenes:
        document = svg(scene, wide=True)
        margin = 10 * board_scale(document)
        for points in arrow_points(document):
            for text in board_texts(document):
                assert not any(
                    text.left - margin < x < text.right + margin
                    and text.baseline - text.size * 0.72 - margin < y < text.baseline + margin
                    for x, y in points
                ), f"{scene.caption}: {text.content}"


def test_labels_are_drawn_above_arrows() -> None:
    scene = next(scene for scene in recorded_scenes("duke-of-three") if scene.arrows)
    (root,) = (e for e in [parsed(svg(scene, wide=True))])
    board = next(e for e in root.iter(f"{SVG}g") if any("data-at" in c.attrib for c in e))
    kinds = [
        "text" if e.tag == f"{SVG}text" else "arrow"
        for e in board.iter()
        if e.tag == f"{SVG}text" or e.attrib.get("stroke-width") == "21"
    ]
    assert "arrow" in kinds
    assert kinds == sorted(kinds)


def legend_texts(document: str, scene: Scene) -> str:
    """What the legend says, as one text."""
    without = {text.content for text in drawn_texts(svg(scene, with_legend=False))}
    texts = [text.content for text in drawn_texts(document) if text.content not in without]
    return " ".join(texts).replace(MINUS, "-")


@pytest.mark.parametrize(
    ("name", "meanings"),
    [
        ("duke-of-two", ["village", "stronghold", "city", "knight", "mountain", "lake"]),
        ("sorcery-duke-of-five", ["mysterious place", "imprint of a player", "knight"]),
        (
            "baron-battles",
            [
                "knight's keep",
                "baron's keep",
                "barony",
                "battlefield of the last fights",
                "strength in the last fights",
                "left the board in the last event",
                "value of a tile",
                "value of the barony when it was established",
            ],
        ),
    ],
)
def test_the_legend_explains_the_pieces_and_signs_of_a_game(name: str, meanings: list[str]) -> None:
    scene = recorded_scene(name)
    legend = legend_texts(svg(scene), scene)
    for meaning in meanings:
        assert meaning in legend


@pytest.mark.parametrize("name", ["sorcery-movement", "baron-battles", "duke-of-three"])
def test_the_legend_explains_the_signs_of_each_position_and_no_others(name: str) -> None:
    shown: set[Sign] = set()
    for scene in recorded_scenes(name):
        cells = scene.cells
        present: dict[Sign, bool] = {
            "mark": any(cell.marks for cell in cells),
            "contested": any(cell.is_contested for cell in cells),
            "removed": any(cell.removed for cell in cells),
            "changed": any(cell.is_changed for cell in cells),
            "arrow": bool(scene.arrows),
            "outline": bool(scene.outlines),
            "note": any(cell.note for cell in cells),
            "value": any(cell.value for cell in cells),
            "piece_note": any(piece.note for cell in cells for piece in cell.pieces),
        }
        signs = {entry.sign for entry in legend_entries(scene)} - {"terrain", "piece"}
        assert signs == {sign for sign, is_present in present.items() if is_present}
        shown |= signs
    assert len(shown) >= 3


def test_a_sign_without_a_meaning_in_the_game_has_a_general_one() -> None:
    cell = Cell((0, 0), "swamp", (Piece("dragon", 0, note="7"),), note="+1", marks=(1,))
    meanings = {entry.sign: entry.meaning for entry in legend_entries(Scene(UNTITLED, (cell,), ()))}
    assert english(meanings["terrain"]) == "swamp"
    assert english(meanings["piece"]) == "dragon"
    assert all(meanings[sign] for sign in ("piece_note", "note", "mark"))


def test_barons_values_are_shown_on_the_tiles_and_in_the_legend() -> None:
    scene = recorded_scene("baron-five")
    document = svg(scene, wide=True)
    texts = [text.content for text in board_texts(document)]
    values = [cell.value.replace("-", MINUS) for cell in scene.cells if cell.value]
    assert values
    for value in set(values):
        assert texts.count(value) >= values.count(value)
    legend = [text.content for text in drawn_texts(document)]
    assert {"meadow 0", "village 3", f"marsh {MINUS}1", f"cursed place {MINUS}2"} <= set(legend)
    titles = [element.text or "" for element in parsed(document).iter(f"{SVG}title")]
    assert any(re.fullmatch(r"village -?\d+,-?\d+; value 3.*", title) for title in titles)
