"""The map of a scene for an HTML page, as an `<svg>` element; `map_links` draws the links upon it.

Unlike `svg.svg` it has no cards, no caption and no legend, because a page shows these as HTML. Classes let
the page's style sheet change colours; there are no styles, scripts or references to other documents.
"""

from collections.abc import Collection, Iterator

from domain.hexes import Hex
from domain.messages import message
from domain.scene import Scene
from replay.language.renderer import Renderer
from replay.render.arrows import arrows_markup
from replay.render.board import definitions, hexes_of, pieces_markup, terrain_use
from replay.render.cards import SANS
from replay.render.descriptions import coordinates, describe_cell, piece_names, terrain_names
from replay.render.geometry import bounds, centre
from replay.render.labels import cell_labels, label_sizes
from replay.render.markup import (
    Ids,
    Markup,
    element,
    language_attributes,
    number,
    on_lines,
    translation,
)
from replay.render.outlines import outline_labels, outline_lines
from replay.render.palette import SEA

_MARGIN = 8.0
_WIDTH_ON_PAGE = 720.0
"""The width, in CSS pixels, for which labels have their intended size."""


def board_svg(
    scene: Scene, renderer: Renderer, *, prefix: str = "", beside: Collection[Hex] = ()
) -> str:
    """Return the map as an `<svg>` element to be embedded in a page.

    Each hex is a group with `data-at="q,r"`, a description for screen readers and the same description as
    its tooltip. There is room for the hexes `beside` the board. `prefix` begins every id, for two maps in
    one page. For style sheets there are the classes `map` (the root) and `sea` (the background).
    """
    ids = Ids(prefix)
    box = view_box(scene, beside)
    left, top, width, height = box
    sizes = label_sizes(_WIDTH_ON_PAGE / width, 13, 0)
    on_top = cell_labels(scene.cells, sizes)
    on_top += outline_labels(scene, sizes, [label.box for label in on_top])
    document = element(
        "svg",
        element("defs", definitions(scene, set(), ids)),
        element("rect", x=left, y=top, width=width, height=height, fill=SEA, class_="sea"),
        on_lines(
            (
                *(terrain_use(cell, ids) for cell in scene.cells),
                *outline_lines(scene.outlines),
                *_hexes(scene, renderer, ids),
                arrows_markup(scene.arrows, [label.box for label in on_top], sizes.count),
                element(
                    "g",
                    on_lines(label.markup for label in on_top),
                    pointer_events="none",
                    aria_hidden="true",
                ),
            )
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


def view_box(scene: Scene, beside: Collection[Hex]) -> tuple[float, float, float, float]:
    """Return left, top, width and height of the map of a scene, with hexes beside it."""
    box = bounds(hexes_of(scene) | set(beside))
    return (
        box.left - _MARGIN,
        box.top - _MARGIN,
        box.width + 2 * _MARGIN,
        box.height + 2 * _MARGIN,
    )


def _hexes(scene: Scene, renderer: Renderer, ids: Ids) -> Iterator[Markup]:
    """Yield every hex of the board, in rows from top to bottom, as a reader meets them."""
    pieces, terrains = piece_names(scene), terrain_names(scene)
    for cell in sorted(scene.cells, key=lambda cell: (cell.at[1], cell.at[0])):
        description = renderer(describe_cell(cell, pieces, terrains))
        yield _group(cell.at, description, pieces_markup(cell, ids), ids)


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
