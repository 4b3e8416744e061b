"""A position as a page shows it: the map, with hexes as links, and what stands beside it as HTML."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from markupsafe import Markup

from domain.event import Event
from domain.game import Game
from domain.hexes import Hex
from domain.scene import Scene
from replay.render.descriptions import legend_entries
from replay.render.embedded_map import board_svg
from replay.render.map_links import NO_LINKS, HexLink, links_svg
from replay.render.symbols import symbol_svg
from replay.render.table import TableRow, table_rows
from service.http.language import request_renderer

_NOTHING = Markup()


@dataclass(frozen=True, slots=True)
class PositionView:
    """A scene with its map, for the macros of templates/position.html."""

    scene: Scene
    map: Markup = _NOTHING
    links: Markup = _NOTHING

    @property
    def table(self) -> list[TableRow]:
        """The hexes of the board as rows of a table."""
        return table_rows(self.scene, request_renderer())

    @property
    def legend(self) -> list[tuple[Markup, str]]:
        """The terrains and pieces of the game, each as a drawing with its name."""
        render = request_renderer()
        return [
            (self.symbol(entry.kind), render.sentence(entry.meaning))
            for entry in legend_entries(self.scene)
            if entry.sign in {"terrain", "piece"}
        ]

    def symbol(self, kind: str, seat: int | None = None) -> Markup:
        """Return the drawing of a kind of terrain or piece."""
        return Markup(symbol_svg(self.scene, kind, seat))  # noqa: S704 # the renderer escapes all texts


def position_view(
    scene: Scene, *, links: Mapping[Hex, HexLink] = NO_LINKS, prefix: str = ""
) -> PositionView:
    """Return the view of a scene. `prefix` begins the ids of its map, for two maps on one page."""
    svg = board_svg(scene, request_renderer(), prefix=prefix, beside=links)
    return replace(upon_board(scene, links), map=Markup(svg))  # noqa: S704 # the renderer escapes all texts


def upon_board(scene: Scene, links: Mapping[Hex, HexLink]) -> PositionView:
    """Return a view with the links of a scene, for a page that has its map already."""
    svg = links_svg(scene, request_renderer(), links) if links else ""
    return PositionView(scene, links=Markup(svg))  # noqa: S704 # the renderer escapes all texts


def scene_of(game: Game, viewer: int | None, event: Event | None, *, ended: bool = False) -> Scene:
    """Return the scene of a game that has started, as the seat `viewer` may see it.

    `event` is the event that led to the position; what it changed is marked. `ended` is that of
    `Game.position`.
    """
    scene: Scene = game.rules.scene(game.position(viewer, ended=ended), event)
    return scene
