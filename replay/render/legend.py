"""The legend of a picture: samples of its terrains, pieces and signs, with what they mean.

Terrains and pieces are those of the game, and any others in the scene. A sign is explained only where the
scene has it.
"""

from collections.abc import Sequence
from typing import assert_never

from domain.messages import message
from domain.scene import LegendEntry, Scene
from replay.language.renderer import Renderer
from replay.language.text_layout import ems, with_minus, wrap
from replay.render.arrows import Curve, arrow_markup
from replay.render.board import changed_frame
from replay.render.cards import Block, stacked, text_line
from replay.render.descriptions import all_pieces, legend_entries, legend_text
from replay.render.labels import SWORDS, count_disc, mark_badge, tag, value_coin
from replay.render.markup import Ids, Markup, element, joined, moved
from replay.render.outlines import outline_line
from replay.render.palette import DARK, MUTED
from replay.render.pieces import piece_markup, removed_piece_markup

_COORDINATES = element(
    "text", "q,r", y=30, font_size=100, font_style="italic", text_anchor="middle", fill=DARK
)


def terrains_of(scene: Scene) -> set[str]:
    """Return the terrains that the legend of a scene explains."""
    return {entry.kind for entry in legend_entries(scene) if entry.sign == "terrain"}


def legend(scene: Scene, renderer: Renderer, width: float, size: float, ids: Ids) -> Block:
    """Return the legend in lines of entries: terrains, pieces and signs below each other."""
    groups: list[list[tuple[Markup, str]]] = [[], [], []]
    groups[2].append((_COORDINATES, renderer(message("column,row of a hex"))))
    for entry in legend_entries(scene):
        group = {"terrain": 0, "piece": 1}.get(entry.sign, 2)
        groups[group].append((_sample(entry, scene, ids), legend_text(entry, renderer)))
    counts = (piece.count for cell in scene.cells for piece in all_pieces(cell))
    count = max(counts, default=1)
    if count > 1:
        groups[1].append(
            (count_disc(count, 0, 0, 120).markup, renderer(message("number of pieces")))
        )
    return stacked((_flow(group, width, size) for group in groups if group), size * 0.5)


def _flow(entries: Sequence[tuple[Markup, str]], width: float, size: float) -> Block:
    sample_size = size * 1.55
    text_x = sample_size * 1.2
    line_height = size * 1.25
    x = y = 0.0
    row_height = sample_size * 1.3
    parts: list[Markup] = []
    for sample, meaning in entries:
        lines = wrap(with_minus(meaning), width - text_x, lambda part: ems(part) * size)
        entry_width = text_x + max(ems(line) for line in lines) * size
        if x and x + entry_width > width:
            x, y = 0.0, y + row_height
            row_height = sample_size * 1.3
        row_height = max(row_height, len(lines) * line_height + size * 0.7)
        middle = y + sample_size * 0.56
        parts.append(moved(sample, x + sample_size / 2, middle, sample_size / 200 * 1.1))
        parts += [
            text_line(
                line, x + text_x, middle + size * 0.35 + index * line_height, size, fill=MUTED
            )
            for index, line in enumerate(lines)
        ]
        x += entry_width + size * 0.7
    return Block(joined(*parts), y + row_height - sample_size * 0.18)


def _sample(entry: LegendEntry, scene: Scene, ids: Ids) -> Markup:
    """Return a sample of what an entry explains, about 200 wide and high, from the scene if possible."""
    match entry.sign:
        case "terrain":
            return element("use", href=f"#{ids.terrain(entry.kind, is_occupied=False)}")
        case "piece":
            return moved(piece_markup(scene.package, entry.kind, None), 0, 0, 2.4)
        case "value":
            value = next(cell.value for cell in scene.cells if cell.value)
            return value_coin(value, 100, DARK).markup
        case "piece_note":
            notes = (piece.note for cell in scene.cells for piece in all_pieces(cell))
            return tag(next(filter(None, notes)), 0, 0, 110, 185).markup
        case "note":
            return tag(next(cell.note for cell in scene.cells if cell.note), 0, 0, 96, 185).markup
        case "mark":
            seat = next(seat for cell in scene.cells for seat in cell.marks)
            return moved(mark_badge(seat), 0, 0, 3.6)
        case "outline":
            return moved(
                outline_line("M-36 16L-18 -14H18L36 16", scene.outlines[0].seat), 0, 0, 2.4
            )
        case "contested":
            return moved(SWORDS, 0, 0, 3.8)
        case "removed":
            piece = next(piece for cell in scene.cells for piece in cell.removed)
            return moved(removed_piece_markup(scene.package, piece.kind, piece.seat), 0, 0, 2.4)
        case "arrow":
            curve = Curve((-42, 10), (0, -26), (42, 8))
            return moved(arrow_markup(curve, scene.arrows[0]), 0, 0, 2.1)
        case "changed":
            return changed_frame(0, 0)
        case _:
            assert_never(entry.sign)
