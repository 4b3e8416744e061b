"""The cards beside the map: one for each seat, and one with the rows that belong to no seat.

Each function lays out its content in a column of a given width and returns it with its height; `svg` places
the columns.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from domain.scene import Panel, Row
from replay.language.renderer import Renderer
from replay.language.text_layout import cut, ems, unbroken_entries, with_minus, wrap
from replay.render.descriptions import panel_state, player_label
from replay.render.markup import Ids, Markup, element, joined, moved, number, on_lines
from replay.render.palette import CARD, DARK, MUTED, THIN_LINE, seat_colour
from replay.render.pieces import shield

SERIF = "'Iowan Old Style','Palatino Linotype',Palatino,'Book Antiqua',Georgia,'DejaVu Serif',serif"
SANS = "'Segoe UI','Helvetica Neue',Verdana,'DejaVu Sans',sans-serif"


@dataclass(frozen=True, slots=True)
class FontSizes:
    """Font sizes on a page."""

    title: float
    caption: float
    heading: float
    row: float


@dataclass(frozen=True, slots=True)
class Block:
    """Markup with its top left corner at (0, 0), and its height."""

    markup: Markup
    height: float


EMPTY = Block(Markup(), 0)


def text_line(
    text: str, x: float, y: float, size: float, *, fill: str = DARK, **attributes: str | None
) -> Markup:
    """Return a line of text with its baseline at y, starting at x unless `text_anchor` is given."""
    return element("text", text, x=x, y=y, font_size=size, fill=fill, **attributes)


def stacked(blocks: Iterable[Block], gap: float) -> Block:
    """Return blocks under each other with gaps between them; blocks without height are left out."""
    parts: list[Markup] = []
    y = 0.0
    for block in blocks:
        if block.height:
            y += gap if parts else 0
            parts.append(moved(block.markup, 0, y))
            y += block.height
    return Block(on_lines(*parts), y)


def paragraph(
    text: str, width: float, size: float, *, max_lines: int, breadth: float = 1, **attributes: str
) -> Block:
    """Return a paragraph of rendered text. `breadth` is how many times broader than usual its font is."""
    text = with_minus(text)
    lines = wrap(text, width, lambda part: ems(part) * size * breadth, max_lines)
    line_height = size * 1.3
    parts = (
        text_line(line, 0, size + index * line_height, size, **attributes)
        for index, line in enumerate(lines)
    )
    return Block(joined(*parts), len(lines) * line_height)


def row_list(rows: Sequence[Row], width: float, size: float, renderer: Renderer) -> Block:
    """Return rows of labels and values. A value that does not fit beside its label has lines of its own."""
    parts: list[Markup] = []
    y = 0.0
    line_height = size * 1.44

    def width_of(text: str) -> float:
        return ems(text) * size

    for index, (row_label, row_value) in enumerate(rows):
        label, value = renderer(row_label), with_minus(renderer(row_value))
        if index:
            rule = f"M0 {number(y + size * 0.34)}H{number(width)}"
            parts.append(element("path", d=rule, stroke=THIN_LINE, opacity=".55"))
        y += line_height
        parts.append(text_line(cut(label, width, width_of), 0, y, size, fill=MUTED))
        if width_of(label) + width_of(value) + size <= width:
            parts.append(text_line(value, width, y, size, text_anchor="end"))
        else:
            for line in wrap(unbroken_entries(value), width - size * 0.8, width_of, 4):
                y += line_height
                parts.append(text_line(line, size * 0.8, y, size))
    return Block(joined(*parts), y + size * 0.45)


def _border(width: float, height: float, *, is_to_act: bool) -> Markup:
    if not is_to_act:
        return element(
            "rect", width=width, height=height, rx=10, fill=CARD, stroke=THIN_LINE, stroke_width=2
        )
    box = {"x": 4.5, "y": 4.5, "width": width - 9, "height": height - 9, "rx": 8}
    return joined(
        element("rect", **box, fill=CARD, stroke=DARK, stroke_width=9),
        element("rect", **box, fill="none", stroke=DARK, stroke_width=4.5),
    )


def _heading(text: str, width: float, size: float) -> tuple[list[str], float]:
    """Return the lines of a heading and their font size: it is made smaller, then broken, then cut."""
    needed_width = ems(text) * size * 1.06
    if needed_width <= width:
        return [text], size
    smaller = max(size * 0.8, size * width / needed_width)
    return wrap(text, width, lambda part: ems(part) * smaller * 1.06, 2), smaller


def _player_lines(
    panel: Panel, width: float, size: float, renderer: Renderer
) -> tuple[list[str], float]:
    """Return the player with their state, in one line or in two, and the font size.

    The text is made smaller, then broken, then the name is cut.
    """
    name, state = renderer(player_label(panel.seat)), panel_state(panel)
    line = name if state is None else f"{name} · {renderer(state)}"
    smallest = size * 0.8
    fitting = width / max(ems(line) * 1.06, 1)
    if fitting >= smallest:
        return [line], min(size, fitting)
    lines = [cut(name, width / (smallest * 1.06), ems)]
    return lines if state is None else [*lines, renderer(state)], smallest


def _card_content(
    panel: Panel, width: float, sizes: FontSizes, ids: Ids, renderer: Renderer
) -> Block:
    pad = sizes.row * 0.8
    shield_size = sizes.heading * 2.1
    text_x = pad + shield_size + pad * 0.6
    score = with_minus(str(panel.score))
    score_size = sizes.heading * 1.5
    room = width - text_x - pad - ems(score) * score_size - pad * 0.4
    heading, heading_size = _heading(renderer(panel.heading), room, sizes.heading)
    heading_y = pad + shield_size * 0.42
    score_y = pad + shield_size * 0.68
    # The lines with the player's name are below the score, so that they can be as long as the card is wide.
    player_y = max(
        heading_y + heading_size * 1.15 * (len(heading) - 1) + sizes.row * 1.3,
        score_y + sizes.row * 0.8,
    )
    player, player_size = _player_lines(panel, width - text_x - pad, sizes.row * 0.95, renderer)
    last_y = player_y + (len(player) - 1) * player_size * 1.2
    head = max(pad + shield_size * 1.12, last_y + sizes.row * 0.6)
    is_stressed = panel.is_out or panel.is_to_act
    rows = row_list(panel.rows, width - 2 * pad, sizes.row, renderer)
    height = head + rows.height + pad * 0.8
    content = joined(
        moved(
            shield(panel.seat, ids.hatching(panel.seat)),
            pad + shield_size / 2,
            pad + shield_size / 2,
            shield_size / 49,
        ),
        *(
            text_line(
                line,
                text_x,
                heading_y + index * heading_size * 1.15,
                heading_size,
                font_weight="bold",
            )
            for index, line in enumerate(heading)
        ),
        *(
            text_line(
                line,
                text_x,
                player_y + index * player_size * 1.2,
                player_size,
                fill=DARK if is_stressed else MUTED,
                font_weight="bold" if is_stressed else None,
            )
            for index, line in enumerate(player)
        ),
        text_line(
            score,
            width - pad,
            score_y,
            score_size,
            text_anchor="end",
            font_weight="bold",
            font_family=SERIF,
        ),
        element(
            "path",
            d=f"M{number(pad)} {number(head)}H{number(width - pad)}",
            stroke=seat_colour(panel.seat).fill,
            stroke_width=4,
        ),
        moved(rows.markup, pad, head + sizes.row * 0.15),
    )
    if panel.is_out:
        # Faded and struck through, so that colour is not needed_width to see it.
        y = number(heading_y - heading_size * 0.32)
        end = number(text_x + min(room, ems(heading[0]) * heading_size))
        strike = f"M{number(text_x)} {y}H{end}"
        content = joined(
            element("g", content, opacity=".6"),
            element("path", d=strike, stroke=DARK, stroke_width=3),
        )
    return Block(content, height)


def seat_cards(
    panels: Sequence[Panel],
    width: float,
    per_row: int,
    sizes: FontSizes,
    ids: Ids,
    renderer: Renderer,
) -> Block:
    """Return all seats' cards, equally high in a row; a card that is alone in its row has its whole width."""
    gap = sizes.row * 0.8
    column = (width - gap * (per_row - 1)) / per_row
    rows = []
    for start in range(0, len(panels), per_row):
        row = panels[start : start + per_row]
        each = width if len(row) == 1 else column
        contents = [_card_content(panel, each, sizes, ids, renderer) for panel in row]
        height = max(content.height for content in contents)
        cards = (
            joined(_border(each, height, is_to_act=panel.is_to_act), content.markup)
            for panel, content in zip(row, contents, strict=True)
        )
        markup = joined(
            *(moved(card, index * (column + gap), 0) for index, card in enumerate(cards))
        )
        rows.append(Block(markup, height))
    return stacked(rows, gap)


def common_card(rows: Sequence[Row], width: float, sizes: FontSizes, renderer: Renderer) -> Block:
    """Return the card of rows that belong to no seat; `EMPTY` if there are none."""
    if not rows:
        return EMPTY
    pad = sizes.row * 0.8
    body = row_list(rows, width - 2 * pad, sizes.row, renderer)
    height = body.height + pad * 1.1
    border = _border(width, height, is_to_act=False)
    return Block(joined(border, moved(body.markup, pad, pad * 0.4)), height)
