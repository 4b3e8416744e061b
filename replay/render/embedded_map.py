"""The map of a scene for an HTML page: an `<svg>` element whose hexes can be links.

Unlike `svg.svg` it has no cards, no caption and no legend, because a page shows these as HTML. Classes let
the page's style sheet change colours; there are no styles, scripts or references to other documents.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from domain.hexes import Hex
from domain.messages import Value, hex_at, message, semicolon_list
from domain.scene import Scene
from replay.language.renderer import Renderer
from replay.render.arrows import arrows_markup
from replay.render.board import HEXAGON, definitions, hexes_of, pieces_markup, terrain_use
from replay.render.descriptions import coordinates, describe_cell, piece_names, terrain_names
from replay.render.geometry import CORNERS, RADIUS, bounds, centre
from replay.render.labels import cell_labels, label_sizes
from replay.render.markup import (
    Ids,
    Markup,
    element,
    language_attributes,
    number,
    on_lines,
    path_data,
    translation,
)
from replay.render.outlines import outline_labels, outline_lines
from replay.render.palette import DARK, HALO, SEA

_MARGIN = 8.0
_INNER = 0.84
"""The size of the rings of options in relation to that of a hex."""
_WIDTH_ON_PAGE = 720.0
"""The width, in CSS pixels, for which labels have their intended size."""


@dataclass(frozen=True, slots=True)
class HexLink:
    """A link around a hex: its address, and what following it does, such as `the knight on 1,0`.

    A hex that can be chosen is an `option`, one that belongs to the choices already made is `chosen`.
    Any other link is not marked on the map.
    """

    href: str
    label: Value
    state: Literal["option", "chosen", ""] = ""


NO_LINKS: Final[Mapping[Hex, HexLink]] = MappingProxyType({})


def board_svg(
    scene: Scene,
    renderer: Renderer,
    *,
    prefix: str = "",
    links: Mapping[Hex, HexLink] = NO_LINKS,
) -> str:
    """Return the map as an `<svg>` element to be embedded in a page.

    Each hex is a group, or a link if `links` has one for it, with `data-at="q,r"`, a description for
    screen readers and the same description as its tooltip. Links have the class `option` or `chosen`
    of their state. A linked hex that is not on the board is drawn as an empty target. `prefix` begins
    every id, for two maps in one page.

    For style sheets there are the classes `map` (the root), `sea` (the background), `empty` (a space
    without terrain), `target` (the transparent area of a link) and `ring` (the sign of its state).
    """
    ids = Ids(prefix)
    box = bounds(hexes_of(scene) | set(links))
    left, top = box.left - _MARGIN, box.top - _MARGIN
    width, height = box.width + 2 * _MARGIN, box.height + 2 * _MARGIN
    sizes = label_sizes(_WIDTH_ON_PAGE / width, 13, 0)
    on_top = cell_labels(scene.cells, sizes)
    on_top += outline_labels(scene, sizes, [label.box for label in on_top])
    document = element(
        "svg",
        element(
            "defs",
            definitions(scene, set(), ids),
            _signs({link.state for link in links.values()}, ids),
        ),
        element("rect", x=left, y=top, width=width, height=height, fill=SEA, class_="sea"),
        on_lines(
            (
                *(_empty_target(at, ids) for at in sorted({*links} - {c.at for c in scene.cells})),
                *(terrain_use(cell, ids) for cell in scene.cells),
                *outline_lines(scene.outlines),
                *_hexes(scene, renderer, links, ids),
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
        viewBox=" ".join(map(number, (left, top, width, height))),
        class_="map",
        role="group",
        aria_label=renderer.sentence(message("the board")),
        **language_attributes(renderer.language),
    )
    return str(document)


def _hexes(
    scene: Scene, renderer: Renderer, links: Mapping[Hex, HexLink], ids: Ids
) -> Iterator[Markup]:
    """Yield every hex of the board and of `links`, in rows from top to bottom, as a reader meets them."""
    pieces, terrains = piece_names(scene), terrain_names(scene)
    cells = {cell.at: cell for cell in scene.cells}
    for at in sorted({*cells, *links}, key=lambda at: (at[1], at[0])):
        cell, link = cells.get(at), links.get(at)
        description = (
            describe_cell(cell, pieces, terrains)
            if cell is not None
            else message("empty space {hex}", hex=hex_at(at))
        )
        drawings = pieces_markup(cell, ids) if cell is not None else ()
        if link is None:
            yield _group(at, renderer(description), drawings, ids)
        else:
            label = renderer.sentence(semicolon_list((link.label, description)))
            yield _link(at, link, label, drawings, ids)


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


def _link(at: Hex, link: HexLink, label: str, drawings: tuple[Markup, ...], ids: Ids) -> Markup:
    """Return a link around a hex, with the sign of its state above the pieces."""
    ring = element("use", href=f"#{ids.of(link.state)}", class_="ring") if link.state else Markup()
    return element(
        "a",
        element("title", label),
        element("use", href=f"#{ids.of('whole')}", class_="target"),
        *drawings,
        ring,
        href=link.href,
        data_at=coordinates(at),
        class_=link.state or None,
        aria_label=label,
        transform=translation(*centre(at)),
    )


def _empty_target(at: Hex, ids: Ids) -> Markup:
    """Return a hex that is not on the board, such as a space where a tile can be laid."""
    x, y = centre(at)
    return element("use", href=f"#{ids.of('empty')}", x=x, y=y, class_="empty")


def _signs(states: set[str], ids: Ids) -> Markup:
    """Return the definitions of the signs that links need.

    They differ from each other and from the frame of a changed hex by their shape, and contrast with
    every terrain, because each line is dark with a pale line upon it.
    """
    inner = path_data((x * _INNER, y * _INNER) for x, y in CORNERS)
    signs = [
        element(
            "path",
            id=ids.of("empty"),
            d=HEXAGON,
            stroke=DARK,
            stroke_opacity=".6",
            stroke_width=4,
            stroke_dasharray="14 10",
            fill=HALO,
            fill_opacity=".5",
        )
    ]
    if "option" in states:
        signs.append(
            element(
                "g",
                _corners(inner, DARK, width=23, length=58),
                _corners(inner, "#fff", width=14, length=49),
                id=ids.of("option"),
            )
        )
    if "chosen" in states:
        signs.append(
            element(
                "g",
                element("path", d=inner, fill="none", stroke="#fff", stroke_width=22),
                element("path", d=inner, fill="none", stroke=DARK, stroke_width=12),
                element("circle", cy=-72, r=27, fill=DARK, stroke="#fff", stroke_width=5),
                element(
                    "path",
                    d="M-12 -72L-3 -62L13 -83",
                    fill="none",
                    stroke="#fff",
                    stroke_width=7,
                    stroke_linecap="round",
                    stroke_linejoin="round",
                ),
                id=ids.of("chosen"),
            )
        )
    return on_lines(signs)


def _corners(d: str, colour: str, *, width: float, length: float) -> Markup:
    """Return the six corners of a hexagon; `length` is that of the line around each of them."""
    return element(
        "path",
        d=d,
        fill="none",
        stroke=colour,
        stroke_width=width,
        stroke_dasharray=f"{number(length)} {number(_INNER * RADIUS - length)}",
        stroke_dashoffset=length / 2,
    )
