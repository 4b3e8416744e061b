"""What stands beside the board: a card for each seat, rows that belong to nobody, the legend.

Everything here is set in a column of a given width and says how high it has become; where the
columns stand is `svg`'s business.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from domain.scene import Panel, Scene
from replay.render.layout import number
from replay.render.palette import FADED, GILT, INK, LINE, PANEL, seat_colour
from replay.render.pieces import shield
from replay.render.text_layout import cut, ems, wrap
from replay.render.words import clean, spoken

SERIF = "'Iowan Old Style','Palatino Linotype',Palatino,'Book Antiqua',Georgia,'DejaVu Serif',serif"
SANS = "'Segoe UI','Helvetica Neue',Verdana,'DejaVu Sans',sans-serif"


@dataclass(frozen=True, slots=True)
class Sizes:
    """Font sizes in the units of a page."""

    title: float
    caption: float
    heading: float
    fact: float


@dataclass(frozen=True, slots=True)
class Block:
    """Markup with its top left corner at (0, 0), and its height."""

    markup: str
    height: float


@dataclass(frozen=True, slots=True)
class Ids:
    """The ids that a picture has defined and that drawings in it refer to, under one prefix."""

    prefix: str

    def ground(self, name: str, *, busy: bool) -> str:
        """A ground's drawing."""
        return f"{self.prefix}{'b' if busy else 'g'}-{_id_safe(name)}"

    def piece(self, kind: str, seat: int, *, gone: bool = False) -> str:
        """A piece's drawing."""
        return f"{self.prefix}{'x' if gone else 'p'}-{_id_safe(kind)}-{seat}"

    def hatch(self, seat: int) -> str:
        """The pattern of a seat."""
        return f"{self.prefix}h-{seat}"

    def of(self, name: str) -> str:
        """Anything there is one of: clip, paper, title, desc."""
        return f"{self.prefix}{name}"


def _id_safe(name: str) -> str:
    """A name as part of an id: two different names never become one."""
    return "".join(c if c.isascii() and c.isalnum() else f"_{ord(c):x}_" for c in name)


def label(
    text: str, x: float, y: float, size: float, *, ink: str = INK, anchor: str = "", more: str = ""
) -> str:
    """A line of text; y is its baseline, `anchor` is `middle` or `end` unless it starts at x."""
    where = f' text-anchor="{anchor}"' if anchor else ""
    return (
        f'<text x="{number(x)}" y="{number(y)}" font-size="{number(size)}" fill="{ink}"{where}'
        f"{f' {more}' if more else ''}>{escape(text)}</text>"
    )


def moved(markup: str, x: float, y: float, scale: float = 1) -> str:
    """Markup somewhere else."""
    at = f"translate({number(x)} {number(y)})"
    if scale != 1:
        at += f" scale({scale:.4g})"
    return f'<g transform="{at}">{markup}</g>'


def lines(
    text: str, width: float, size: float, *, most: int, breadth: float = 1, more: str = ""
) -> Block:
    """A paragraph of at most so many lines, in a face so many times as broad as `ems` says."""
    set_lines = wrap(clean(text), width, lambda part: ems(part) * size * breadth, most)
    step = size * 1.3
    return Block(
        "".join(
            label(line, 0, size + index * step, size, more=more)
            for index, line in enumerate(set_lines)
        ),
        len(set_lines) * step,
    )


def _listed(text: str) -> str:
    """A list with commas, to be broken rather between its entries than in them."""
    return ", ".join(part.replace(" ", "\xa0") for part in text.split(", "))


def rows(facts: Sequence[tuple[str, str]], width: float, size: float) -> Block:
    """(label, value) rows: the value at the right edge, or in lines of its own when they do not fit."""
    markup: list[str] = []
    y = 0.0
    step = size * 1.44

    def width_of(text: str) -> float:
        return ems(text) * size

    for index, (raw_name, raw_value) in enumerate(facts):
        name, value = clean(raw_name), clean(raw_value)
        if index:
            markup.append(
                f'<path d="M0 {number(y + size * 0.34)}H{number(width)}" stroke="{LINE}" opacity=".55"/>'
            )
        y += step
        markup.append(label(cut(name, width, width_of), 0, y, size, ink=FADED))
        if width_of(name) + width_of(value) + size <= width:
            markup.append(label(value, width, y, size, anchor="end"))
        else:
            for line in wrap(_listed(value), width - size * 0.8, width_of, 4):
                y += step
                markup.append(label(line, size * 0.8, y, size))
    return Block("".join(markup), y + size * 0.45)


def _rule(width: float, height: float, *, gilt: bool) -> str:
    """The border of a card; a gilded one between two dark lines for whose turn it is."""
    box = f'width="{number(width)}" height="{number(height)}" rx="10"'
    if not gilt:
        return f'<rect {box} fill="{PANEL}" stroke="{LINE}" stroke-width="2"/>'
    inner = f'x="4.5" y="4.5" width="{number(width - 9)}" height="{number(height - 9)}" rx="8"'
    return (
        f'<rect {inner} fill="{PANEL}" stroke="{INK}" stroke-width="9"/>'
        f'<rect {inner} fill="none" stroke="{GILT}" stroke-width="4.5"/>'
    )


def _heading(text: str, room: float, size: float) -> tuple[list[str], float]:
    """A heading that shrinks a little, then takes two lines, before it is cut; and its font size."""
    width = ems(text) * size * 1.06
    if width <= room:
        return [text], size
    smaller = max(size * 0.8, size * room / width)
    return wrap(text, room, lambda part: ems(part) * smaller * 1.06, 2), smaller


def card(panel: Panel, width: float, height: float, sizes: Sizes, ids: Ids) -> Block:
    """A seat's card, at least `height` high."""
    pad = sizes.fact * 0.8
    arms = sizes.heading * 2.1
    text_x = pad + arms + pad * 0.6
    score = str(panel.score)
    score_size = sizes.heading * 1.5
    room = width - text_x - pad - ems(score) * score_size - pad * 0.4
    heading, heading_size = _heading(clean(panel.heading), room, sizes.heading)
    state = "out" if panel.is_out else "to act" if panel.is_to_act else ""
    under = f"seat {panel.seat}" + (f" · {state}" if state else "")
    under_size = min(sizes.fact * 0.95, room / max(ems(under) * 1.06, 1))
    under_y = pad + arms * 0.42 + heading_size * 1.15 * (len(heading) - 1) + sizes.fact * 1.3
    head = max(pad + arms * 1.12, under_y + sizes.fact * 0.6)
    body = rows(panel.rows, width - 2 * pad, sizes.fact)
    tall = max(height, head + body.height + pad * 0.8)
    bold = 'font-weight="bold"'
    inside = [
        moved(shield(panel.seat, ids.hatch(panel.seat)), pad + arms / 2, pad + arms / 2, arms / 49),
        *(
            label(
                line,
                text_x,
                pad + arms * 0.42 + index * heading_size * 1.15,
                heading_size,
                more=bold,
            )
            for index, line in enumerate(heading)
        ),
        label(
            under,
            text_x,
            under_y,
            under_size,
            ink=INK if state else FADED,
            more=bold if state else "",
        ),
        label(
            score,
            width - pad,
            pad + arms * 0.68,
            score_size,
            anchor="end",
            more=f'{bold} font-family="{SERIF}"',
        ),
        (
            f'<path d="M{number(pad)} {number(head)}H{number(width - pad)}" '
            f'stroke="{seat_colour(panel.seat).field}" stroke-width="4"/>'
        ),
        moved(body.markup, pad, head + sizes.fact * 0.15),
    ]
    markup = "".join(inside)
    if panel.is_out:
        # Faded and struck through: neither needs colour to be seen.
        y = number(pad + arms * 0.42 - heading_size * 0.32)
        end = text_x + min(room, ems(heading[0]) * heading_size)
        markup = (
            f'<g opacity=".6">{markup}</g>'
            f'<path d="M{number(text_x)} {y}H{number(end)}" stroke="{INK}" stroke-width="3"/>'
        )
    return Block(f"<g>{_rule(width, tall, gilt=panel.is_to_act)}{markup}</g>", tall)


def cards(panels: Sequence[Panel], width: float, across: int, sizes: Sizes, ids: Ids) -> Block:
    """All cards, `across` in a row, those of a row equally high."""
    gap = sizes.fact * 0.8
    each = (width - gap * (across - 1)) / across
    markup: list[str] = []
    y = 0.0
    for start in range(0, len(panels), across):
        row = panels[start : start + across]
        # A card alone in its row takes all of it.
        wide = width if len(row) == 1 else each
        height = max(card(panel, wide, 0, sizes, ids).height for panel in row)
        for index, panel in enumerate(row):
            block = card(panel, wide, height, sizes, ids)
            markup.append(moved(block.markup, index * (each + gap), y))
        y += height + gap
    return Block("".join(markup), y - gap if panels else 0)


def common(facts: Sequence[tuple[str, str]], width: float, sizes: Sizes) -> Block:
    """The card of what belongs to no seat."""
    pad = sizes.fact * 0.8
    body = rows(facts, width - 2 * pad, sizes.fact)
    height = body.height + pad * 1.1
    return Block(_rule(width, height, gilt=False) + moved(body.markup, pad, pad * 0.4), height)


def legend(scene: Scene, width: float, size: float, ids: Ids) -> Block:
    """The grounds on this board with their names, in as many lines as they take."""
    tile = size * 1.5
    x, y = 0.0, 0.0
    markup: list[str] = []
    for name in sorted({cell.terrain for cell in scene.cells}):
        word = cut(spoken(name), width - tile * 2, lambda text: ems(text) * size)
        taken = tile * 1.2 + ems(word) * size + size * 0.8
        if x and x + taken > width:
            x, y = 0.0, y + tile * 1.35
        sample = f'<use href="#{ids.ground(name, busy=False)}"/>'
        markup.append(moved(sample, x + tile / 2, y + tile * 0.58, tile / 200 * 1.12))
        markup.append(label(word, x + tile * 1.15, y + tile * 0.58 + size * 0.35, size, ink=FADED))
        x += taken
    return Block("".join(markup), y + tile * 1.2 if markup else 0)
