"""`svg`: a scene as an SVG document. Here the page is laid out; the other modules draw its parts.

`map` draws the board in its frame, `cards` the cards of the seats, and `legend` explains the drawings.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.scene import Scene
from replay.language.renderer import Renderer
from replay.render.board import definitions
from replay.render.cards import (
    EMPTY,
    SANS,
    SERIF,
    Block,
    FontSizes,
    common_card,
    paragraph,
    seat_cards,
    stacked,
)
from replay.render.descriptions import describe_scene
from replay.render.legend import legend, terrains_of
from replay.render.map import MapSizes, draw_map
from replay.render.markup import Ids, Markup, element, joined, language_attributes, moved, number
from replay.render.palette import PAPER, THIN_LINE, seat_colour
from replay.render.podium import Finisher, podium

_MARGIN = 14.0
_GAP = 18.0


@dataclass(frozen=True, slots=True)
class _Page:
    """The sizes of a page: its width, and that of what is below the map."""

    width: float
    below: float
    map: MapSizes
    fonts: FontSizes


_TALL = _Page(
    width=720,
    below=692,
    map=MapSizes(716, 940, overhang=12, frame=17.5, label=19, min_coordinates=16),
    fonts=FontSizes(title=33, caption=26, heading=27, row=22.5),
)
_WIDE = _Page(
    width=1440,
    below=980,
    map=MapSizes(980, 980, frame=17, label=13, min_coordinates=11),
    fonts=FontSizes(title=34, caption=23, heading=25, row=20),
)


def svg(
    scene: Scene,
    renderer: Renderer,
    *,
    prefix: str = "",
    wide: bool = False,
    with_legend: bool = True,
    pixels: int | None = None,
    order: Sequence[Finisher] = (),
) -> str:
    """Return the scene as an SVG document of its own, for a page, a poster or a file.

    It scales to the width that it is given, or is `pixels` wide. Cards and legend stand below the board,
    for widths from that of a phone (360 CSS pixels), or with `wide` beside it, for a desktop. `prefix`
    (letters, digits, `-`, `_`) begins every id, for two pictures in one HTML page. Each hex is a group
    with `data-at="q,r"` and a description as its title. `order` are the seats by place, whose podium then
    stands above the board. The same scene makes the same bytes, and nothing in them refers to anything
    outside.

    Raises ValueError if the prefix cannot begin an id.
    """
    if not all(char.isascii() and (char.isalnum() or char in "-_") for char in prefix):
        raise ValueError(f"not a prefix of ids: {prefix!r}")
    ids = Ids(prefix)
    page = _WIDE if wide else _TALL
    title_text = renderer.sentence(scene.title)
    title = paragraph(
        title_text,
        page.width - 2 * _MARGIN,
        page.fonts.title,
        max_lines=3,
        breadth=1.12,
        font_family=SERIF,
        font_weight="bold",
    )
    top = _MARGIN * 0.7 + title.height + 10
    body = _body(scene, renderer, page, ids, wide=wide, with_legend=with_legend)
    if order:
        above = podium(order, page.width - 2 * _MARGIN, page.fonts, ids, renderer)
        body = stacked([above, body], _GAP)
    width, height = page.width, top + body.height + _MARGIN
    document = element(
        "svg",
        element("title", title_text, id=ids.of("title")),
        element("desc", describe_scene(scene, renderer), id=ids.of("desc")),
        element(
            "defs",
            _shade(ids),
            _hatchings(scene, ids),
            definitions(scene, terrains_of(scene) if with_legend else set(), ids),
        ),
        element("rect", width=width, height=height, fill=PAPER),
        element("rect", width=width, height=height, fill=f"url(#{ids.of('shade')})"),
        moved(title.markup, _MARGIN, _MARGIN * 0.7),
        moved(body.markup, _MARGIN, top),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=pixels,
        height=None if pixels is None else pixels * height / width,
        role="img",
        aria_labelledby=f"{ids.of('title')} {ids.of('desc')}",
        font_family=SANS,
        **language_attributes(renderer.language),
    )
    return f"{document}\n"


def _body(
    scene: Scene, renderer: Renderer, page: _Page, ids: Ids, *, wide: bool, with_legend: bool
) -> Block:
    """Return the page below its title: the map with its caption, and everything else below or beside it."""
    board = draw_map(scene, renderer, page.map, ids)
    caption = EMPTY
    if scene.caption is not None:
        caption = paragraph(
            renderer.sentence(scene.caption),
            page.below - _MARGIN,
            page.fonts.caption,
            max_lines=12,
            breadth=0.94,
            font_family=SERIF,
            font_style="italic",
        )

    def common_blocks(width: float) -> list[Block]:
        """Return the card of common rows and the legend."""
        card = common_card(scene.common_rows, width, page.fonts, renderer)
        if not with_legend:
            return [card]
        return [card, legend(scene, renderer, width, page.fonts.row * 0.95, ids)]

    below = common_blocks(page.below)
    if wide:
        width = page.width - 3 * _MARGIN - page.map.width
        cards, beside = (
            seat_cards(scene.panels, width, 1, page.fonts, ids, renderer),
            common_blocks(width),
        )
        divisions = [
            (
                stacked([board, caption, *below[count:]], _GAP),
                stacked([cards, *beside[:count]], _GAP),
            )
            for count in range(3)
        ]
        left, right = min(divisions, key=lambda pair: max(pair[0].height, pair[1].height))
    else:
        cards = seat_cards(scene.panels, page.below, 2, page.fonts, ids, renderer)
        left, right = stacked([board, caption, cards, *below], _GAP), EMPTY
    return Block(
        joined(left.markup, moved(right.markup, page.map.width + _MARGIN, 0)),
        max(left.height, right.height),
    )


def _shade(ids: Ids) -> Markup:
    return element(
        "radialGradient",
        element("stop", offset=".6", stop_color=THIN_LINE, stop_opacity="0"),
        element("stop", offset="1", stop_color=THIN_LINE, stop_opacity=".34"),
        id=ids.of("shade"),
        r=".75",
    )


def _hatchings(scene: Scene, ids: Ids) -> Markup:
    patterns = (
        element(
            "pattern",
            element(
                "path",
                d=seat_colour(seat).hatching or "M0 0",
                stroke=seat_colour(seat).emblem,
                stroke_width=1.8,
                stroke_linecap="square",
                opacity=".55",
            ),
            id=ids.hatching(seat),
            width=8,
            height=8,
            patternUnits="userSpaceOnUse",
        )
        for seat in sorted({panel.seat for panel in scene.panels})
    )
    return joined(*patterns)
