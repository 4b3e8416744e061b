"""The scene of a position with Sorcery: what there is to draw, and what a cast changed."""

from typing import cast

import pytest

from domain import barony
from domain.barony import sorcery
from domain.contract import AnyRuleSystem, evolve
from domain.scene import Arrow, Cell, Piece, Scene
from replay.language.renderer import english
from tests.support.barony_positions import given, random_game
from tests.support.events import data_of, recorded
from tests.support.given_when import rule_system_for, when
from tests.support.languages import english_caption, english_rows

BOARD = """
play round 3 seat 0 limit 40
spells: celerity charm illusion sanctuary tornado
0: count, 2P, magic 5
1: baron, magic 1, passed
2: baron
board 0,0
F0k1k  S*0*2  P1v2k    S
   M1v    P0c    P0s     F0k
"""


def scene_of(diagram: str = BOARD) -> Scene:
    """The scene of a position given as a text diagram."""
    state = given(diagram)
    return rule_system_for(state).scene(rule_system_for(state).position(state, None), None)


def after(text: str, diagram: str = BOARD) -> Scene:
    """The scene after an action of seat 0, given in its short form."""
    outcome = when(given(diagram), 0, text)
    position = rule_system_for(outcome.after).position(outcome.after, None)
    return sorcery.scene(position, recorded(outcome.event, {"seat": 0}))


def cell(scene: Scene, q: int, r: int) -> Cell:
    return next(cell for cell in scene.cells if cell.at == (q, r))


def changed_hexes(scene: Scene) -> set[tuple[int, int]]:
    return {cell.at for cell in scene.cells if cell.is_changed}


def test_a_position_without_an_event() -> None:
    scene = scene_of()
    assert english(scene.title) == "Barony: Sorcery, round 3, seat 0 to act"
    assert cell(scene, 1, 0) == Cell((1, 0), "mysterious_place", marks=(0, 2))
    assert [cell.at for cell in scene.cells if cell.marks] == [(1, 0)]
    assert not scene.arrows
    assert not any(cell.is_changed or cell.removed or cell.note for cell in scene.cells)


def test_the_open_spells_are_listed_by_family_with_their_costs() -> None:
    assert [*english_rows(scene_of().common_rows).items()][-3:] == [
        ("movement spells", "Celerity 1, Tornado 2"),
        ("recruitment spells", "Charm 1, Illusion 1"),
        ("construction spells", "Sanctuary 2"),
    ]
    of_one_family = scene_of(BOARD.replace("celerity charm illusion sanctuary tornado", "portal"))
    assert [*english_rows(of_one_family.common_rows).items()][-2:] == [
        ("last round", "40"),
        ("recruitment spells", "Portal 2"),
    ]


def test_a_panel_shows_magic_tokens_and_the_points_of_imprints() -> None:
    rows = [english_rows(panel.rows) for panel in scene_of().panels]
    assert [seat["magic tokens"] for seat in rows] == ["5", "1", "0"]
    assert [seat["imprints"] for seat in rows] == ["1 (3 points)", "0", "1 (3 points)"]
    assert rows[0]["tokens"] == "plain 2"
    assert rows[1]["this round"] == "passed"


def test_each_step_of_a_cast_has_an_arrow_and_destroyed_pieces_stay_on_their_hex() -> None:
    scene = after("cast celerity tornado 0,0>1,0>2,0")
    assert scene.arrows == (Arrow(0, (0, 0), (1, 0)), Arrow(0, (1, 0), (2, 0)))
    assert changed_hexes(scene) == {(0, 0), (1, 0), (2, 0)}
    assert cell(scene, 0, 0).removed == (Piece("knight", 1),)
    assert cell(scene, 0, 0).pieces == ()
    assert cell(scene, 2, 0).removed == (Piece("knight", 2), Piece("village", 1))
    assert cell(scene, 2, 0).pieces == (Piece("knight", 0),)
    assert english_caption(scene).startswith(
        "seat 0 casts Celerity and Tornado for 3 magic tokens: "
    )
    assert english_rows(scene.panels[0].rows)["magic tokens"] == "2"


def test_pieces_that_an_arrival_destroys_and_that_tornado_sweeps_share_a_hex() -> None:
    diagram = BOARD.replace("P1v2k ", "P0k1v ").replace("S*0*2", "F0k1k")
    scene = after("cast tornado 0,0>1,0", diagram)
    assert cell(scene, 0, 0).removed == cell(scene, 1, 0).removed == (Piece("knight", 1),)


@pytest.mark.parametrize(
    ("text", "hexes"),
    [
        ("charm 1 at 1,1", {(1, 1)}),
        ("charm illusion 1 at 1,1 1 at 2,1", {(1, 1), (2, 1)}),
        ("sanctuary at 4,1", {(4, 1)}),
    ],
)
def test_hexes_of_recruits_and_of_a_new_city_are_marked(
    text: str, hexes: set[tuple[int, int]]
) -> None:
    scene = after(f"cast {text}", BOARD.replace("F0k\n", "F  P0k\n"))
    assert changed_hexes(scene) == hexes
    assert not scene.arrows


def test_a_move_is_drawn_as_in_the_base_game_with_a_new_imprint() -> None:
    scene = after("move 0,0>1,0 3,1>3,0")
    assert scene.arrows == (Arrow(0, (0, 0), (1, 0)), Arrow(0, (3, 1), (3, 0)))
    assert changed_hexes(scene) == {(0, 0), (1, 0), (3, 0), (3, 1)}
    assert cell(scene, 3, 0).marks == (0,)
    assert english_caption(scene).endswith("3,1>3,0 and places an imprint and gains 3 magic tokens")
    assert english_rows(scene.panels[0].rows)["imprints"] == "2 (6 points)"


def test_the_base_game_shows_nothing_of_the_expansion() -> None:
    scene = scene_of("play round 3 seat 0\nboard 0,0\nP0c  S  P1c")
    assert english(scene.title) == "Barony, round 3, seat 0 to act"
    assert not {"magic tokens", "imprints"} & set(english_rows(scene.panels[0].rows))
    assert english_rows(scene.common_rows).keys() == {"bank"}


@pytest.mark.parametrize("seats", [2, 5])
def test_a_scene_contains_every_hex_and_piece_of_its_position(seats: int) -> None:
    for state, event in random_game(seats, seed=seats, rules=sorcery):
        now = sorcery.position(evolve(cast("AnyRuleSystem", sorcery), state, [event]), None)
        scene = sorcery.scene(now, recorded(event, {"seat": data_of(event).get("seat", 0)}))
        assert [list(cell.at) for cell in scene.cells] == [cell["at"] for cell in now["board"]]
        imprints = sum(len(player["imprints"]) for player in now["players"])
        assert sum(len(cell.marks) for cell in scene.cells) == imprints
        assert len(scene.panels) == seats
        plain = barony.scene(now, recorded(event, {"seat": data_of(event).get("seat", 0)}))
        assert [cell.pieces for cell in scene.cells] == [cell.pieces for cell in plain.cells]
