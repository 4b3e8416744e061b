"""The motifs and textures of terrains, in the style of engraved maps.

A motif is drawn around (0, 0) and is about 50 wide and high. A texture covers a whole hex.
"""

from collections.abc import Callable

from replay.render.markup import Markup, element, joined
from replay.render.palette import TerrainColour


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


def peak(colour: TerrainColour) -> Markup:
    """Return a mountain peak, shaded on its right side."""
    shade = "M-8 -22L-1 -13L5 -18L30 20H9L12 10L4 2L6 -4L-4 -10Z"
    return joined(
        _shape("M-30 20L-8 -22L-1 -13L5 -18L30 20Z", "#f4eee2", colour.line),
        element("path", d=shade, fill=colour.line, opacity=".62"),
        _round_line("M-14 16L-9 4M-5 18L-2 9", colour, 2.4),
    )


def tree(colour: TerrainColour) -> Markup:
    """Return a broad-leaved tree."""
    crown = (
        "M-15 10a9 9 0 0 1 -2 -17a10 10 0 0 1 7 -13a11 11 0 0 1 20 0a10 10 0 0 1 7 13"
        "a9 9 0 0 1 -2 17z"
    )
    light = TerrainColour(colour.line, colour.fill, 0, 0)
    return joined(
        _line("M0 24V4", colour, 5),
        _shape(crown, colour.line, colour.fill, 2),
        _round_line("M-11 -3a8 8 0 0 1 8 -9M-7 4a5 5 0 0 1 6 -3", light, 2.4),
    )


def tuft(colour: TerrainColour) -> Markup:
    """Return a tuft of grass."""
    blades = "M-12 12Q-12 2 -19 -5M-4 12Q-5 -4 -9 -14M5 12Q5 -4 10 -15M13 12Q13 3 20 -4"
    return _round_line(blades, colour, 3.2)


def ear_of_grain(colour: TerrainColour) -> Markup:
    """Return an ear of grain."""
    grains = "".join(
        f"M0 {y}q{4 * side} -3 {11 * side} -13q{-11 * side} 1 {-11 * side} 13z"
        for y in (10, 0, -10)
        for side in (1, -1)
    )
    return joined(_round_line("M0 24V-20", colour), _shape(grains, colour.line))


def wave(colour: TerrainColour) -> Markup:
    """Return two waves."""
    return _round_line("M-30 -5q7.5 -10 15 0t15 0t15 0t15 0M-18 9q7 -9 14 0t14 0", colour, 3.6)


def standing_stones(colour: TerrainColour) -> Markup:
    """Return two standing stones under a third one, with a star between them."""
    stones = "M-21 22L-19 -8H-9L-8 22ZM9 22L10 -8H20L21 22ZM-25 -10L-23 -20L24 -22L26 -10Z"
    star = "M0 -1L2.4 5.6L9 8L2.4 10.4L0 17L-2.4 10.4L-9 8L-2.4 5.6Z"
    return joined(_shape(stones, colour.line, colour.fill, 1.5), _shape(star, colour.line))


def flower(colour: TerrainColour) -> Markup:
    """Return a flower with five petals."""
    petals = (
        element("circle", cx=x, cy=y, r=6, fill="#fffdf2", stroke=colour.line, stroke_width=2)
        for x, y in ((0, -16), (9, -9), (6, 2), (-6, 2), (-9, -9))
    )
    return joined(
        _round_line("M0 24Q1 10 0 0M0 18Q-10 16 -12 8M0 20Q9 19 12 11", colour),
        *petals,
        element("circle", cy=-6, r=4.6, fill=colour.line),
    )


def cottage(colour: TerrainColour) -> Markup:
    """Return a cottage with a door and two windows."""
    return joined(
        _shape("M-20 22V-1H20V22Z", "#fff6e2", colour.line),
        _shape("M-26 1L-14 -20H14L26 1Z", colour.line, colour.line, 2),
        _shape("M-5 22V8H5V22ZM-15 6h5v6h-5zM10 6h5v6h-5z", colour.line),
    )


def vine(colour: TerrainColour) -> Markup:
    """Return a vine with a leaf and grapes."""
    grapes = (
        element("circle", cx=x, cy=y, r=5.4, fill=colour.line, stroke=colour.fill, stroke_width=1.4)
        for x, y in ((-13, -6), (-4, -6), (5, -6), (-9, 2), (0, 2), (-4, 10))
    )
    return joined(
        _round_line("M0 25V-22M-17 -13H17", colour, 3.2),
        _shape("M2 -15q9 -10 17 -4q-1 10 -12 11z", colour.line),
        *grapes,
    )


def stone_blocks(colour: TerrainColour) -> Markup:
    """Return three hewn blocks of stone."""
    shade = "M-8 20V4H-2V20ZM20 20V4H26V20ZM6 1V-15H12V1Z"
    return joined(
        _shape("M-26 20V4H-2V20ZM2 20V4H26V20ZM-12 1V-15H12V1Z", "#fbf8f2", colour.line),
        element("path", d=shade, fill=colour.line, opacity=".55"),
    )


def pool(colour: TerrainColour) -> Markup:
    """Return a pool with reeds on its bank."""
    return joined(
        element("ellipse", cy=6, rx=30, ry=15, fill="#9cc9dd", stroke=colour.line, stroke_width=3),
        _round_line("M-14 4q5 -5 10 0t10 0M-4 12q4 -4 8 0t8 0", colour, 2.6),
        _round_line("M19 -2V-22M26 2V-13", colour, 2.6),
        element("ellipse", cx=19, cy=-20, rx=3, ry=6.5, fill=colour.line),
    )


def reeds(colour: TerrainColour) -> Markup:
    """Return three bulrushes."""
    heads = (
        element("rect", x=x, y=y, width=6.5, height=height, rx=3.2, fill=colour.line)
        for x, y, height in ((-2.3, -23, 16), (-12.5, -16, 15), (8, -12, 14))
    )
    return joined(
        _round_line("M-9 20V-8M1 20V-16M11 20V-4M-24 20H24M-14 26H15", colour),
        _line("M-9 20Q-18 12 -20 0M11 20Q20 13 22 4", colour, 2.6),
        *heads,
    )


def dead_tree(colour: TerrainColour) -> Markup:
    """Return a tree without leaves."""
    trunk = (
        "M-7 25Q-2 12 -4 -2L-19 -13L-18 -16L-4 -9L-6 -25L-2 -25L1 -9L12 -22L15 -20L3 -2L16 -4L17 0"
        "L4 5Q3 16 9 25Z"
    )
    twigs = "M-14 -13L-18 -23M10 -19L9 -26M11 -3L18 -10"
    return joined(_shape(trunk, colour.line), _round_line(twigs, colour, 2.6))


def water(colour: TerrainColour) -> Markup:
    """Return rows of waves over the whole hex."""
    rows = "".join(
        f"M{-100 + 12 * (y // 21 % 2)} {y}q12.5 -9 25 0t25 0t25 0t25 0t25 0t25 0t25 0t25 0"
        for y in range(-84, 100, 21)
    )
    return _line(rows, colour, 2.4, opacity=".34")


def dashes(step: int, dashes: str, opacity: str) -> Callable[[TerrainColour], Markup]:
    """Return a texture of dashed lines, `step` apart; `dashes` is a stroke-dasharray."""
    rows = "".join(f"M{-100 + 23 * (y // step % 2)} {y}H100" for y in range(-84, 100, step))
    return lambda colour: _line(rows, colour, 2.2, stroke_dasharray=dashes, opacity=opacity)


def furrows(colour: TerrainColour) -> Markup:
    """Return two fields beside each other, ploughed in two directions."""
    left = "".join(f"M-100 {y}L8 {y - 62}" for y in range(-40, 200, 15))
    right = "".join(f"M8 {y - 62}L100 {y - 20}" for y in range(-40, 200, 15))
    furrows = _line(left + right, colour, 2.4, opacity=".55")
    return joined(furrows, _line("M8 -110V110", colour, 3, opacity=".55"))


def rows_of_vines(colour: TerrainColour) -> Markup:
    """Return slanted rows over the whole hex."""
    rows = "".join(f"M{x} 100L{x + 50} -100" for x in range(-150, 120, 26))
    return _line(rows, colour, 2.4, opacity=".34")


def circle_of_dots(colour: TerrainColour) -> Markup:
    """Return a circle of dots inside the edge of the hex."""
    return element(
        "circle",
        r=74,
        fill="none",
        stroke=colour.line,
        stroke_width=2.4,
        stroke_dasharray="2 11",
        stroke_linecap="round",
    )


def cracks(colour: TerrainColour) -> Markup:
    """Return two cracks in the ground."""
    return _line("M-70 62L-30 30L-44 8M60 -60L40 -20L66 6L50 40", colour, 2.6, opacity=".6")
