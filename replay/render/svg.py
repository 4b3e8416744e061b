"""One pure function, `svg`: a scene as a picture. Here the page is composed; the parts are drawn
elsewhere.

`layout` knows where hexes are, `board` draws them, `grounds` and `pieces` hold the drawings,
`panels` sets what stands beside, `palette` has the colours.
"""

from dataclasses import dataclass
from html import escape
from math import cos, pi, sin

from domain.scene import Scene
from replay.render.board import board, definitions, free_corner, hexes_of, rose
from replay.render.layout import bounds, number
from replay.render.palette import FADED, INK, LINE, PAPER, SEA, seat_colour
from replay.render.panels import (
    SANS,
    SERIF,
    Block,
    Ids,
    Sizes,
    cards,
    common,
    legend,
    lines,
    moved,
)
from replay.render.words import clean, scene_said

_MARGIN = 14.0
_FRAME = 12.0
"""The neatline around the map, and the air inside it."""


@dataclass(frozen=True, slots=True)
class _Page:
    """A page: how wide, how wide the map on it, how high the map may get, font sizes."""

    width: float
    map_width: float
    map_height: float
    sizes: Sizes


_TALL = _Page(720, 692, 900, Sizes(title=33, caption=26, heading=27, fact=22.5))
_WIDE = _Page(1440, 980, 980, Sizes(title=34, caption=23, heading=25, fact=20))
_LARGEST_HEX = 66.0


def svg(scene: Scene, *, prefix: str = "", wide: bool = False, key: bool = True) -> str:
    """The scene as an SVG document of its own, for a page, a poster or a file.

    It scales to whatever width it is given: the panels stand under the board, for anything from a
    phone's width (360 CSS pixels) upwards, or `wide` beside it, for a desk. `prefix` (letters,
    digits, `-`, `_`) begins every id: two pictures in one HTML page need two. `key` adds the names
    of the grounds. Each hex is a group with `data-at="q,r"` and a title in words. The same scene
    gives the same bytes; nothing refers to anything outside.

    Raises ValueError on a prefix that would not be an id.
    """
    if not all(char.isascii() and (char.isalnum() or char in "-_") for char in prefix):
        raise ValueError(f"not a prefix of ids: {prefix!r}")
    ids = Ids(prefix)
    page = _WIDE if wide else _TALL
    sizes = page.sizes
    serif = f'font-family="{SERIF}"'
    title = lines(
        scene.title,
        page.width - 2 * _MARGIN,
        sizes.title,
        most=3,
        breadth=1.12,
        more=f'{serif} font-weight="bold"',
    )
    the_map = _map(scene, page, ids)
    said = lines(
        scene.caption,
        page.map_width - 2 * _MARGIN,
        sizes.caption,
        most=8,
        breadth=0.94,
        more=f'{serif} font-style="italic"',
    )
    names = legend(scene, page.map_width, sizes.fact * 0.95, ids) if key else Block("", 0)
    under_map = [the_map, said if scene.caption else Block("", 0), names]
    rest = common(scene.common_rows, page.map_width, sizes) if scene.common_rows else Block("", 0)
    top = _MARGIN * 0.7 + title.height + 10
    height = 0.0
    left = right = Block("", 0)
    # How many cards stand beside the map: as many as make the page least high.
    for beside in range(len(scene.panels), -1, -1) if wide else (0,):
        tried = _column(
            [
                *under_map,
                cards(scene.panels[beside:], page.map_width, 2, sizes, ids),
                rest,
            ],
            18,
        )
        column = page.width - 3 * _MARGIN - page.map_width
        aside = cards(scene.panels[:beside], column, 1, sizes, ids) if wide else Block("", 0)
        tall = max(tried.height, aside.height)
        if not height or tall < height:
            left, right, height = tried, aside, tall
    height += top + _MARGIN
    body = (
        moved(title.markup, _MARGIN, _MARGIN * 0.7)
        + moved(left.markup, _MARGIN, top)
        + moved(right.markup, page.map_width + 2 * _MARGIN, top)
    )
    size = f"{number(page.width)} {number(height)}"
    paper = f'width="{number(page.width)}" height="{number(height)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" role="img" '
        f'aria-labelledby="{ids.of("title")} {ids.of("desc")}" font-family="{SANS}">'
        f'<title id="{ids.of("title")}">{escape(clean(scene.title))}</title>'
        f'<desc id="{ids.of("desc")}">{escape(scene_said(scene))}</desc>'
        f"<defs>{_paper(ids)}{_hatches(scene, ids)}{definitions(scene, ids)}</defs>"
        f'<rect {paper} fill="{PAPER}"/><rect {paper} fill="url(#{ids.of("paper")})"/>'
        f"{body}</svg>\n"
    )


def _column(blocks: list[Block], gap: float) -> Block:
    """Blocks under each other; empty ones leave no gap."""
    markup: list[str] = []
    y = 0.0
    for block in blocks:
        if block.height:
            y += gap if markup else 0
            markup.append(moved(block.markup, 0, y))
            y += block.height
    return Block("".join(markup), y)


def _paper(ids: Ids) -> str:
    """Paper that has darkened towards its edges."""
    return (
        f'<radialGradient id="{ids.of("paper")}" r=".75"><stop offset=".6" stop-color="{LINE}" '
        f'stop-opacity="0"/><stop offset="1" stop-color="{LINE}" stop-opacity=".34"/></radialGradient>'
    )


def _hatches(scene: Scene, ids: Ids) -> str:
    """The hatchings of the seats' arms."""
    return "".join(
        f'<pattern id="{ids.hatch(panel.seat)}" width="8" height="8" patternUnits="userSpaceOnUse">'
        f'<path d="{colour.hatch or "M0 0"}" stroke="{colour.charge}" stroke-width="1.8" '
        'stroke-linecap="square" opacity=".55"/></pattern>'
        for panel in {panel.seat: panel for panel in scene.panels}.values()
        for colour in (seat_colour(panel.seat),)
    )


def _map(scene: Scene, page: _Page, ids: Ids) -> Block:
    """The board in its frame, as large as the page lets it be."""
    shown = hexes_of(scene)
    box = bounds(shown)
    inner = page.map_width - 2 * _FRAME - 8
    scale = min(inner / box.width, page.map_height / box.height, _LARGEST_HEX / 100)
    height = box.height * scale + 2 * _FRAME + 8
    width = page.map_width
    markup = [
        f'<rect width="{number(width)}" height="{number(height)}" fill="{SEA}"/>',
        _rhumbs(width, height),
    ]
    x = width / 2 - (box.left + box.right) / 2 * scale
    y = height / 2 - (box.top + box.bottom) / 2 * scale
    inside = 2 * _FRAME
    corner = free_corner(shown, (width - inside) / scale, (height - inside) / scale)
    if corner is not None and corner[2] * scale > 26:
        cx, cy, radius = corner
        markup.append(moved(rose(), x + cx * scale, y + cy * scale, min(radius * scale, 58) / 100))
    markup += [moved(board(scene, ids), x, y, scale), _neatline(width, height)]
    return Block("".join(markup), height)


def _rhumbs(width: float, height: float) -> str:
    """The rays of a sea chart, from the middle to the frame."""
    x, y = width / 2, height / 2
    ends = []
    for step in range(32):
        dx, dy = cos(step * pi / 16), sin(step * pi / 16)
        reach = min(x / abs(dx) if abs(dx) > 1e-9 else 1e9, y / abs(dy) if abs(dy) > 1e-9 else 1e9)
        ends.append(f"M{number(x)} {number(y)}L{number(x + dx * reach)} {number(y + dy * reach)}")
    return f'<path d="{"".join(ends)}" stroke="{FADED}" stroke-width=".8" opacity=".3"/>'


def _neatline(width: float, height: float) -> str:
    """The frame of an old map: two lines with a chequered band between them."""
    across = f'width="{number(width - 7)}" height="{number(height - 7)}"'
    return (
        f'<g fill="none"><rect x="3.5" y="3.5" {across} stroke="{INK}" stroke-width="7"/>'
        f'<rect x="3.5" y="3.5" {across} stroke="{PAPER}" stroke-width="4" '
        'stroke-dasharray="26 26"/></g>'
    )
