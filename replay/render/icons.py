"""The icons of a game as symbols of a page: its terrains and pieces, and the files of its icons.

A page shows an icon with `<use href="#i-NAME">`, any number of times and in any size. Pieces, and what
belongs to a seat, are filled with the custom properties `--seat` and `--seat-ink` of the style sheet.

The other icons of a game are SVG files in its package: `icons/NAME.svg`. Their names are those of types of
actions, and those that the counts, cards and prices of its scenes have.
"""

from functools import cache
from importlib.resources import files
from typing import Final
from xml.etree import ElementTree as ET

from domain.scene import Scene
from replay.render.board import HEXAGON
from replay.render.drawings import PLAQUE, drawing_of, terrain_colour
from replay.render.embedded_map import EMBLEM_BOX, emblem_markup
from replay.render.markup import Markup, element, on_lines
from replay.render.palette import DARK
from replay.render.terrain import terrain_icon

PREFIX: Final = "i-"
"""How the ids of the symbols begin."""
_NAMESPACE: Final = "{http://www.w3.org/2000/svg}"


@cache
def icon_names(package: str) -> frozenset[str]:
    """Return the names of the icons that the package of a game has as files."""
    folder = files(package) / "icons" if package else None
    if folder is None or not folder.is_dir():
        return frozenset()
    names = (entry.name for entry in folder.iterdir())
    return frozenset(name.removesuffix(".svg") for name in names if name.endswith(".svg"))


def icon_symbols(scene: Scene) -> Markup:
    """Return the symbols of a game: of the terrains and pieces of its legend, the emblems of its seats
    (`emblem-SEAT`), and its icons.
    """
    terrains = tuple(entry.kind for entry in scene.legend if entry.sign == "terrain")
    pieces = tuple(entry.kind for entry in scene.legend if entry.sign == "piece")
    seats = tuple(panel.seat for panel in scene.panels)
    return _symbols(scene.package, terrains, pieces, seats)


@cache
def _symbols(
    package: str, terrains: tuple[str, ...], pieces: tuple[str, ...], seats: tuple[int, ...]
) -> Markup:
    symbols = [_terrain(package, kind) for kind in terrains]
    symbols += [_piece(package, kind) for kind in pieces]
    symbols += [_emblem(seat) for seat in seats]
    symbols += [_file(package, name) for name in sorted(icon_names(package))]
    return on_lines(*symbols)


def _symbol(name: str, view_box: str, *content: Markup) -> Markup:
    return element("symbol", *content, id=f"{PREFIX}{name}", viewBox=view_box)


def _terrain(package: str, kind: str) -> Markup:
    colour = terrain_colour(package, kind)
    hexagon = element("path", d=HEXAGON, fill=colour.fill, stroke=DARK, stroke_width=9)
    return _symbol(kind, "-108 -108 216 216", hexagon, terrain_icon(package, kind))


def _piece(package: str, kind: str) -> Markup:
    drawing = drawing_of(package, kind) or PLAQUE
    silhouette = element(
        "path",
        d=drawing.silhouette,
        fill="var(--seat,currentColor)",
        stroke="var(--piece-line)",
        stroke_width=5,
        stroke_linejoin="round",
    )
    lines = element(
        "path",
        d=drawing.lines or "M0 0",
        fill="none",
        stroke="var(--seat-ink,#fff)",
        stroke_width=4,
        stroke_linecap="round",
        opacity=".8",
    )
    return _symbol(kind, "-44 -44 88 84", silhouette, lines)


def _emblem(seat: int) -> Markup:
    return _symbol(f"emblem-{seat}", EMBLEM_BOX, emblem_markup(seat))


def _file(package: str, name: str) -> Markup:
    """Return the icon of a file. Raises ValueError for one without a `viewBox`."""
    path = files(package) / "icons" / f"{name}.svg"
    root = ET.fromstring(path.read_text("utf-8"))  # noqa: S314 # a file of an installed game
    if "viewBox" not in root.attrib:
        raise ValueError(f"{path}: no viewBox")
    for part in root.iter():
        part.tag = part.tag.removeprefix(_NAMESPACE)
    content = "".join(ET.tostring(part, "unicode").strip() for part in root)
    return _symbol(name, root.attrib["viewBox"], Markup(content))
