"""Drawings for HTML pages: the map of a scene as an `<svg>` element, or a detail of it; symbols for cards.

`map_links` draws links upon the map, and the coordinates of its hexes lie on both. Unlike `svg.svg` it has no
cards, no caption and no legend, because a page shows these as HTML. Classes let the page's style sheet change
colours; there are no styles, scripts or references to other documents.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

from domain.hexes import Hex, distance, neighbours
from domain.messages import message
from domain.scene import Scene
from replay.language.renderer import Renderer
from replay.language.text_layout import with_minus
from replay.render.arrows import arrows_markup
from replay.render.board import (
    HEXAGON,
    changed_frames,
    definitions,
    hexes_of,
    pieces_markup,
    terrain_use,
)
from replay.render.cards import SANS
from replay.render.descriptions import (
    all_pieces,
    cell_texts,
    coordinates,
    describe_terrain,
    is_bare,
    terrain_names,
)
from replay.render.drawings import terrain_colour
from replay.render.geometry import HALF_WIDTH, bounds, centre
from replay.render.labels import cell_labels, label_sizes
from replay.render.markup import (
    Ids,
    Markup,
    element,
    joined,
    language_attributes,
    number,
    on_lines,
    translation,
)
from replay.render.outlines import outline_labels, outline_lines
from replay.render.palette import DARK, HALO, SEA
from replay.render.pieces import badge, piece_markup
from replay.render.terrain import terrain_symbol

EMBLEM_BOX: Final = "-21 -21 42 42"
_MARGIN = 8.0
_WIDTH_ON_PAGE = 720.0
"""The width, in CSS pixels, for which labels have their intended size."""
_SMALLEST_WIDTH_ON_PAGE = 280.0
"""The width, in CSS pixels, of the map on the smallest phone."""
_COORDINATES_HEIGHT = 11.0
"""The font size of coordinates, in CSS pixels, which have to be read there too."""
_COORDINATES_WIDTH = 27.0
"""The width, in CSS pixels, that coordinates take in this font size."""


def board_svg(
    scene: Scene,
    renderer: Renderer,
    *,
    prefix: str = "",
    beside: Collection[Hex] = (),
    has_coordinates: bool = True,
) -> str:
    """Return the map as an `<svg>` element to be embedded in a page.

    Each hex is a group with `data-at="q,r"`, a description for screen readers and the same description as
    its tooltip. Hexes have their coordinates unless `coordinates_svg` lies on the map. There is room for the
    hexes `beside` the board. `prefix` begins every id, for two maps in one page. For style sheets there are
    the classes `map` (the root) and `sea` (the background), and for what the last event has done `frames`,
    `arrows`, `removed` (pieces) and `of-event` (labels).
    """
    ids = Ids(prefix)
    box = view_box(scene, beside)
    left, top, width, height = box
    sizes = label_sizes(_WIDTH_ON_PAGE / width, 13, 0)
    if not has_coordinates:
        sizes = replace(sizes, coordinates=None)
    on_top = cell_labels(scene.cells, sizes, scene.package)
    on_top += outline_labels(scene, sizes, [label.box for label in on_top])
    document = element(
        "svg",
        element("defs", definitions(scene, set(), ids)),
        element("rect", x=left, y=top, width=width, height=height, fill=SEA, class_="sea"),
        on_lines(
            *(terrain_use(cell, ids) for cell in scene.cells),
            element("g", *changed_frames(scene.cells), class_="frames"),
            *outline_lines(scene.outlines),
            *_hexes(scene, renderer, ids),
            element(
                "g",
                arrows_markup(scene.arrows, [label.box for label in on_top], sizes.count),
                class_="arrows",
            ),
            element(
                "g",
                on_lines(*(label.markup for label in on_top)),
                pointer_events="none",
                aria_hidden="true",
            ),
        ),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=" ".join(map(number, box)),
        class_="map",
        role="group",
        font_family=SANS,
        aria_label=renderer.sentence(message("the board")),
        **language_attributes(renderer.language),
    )
    return str(document)


def coordinates_svg(scene: Scene) -> str:
    """Return the coordinates of hexes as an `<svg>` element that lies on the map and on its links, so that
    nothing covers them; also those of the hexes beside a board that grows.

    They have the font size that can be read on the smallest phone. A style sheet that knows the scale may
    choose another one. The class `dense` says that every second hex is too narrow for them, those with the
    class `odd`. Screen readers skip them, because the name of each hex contains them.
    """
    hexes = {cell.at for cell in scene.cells}
    if scene.room:
        hexes |= {near for at in hexes for near in neighbours(at)}
    return _coordinates_svg(frozenset(hexes), view_box(scene, hexes))


# Most positions of a game have the same hexes.
@lru_cache(maxsize=64)
def _coordinates_svg(hexes: frozenset[Hex], box: tuple[float, float, float, float]) -> str:
    scale = _SMALLEST_WIDTH_ON_PAGE / box[2]
    is_dense = 2 * HALF_WIDTH * scale < _COORDINATES_WIDTH
    document = element(
        "svg",
        on_lines(*map(_coordinates, sorted(hexes))),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=" ".join(map(number, box)),
        class_="coordinates dense" if is_dense else "coordinates",
        font_family=SANS,
        font_size=_COORDINATES_HEIGHT / scale,
        text_anchor="middle",
        dominant_baseline="central",
        aria_hidden="true",
        focusable="false",
    )
    return str(document)


def _coordinates(at: Hex) -> Markup:
    x, y = centre(at)
    text = with_minus(coordinates(at))
    return element("text", text, x=x, y=y + 46, class_="odd" if at[0] % 2 else None)


def thumbnail_svg(scene: Scene) -> str:
    """Return the board as an SVG document without any text, for pictures about 200 pixels wide.

    The document has no background and no room for a board that grows, and is the same in every language.
    """
    scene = replace(scene, room=())
    ids = Ids("")
    cells = sorted(scene.cells, key=lambda cell: (cell.at[1], cell.at[0]))
    document = element(
        "svg",
        element("defs", definitions(scene, set(), ids)),
        on_lines(
            *(terrain_use(cell, ids) for cell in cells),
            *outline_lines(scene.outlines),
            *(
                element("g", *pieces_markup(cell, ids), transform=translation(*centre(cell.at)))
                for cell in cells
                if cell.pieces
            ),
        ),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=" ".join(map(number, view_box(scene))),
    )
    return str(document)


def view_box(scene: Scene, beside: Collection[Hex] = ()) -> tuple[float, float, float, float]:
    """Return left, top, width and height of the map of a scene, with its room and hexes beside it."""
    box = bounds(hexes_of(scene) | {*scene.room, *beside})
    return (
        box.left - _MARGIN,
        box.top - _MARGIN,
        box.width + 2 * _MARGIN,
        box.height + 2 * _MARGIN,
    )


def _hexes(scene: Scene, renderer: Renderer, ids: Ids) -> Iterator[Markup]:
    text_of, terrains = cell_texts(scene, renderer), terrain_names(scene)
    texts: dict[str, str] = {}
    for cell in sorted(scene.cells, key=lambda cell: (cell.at[1], cell.at[0])):
        if not is_bare(cell):
            description = text_of(cell)
        else:
            if cell.terrain not in texts:
                texts[cell.terrain] = renderer(describe_terrain(cell, terrains))
            description = f"{texts[cell.terrain]} {coordinates(cell.at)}"
        yield _group(cell.at, description, pieces_markup(cell, ids), ids)


@lru_cache(maxsize=4096)
def _group(at: Hex, description: str, drawings: tuple[Markup, ...], ids: Ids) -> Markup:
    """Return a hex that cannot be followed. Scripts can focus it; the Tab key passes it."""
    return element(
        "g",
        element("title", description),
        element("use", href=f"#{ids.of('whole')}"),
        *drawings,
        data_at=coordinates(at),
        role="img",
        aria_label=description,
        tabindex="-1",
        transform=translation(*centre(at)),
    )


def symbol_svg(scene: Scene, kind: str, seat: int | None = None) -> str:
    """Return the drawing of a terrain or of a seat's piece as a separate `<svg>` element.

    `kind` is the name of a terrain or of a kind of piece in the scene's game. Without a seat the piece
    is grey. Screen readers skip the drawing, so words must stand beside it. It has no ids, so that a
    page can contain it any number of times.
    """
    if _is_piece(scene, kind):
        return _svg(piece_markup(scene.package, kind, seat), "-46 -46 92 92")
    hexagon = element(
        "path",
        d=HEXAGON,
        fill=terrain_colour(scene.package, kind).fill,
        stroke=DARK,
        stroke_width=4,
    )
    return _svg(joined(hexagon, terrain_symbol(scene.package, kind)), "-103 -103 206 206")


@lru_cache(maxsize=16)
def emblem_svg(seat: int) -> str:
    """Return the emblem of a seat on its colour as a separate `<svg>` element, like `symbol_svg`.

    Its pale rim separates the dark outline from a dark page.
    """
    return _svg(emblem_markup(seat), EMBLEM_BOX)


def emblem_markup(seat: int) -> Markup:
    """Return the emblem of a seat on its colour, with a pale rim, for an element with EMBLEM_BOX as its
    `viewBox`.
    """
    return joined(element("circle", r=21, fill=HALO), badge(seat))


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


def detail(scene: Scene, reach: int) -> Scene:
    """Return the scene with only the hexes within `reach` steps of those that the last event changed.

    It has all hexes if the event changed none, and no room for others.
    """
    centres = {
        cell.at for cell in scene.cells if cell.is_changed or cell.is_contested or cell.removed
    }
    centres |= {at for arrow in scene.arrows for at in (arrow.start, arrow.end)}
    if not centres:
        return replace(scene, room=())

    def is_shown(at: Hex) -> bool:
        return any(distance(at, other) <= reach for other in centres)

    return replace(
        scene,
        cells=tuple(cell for cell in scene.cells if is_shown(cell.at)),
        outlines=tuple(outline for outline in scene.outlines if all(map(is_shown, outline.hexes))),
        room=(),
    )
