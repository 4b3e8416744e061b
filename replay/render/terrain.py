"""Drawings of terrains, by name, in the style of engraved maps.

A terrain is a texture that covers the hex and a motif repeated on it: large on an empty hex, small and
at the edges on a hex with pieces. Every terrain has a motif of its own, so that no terrain can be
recognised by its colour alone. Motifs are drawn around (0, 0) and are about 50 wide and high.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from replay.render.descriptions import readable
from replay.render.geometry import Spot
from replay.render.markup import Markup, element, joined, moved
from replay.render.palette import TerrainColour, terrain_colour
from replay.render.text_layout import cut, ems

_AT_THE_EDGES = (
    Spot(0, -70, 0.72),
    Spot(-42, -52, 0.62),
    Spot(42, -52, 0.62),
    Spot(-68, 18, 0.5),
    Spot(68, 18, 0.5),
)
_AT_THE_TOP = (Spot(0, -64, 0.85),)


@dataclass(frozen=True, slots=True)
class _Terrain:
    """A terrain's motif with its places on an empty hex (from back to front) and on one with pieces."""

    motif: Callable[[TerrainColour], Markup]
    empty: tuple[Spot, ...]
    occupied: tuple[Spot, ...] = _AT_THE_EDGES
    texture: Callable[[TerrainColour], Markup] | None = None


def _line(d: str, colour: TerrainColour, width: float = 3, **attributes: str | float) -> Markup:
    return element("path", d=d, fill="none", stroke=colour.line, stroke_width=width, **attributes)


def _round_line(d: str, colour: TerrainColour, width: float = 3) -> Markup:
    return _line(d, colour, width, stroke_linecap="round", stroke_linejoin="round")


def _shape(d: str, fill: str, stroke: str | None = None, width: float = 3) -> Markup:
    return element(
        "path",
        d=d,
        fill=fill,
        stroke=stroke,
        stroke_width=width if stroke else None,
        stroke_linejoin="round" if stroke else None,
    )


def _peak(colour: TerrainColour) -> Markup:
    shade = "M-8 -22L-1 -13L5 -18L30 20H9L12 10L4 2L6 -4L-4 -10Z"
    return joined(
        (
            _shape("M-30 20L-8 -22L-1 -13L5 -18L30 20Z", "#f4eee2", colour.line),
            element("path", d=shade, fill=colour.line, opacity=".62"),
            _round_line("M-14 16L-9 4M-5 18L-2 9", colour, 2.4),
        )
    )


def _tree(colour: TerrainColour) -> Markup:
    crown = (
        "M-15 10a9 9 0 0 1 -2 -17a10 10 0 0 1 7 -13a11 11 0 0 1 20 0a10 10 0 0 1 7 13"
        "a9 9 0 0 1 -2 17z"
    )
    light = TerrainColour(colour.line, colour.fill, 0, 0)
    return joined(
        (
            _line("M0 24V4", colour, 5),
            _shape(crown, colour.line, colour.fill, 2),
            _round_line("M-11 -3a8 8 0 0 1 8 -9M-7 4a5 5 0 0 1 6 -3", light, 2.4),
        )
    )


def _tuft(colour: TerrainColour) -> Markup:
    blades = "M-12 12Q-12 2 -19 -5M-4 12Q-5 -4 -9 -14M5 12Q5 -4 10 -15M13 12Q13 3 20 -4"
    return _round_line(blades, colour, 3.2)


def _ear_of_grain(colour: TerrainColour) -> Markup:
    grains = "".join(
        f"M0 {y}q{4 * side} -3 {11 * side} -13q{-11 * side} 1 {-11 * side} 13z"
        for y in (10, 0, -10)
        for side in (1, -1)
    )
    return joined((_round_line("M0 24V-20", colour), _shape(grains, colour.line)))


def _wave(colour: TerrainColour) -> Markup:
    return _round_line("M-30 -5q7.5 -10 15 0t15 0t15 0t15 0M-18 9q7 -9 14 0t14 0", colour, 3.6)


def _standing_stones(colour: TerrainColour) -> Markup:
    stones = "M-21 22L-19 -8H-9L-8 22ZM9 22L10 -8H20L21 22ZM-25 -10L-23 -20L24 -22L26 -10Z"
    star = "M0 -1L2.4 5.6L9 8L2.4 10.4L0 17L-2.4 10.4L-9 8L-2.4 5.6Z"
    return joined((_shape(stones, colour.line, colour.fill, 1.5), _shape(star, colour.line)))


def _flower(colour: TerrainColour) -> Markup:
    petals = (
        element("circle", cx=x, cy=y, r=6, fill="#fffdf2", stroke=colour.line, stroke_width=2)
        for x, y in ((0, -16), (9, -9), (6, 2), (-6, 2), (-9, -9))
    )
    return joined(
        (
            _round_line("M0 24Q1 10 0 0M0 18Q-10 16 -12 8M0 20Q9 19 12 11", colour),
            *petals,
            element("circle", cy=-6, r=4.6, fill=colour.line),
        )
    )


def _cottage(colour: TerrainColour) -> Markup:
    return joined(
        (
            _shape("M-20 22V-1H20V22Z", "#fff6e2", colour.line),
            _shape("M-26 1L-14 -20H14L26 1Z", colour.line, colour.line, 2),
            _shape("M-5 22V8H5V22ZM-15 6h5v6h-5zM10 6h5v6h-5z", colour.line),
        )
    )


def _vine(colour: TerrainColour) -> Markup:
    grapes = (
        element("circle", cx=x, cy=y, r=5.4, fill=colour.line, stroke=colour.fill, stroke_width=1.4)
        for x, y in ((-13, -6), (-4, -6), (5, -6), (-9, 2), (0, 2), (-4, 10))
    )
    return joined(
        (
            _round_line("M0 25V-22M-17 -13H17", colour, 3.2),
            _shape("M2 -15q9 -10 17 -4q-1 10 -12 11z", colour.line),
            *grapes,
        )
    )


def _stone_blocks(colour: TerrainColour) -> Markup:
    shade = "M-8 20V4H-2V20ZM20 20V4H26V20ZM6 1V-15H12V1Z"
    return joined(
        (
            _shape("M-26 20V4H-2V20ZM2 20V4H26V20ZM-12 1V-15H12V1Z", "#fbf8f2", colour.line),
            element("path", d=shade, fill=colour.line, opacity=".55"),
        )
    )


def _pool(colour: TerrainColour) -> Markup:
    return joined(
        (
            element(
                "ellipse", cy=6, rx=30, ry=15, fill="#9cc9dd", stroke=colour.line, stroke_width=3
            ),
            _round_line("M-14 4q5 -5 10 0t10 0M-4 12q4 -4 8 0t8 0", colour, 2.6),
            _round_line("M19 -2V-22M26 2V-13", colour, 2.6),
            element("ellipse", cx=19, cy=-20, rx=3, ry=6.5, fill=colour.line),
        )
    )


def _reeds(colour: TerrainColour) -> Markup:
    heads = (
        element("rect", x=x, y=y, width=6.5, height=height, rx=3.2, fill=colour.line)
        for x, y, height in ((-2.3, -23, 16), (-12.5, -16, 15), (8, -12, 14))
    )
    return joined(
        (
            _round_line("M-9 20V-8M1 20V-16M11 20V-4M-24 20H24M-14 26H15", colour),
            _line("M-9 20Q-18 12 -20 0M11 20Q20 13 22 4", colour, 2.6),
            *heads,
        )
    )


def _dead_tree(colour: TerrainColour) -> Markup:
    trunk = (
        "M-7 25Q-2 12 -4 -2L-19 -13L-18 -16L-4 -9L-6 -25L-2 -25L1 -9L12 -22L15 -20L3 -2L16 -4L17 0"
        "L4 5Q3 16 9 25Z"
    )
    twigs = "M-14 -13L-18 -23M10 -19L9 -26M11 -3L18 -10"
    return joined((_shape(trunk, colour.line), _round_line(twigs, colour, 2.6)))


def _water(colour: TerrainColour) -> Markup:
    rows = "".join(
        f"M{-100 + 12 * (y // 21 % 2)} {y}q12.5 -9 25 0t25 0t25 0t25 0t25 0t25 0t25 0t25 0"
        for y in range(-84, 100, 21)
    )
    return _line(rows, colour, 2.4, opacity=".34")


def _dashes(step: int, dashes: str, opacity: str) -> Callable[[TerrainColour], Markup]:
    rows = "".join(f"M{-100 + 23 * (y // step % 2)} {y}H100" for y in range(-84, 100, step))
    return lambda colour: _line(rows, colour, 2.2, stroke_dasharray=dashes, opacity=opacity)


def _furrows(colour: TerrainColour) -> Markup:
    """Two fields beside each other, ploughed in two directions."""
    left = "".join(f"M-100 {y}L8 {y - 62}" for y in range(-40, 200, 15))
    right = "".join(f"M8 {y - 62}L100 {y - 20}" for y in range(-40, 200, 15))
    furrows = _line(left + right, colour, 2.4, opacity=".55")
    return joined((furrows, _line("M8 -110V110", colour, 3, opacity=".55")))


def _rows_of_vines(colour: TerrainColour) -> Markup:
    rows = "".join(f"M{x} 100L{x + 50} -100" for x in range(-150, 120, 26))
    return _line(rows, colour, 2.4, opacity=".34")


def _circle_of_dots(colour: TerrainColour) -> Markup:
    return element(
        "circle",
        r=74,
        fill="none",
        stroke=colour.line,
        stroke_width=2.4,
        stroke_dasharray="2 11",
        stroke_linecap="round",
    )


def _cracks(colour: TerrainColour) -> Markup:
    return _line("M-70 62L-30 30L-44 8M60 -60L40 -20L66 6L50 40", colour, 2.6, opacity=".6")


def _spots(*spots: tuple[float, float, float]) -> tuple[Spot, ...]:
    return tuple(Spot(*spot) for spot in spots)


_TERRAINS = {
    "mountain": _Terrain(_peak, _spots((-2, -44, 1.25), (-40, -2, 1.1), (38, 0, 1.2), (-3, 28, 1))),
    "forest": _Terrain(
        _tree,
        _spots(
            (0, -60, 0.95),
            (-38, -40, 1),
            (38, -40, 1),
            (-2, -20, 1.05),
            (-56, 4, 1),
            (54, 4, 1),
            (-20, 24, 1),
            (24, 24, 1),
        ),
    ),
    "plain": _Terrain(
        _tuft,
        _spots((4, -58, 1), (-42, -26, 1), (42, -18, 1), (-8, 6, 1), (-52, 32, 0.9), (48, 34, 0.9)),
    ),
    "field": _Terrain(
        _ear_of_grain,
        _spots((-36, -30, 1.1), (0, -36, 1.1), (36, -30, 1.1), (-18, 20, 1.1), (20, 20, 1.1)),
        texture=_furrows,
    ),
    "lake": _Terrain(_wave, _spots((-10, -46, 1), (28, -8, 1.1), (-26, 28, 1.1)), texture=_water),
    "mysterious_place": _Terrain(
        _standing_stones, _spots((0, -8, 1.7)), _AT_THE_TOP, _circle_of_dots
    ),
    "meadow": _Terrain(
        _flower, _spots((2, -54, 0.8), (-44, -22, 0.85), (44, -16, 0.85), (-4, 14, 0.95))
    ),
    "village": _Terrain(_cottage, _spots((0, -48, 0.95), (-38, 2, 1.05), (38, 8, 1.05))),
    "vineyard": _Terrain(
        _vine,
        _spots((-32, -34, 1.1), (30, -34, 1.1), (-2, 20, 1.15), (-58, 18, 0.85), (56, 18, 0.85)),
        texture=_rows_of_vines,
    ),
    "quarry": _Terrain(
        _stone_blocks,
        _spots((2, -42, 1.15), (-36, 12, 1.05), (38, 14, 1.05)),
        texture=_dashes(24, "30 90", ".5"),
    ),
    "pond": _Terrain(_pool, _spots((0, -8, 2)), _AT_THE_TOP),
    "marsh": _Terrain(
        _reeds,
        _spots((0, -50, 1), (-42, 0, 1.05), (40, 4, 1.05)),
        texture=_dashes(18, "34 26", ".42"),
    ),
    "cursed_place": _Terrain(_dead_tree, _spots((-2, -10, 2)), _AT_THE_TOP, _cracks),
}


@lru_cache(maxsize=256)
def terrain_markup(name: str, *, is_occupied: bool) -> Markup:
    """What is drawn on a hex of this terrain, without its fill.

    `is_occupied` leaves the middle of the hex free for pieces. A name without a drawing is written out.
    """
    colour = terrain_colour(name)
    terrain = _TERRAINS.get(name)
    if terrain is None:
        return _written_name(name, colour, is_occupied=is_occupied)
    motif = terrain.motif(colour)
    spots = terrain.occupied if is_occupied else terrain.empty
    motifs = joined(moved(motif, spot.x, spot.y, spot.scale) for spot in spots)
    return joined((terrain.texture(colour), motifs)) if terrain.texture else motifs


def _written_name(name: str, colour: TerrainColour, *, is_occupied: bool) -> Markup:
    """The name of a terrain that has no drawing, as large as it fits."""
    words = [readable(name)] if is_occupied else (readable(name).split() or [""])
    room = 96 if is_occupied else 140
    size = min(22.0 if is_occupied else 34.0, *(room / max(ems(word), 1) for word in words))
    size = max(size, 15)
    words = [cut(word, room, lambda text: ems(text) * size) for word in words[:4]]
    top = -58.0 if is_occupied else -(len(words) - 1) * size * 0.6 + size * 0.1
    return joined(
        element(
            "text",
            word,
            y=top + index * size * 1.2,
            text_anchor="middle",
            font_size=size,
            font_style="italic",
            fill=colour.line,
        )
        for index, word in enumerate(words)
    )
