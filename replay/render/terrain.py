"""Drawings of the grounds, by name: engraver's signs as on an old map.

A ground is a texture that covers its hex and a motif that is repeated on it: large on an empty hex,
small above the pieces on a full one. Every ground has a motif of its own, so that none is told by
its colour alone. A motif is drawn around (0, 0), about 50 wide and high; `F` and `I` in it stand
for the ground's fill and ink.
"""

from dataclasses import dataclass
from html import escape

from replay.render.layout import Spot, number
from replay.render.palette import ground_colour
from replay.render.text_layout import cut, ems
from replay.render.words import spoken

_BUSY = (
    Spot(0, -70, 0.72),
    Spot(-42, -52, 0.62),
    Spot(42, -52, 0.62),
    Spot(-68, 18, 0.5),
    Spot(68, 18, 0.5),
)
_LANDMARK = (Spot(0, -64, 0.85),)


@dataclass(frozen=True, slots=True)
class Ground:
    """`texture` and `motif` are SVG markup; `open` are the motif's places on an empty hex, from the back,
    `busy` those on a hex with pieces.
    """

    texture: str
    motif: str
    open: tuple[Spot, ...]
    busy: tuple[Spot, ...] = _BUSY


def _spots(*places: tuple[float, float, float]) -> tuple[Spot, ...]:
    return tuple(Spot(*place) for place in places)


def _line(d: str, width: float = 3, more: str = "") -> str:
    return f'<path d="{d}" fill="none" stroke="I" stroke-width="{number(width)}" {more}/>'


_ROUND = 'stroke-linecap="round" stroke-linejoin="round"'

_PEAK = (
    f'<path d="M-30 20L-8 -22L-1 -13L5 -18L30 20Z" fill="#f4eee2" stroke="I" stroke-width="3" {_ROUND}/>'
    '<path d="M-8 -22L-1 -13L5 -18L30 20H9L12 10L4 2L6 -4L-4 -10Z" fill="I" opacity=".62"/>'
    + _line("M-14 16L-9 4M-5 18L-2 9", 2.4, _ROUND)
)
_TREE = (
    _line("M0 24V4", 5)
    + '<path d="M-15 10a9 9 0 0 1 -2 -17a10 10 0 0 1 7 -13a11 11 0 0 1 20 0a10 10 0 0 1 7 13'
    'a9 9 0 0 1 -2 17z" fill="I" stroke="F" stroke-width="2"/>'
    + '<path d="M-11 -3a8 8 0 0 1 8 -9M-7 4a5 5 0 0 1 6 -3" fill="none" stroke="F" '
    f'stroke-width="2.4" {_ROUND}/>'
)
_TUFT = _line(
    "M-12 12Q-12 2 -19 -5M-4 12Q-5 -4 -9 -14M5 12Q5 -4 10 -15M13 12Q13 3 20 -4", 3.2, _ROUND
)
_EAR = _line("M0 24V-20", 3, _ROUND) + "".join(
    f'<path d="M0 {y}q{4 * side} -3 {11 * side} -13q{-11 * side} 1 {-11 * side} 13z" fill="I"/>'
    for y in (10, 0, -10)
    for side in (1, -1)
)
_WAVE = _line("M-30 -5q7.5 -10 15 0t15 0t15 0t15 0M-18 9q7 -9 14 0t14 0", 3.6, _ROUND)
_STONES = (
    '<path d="M-21 22L-19 -8H-9L-8 22ZM9 22L10 -8H20L21 22ZM-25 -10L-23 -20L24 -22L26 -10Z" '
    f'fill="I" stroke="F" stroke-width="1.5" {_ROUND}/>'
    '<path d="M0 -1L2.4 5.6L9 8L2.4 10.4L0 17L-2.4 10.4L-9 8L-2.4 5.6Z" fill="I"/>'
)
_FLOWER = (
    _line("M0 24Q1 10 0 0M0 18Q-10 16 -12 8M0 20Q9 19 12 11", 3, _ROUND)
    + "".join(
        f'<circle cx="{x}" cy="{y}" r="6" fill="#fffdf2" stroke="I" stroke-width="2"/>'
        for x, y in ((0, -16), (9, -9), (6, 2), (-6, 2), (-9, -9))
    )
    + '<circle cy="-6" r="4.6" fill="I"/>'
)
_COTTAGE = (
    '<path d="M-20 22V-1H20V22Z" fill="#fff6e2" stroke="I" stroke-width="3"/>'
    f'<path d="M-26 1L-14 -20H14L26 1Z" fill="I" stroke="I" stroke-width="2" {_ROUND}/>'
    '<path d="M-5 22V8H5V22ZM-15 6h5v6h-5zM10 6h5v6h-5z" fill="I"/>'
)
_VINE = (
    _line("M0 25V-22M-17 -13H17", 3.2, _ROUND)
    + '<path d="M2 -15q9 -10 17 -4q-1 10 -12 11z" fill="I"/>'
    + "".join(
        f'<circle cx="{x}" cy="{y}" r="5.4" fill="I" stroke="F" stroke-width="1.4"/>'
        for x, y in ((-13, -6), (-4, -6), (5, -6), (-9, 2), (0, 2), (-4, 10))
    )
)
_BLOCKS = (
    '<path d="M-26 20V4H-2V20ZM2 20V4H26V20ZM-12 1V-15H12V1Z" fill="#fbf8f2" stroke="I" '
    f'stroke-width="3" {_ROUND}/>'
    '<path d="M-8 20V4H-2V20ZM20 20V4H26V20ZM6 1V-15H12V1Z" fill="I" opacity=".55"/>'
)
_POND = (
    '<ellipse cy="6" rx="30" ry="15" fill="#9cc9dd" stroke="I" stroke-width="3"/>'
    + _line("M-14 4q5 -5 10 0t10 0M-4 12q4 -4 8 0t8 0", 2.6, _ROUND)
    + _line("M19 -2V-22M26 2V-13", 2.6, _ROUND)
    + '<ellipse cx="19" cy="-20" rx="3" ry="6.5" fill="I"/>'
)
_REED = (
    _line("M-9 20V-8M1 20V-16M11 20V-4M-24 20H24M-14 26H15", 3, _ROUND)
    + '<path d="M-9 20Q-18 12 -20 0M11 20Q20 13 22 4" fill="none" stroke="I" stroke-width="2.6"/>'
    + '<rect x="-5" y="-23" width="6.5" height="16" rx="3.2" fill="I" transform="translate(2.7)"/>'
    '<rect x="-12.5" y="-16" width="6.5" height="15" rx="3.2" fill="I"/>'
    '<rect x="8" y="-12" width="6.5" height="14" rx="3.2" fill="I"/>'
)
_SNAG = (
    '<path d="M-7 25Q-2 12 -4 -2L-19 -13L-18 -16L-4 -9L-6 -25L-2 -25L1 -9L12 -22L15 -20L3 -2L16 -4L17 0'
    'L4 5Q3 16 9 25Z" fill="I"/>' + _line("M-14 -13L-18 -23M10 -19L9 -26M11 -3L18 -10", 2.6, _ROUND)
)


def _waves(step: int, opacity: float) -> str:
    rows = "".join(
        f"M{-100 + 12 * (y // step % 2)} {y}q12.5 -9 25 0t25 0t25 0t25 0t25 0t25 0t25 0t25 0"
        for y in range(-84, 100, step)
    )
    return _line(rows, 2.4, f'opacity="{opacity}"')


def _dashes(step: int, length: int, gap: int, opacity: float) -> str:
    rows = "".join(f"M{-100 + 23 * (y // step % 2)} {y}H100" for y in range(-84, 100, step))
    return _line(rows, 2.2, f'stroke-dasharray="{length} {gap}" opacity="{opacity}"')


def _furrows() -> str:
    """Two fields beside each other, ploughed in two directions."""
    one = "".join(f"M-100 {y}L8 {y - 62}" for y in range(-40, 200, 15))
    two = "".join(f"M8 {y - 62}L100 {y - 20}" for y in range(-40, 200, 15))
    return _line(one + two, 2.4, 'opacity=".55"') + _line("M8 -110V110", 3, 'opacity=".55"')


def _rows() -> str:
    lines = "".join(f"M{x} 100L{x + 50} -100" for x in range(-150, 120, 26))
    return _line(lines, 2.4, 'opacity=".34"')


_GROUNDS = {
    "mountain": Ground(
        "", _PEAK, _spots((-2, -44, 1.25), (-40, -2, 1.1), (38, 0, 1.2), (-3, 28, 1))
    ),
    "forest": Ground(
        "",
        _TREE,
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
    "plain": Ground(
        "",
        _TUFT,
        _spots((4, -58, 1), (-42, -26, 1), (42, -18, 1), (-8, 6, 1), (-52, 32, 0.9), (48, 34, 0.9)),
    ),
    "field": Ground(
        _furrows(),
        _EAR,
        _spots((-36, -30, 1.1), (0, -36, 1.1), (36, -30, 1.1), (-18, 20, 1.1), (20, 20, 1.1)),
    ),
    "lake": Ground(_waves(21, 0.34), _WAVE, _spots((-10, -46, 1), (28, -8, 1.1), (-26, 28, 1.1))),
    "mysterious_place": Ground(
        '<circle r="74" fill="none" stroke="I" stroke-width="2.4" stroke-dasharray="2 11" '
        'stroke-linecap="round"/>',
        _STONES,
        _spots((0, -8, 1.7)),
        _LANDMARK,
    ),
    "meadow": Ground(
        "", _FLOWER, _spots((2, -54, 0.8), (-44, -22, 0.85), (44, -16, 0.85), (-4, 14, 0.95))
    ),
    "village": Ground("", _COTTAGE, _spots((0, -48, 0.95), (-38, 2, 1.05), (38, 8, 1.05))),
    "vineyard": Ground(
        _rows(),
        _VINE,
        _spots((-32, -34, 1.1), (30, -34, 1.1), (-2, 20, 1.15), (-58, 18, 0.85), (56, 18, 0.85)),
    ),
    "quarry": Ground(
        _dashes(24, 30, 90, 0.5), _BLOCKS, _spots((2, -42, 1.15), (-36, 12, 1.05), (38, 14, 1.05))
    ),
    "pond": Ground("", _POND, _spots((0, -8, 2)), _LANDMARK),
    "marsh": Ground(
        _dashes(18, 34, 26, 0.42), _REED, _spots((0, -50, 1), (-42, 0, 1.05), (40, 4, 1.05))
    ),
    "cursed_place": Ground(
        '<path d="M-70 62L-30 30L-44 8M60 -60L40 -20L66 6L50 40" fill="none" stroke="I" '
        'stroke-width="2.6" opacity=".6"/>',
        _SNAG,
        _spots((-2, -10, 2)),
        _LANDMARK,
    ),
}


def _placed(motif: str, spots: tuple[Spot, ...]) -> str:
    return "".join(
        f'<g transform="translate({number(spot.x)} {number(spot.y)}) scale({spot.scale:g})">{motif}</g>'
        for spot in spots
    )


def ground_markup(name: str, *, busy: bool) -> str:
    """What is drawn on the hex, its fill apart; `busy` leaves the middle free for pieces."""
    colour = ground_colour(name)
    ground = _GROUNDS.get(name)
    if ground is None:
        return _lettered(name, colour.ink, busy=busy)
    markup = ground.texture + _placed(ground.motif, ground.busy if busy else ground.open)
    return markup.replace('"F"', f'"{colour.fill}"').replace('"I"', f'"{colour.ink}"')


def _lettered(name: str, ink: str, *, busy: bool) -> str:
    """A ground that nobody has drawn: its name, as large as it fits."""
    words = [spoken(name)] if busy else (spoken(name).split() or [""])
    room = 96 if busy else 140
    size = min(22.0 if busy else 34.0, *(room / max(ems(word), 1) for word in words))
    size = max(size, 15)
    words = [cut(word, room, lambda text: ems(text) * size) for word in words[:4]]
    top = -58.0 if busy else -(len(words) - 1) * size * 0.6 + size * 0.1
    return "".join(
        f'<text y="{number(top + line * size * 1.2)}" text-anchor="middle" '
        f'font-size="{number(size)}" font-style="italic" fill="{ink}">{escape(word)}</text>'
        for line, word in enumerate(words)
    )
