"""Symbols of terrains and pieces: small drawings for cards, buttons and lists on HTML pages."""

from domain.scene import Scene
from replay.render.board import HEXAGON
from replay.render.descriptions import all_pieces
from replay.render.markup import Markup, element, joined
from replay.render.palette import DARK, terrain_colour
from replay.render.pieces import piece_markup
from replay.render.terrain import terrain_symbol


def symbol_svg(scene: Scene, kind: str, seat: int | None = None) -> str:
    """Return the drawing of a terrain or of a seat's piece as an `<svg>` element of its own.

    `kind` is the name of a terrain or of a kind of piece in the scene's game. Without a seat the piece
    is grey. Screen readers skip the drawing, so words must stand beside it. It has no ids, so that a
    page can contain it any number of times.
    """
    if _is_piece(scene, kind):
        return _svg(piece_markup(kind, seat), "-46 -46 92 92")
    hexagon = element(
        "path", d=HEXAGON, fill=terrain_colour(kind).fill, stroke=DARK, stroke_width=4
    )
    return _svg(joined((hexagon, terrain_symbol(kind))), "-103 -103 206 206")


def _is_piece(scene: Scene, kind: str) -> bool:
    """Return whether a kind is that of a piece in this game: `village` is a terrain in another one."""
    explained = {entry.kind for entry in scene.legend if entry.sign == "piece"}
    on_board = (piece.kind for cell in scene.cells for piece in all_pieces(cell))
    return kind in explained or kind in on_board


def _svg(drawing: Markup, view_box: str) -> str:
    return str(
        element(
            "svg",
            drawing,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=view_box,
            class_="symbol",
            aria_hidden="true",
            focusable="false",
        )
    )
