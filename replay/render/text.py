"""`text`: a scene for a terminal, or for anything that shows plain text.

Here the page is laid out; `text_board` draws the board in characters. Tables are laid out by rich.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.columns import Columns
from rich.table import Table
from rich.text import Text

from domain.messages import (
    Message,
    PlayerAt,
    Value,
    comma_list,
    hex_at,
    message,
    message_in,
    plural_message,
    semicolon_list,
)
from domain.scene import Arrow, Outline, Panel, Row, Scene, Sign
from replay.language.renderer import Renderer
from replay.language.text_layout import (
    HARD_SPACE,
    clean,
    columns,
    cut,
    longest_word,
    unbroken_entries,
    wrap,
)
from replay.render.descriptions import (
    PieceNames,
    all_pieces,
    coordinates,
    describe_marks,
    describe_pieces,
    describe_removed,
    legend_entries,
    legend_text,
    panel_state,
    piece_names,
    player_label,
)
from replay.render.styles import (
    BOLD,
    DIM,
    HIGHLIGHT,
    STRUCK,
    Styler,
    seat_style,
    terrain_style,
    unbreakable,
)
from replay.render.text_board import MARK, draw_board, piece_glyphs, terrain_glyphs

_DEFAULT_WIDTH = 100
_MIN_WIDTH = 20
_MIN_COLUMN = 13
"""The narrowest column of a seat; where there is less room, the seats stand below each other."""


def text(scene: Scene, renderer: Renderer, styler: Styler, width: int | None) -> str:
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
    terrains = terrain_glyphs(
        scene.package, [entry.kind for entry in legend if entry.sign == "terrain"]
    )
    kinds = piece_glyphs(scene.package, [entry.kind for entry in legend if entry.sign == "piece"])
    board = draw_board(scene, terrains, kinds, width, styler)
    names = piece_names(scene)
    title = wrap(renderer.sentence(scene.title), width, columns)
    parts = [
        [styler(line, BOLD) for line in title if line],
        board.lines,
        _legend(scene, terrains, kinds, width, renderer, styler),
        [
            line
            for at in board.crowded
            for line in wrap(renderer(_crowded_hex(scene, at, names)), width, columns)
        ],
        [
            line
            for value in _arrows_and_outlines(scene)
            for line in wrap(renderer(value), width, columns)
        ],
        _seats(scene.panels, width, renderer, styler),
        _rows(scene.common_rows, width, renderer, styler),
        [] if scene.caption is None else wrap(renderer.sentence(scene.caption), width, columns),
    ]
    return "\n\n".join("\n".join(line.rstrip() for line in part) for part in parts if part) + "\n"


def _legend(
    scene: Scene,
    terrains: Mapping[str, str],
    kinds: Mapping[str, str],
    width: int,
    renderer: Renderer,
    styler: Styler,
) -> list[str]:
    names: list[Text] = []
    signs = _sign_samples(scene)
    table = Table.grid(padding=(0, 1))
    for entry in legend_entries(scene):
        meaning = legend_text(entry, renderer)
        if entry.sign in {"terrain", "piece"}:
            glyphs = terrains if entry.sign == "terrain" else kinds
            style = terrain_style(scene.package, entry.kind) if entry.sign == "terrain" else BOLD
            sample = (f" {glyphs[entry.kind]} ", style)
            names.append(Text.assemble(sample, (f" {meaning}", DIM), overflow="ellipsis"))
        elif entry.sign in signs:
            sample_of_sign = Text(f" {signs[entry.sign]}", BOLD)
            table.add_row(sample_of_sign, Text(unbreakable(meaning), DIM))
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


def _crowded_hex(scene: Scene, at: tuple[int, int], names: PieceNames) -> Message:
    cell = next(cell for cell in scene.cells if cell.at == at)
    parts: list[Value] = [*describe_pieces(cell.pieces, names)]
    parts += describe_removed(cell.removed, names)
    parts += [cell.note] if cell.note else []
    parts += [describe_marks(cell.marks)] if cell.marks else []
    return message("+ {hex}: {contents}", hex=hex_at(at), contents=semicolon_list(parts))


def _arrows_and_outlines(scene: Scene) -> Iterator[Message]:
    """Moves and outlines, which the board does not show."""
    if scene.arrows:
        moves = [_move(arrow, count) for arrow, count in Counter(scene.arrows).items()]
        yield message("moves: {moves}", moves=comma_list(moves))
    meanings = {entry.sign: entry.meaning for entry in legend_entries(scene)}
    for outline in scene.outlines:
        yield _outline(outline, meanings["outline"])


def _move(arrow: Arrow, count: int) -> Message:
    return plural_message(
        "{start} > {end} ({player:label})",
        "{start} > {end} ({player:label}, {count} pieces)",
        count=count,
        player=PlayerAt(arrow.seat),
        start=hex_at(arrow.start),
        end=hex_at(arrow.end),
    )


def _outline(outline: Outline, meaning: Value) -> Message:
    player, hexes = PlayerAt(outline.seat), " ".join(map(coordinates, outline.hexes))
    if not outline.note:
        return message(
            "{meaning}, {player:label}: {hexes}", meaning=meaning, player=player, hexes=hexes
        )
    return message(
        "{meaning}, {player:label} ({note}): {hexes}",
        meaning=meaning,
        player=player,
        note=outline.note,
        hexes=hexes,
    )


def _seats(panels: Sequence[Panel], width: int, renderer: Renderer, styler: Styler) -> list[str]:
    """Return the seats as columns of a table, or below each other where there is no room for that."""
    if not panels:
        return []
    rows = [{renderer(label): renderer(value) for label, value in panel.rows} for panel in panels]
    labels = list(dict.fromkeys(label for row in rows for label in row))
    seat, score = renderer(message_in("heading", "seat")), renderer(message_in("heading", "score"))
    first = max(map(columns, [seat, score, *labels]))
    room = (width - first) // len(panels) - 2
    words = [renderer(panel.heading) for panel in panels]
    words += [value for row in rows for value in row.values()]
    if room < max(_MIN_COLUMN, longest_word(words)):
        return [line for panel in panels for line in _seat(panel, width, renderer, styler)]
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style=DIM, no_wrap=True)
    for panel in panels:
        table.add_column(style=DIM if panel.is_out else "", no_wrap=True)
    names = [renderer.names.seat(panel.seat) for panel in panels]
    table.add_row(seat, *(_state(panel, renderer) for panel in panels))
    if any(names):
        labels_of_names = (
            "" if name is None else renderer(player_label(panel.seat))
            for panel, name in zip(panels, names, strict=True)
        )
        table.add_row("", *(Text(cut(name, room, columns), BOLD) for name in labels_of_names))
    headings = ("\n".join(wrap(renderer(panel.heading), room, columns, 2)) for panel in panels)
    table.add_row(
        "",
        *(
            Text(heading, STRUCK if panel.is_out else BOLD)
            for panel, heading in zip(panels, headings, strict=True)
        ),
    )
    table.add_row(score, *(Text(str(panel.score), BOLD) for panel in panels))
    for label in labels:
        table.add_row(label, *(_wrapped(row.get(label, ""), room) for row in rows))
    return styler.lines(table, width)


def _state(panel: Panel, renderer: Renderer) -> Text:
    state = panel_state(panel)
    text = "" if state is None else renderer(state)
    text = f" > {text}" if panel.is_to_act else f" {text}"
    style = HIGHLIGHT if panel.is_to_act else DIM
    return Text.assemble((str(panel.seat), seat_style(panel.seat)), (text.rstrip(), style))


def _wrapped(value: str, width: int) -> str:
    """Return a value in lines of at most `width` columns, broken between entries of a list if possible."""
    lines = wrap(unbroken_entries(value), width, columns)
    return "\n".join(lines).replace(HARD_SPACE, " ")


def _seat(panel: Panel, width: int, renderer: Renderer, styler: Styler) -> list[str]:
    state = panel_state(panel)
    state_text = "" if state is None else f" ({renderer(state)})"
    score = f"  {panel.score}"
    room = width - columns(f"{panel.seat} {state_text}{score}")
    is_named = renderer.names.seat(panel.seat) is not None
    heading = comma_list([PlayerAt(panel.seat), panel.heading]) if is_named else panel.heading
    headline = cut(renderer(heading), room, columns) + state_text
    line = (
        f"{styler(str(panel.seat), seat_style(panel.seat))} "
        f"{styler(headline, HIGHLIGHT if panel.is_to_act else BOLD)}"
        f"{styler(score, BOLD)}"
    )
    return [line, *(f"  {row}" for row in _rows(panel.rows, width - 2, renderer, styler))]


def _rows(rows: Sequence[Row], width: int, renderer: Renderer, styler: Styler) -> list[str]:
    if not rows:
        return []
    labels = [wrap(renderer(label), width // 2, columns) for label, _ in rows]
    room = width - max(columns(line) for lines in labels for line in lines) - 2
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style=DIM, no_wrap=True)
    table.add_column(no_wrap=True)
    for lines, (_, value) in zip(labels, rows, strict=True):
        table.add_row("\n".join(lines), _wrapped(renderer(value), room))
    return styler.lines(table, width)
