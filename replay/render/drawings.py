"""The drawings of pieces, which are SVG files beside each game: `drawings/KIND.svg` in its package.

A drawing is around (0, 0), about 60 wide and 64 high, and can be opened and edited in any program for SVG. It
has a path with the id `silhouette`, which gets the colour of the seat, a path `lines`, drawn on it in the
colour of the emblem, and a circle `emblem`, where the emblem of the seat is.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final
from xml.etree import ElementTree as ET

_SVG: Final = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A silhouette, the lines on it, and the emblem's place: x, y and radius."""

    silhouette: str
    lines: str
    emblem: tuple[float, float, float]


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
    parts = {part.attrib.get("id"): part.attrib for part in _elements(path.read_text("utf-8"))}
    try:
        emblem = parts["emblem"]
        return Drawing(
            parts["silhouette"]["d"],
            parts["lines"]["d"],
            (float(emblem.get("cx", 0)), float(emblem.get("cy", 0)), float(emblem["r"])),
        )
    except (KeyError, ValueError) as error:
        raise ValueError(f"{path}: silhouette, lines or emblem: {error!r}") from None


def _elements(document: str) -> list[ET.Element]:
    root = ET.fromstring(document)  # noqa: S314 # a file of an installed game
    return [*root.iter(f"{_SVG}path"), *root.iter(f"{_SVG}circle")]
