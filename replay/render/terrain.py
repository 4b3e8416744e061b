"""Drawings of terrains, by name.

A terrain is a texture that covers the hex and a motif repeated on it: large on an empty hex, small and
at the edges on a hex with pieces. Every terrain has a motif of its own, so that it can be recognised
without its colour.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from replay.language.text_layout import cut, ems
from replay.render.descriptions import in_words
from replay.render.geometry import Spot
from replay.render.markup import Markup, element, joined, moved
from replay.render.palette import TerrainColour, terrain_colour
from replay.render.terrain_motifs import (
    circle_of_dots,
    cottage,
    cracks,
    dashes,
    dead_tree,
    ear_of_grain,
    flower,
    furrows,
    peak,
    pool,
    reeds,
    rows_of_vines,
    standing_stones,
    stone_blocks,
    tree,
    tuft,
    vine,
    water,
    wave,
)

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


def _spots(*spots: tuple[float, float, float]) -> tuple[Spot, ...]:
    return tuple(Spot(*spot) for spot in spots)


_TERRAINS = {
    "mountain": _Terrain(peak, _spots((-2, -44, 1.25), (-40, -2, 1.1), (38, 0, 1.2), (-3, 28, 1))),
    "forest": _Terrain(
        tree,
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
        tuft,
        _spots((4, -58, 1), (-42, -26, 1), (42, -18, 1), (-8, 6, 1), (-52, 32, 0.9), (48, 34, 0.9)),
    ),
    "field": _Terrain(
        ear_of_grain,
        _spots((-36, -30, 1.1), (0, -36, 1.1), (36, -30, 1.1), (-18, 20, 1.1), (20, 20, 1.1)),
        texture=furrows,
    ),
    "lake": _Terrain(wave, _spots((-10, -46, 1), (28, -8, 1.1), (-26, 28, 1.1)), texture=water),
    "mysterious_place": _Terrain(
        standing_stones, _spots((0, -8, 1.7)), _AT_THE_TOP, circle_of_dots
    ),
    "meadow": _Terrain(
        flower, _spots((2, -54, 0.8), (-44, -22, 0.85), (44, -16, 0.85), (-4, 14, 0.95))
    ),
    "village": _Terrain(cottage, _spots((0, -48, 0.95), (-38, 2, 1.05), (38, 8, 1.05))),
    "vineyard": _Terrain(
        vine,
        _spots((-32, -34, 1.1), (30, -34, 1.1), (-2, 20, 1.15), (-58, 18, 0.85), (56, 18, 0.85)),
        texture=rows_of_vines,
    ),
    "quarry": _Terrain(
        stone_blocks,
        _spots((2, -42, 1.15), (-36, 12, 1.05), (38, 14, 1.05)),
        texture=dashes(24, "30 90", ".5"),
    ),
    "pond": _Terrain(pool, _spots((0, -8, 2)), _AT_THE_TOP),
    "marsh": _Terrain(
        reeds,
        _spots((0, -50, 1), (-42, 0, 1.05), (40, 4, 1.05)),
        texture=dashes(18, "34 26", ".42"),
    ),
    "cursed_place": _Terrain(dead_tree, _spots((-2, -10, 2)), _AT_THE_TOP, cracks),
}


@lru_cache(maxsize=256)
def terrain_markup(name: str, *, is_occupied: bool) -> Markup:
    """Return the drawing on a hex of this terrain, without the fill.

    `is_occupied` leaves the middle of the hex free for pieces. A terrain without a drawing gets its name.
    """
    colour = terrain_colour(name)
    terrain = _TERRAINS.get(name)
    if terrain is None:
        return _name_markup(name, colour, is_occupied=is_occupied)
    motifs = _motifs(terrain, colour, terrain.occupied if is_occupied else terrain.empty)
    return joined(terrain.texture(colour), motifs) if terrain.texture else motifs


@lru_cache(maxsize=256)
def terrain_symbol(name: str) -> Markup:
    """Return a terrain's motifs without its texture, so that nothing extends beyond the hex."""
    colour = terrain_colour(name)
    terrain = _TERRAINS.get(name)
    if terrain is None:
        return _name_markup(name, colour, is_occupied=False)
    return _motifs(terrain, colour, terrain.empty)


def _motifs(terrain: _Terrain, colour: TerrainColour, spots: tuple[Spot, ...]) -> Markup:
    motif = terrain.motif(colour)
    return joined(*(moved(motif, spot.x, spot.y, spot.scale) for spot in spots))


def _name_markup(name: str, colour: TerrainColour, *, is_occupied: bool) -> Markup:
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
            fill=colour.line,
        )
        for index, word in enumerate(words)
    )
    return joined(*lines)
