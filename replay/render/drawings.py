"""The drawings of pieces and terrains, which are SVG files in the package of each game.

Both are around (0, 0), and can be opened and edited in any program for SVG.

The drawing of a piece, `drawings/KIND.svg`, is about 60 wide and 64 high. It has a path with the id
`silhouette`, which gets the colour of the seat, a path `lines`, drawn on it in the colour of the emblem, and
a circle `emblem`, where the emblem of the seat is. `data-letter` stands for it in a terminal; without that,
the first free letter of its name does.

The drawing of a terrain, `drawings/terrains/NAME.svg`, has a path `ground`, whose fill and stroke are the
colours of the terrain, a group `motif`, about 50 wide and high, and two groups of copies of it (`<use>`):
`empty`, from back to front on an empty hex, and `occupied`, at the edges of a hex with pieces. A group
`texture` may cover the whole hex. In a terminal, `data-letter` stands for the terrain, in both colours of
`data-terminal`. A game may also use the terrains of the other games.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final
from xml.etree import ElementTree as ET

from domain.contract import package_of
from domain.registry import rule_systems
from replay.render.geometry import Spot
from replay.render.markup import Markup, element, joined
from replay.render.palette import PLAIN_PAPER, TerrainColour

_SVG: Final = "{http://www.w3.org/2000/svg}"
_PLACE: Final = re.compile(r"translate\((\S+) (\S+)\)(?: scale\((\S+)\))?")


@dataclass(frozen=True, slots=True)
class Drawing:
    """A silhouette, the lines on it, and the emblem's place: x, y and radius."""

    silhouette: str
    lines: str
    emblem: tuple[float, float, float]
    letter: str = ""


PLAQUE: Final = Drawing("M-27 -26Q0 -34 27 -26V28Q0 36 -27 28Z", "", (0, 15, 10))
"""What a kind of piece without a drawing is drawn on, with its first letters."""


@cache
def drawing_of(package: str, kind: str) -> Drawing | None:
    """Return the drawing that the package of a game has for a kind of piece; None if it has none.

    Raises ValueError for a file without one of the parts.
    """
    if not package or not kind.isidentifier():
        return None
    path = files(package) / "drawings" / f"{kind}.svg"
    if not path.is_file():
        return None
    parts = _parts(path)
    try:
        emblem = parts["emblem"].attrib
        return Drawing(
            parts["silhouette"].attrib["d"],
            parts["lines"].attrib["d"],
            (float(emblem.get("cx", 0)), float(emblem.get("cy", 0)), float(emblem["r"])),
            parts["svg"].attrib.get("data-letter", ""),
        )
    except (KeyError, ValueError) as error:
        raise ValueError(f"{path}: silhouette, lines or emblem: {error!r}") from None


@dataclass(frozen=True, slots=True)
class TerrainDrawing:
    """A terrain's colours and its motif, with its places on an empty hex and on one with pieces."""

    colour: TerrainColour
    letter: str
    motif: Markup
    texture: Markup
    empty: tuple[Spot, ...]
    occupied: tuple[Spot, ...]


@cache
def terrain_drawing(package: str, name: str) -> TerrainDrawing | None:
    """Return the drawing of a terrain: that of a game's package, or else of the first game that has one.

    None if no game has one. Raises ValueError for a file without one of the parts.
    """
    if not name.isidentifier():
        return None
    packages = [package, *(package_of(entry.system) for entry in rule_systems().values())]
    paths = [files(owner) / "drawings" / "terrains" / f"{name}.svg" for owner in packages if owner]
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        return None
    parts = _parts(path)
    try:
        ground, root = parts["ground"].attrib, parts["svg"].attrib
        fill_256, line_256 = map(int, root["data-terminal"].split())
        return TerrainDrawing(
            TerrainColour(ground["fill"], ground["stroke"], fill_256, line_256),
            root["data-letter"],
            _markup_in(parts["motif"]),
            _markup_in(parts["texture"]) if "texture" in parts else Markup(),
            _places(parts["empty"]),
            _places(parts["occupied"]),
        )
    except (KeyError, ValueError) as error:
        raise ValueError(f"{path}: ground, motif, empty or occupied: {error!r}") from None


def terrain_colour(package: str, name: str) -> TerrainColour:
    """Return the colours of a terrain; those of plain paper for one without a drawing."""
    drawing = terrain_drawing(package, name)
    return PLAIN_PAPER if drawing is None else drawing.colour


def _parts(path: Traversable) -> dict[str, ET.Element]:
    """Return the elements of a drawing by their ids, and its root as `svg`."""
    root = ET.fromstring(path.read_text("utf-8"))  # noqa: S314 # a file of an installed game
    return {part.attrib["id"]: part for part in root.iter() if "id" in part.attrib} | {"svg": root}


def _markup_in(group: ET.Element) -> Markup:
    """Return what a group contains."""
    return joined(
        *(
            element(part.tag.removeprefix(_SVG), _markup_in(part), **part.attrib)
            if len(part)
            else element(part.tag.removeprefix(_SVG), **part.attrib)
            for part in group
        )
    )


def _places(group: ET.Element) -> tuple[Spot, ...]:
    places = []
    for use in group:
        place = _PLACE.fullmatch(use.attrib["transform"])
        if place is None:
            raise ValueError(use.attrib["transform"])
        x, y, scale = place.groups(default="1")
        places.append(Spot(float(x), float(y), float(scale)))
    return tuple(places)
