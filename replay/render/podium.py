"""The podium of a game that has ended: the seats by place, with titles and what their points come from.

It is drawn above the board of a picture. `replay.history.score_chart.finishers` has the data.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from domain.messages import Text, Value, message_in
from replay.language.renderer import Renderer
from replay.language.text_layout import cut, ems, with_minus
from replay.render.cards import EMPTY, SERIF, Block, FontSizes, row_list, text_line
from replay.render.descriptions import player_label
from replay.render.markup import Ids, Markup, element, joined, moved
from replay.render.palette import DARK, MUTED, seat_colour
from replay.render.pieces import shield

_STEPS: Final = (132.0, 96.0, 68.0, 44.0)
"""The heights of the steps by place, from the first; further places have the last one."""
_MOST_WIDTH: Final = 300.0
_GAP: Final = 12.0


PointSource: TypeAlias = tuple[Text, int]
"""What points come from, and how many."""


@dataclass(frozen=True, slots=True)
class Finisher:
    """A seat at the end of a game. `title` is what the game calls it then, such as King."""

    seat: int
    place: int
    score: int
    title: Text
    is_out: bool
    sources: tuple[PointSource, ...]


def podium(
    order: Sequence[Finisher], width: float, sizes: FontSizes, ids: Ids, renderer: Renderer
) -> Block:
    """Return the podium, at most `width` wide: the first in the middle of the first three."""
    if not order:
        return EMPTY
    columns = [*order[1:2], order[0], *order[2:]]
    column = min(_MOST_WIDTH, (width - _GAP * (len(columns) - 1)) / len(columns))
    left = (width - column * len(columns) - _GAP * (len(columns) - 1)) / 2
    blocks = [_column(finisher, column, sizes, ids, renderer) for finisher in columns]
    floor = max(above for above, _ in blocks)
    height = max(floor + block.height - above for above, block in blocks)
    parts = (
        moved(block.markup, left + index * (column + _GAP), floor - above)
        for index, (above, block) in enumerate(blocks)
    )
    return Block(joined(*parts), height)


def _column(
    finisher: Finisher, width: float, sizes: FontSizes, ids: Ids, renderer: Renderer
) -> tuple[float, Block]:
    """Return the height of a seat and its step above the floor, and the column down to the last row."""
    colour = seat_colour(finisher.seat)
    step = _STEPS[min(finisher.place, len(_STEPS)) - 1]
    middle = width / 2
    shield_size = sizes.heading * 2
    title_y = shield_size + sizes.heading * 1.2
    name_y = title_y + sizes.row * 1.25
    name = renderer(player_label(finisher.seat))
    if finisher.is_out:
        name = f"{name} · {renderer(message_in('state of a player', 'out'))}"
    top = name_y + sizes.row * 0.6
    floor = top + step
    title = with_minus(renderer.sentence(finisher.title))
    title_size = min(sizes.heading, width / max(ems(title) * 1.1, 1))
    score_size = min(sizes.heading * 1.5, step * 0.62)
    rows: list[tuple[Text, Value]] = list(finisher.sources)
    sources = row_list(rows, width - 8, sizes.row * 0.86, renderer)
    markup: tuple[Markup, ...] = (
        moved(
            shield(finisher.seat, ids.hatching(finisher.seat)),
            middle,
            shield_size / 2,
            shield_size / 52,
        ),
        text_line(
            title,
            middle,
            title_y,
            title_size,
            text_anchor="middle",
            font_weight="bold",
            font_family=SERIF,
        ),
        text_line(
            cut(name, width / sizes.row / 1.05, ems),
            middle,
            name_y,
            sizes.row,
            text_anchor="middle",
            fill=MUTED if finisher.is_out else DARK,
        ),
        element(
            "rect", y=top, width=width, height=step, fill=colour.fill, stroke=DARK, stroke_width=2.5
        ),
        text_line(
            with_minus(str(finisher.score)),
            middle,
            top + (step + score_size * 0.72) / 2,
            score_size,
            text_anchor="middle",
            font_weight="bold",
            font_family=SERIF,
            fill=colour.emblem,
        ),
        text_line(str(finisher.place), 10, top + sizes.row * 1.2, sizes.row, fill=colour.emblem),
        moved(sources.markup, 4, floor),
    )
    return floor, Block(joined(*markup), floor + sources.height)
