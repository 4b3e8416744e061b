"""How terrains are drawn on hexes.

A terrain is a texture that covers the hex and a motif repeated on it: large on an empty hex, small and
at the edges on a hex with pieces. Every terrain has a motif of its own, so that it can be recognised
without its colour. `replay.render.drawings` reads both from the files of the games.
"""

from functools import lru_cache

from replay.language.text_layout import cut, ems
from replay.render.descriptions import in_words
from replay.render.drawings import TerrainDrawing, terrain_drawing
from replay.render.geometry import Spot
from replay.render.markup import Markup, element, joined, moved
from replay.render.palette import PLAIN_PAPER


@lru_cache(maxsize=256)
def terrain_markup(package: str, name: str, *, is_occupied: bool) -> Markup:
    """Return the drawing on a hex of this terrain in a game with this package, without the fill.

    `is_occupied` leaves the middle of the hex free for pieces. A terrain without a drawing gets its name.
    """
    drawing = terrain_drawing(package, name)
    if drawing is None:
        return _name_markup(name, is_occupied=is_occupied)
    spots = drawing.occupied if is_occupied else drawing.empty
    return joined(drawing.texture, _motifs(drawing, spots))


@lru_cache(maxsize=256)
def terrain_symbol(package: str, name: str) -> Markup:
    """Return a terrain's motifs without its texture, so that nothing extends beyond the hex."""
    drawing = terrain_drawing(package, name)
    if drawing is None:
        return _name_markup(name, is_occupied=False)
    return _motifs(drawing, drawing.empty)


@lru_cache(maxsize=256)
def terrain_icon(package: str, name: str) -> Markup:
    """Return one motif of a terrain, large enough for a hex of twenty pixels."""
    drawing = terrain_drawing(package, name)
    if drawing is None:
        return _name_markup(name, is_occupied=False)
    return moved(drawing.motif, 0, 4, 2.5)


def _motifs(drawing: TerrainDrawing, spots: tuple[Spot, ...]) -> Markup:
    return joined(*(moved(drawing.motif, spot.x, spot.y, spot.scale) for spot in spots))


def _name_markup(name: str, *, is_occupied: bool) -> Markup:
    """Return the name of a terrain that has no drawing, in the largest font that fits."""
    words = [in_words(name)] if is_occupied else (in_words(name).split() or [""])
    room = 96 if is_occupied else 140
    size = min(22.0 if is_occupied else 34.0, *(room / max(ems(word), 1) for word in words))
    size = max(size, 15)
    words = [cut(word, room, lambda text: ems(text) * size) for word in words[:4]]
    top = -58.0 if is_occupied else -(len(words) - 1) * size * 0.6 + size * 0.1
    lines = (
        element(
            "text",
            word,
            y=top + index * size * 1.2,
            text_anchor="middle",
            font_size=size,
            font_style="italic",
            fill=PLAIN_PAPER.line,
        )
        for index, word in enumerate(words)
    )
    return joined(*lines)
