"""The links upon the map of a page: an `<svg>` element of its own, which lies on that of `embedded_map`.

It is small, so that a page can replace it alone while a player chooses hexes.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from domain.hexes import Hex
from domain.messages import Value, hex_at, message, message_in, semicolon_list
from domain.scene import Cell, Scene
from replay.language.renderer import Renderer
from replay.render.board import HEXAGON
from replay.render.descriptions import (
    cell_texts,
    coordinates,
    describe_terrain,
    is_bare,
    terrain_names,
)
from replay.render.embedded_map import view_box
from replay.render.geometry import CORNERS, centre
from replay.render.markup import (
    Ids,
    Markup,
    bold_text,
    element,
    escaped,
    language_attributes,
    number,
    on_lines,
    path_data,
    translation,
)
from replay.render.palette import DARK, HALO

_INNER = 0.95
"""The size of the frame of a chosen hex in relation to that of the hex."""
_PREFIX: Final = "link-"


Sign: TypeAlias = Literal["go", "share", "take"]
_SIGNED: Final = ("option", "other")


def sign_of(seats: Collection[int], seat: int) -> Sign:
    """Return the sign of an option of a seat on a hex with pieces of these seats."""
    if not seats:
        return "go"
    return "share" if seat in seats else "take"


@dataclass(frozen=True, slots=True)
class HexLink:
    """A link around a hex: its address, and what following it does, such as `the knight on 1,0`.

    A hex that can be chosen is an `option`, one that can be chosen in place of a former choice is `other`,
    and one that belongs to the choices already made is `chosen`. Any other link is not marked on the map.
    `number` is that by which a keyboard chooses an option. A link that `is_aside` is less important than
    others, and has no sign. The `sign` of other options is a dot in the middle of the hex to `go` there, one
    at its foot where the pieces `share` the hex, and a ring to `take` what is there.
    """

    href: str
    label: Value
    state: Literal["option", "other", "chosen", ""] = ""
    number: str = ""
    is_aside: bool = False
    sign: Sign = "go"


NO_LINKS: Final[Mapping[Hex, HexLink]] = MappingProxyType({})


def links_svg(scene: Scene, renderer: Renderer, links: Mapping[Hex, HexLink]) -> str:
    """Return the links as an `<svg>` element that has the size of the map of the scene with these hexes.

    Each link has `data-at="q,r"`, and its state as a class; an option with a number has `data-number` too. A
    label begins with what the link does, and ends with what is on the hex. The Tab key passes links: scripts
    lead to them with arrow keys, and a page lists them in words. A linked hex that is not on the board is
    drawn as an empty target. For style sheets there are the classes `links` (the root), `empty` (a space
    without terrain), `target` (the transparent area of a link), `mark` (the sign of its state), `veil`,
    `aside` and `number`. If most hexes of the board are options, as in a set-up, the others lie under a veil,
    and no option has a sign.
    """
    ids = Ids(_PREFIX)
    cells = {cell.at: cell for cell in scene.cells}
    options = {at for at, link in links.items() if link.state in _SIGNED and not link.is_aside}
    chosen = {at for at, link in links.items() if link.state == "chosen"}
    is_veiled = 2 * len(options & {*cells}) > len(cells)
    document = element(
        "svg",
        element("defs", _signs(ids)),
        on_lines(
            *(_empty_target(at, ids) for at in sorted({*links} - {*cells})),
            *(_veil(at, ids) for at in sorted({*cells} - options - chosen) if is_veiled),
            *_links(scene, renderer, links, cells, ids, is_veiled=is_veiled),
        ),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=" ".join(map(number, view_box(scene, links))),
        class_="links",
        role="group",
        aria_label=renderer.sentence(message("what can be chosen on the board")),
        **language_attributes(renderer.language),
    )
    return str(document)


def _links(
    scene: Scene,
    renderer: Renderer,
    links: Mapping[Hex, HexLink],
    cells: Mapping[Hex, Cell],
    ids: Ids,
    *,
    is_veiled: bool,
) -> Iterator[Markup]:
    text_of, terrains = cell_texts(scene, renderer), terrain_names(scene)
    separator = renderer(message_in("in a list", "; "))
    target = element("use", href=f"#{ids.of('whole')}", class_="target")
    marks = {
        name: element("use", href=f"#{ids.of(name)}", class_="mark")
        for name in ("go", "share", "take", "chosen")
    }
    # Most links have no state, the same label, and a hex with nothing on it: its terrain is rendered once.
    texts: dict[tuple[int, str], str] = {}
    for at in sorted(links, key=lambda at: (at[1], at[0])):
        link, cell = links[at], cells.get(at)
        if not link.state and cell is not None and is_bare(cell):
            key = (id(link.label), cell.terrain)
            if key not in texts:
                parts = (link.label, describe_terrain(cell, terrains))
                texts[key] = escaped(renderer.sentence(semicolon_list(parts)))
            yield _bare_link(at, link.href, texts[key], target)
        else:
            subject = renderer(hex_at(at)) if cell is None else text_of(cell)
            label = f"{renderer.sentence(link.label)}{separator}{subject}"
            name = link.sign if link.state in _SIGNED else link.state
            has_mark = bool(name) and not link.is_aside and not (is_veiled and name != "chosen")
            yield _link(at, link, label, target, marks[name] if has_mark else Markup())


@lru_cache(maxsize=4096)
def _place(at: Hex) -> tuple[str, str]:
    return coordinates(at), translation(*centre(at))


def _bare_link(at: Hex, href: str, text: str, target: Markup) -> Markup:
    """Return what `_link` does for a link without a state on a hex with nothing on it, at a quarter of the
    cost: most links are such. `text` is the label without the coordinates, and escaped.
    """
    place, transform = _place(at)
    return Markup(
        f'<a href="{escaped(href)}" data-at="{place}" aria-label="{text} {place}" tabindex="-1"'
        f' transform="{transform}">{target}</a>'
    )


def _link(at: Hex, link: HexLink, label: str, target: Markup, mark: Markup) -> Markup:
    return element(
        "a",
        element("title", label) if link.state else Markup(),
        target,
        mark,
        _number(link.number),
        href=link.href,
        data_at=coordinates(at),
        data_number=link.number or None,
        class_=f"{link.state} aside" if link.is_aside else link.state or None,
        aria_label=label,
        tabindex="-1",
        transform=translation(*centre(at)),
    )


def _number(text: str) -> Markup:
    if not text:
        return Markup()
    return bold_text(
        text,
        None,
        -50,
        40,
        DARK,
        stroke="#fff",
        stroke_width=9,
        paint_order="stroke",
        class_="number",
        aria_hidden="true",
    )


def _empty_target(at: Hex, ids: Ids) -> Markup:
    """Return a hex that is not on the board, such as a space where a tile can be laid."""
    x, y = centre(at)
    return element("use", href=f"#{ids.of('empty')}", x=x, y=y, class_="empty")


def _veil(at: Hex, ids: Ids) -> Markup:
    """Return what lies on a hex that cannot be chosen where most others can."""
    x, y = centre(at)
    return element("use", href=f"#{ids.of('veil')}", x=x, y=y, class_="veil")


def _signs(ids: Ids) -> Markup:
    """Return the definitions of the signs that links need.

    They are of ink with a pale rim, which contrasts with every terrain, and differ by their shape. What is
    chosen has the colour that the style sheet gives to the player who chooses (`--you`).
    """
    inner = path_data((x * _INNER, y * _INNER) for x, y in CORNERS)
    return on_lines(
        element("path", id=ids.of("whole"), d=HEXAGON, fill_opacity="0"),
        element("path", id=ids.of("empty"), d=HEXAGON, fill_opacity="0"),
        element("path", id=ids.of("veil"), d=HEXAGON),
        _dot("go", 0, 25, ids),
        _dot("share", 66, 20, ids),
        element(
            "g",
            element("circle", r=68, fill="none", stroke=HALO, stroke_width=22),
            element("circle", r=68, fill="none", stroke=DARK, stroke_width=11),
            id=ids.of("take"),
        ),
        element(
            "g",
            element("path", d=inner, fill="none", stroke=HALO, stroke_width=24),
            element("path", d=inner, fill="none", stroke="var(--you, #a8115a)", stroke_width=14),
            id=ids.of("chosen"),
        ),
    )


def _dot(name: str, y: float, radius: float, ids: Ids) -> Markup:
    return element(
        "circle",
        cy=y,
        r=radius,
        fill=DARK,
        fill_opacity=".72",
        stroke=HALO,
        stroke_width=6,
        id=ids.of(name),
    )
