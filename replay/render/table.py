"""A position as a table: one row for each hex, for readers who do not see the board."""

from dataclasses import dataclass

from domain.messages import semicolon_list
from domain.scene import Scene
from replay.language.renderer import Renderer
from replay.render.descriptions import (
    coordinates,
    describe_pieces,
    describe_signs,
    describe_terrain,
    piece_names,
    terrain_names,
)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A hex in words: its coordinates, its terrain, the pieces of each player, and everything else on it.

    `pieces` and `signs` are empty where there are none.
    """

    at: str
    terrain: str
    pieces: str
    signs: str


def table_rows(scene: Scene, renderer: Renderer) -> list[TableRow]:
    """Return a row for each hex of a scene, in rows of the board from top to bottom."""
    pieces, terrains = piece_names(scene), terrain_names(scene)
    return [
        TableRow(
            coordinates(cell.at),
            renderer.sentence(describe_terrain(cell, terrains)),
            renderer.sentence(semicolon_list(describe_pieces(cell.pieces, pieces))),
            renderer.sentence(semicolon_list(describe_signs(cell, pieces))),
        )
        for cell in sorted(scene.cells, key=lambda cell: (cell.at[1], cell.at[0]))
    ]
