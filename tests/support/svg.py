"""Reading SVG documents: their elements, and the texts with their places and sizes on the page."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from domain.scene import Scene
from replay.language.renderer import Renderer
from replay.language.text_layout import ems
from replay.render.svg import svg as draw_svg
from tests.support.languages import ENGLISH

SVG = "{http://www.w3.org/2000/svg}"


def svg(
    scene: Scene,
    renderer: Renderer = ENGLISH,
    *,
    prefix: str = "",
    wide: bool = False,
    with_legend: bool = True,
) -> str:
    """The scene as an SVG document, by default in English."""
    return draw_svg(scene, renderer, prefix=prefix, wide=wide, with_legend=with_legend)


def parsed(document: str) -> ET.Element:
    """The root element of a document."""
    return ET.fromstring(document)  # noqa: S314 # our own output


@dataclass(frozen=True, slots=True)
class DrawnText:
    """A text on the page, in the document's units."""

    content: str
    left: float
    right: float
    baseline: float
    size: float


def drawn_texts(document: str) -> list[DrawnText]:
    """Every text that is drawn, without those in definitions."""
    return list(_texts(parsed(document), _Context()))


def board_texts(document: str) -> list[DrawnText]:
    """The texts on the board, without those of the frame, the cards and the legend."""
    return list(_texts(parsed(document), _Context(is_board=False)))


@dataclass(frozen=True, slots=True)
class _Context:
    """What an element inherits: the origin, the scale, the anchor, and whether it is on the board."""

    x: float = 0
    y: float = 0
    scale: float = 1
    anchor: str = "start"
    is_board: bool = True


def _texts(element: ET.Element, context: _Context) -> Iterator[DrawnText]:
    if element.tag == f"{SVG}defs":
        return
    x, y, scale = context.x, context.y, context.scale
    transform = re.match(
        r"translate\((\S+) (\S+)\)(?: scale\((\S+)\))?", element.attrib.get("transform", "")
    )
    if transform:
        x, y = x + scale * float(transform[1]), y + scale * float(transform[2])
        scale *= float(transform[3] or 1)
    anchor = element.attrib.get("text-anchor", context.anchor)
    # The board is the group that contains the groups of hexes.
    is_board = context.is_board or any("data-at" in child.attrib for child in element)
    if element.tag == f"{SVG}text" and is_board:
        size = scale * float(element.attrib["font-size"])
        # Real fonts are narrower than `ems` says by a tenth at least.
        width = ems(element.text or "") * size * 0.9
        left = x + scale * float(element.attrib.get("x", 0))
        left -= {"end": width, "middle": width / 2, "start": 0}[anchor]
        baseline = y + scale * float(element.attrib["y"])
        yield DrawnText(element.text or "", left, left + width, baseline, size)
    for child in element:
        yield from _texts(child, _Context(x, y, scale, anchor, is_board))


def board_scale(document: str) -> float:
    """How many units of the document a unit of the board is long."""
    (board,) = _boards(parsed(document))
    transform = re.fullmatch(r"translate\(\S+ \S+\) scale\((\S+)\)", board.attrib["transform"])
    assert transform
    return float(transform[1])


def arrow_points(document: str) -> list[list[tuple[float, float]]]:
    """Points along each arrow on the board, in the document's units."""
    ((origin, scale, board),) = _board_places(parsed(document), (0, 0), 1)
    arrows = []
    for path in board.iter(f"{SVG}path"):
        curve = re.fullmatch(r"M(\S+) (\S+)Q(\S+) (\S+) (\S+) (\S+)", path.attrib["d"])
        if curve and path.attrib.get("stroke-width") == "21":
            ax, ay, bx, by, cx, cy = map(float, curve.groups())
            steps = [(step / 12, 1 - step / 12) for step in range(13)]
            arrows.append(
                [
                    (
                        origin[0] + scale * (s * s * ax + 2 * s * t * bx + t * t * cx),
                        origin[1] + scale * (s * s * ay + 2 * s * t * by + t * t * cy),
                    )
                    for t, s in steps
                ]
            )
    return arrows


def _boards(root: ET.Element) -> list[ET.Element]:
    return [e for e in root.iter(f"{SVG}g") if any("data-at" in child.attrib for child in e)]


def _board_places(
    element: ET.Element, origin: tuple[float, float], scale: float
) -> Iterator[tuple[tuple[float, float], float, ET.Element]]:
    """The board with its origin and scale on the page."""
    transform = re.match(
        r"translate\((\S+) (\S+)\)(?: scale\((\S+)\))?", element.attrib.get("transform", "")
    )
    if transform:
        origin = (origin[0] + scale * float(transform[1]), origin[1] + scale * float(transform[2]))
        scale *= float(transform[3] or 1)
    if any("data-at" in child.attrib for child in element):
        yield origin, scale, element
    else:
        for child in element:
            yield from _board_places(child, origin, scale)


def hexes(document: str) -> dict[str, ET.Element]:
    """The element of each hex of a map, by its coordinates."""
    return {e.attrib["data-at"]: e for e in parsed(document).iter() if "data-at" in e.attrib}


def view_box(document: str) -> list[float]:
    """Left, top, width and height of a picture."""
    return [float(value) for value in parsed(document).attrib["viewBox"].split()]


def assert_allowed_by_a_strict_policy(document: str) -> None:
    """Check that a Content-Security-Policy without `unsafe-inline` allows everything in a picture."""
    for element in parsed(document).iter():
        assert element.tag.removeprefix(SVG) not in {"script", "style", "image", "foreignObject"}
        assert not [name for name in element.attrib if name == "style" or name.startswith("on")]
