"""A detail of a scene shows what the last event was about, and what is around it."""

from dataclasses import replace

from domain.scene import Arrow, Cell, Outline, Scene
from replay.render.embedded_map import detail
from tests.support.scenes import UNTITLED, disc

BOARD = Scene(UNTITLED, tuple(Cell(at, "plain") for at in sorted(disc(4))), ())


def hexes(scene: Scene) -> set[tuple[int, int]]:
    return {cell.at for cell in scene.cells}


def test_hexes_within_reach_of_a_change_are_shown() -> None:
    cells = tuple(replace(cell, is_changed=cell.at == (0, 0)) for cell in BOARD.cells)
    assert hexes(detail(replace(BOARD, cells=cells), 1)) == disc(1)
    assert hexes(detail(replace(BOARD, cells=cells), 2)) == disc(2)


def test_both_ends_of_a_move_are_shown() -> None:
    shown = hexes(detail(replace(BOARD, arrows=(Arrow(0, (-2, 0), (2, 0)),)), 1))
    assert {(-2, 0), (2, 0), (3, 0), (-3, 0)} <= shown
    assert (0, 0) not in shown


def test_outlines_that_are_not_shown_as_a_whole_are_left_out() -> None:
    outlines = (Outline(0, ((2, 0), (1, 0))), Outline(1, ((2, 0), (-2, 0))))
    scene = replace(BOARD, arrows=(Arrow(0, (1, 0), (2, 0)),), outlines=outlines)
    assert detail(scene, 1).outlines == outlines[:1]


def test_a_scene_without_a_change_is_shown_as_a_whole() -> None:
    assert detail(BOARD, 1) == BOARD


def test_a_detail_leaves_no_room_for_other_hexes() -> None:
    room = ((-9, 0), (9, 0))
    cells = tuple(replace(cell, is_changed=cell.at == (0, 0)) for cell in BOARD.cells)
    for scene in (BOARD, replace(BOARD, cells=cells)):
        assert detail(replace(scene, room=room), 1).room == ()
