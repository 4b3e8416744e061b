"""The board of a picture: hexes with what stands on them, borders around them, ways across them.

Everything here is in the units of `layout` (a hex has the radius 100); `svg` frames it, scales it
and puts it on its page.
"""

from collections import Counter
from collections.abc import Sequence
from html import escape
from math import atan2, cos, hypot, sin

from domain.hexes import Hex
from domain.scene import Arrow, Cell, Outline, Piece, Scene
from replay.render.layout import (
    CORNERS,
    RADIUS,
    Point,
    Spot,
    borders,
    centre,
    number,
    path,
    piece_spots,
)
from replay.render.palette import FADED, GHOST, GILT, INK, PANEL, ground_colour, seat_colour
from replay.render.panels import Ids
from replay.render.pieces import CHARGES, charge, ghost_markup, piece_markup
from replay.render.terrain import ground_markup
from replay.render.text_layout import cut, ems
from replay.render.words import cell_said, clean, place


def hexes_of(scene: Scene) -> set[Hex]:
    """Every hex that something is drawn on."""
    shown = {cell.at for cell in scene.cells}
    shown |= {at for outline in scene.outlines for at in outline.hexes}
    return shown | {at for arrow in scene.arrows for at in (arrow.start, arrow.end)}


def definitions(scene: Scene, ids: Ids) -> str:
    """The drawings that the board uses, each once."""
    hexagon = path((x * 0.995, y * 0.995) for x, y in CORNERS)
    markup = [
        f'<clipPath id="{ids.of("hex")}"><path d="{hexagon}"/></clipPath>',
        f'<path id="{ids.of("whole")}" d="{hexagon}" fill-opacity="0"/>',
    ]
    grounds = {(cell.terrain, bool(cell.pieces or cell.removed)) for cell in scene.cells}
    grounds |= {(name, False) for name, _ in grounds}
    for name, busy in sorted(grounds):
        colour = ground_colour(name)
        markup.append(
            f'<g id="{ids.ground(name, busy=busy)}"><path d="{hexagon}" fill="{colour.fill}"/>'
            f'<g clip-path="url(#{ids.of("hex")})">{ground_markup(name, busy=busy)}</g>'
            f'<path d="{hexagon}" fill="none" stroke="{INK}" stroke-opacity=".7" stroke-width="3"/></g>'
        )
    for kind, seat in sorted({(p.kind, p.seat) for cell in scene.cells for p in cell.pieces}):
        markup.append(f'<g id="{ids.piece(kind, seat)}">{piece_markup(kind, seat)}</g>')
    for kind, seat in sorted({(p.kind, p.seat) for cell in scene.cells for p in cell.removed}):
        drawing = ghost_markup(kind, seat)
        markup.append(f'<g id="{ids.piece(kind, seat, gone=True)}">{drawing}</g>')
    return "\n".join(markup)


def board(scene: Scene, ids: Ids) -> str:
    """All of the board, back to front: the land, borders, what stands on the land, ways."""
    cells = sorted(scene.cells, key=lambda cell: (cell.at[1], cell.at[0]))
    parts = [_land(cell, ids) for cell in cells]
    levels = _levels(scene.outlines)
    parts += [_border(*entry) for entry in zip(scene.outlines, levels, strict=True)]
    parts += [_cell(cell, ids) for cell in cells]
    borne = {(cell.at, piece.note) for cell in cells for piece in cell.pieces}
    parts += [_sign(*entry, borne) for entry in zip(scene.outlines, levels, strict=True)]
    parts += [_arrow(arrow, count) for arrow, count in Counter(scene.arrows).items()]
    # Last, and out of the pointer's way: no arrow hides marks or what people type.
    parts.append('<g pointer-events="none" text-anchor="middle">')
    parts += [mark for cell in cells for mark in _marks(cell)]
    parts += [_coordinates(cell.at) for cell in cells]
    parts.append("</g>")
    return "\n".join(parts)


def _land(cell: Cell, ids: Ids) -> str:
    """The ground of a hex, in a gilded frame where the last event changed something."""
    x, y = centre(cell.at)
    busy = bool(cell.pieces or cell.removed)
    ground = ids.ground(cell.terrain, busy=busy)
    land = f'<use href="#{ground}" x="{number(x)}" y="{number(y)}"/>'
    if not cell.is_changed:
        return land
    frame = path((x + 0.91 * cx, y + 0.91 * cy) for cx, cy in CORNERS)
    return (
        f'{land}<path d="{frame}" fill="none" stroke="{INK}" stroke-width="17"/>'
        f'<path d="{frame}" fill="none" stroke="{GILT}" stroke-width="10"/>'
    )


def _cell(cell: Cell, ids: Ids) -> str:
    """What stands on a hex, in a group that covers it and whose title says it in words."""
    x, y = centre(cell.at)
    standing = [(piece, False) for piece in sorted(cell.pieces, key=lambda piece: piece.seat)]
    standing += [(piece, True) for piece in cell.removed]
    parts = [
        f"<title>{escape(cell_said(cell))}</title>",
        f'<use href="#{ids.of("whole")}"/>',
    ]
    for (piece, gone), spot in zip(standing, piece_spots(len(standing)), strict=True):
        parts.append(_piece(piece, spot, ids, gone=gone))
    if cell.is_contested:
        parts.append(_SWORDS)
    if cell.note:
        # On the left where a piece has a note of its own, which hangs on its right.
        aside = -44 if any(piece.note for piece in cell.pieces) else 44
        parts.append(_tag(clean(cell.note), aside, -54, 26, 76))
    at = place(cell.at)
    return (
        f'<g id="{ids.of(f"at-{at}")}" data-at="{at}" '
        f'transform="translate({number(x)} {number(y)})">{"".join(parts)}</g>'
    )


_SWORD = "M-13 14L11 -10L14 -14L10 -11L-14 13ZM-12 5L-5 12M-11 11L-15 15"
_SWORDS = (
    f'<g transform="translate(-60 -10)"><circle r="23" fill="{PANEL}" stroke="{INK}" stroke-width="3"/>'
    f'<g fill="{INK}" stroke="{INK}" stroke-width="3.2" stroke-linecap="round" stroke-linejoin="round">'
    f'<path d="{_SWORD}"/><path d="{_SWORD}" transform="scale(-1 1)"/></g></g>'
)
"""Crossed swords, on a hex that was fought over."""


def _marks(cell: Cell) -> list[str]:
    """The arms of the seats that left a mark, under the upper edges of the hex."""
    x, y = centre(cell.at)
    step = min(54.0, 92 / max(len(cell.marks) - 1, 1))
    across = [(index - (len(cell.marks) - 1) / 2) * step for index in range(len(cell.marks))]
    return [
        f'<g transform="translate({number(x + aside)} {number(y - 71 + abs(aside) * 0.45)})">'
        f'<circle r="21" fill="{GHOST}"/>{_arms(seat)}</g>'
        for seat, aside in zip(cell.marks, across, strict=True)
    ]


def _arms(seat: int) -> str:
    """A seat's colour and charge on a small round shield."""
    return (
        f'<circle r="17" fill="{seat_colour(seat).field}" stroke="{INK}" stroke-width="3.5"/>'
        f"{charge(seat, 0, 0, 11)}"
    )


def _coordinates(at: Hex) -> str:
    """A hex as people type it, at its foot."""
    text = place(at)
    x, y = centre(at)
    size = min(27.0, 96 / ems(text))
    return (
        f'<text x="{number(x)}" y="{number(y + 66 + size * 0.36)}" font-size="{number(size)}" '
        f'fill="{INK}" stroke="{GHOST}" stroke-opacity=".75" stroke-width="6" '
        f'stroke-linejoin="round" paint-order="stroke">{text}</text>'
    )


def _piece(piece: Piece, spot: Spot, ids: Ids, *, gone: bool) -> str:
    """A group of pieces: one drawing (a second behind it for several), and how many."""
    use = f'<use href="#{ids.piece(piece.kind, piece.seat, gone=gone)}"'
    parts = [f'{use} transform="translate(7 -5)"/>'] if piece.count > 1 and not gone else []
    parts.append(f"{use}/>")
    if piece.count != 1:
        parts.append(_disc(piece.count, -23 if piece.note else 23, -20))
    if piece.note:
        parts.append(_tag(clean(piece.note), 20, -22, 26, 56))
    return (
        f'<g transform="translate({number(spot.x)} {number(spot.y)}) scale({spot.scale:.3g})">'
        f"{''.join(parts)}</g>"
    )


def _disc(count: int, x: float, y: float) -> str:
    """How many, on a dark disc."""
    size = min(32.0, 36 / ems(str(count)))
    return (
        f'<circle cx="{number(x)}" cy="{number(y)}" r="18" fill="{INK}" stroke="{GHOST}" '
        f'stroke-width="4"/><text x="{number(x)}" y="{number(y + size * 0.36)}" '
        f'font-size="{number(size)}" font-weight="bold" text-anchor="middle" '
        f'fill="#ffffff">{count}</text>'
    )


def _tag(text: str, x: float, y: float, size: float, most: float) -> str:
    """A short text on a slip of paper, its middle at (x, y), no wider than `most`."""
    size = max(min(size, most / max(ems(text), 1)), 14)
    text = cut(text, most, lambda part: ems(part) * size)
    half = ems(text) * size / 2 + size * 0.25
    return (
        f'<rect x="{number(x - half)}" y="{number(y - size * 0.66)}" width="{number(2 * half)}" '
        f'height="{number(size * 1.32)}" rx="6" fill="{PANEL}" stroke="{INK}" stroke-width="2.5"/>'
        f'<text x="{number(x)}" y="{number(y + size * 0.36)}" font-size="{number(size)}" '
        f'font-weight="bold" text-anchor="middle" fill="{INK}">{escape(text)}</text>'
    )


def _levels(outlines: Sequence[Outline]) -> list[int]:
    """How far inside each outline runs, so that of those which share hexes none hides another."""
    levels: list[int] = []
    for index, outline in enumerate(outlines):
        before = zip(outlines[:index], levels, strict=True)
        taken = {level for other, level in before if not {*outline.hexes}.isdisjoint(other.hexes)}
        levels.append(min({*range(index + 1)} - taken) % 4)
    return levels


def _loops(outline: Outline, level: int) -> list[list[Point]]:
    return borders(outline.hexes, 9 + 11 * level)


def _border(outline: Outline, level: int) -> str:
    """A border in a seat's colour, and broken in the seat's own way."""
    d = "".join(path(loop) for loop in _loops(outline, level))
    dash = ("", "26 12", "4 15", "40 10 4 10", "14 12")[outline.seat % 5]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<path d="{d}" fill="none" stroke="{INK}" stroke-width="13" stroke-linejoin="round"/>'
        f'<path d="{d}" fill="none" stroke="{GHOST}" stroke-width="8" stroke-linejoin="round"/>'
        f'<path d="{d}" fill="none" stroke="{seat_colour(outline.seat).field}" stroke-width="8" '
        f'stroke-linecap="round" stroke-linejoin="round"{dashed}/>'
    )


def _sign(outline: Outline, level: int, borne: set[tuple[Hex, str]]) -> str:
    """Whose border it is, and its note, hung up at its highest corner. `borne`: the notes that pieces
    bear; one that a piece inside has is not repeated.
    """
    loops = _loops(outline, level)
    if not loops:
        return ""
    x, y = min((point for loop in loops for point in loop), key=lambda point: (point[1], point[0]))
    is_told = any((at, outline.note) in borne for at in outline.hexes)
    tag = "" if is_told or not outline.note else _tag(clean(outline.note), 46, 0, 26, 70)
    return f'<g transform="translate({number(x)} {number(y + 12)})">{tag}{_arms(outline.seat)}</g>'


def _arrow(arrow: Arrow, count: int) -> str:
    """A way, bent so that the way back does not cover it, and how many took it."""
    (ax, ay), (bx, by) = centre(arrow.start), centre(arrow.end)
    far = hypot(bx - ax, by - ay)
    colour = seat_colour(arrow.seat)
    if not far:
        return (
            f'<circle cx="{number(ax)}" cy="{number(ay)}" r="70" fill="none" stroke="{colour.field}" '
            'stroke-width="9"/>'
        )
    ux, uy = (bx - ax) / far, (by - ay) / far
    bend = 20
    start = (ax + ux * 50 - uy * bend * 0.9, ay + uy * 50 + ux * bend * 0.9)
    tip = (bx - ux * 52 - uy * bend * 0.7, by - uy * 52 + ux * bend * 0.7)
    mid = ((start[0] + tip[0]) / 2 - uy * bend * 0.7, (start[1] + tip[1]) / 2 + ux * bend * 0.7)
    turn = atan2(tip[1] - mid[1], tip[0] - mid[0])
    head = [
        (
            tip[0] + length * cos(turn) - side * sin(turn),
            tip[1] + length * sin(turn) + side * cos(turn),
        )
        for length, side in ((0, 0), (-34, 20), (-26, 0), (-34, -20))
    ]
    neck = head[2]
    d = (
        f"M{number(start[0])} {number(start[1])}"
        f"Q{number(mid[0])} {number(mid[1])} {number(neck[0])} {number(neck[1])}"
    )
    point = path(head)
    # Beside the way, clear of its head and of the coordinates.
    x = (start[0] + neck[0]) / 2 - uy * 36
    y = (start[1] + neck[1]) / 2 + ux * 36
    often = "" if count == 1 else _disc(count, x, y)
    return (
        f'<g pointer-events="none" stroke-linecap="round" stroke-linejoin="round" fill="none"><path d="{d}" '
        f'stroke="{GHOST}" stroke-width="21"/><path d="{point}" fill="{GHOST}" stroke="{GHOST}" '
        f'stroke-width="13"/><path d="{d}" stroke="{INK}" stroke-width="14"/><path d="{point}" '
        f'fill="{INK}" stroke="{INK}" stroke-width="7"/><path d="{d}" stroke="{colour.field}" '
        f'stroke-width="7"/><path d="{point}" fill="{colour.field}"/></g>{often}'
    )


def free_corner(hexes: set[Hex], width: float, height: float) -> tuple[float, float, float] | None:
    """The corner of a frame (as wide and high, its middle the board's) with most room for an
    ornament: x, y and radius of a circle that touches no hex; None where there is no frame to
    speak of.
    """
    points = [centre(at) for at in hexes]
    if not points:
        return None
    best = (0.0, 0.0, 0.0)
    mid_x = (min(x for x, _ in points) + max(x for x, _ in points)) / 2
    mid_y = (min(y for _, y in points) + max(y for _, y in points)) / 2
    for sx in (-1, 1):
        for sy in (-1, 1):
            radius = 16.0
            while radius < RADIUS * 1.5:
                x = mid_x + sx * (width / 2 - radius)
                y = mid_y + sy * (height / 2 - radius)
                if min(hypot(px - x, py - y) for px, py in points) < RADIUS + radius:
                    break
                if radius > best[2]:
                    best = (x, y, radius)
                radius += 8
    return best


def rose() -> str:
    """A compass rose, radius 100, that points along the two axes of the coordinates."""
    axes = "".join(
        f'<g transform="rotate({angle})"><path d="M0 -7L66 0L0 7Z" fill="{INK}"/>'
        f'<path d="M0 -7L-30 0L0 7Z" fill="{FADED}"/></g>'
        for angle in (0, 60)
    )
    names = "".join(
        f'<text x="{x}" y="{y}" font-size="34" font-style="italic" font-weight="bold" '
        f'text-anchor="middle" fill="{INK}">{name}</text>'
        for name, x, y in (("q", 82, 10), ("r", 42, 86))
    )
    star = (
        f'<path d="{CHARGES[2]}" transform="rotate(30) scale(1.3)" fill="{GILT}" '
        f'stroke="{INK}" stroke-width="2"/>'
    )
    return (
        f'<circle r="62" fill="none" stroke="{FADED}" stroke-width="2.5" stroke-dasharray="2 6"/>'
        f'<circle r="40" fill="none" stroke="{FADED}" stroke-width="2"/>{axes}{star}{names}'
    )
