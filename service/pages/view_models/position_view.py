"""A position as a page shows it: the map, with hexes as links, and what stands beside it as HTML."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from markupsafe import Markup

from domain.event import DomainEvent, Event
from domain.game import Game
from domain.hexes import Hex
from domain.json_types import JsonObject
from domain.scene import Scene
from replay.render.descriptions import TableRow, legend_entries, table_rows
from replay.render.embedded_map import board_svg, coordinates_svg, emblem_svg, symbol_svg
from replay.render.icons import icon_names, icon_symbols
from replay.render.map_links import NO_LINKS, HexLink, links_svg
from service.http.language import request_renderer

_NOTHING = Markup()


@dataclass(frozen=True, slots=True)
class PositionView:
    """A scene with its map, for the macros of templates/position.html."""

    scene: Scene
    map: Markup = _NOTHING
    links: Markup = _NOTHING

    @property
    def coordinates(self) -> Markup:
        """The coordinates of hexes, which lie on the map and its links."""
        return Markup(coordinates_svg(self.scene))  # noqa: S704 # the drawing contains only numbers

    @property
    def table(self) -> list[TableRow]:
        """The hexes of the board as rows of a table."""
        return table_rows(self.scene, request_renderer())

    @property
    def legend(self) -> list[tuple[Markup, str, str]]:
        """The terrains and pieces of the game, each as a drawing with its name and its kind."""
        render = request_renderer()
        return [
            (self.symbol(entry.kind), render.sentence(entry.meaning), entry.kind)
            for entry in legend_entries(self.scene)
            if entry.sign in {"terrain", "piece"}
        ]

    @property
    def icons(self) -> Markup:
        """The symbols that the page needs to show the icons of the game."""
        return Markup(icon_symbols(self.scene))  # noqa: S704 # the drawings contain no text

    @property
    def icon_names(self) -> Collection[str]:
        """The names of the icons that the game has besides its terrains and pieces."""
        return icon_names(self.scene.package)

    def emblem(self, seat: int) -> Markup:
        """Return the emblem that the pieces of a seat have, in the colour of the seat."""
        return Markup(emblem_svg(seat))  # noqa: S704 # the drawing contains no text

    def symbol(self, kind: str, seat: int | None = None) -> Markup:
        """Return the drawing of a kind of terrain or piece."""
        return Markup(symbol_svg(self.scene, kind, seat))  # noqa: S704 # the renderer escapes all texts


def position_view(
    scene: Scene, *, links: Mapping[Hex, HexLink] = NO_LINKS, prefix: str = ""
) -> PositionView:
    """Return the view of a scene. `prefix` begins the ids of its map, for two maps on one page."""
    svg = board_svg(scene, request_renderer(), prefix=prefix, beside=links, has_coordinates=False)
    return replace(links_view(scene, links), map=Markup(svg))  # noqa: S704 # the renderer escapes all texts


def links_view(scene: Scene, links: Mapping[Hex, HexLink]) -> PositionView:
    """Return the view of a scene with its links alone, for a page that has the map already."""
    svg = links_svg(scene, request_renderer(), links) if links else ""
    return PositionView(scene, links=Markup(svg))  # noqa: S704 # the renderer escapes all texts


def unsealed_event(
    game: Game, seat: int, event: DomainEvent, action: JsonObject | None = None
) -> Event:
    """Return a domain event that follows the head of a game as an event of its log, so that it can be drawn.

    It is not sealed: its hashes are empty.
    """
    return {
        "v": 1,
        "game": game.id,
        "seq": game.seq + 1,
        "type": event.type,
        "at": game.at,
        "by": {"seat": seat},
        "action": action,
        "data": dict(event.data),
        "state": "",
        "prev": game.hash,
        "hash": "",
    }


def scene_of(game: Game, viewer: int | None, event: Event | None, *, ended: bool = False) -> Scene:
    """Return the scene of a game that has started, as the seat `viewer` may see it.

    `event` is the event that led to the position; what it changed is marked. `ended` is that of
    `Game.position`.
    """
    scene: Scene = game.rules.scene(game.position(viewer, ended=ended), event)
    return scene
