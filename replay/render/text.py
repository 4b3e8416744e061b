"""`text`: a scene for a terminal, or for anything that shows plain text.

Here the page is laid out; `text_board` draws the board in characters. Tables are laid out by rich.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rich.columns import Columns
from rich.table import Table
from rich.text import Text

from domain.scene import LegendEntry, Panel, Scene, Sign
from replay.render.descriptions import (
    Names,
    all_pieces,
    coordinates,
    describe_marks,
    describe_pieces,
    legend_entries,
    piece_names,
)
from replay.render.styles import BOLD, DIM, HIGHLIGHT, STRUCK, Styler, seat_style, terrain_style
from replay.render.text_board import MARK, draw_board, piece_glyphs, terrain_glyphs
from replay.render.text_layout import HARD_SPACE, clean, columns, cut, unbroken_entries, wrap

_DEFAULT_WIDTH = 100
_MIN_WIDTH = 20
_MIN_COLUMN = 13
"""The narrowest column of a seat; where there is less room, the seats stand below each other."""


def text(scene: Scene, styler: Styler, width: int | None) -> str:
    """Return the scene in lines of at most `width` columns (None: 100), ending with a line feed.

    The page can be read without any styles. A hex is filled with the character of its terrain. Pieces
    are written as the number of their seat with a capital for each kind, such as `0CK3` for a city and three
    knights of seat 0, behind an `x` where the last event removed them. Square brackets surround hexes
    that the last event changed, round brackets those that were fought over, and an asterisk stands
    before a seat that has left its mark.

    Only a board that is too wide in its most compact form is wider than `width`.
    """
    width = max(width or _DEFAULT_WIDTH, _MIN_WIDTH)
    legend = legend_entries(scene)
    terrains = terrain_glyphs(entry.kind for entry in legend if entry.sign == "terrain")
    kinds = piece_glyphs(entry.kind for entry in legend if entry.sign == "piece")
    board = draw_board(scene, terrains, kinds, width, styler)
    names = piece_names(scene)
    parts = [
        [styler(line, BOLD) for line in wrap(clean(scene.title), width, columns) if line],
        board.lines,
        _legend(legend, terrains, kinds, _sign_samples(scene), width, styler),
        [line for at in board.crowded for line in _crowded_hex(scene, at, names, width)],
        _arrows_and_outlines(scene, width),
        _seats(scene.panels, width, styler),
        _rows(scene.common_rows, width, styler),
        wrap(clean(scene.caption), width, columns) if scene.caption else [],
    ]
    return "\n\n".join("\n".join(line.rstrip() for line in part) for part in parts if part) + "\n"


def _legend(
    legend: Sequence[LegendEntry],
    terrains: Mapping[str, str],
    kinds: Mapping[str, str],
    signs: Mapping[Sign, str],
    width: int,
    styler: Styler,
) -> list[str]:
    """Return lines that explain the characters on the board."""
    names: list[Text] = []
    table = Table.grid(padding=(0, 1))
    for entry in legend:
        meaning = clean(f"{entry.meaning} {entry.value}")
        if entry.sign in {"terrain", "piece"}:
            glyphs = terrains if entry.sign == "terrain" else kinds
            style = terrain_style(entry.kind) if entry.sign == "terrain" else BOLD
            sample = (f" {glyphs[entry.kind]} ", style)
            names.append(Text.assemble(sample, (f" {meaning}", DIM), overflow="ellipsis"))
        elif entry.sign in signs:
            table.add_row(Text(f" {signs[entry.sign]}", BOLD), Text(meaning, DIM))
    lines = styler.lines(Columns(names, padding=(0, 2)), width) if names else []
    return lines + (styler.lines(table, width) if table.row_count else [])


def _sign_samples(scene: Scene) -> Mapping[Sign, str]:
    """Return samples of signs; moves and outlines are listed below the board, and values in the legend."""
    notes = (cell.note for cell in scene.cells)
    piece_notes = (piece.note for cell in scene.cells for piece in all_pieces(cell))
    return {
        "piece_note": f"={_first(piece_notes)}",
        "note": _first(notes),
        "mark": MARK,
        "contested": "()",
        "removed": "x",
        "changed": "[]",
    }


def _first(notes: Iterable[str]) -> str:
    return cut(clean(next(filter(None, notes), "")), 6, columns)


def _crowded_hex(scene: Scene, at: tuple[int, int], names: Names, width: int) -> list[str]:
    """Return lines that describe a hex on which not everything fits."""
    cell = next(cell for cell in scene.cells if cell.at == at)
    parts = [describe_pieces(cell.pieces, names)] if cell.pieces else []
    parts += [f"removed: {describe_pieces(cell.removed, names)}"] if cell.removed else []
    parts += [clean(cell.note)] if cell.note else []
    parts += [describe_marks(cell.marks)] if cell.marks else []
    return wrap(f"+ {coordinates(at)}: {'; '.join(parts)}", width, columns)


def _arrows_and_outlines(scene: Scene, width: int) -> list[str]:
    """Moves and outlines, which the board does not show."""
    lines = []
    if scene.arrows:
        moves = (
            f"{coordinates(arrow.start)} > {coordinates(arrow.end)} "
            f"(seat {arrow.seat}{f' x{count}' if count > 1 else ''})"
            for arrow, count in Counter(scene.arrows).items()
        )
        lines += wrap(f"moves: {', '.join(moves)}", width, columns)
    meanings = {entry.sign: entry.meaning for entry in legend_entries(scene)}
    for outline in scene.outlines:
        note = f" ({clean(outline.note)})" if outline.note else ""
        hexes = " ".join(map(coordinates, outline.hexes))
        label = f"{clean(meanings['outline'])}, seat {outline.seat}{note}: {hexes}"
        lines += wrap(label, width, columns)
    return lines


def _seats(panels: Sequence[Panel], width: int, styler: Styler) -> list[str]:
    """Return the seats as columns of a table, or below each other where there is no room for that."""
    if not panels:
        return []
    labels = list(dict.fromkeys(clean(label) for panel in panels for label, _ in panel.rows))
    first = max(map(columns, ["score", *labels]))
    room = (width - first) // len(panels) - 2
    if room < _MIN_COLUMN:
        return [line for panel in panels for line in _seat(panel, width, styler)]
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style=DIM, no_wrap=True)
    for panel in panels:
        table.add_column(style=DIM if panel.is_out else "", no_wrap=True)
    table.add_row("seat", *(_state(panel) for panel in panels))
    headings = ("\n".join(wrap(clean(panel.heading), room, columns, 2)) for panel in panels)
    table.add_row(
        "",
        *(
            Text(heading, STRUCK if panel.is_out else BOLD)
            for panel, heading in zip(panels, headings, strict=True)
        ),
    )
    table.add_row("score", *(Text(str(panel.score), BOLD) for panel in panels))
    for label in labels:
        values = (
            ", ".join(value for name, value in panel.rows if clean(name) == label)
            for panel in panels
        )
        table.add_row(label, *(_wrapped(value, room) for value in values))
    return styler.lines(table, width)


def _state(panel: Panel) -> Text:
    state = " out" if panel.is_out else " > to act" if panel.is_to_act else ""
    style = HIGHLIGHT if panel.is_to_act else DIM
    return Text.assemble((str(panel.seat), seat_style(panel.seat)), (state, style))


def _wrapped(value: str, width: int) -> str:
    """Return a value in lines of at most `width` columns, broken between entries of a list if possible."""
    lines = wrap(unbroken_entries(clean(value)), width, columns)
    return "\n".join(lines).replace(HARD_SPACE, " ")


def _seat(panel: Panel, width: int, styler: Styler) -> list[str]:
    """Return a seat with its rows below it, for a narrow terminal."""
    state = " (out)" if panel.is_out else " (to act)" if panel.is_to_act else ""
    score = f"  {panel.score}"
    room = width - columns(f"{panel.seat} {state}{score}")
    heading = cut(clean(panel.heading), room, columns)
    line = (
        f"{styler(str(panel.seat), seat_style(panel.seat))} "
        f"{styler(f'{heading}{state}', HIGHLIGHT if panel.is_to_act else BOLD)}"
        f"{styler(score, BOLD)}"
    )
    return [line, *(f"  {row}" for row in _rows(panel.rows, width - 2, styler))]


def _rows(rows: Sequence[tuple[str, str]], width: int, styler: Styler) -> list[str]:
    """(label, value) rows with the labels in a column of their own."""
    if not rows:
        return []
    labels = [cut(clean(label), width // 2, columns) for label, _ in rows]
    room = width - max(map(columns, labels)) - 2
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style=DIM, no_wrap=True)
    table.add_column(no_wrap=True)
    for label, (_, value) in zip(labels, rows, strict=True):
        table.add_row(label, _wrapped(value, room))
    return styler.lines(table, width)
