"""The board in characters: rows of hexes, every other row shifted by half a hex, like bricks.

A hex is as wide as the terminal allows, an even number of columns. Its first column is the gap to its
neighbour, where the brackets around changed hexes stand. Large hexes contain their coordinates; before a
row of small ones stand those of its first hex, and q counts on from there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase, digits

from domain.hexes import Hex
from domain.scene import Cell, Piece, Scene
from replay.language.text_layout import clean, columns
from replay.render.descriptions import by_seat, coordinates
from replay.render.drawings import drawing_of, terrain_drawing
from replay.render.styles import (
    DIM,
    HIGHLIGHT,
    STRUCK,
    Styler,
    label_style,
    seat_style,
    terrain_style,
)

MARK = "*"
"""Stands before a seat that has left its mark on a hex; no terrain and no piece has this character."""


def terrain_glyphs(package: str, names: Iterable[str]) -> dict[str, str]:
    """Return a character for each terrain of a game: that of its drawing, or a letter that is free."""
    drawings = {name: terrain_drawing(package, name) for name in names}
    usual = {name: drawing.letter for name, drawing in drawings.items() if drawing is not None}
    return _glyphs(drawings, usual, ascii_lowercase + digits)


def piece_glyphs(package: str, kinds: Iterable[str]) -> dict[str, str]:
    """Return a capital letter for each kind of piece: that of its drawing, or one that is free."""
    drawings = {kind: drawing_of(package, kind) for kind in kinds}
    usual = {
        kind: drawing.letter for kind, drawing in drawings.items() if drawing and drawing.letter
    }
    return _glyphs(drawings, usual, ascii_uppercase)


def _glyphs(names: Iterable[str], usual: Mapping[str, str], spare: str) -> dict[str, str]:
    """Return a character for each name, no two the same as long as there are enough."""
    glyphs: dict[str, str] = {}
    for name in sorted(set(names), key=lambda name: (name not in usual, name)):
        letters = "".join(filter(str.isalpha, name))
        letters = letters.upper() if spare.isupper() else letters.lower()
        candidates = usual.get(name, "") + "".join(filter(str.isascii, letters)) + spare
        used = set(glyphs.values())
        glyphs[name] = next((glyph for glyph in candidates if glyph not in used), "?")
    return dict(sorted(glyphs.items()))


@dataclass(frozen=True, slots=True)
class _Size:
    """The columns (with the gap) and lines of a hex, and whether it contains its coordinates."""

    columns: int
    lines: int
    has_coordinates: bool


_SIZES = (
    _Size(10, 3, has_coordinates=True),
    _Size(8, 3, has_coordinates=True),
    _Size(6, 3, has_coordinates=True),
    _Size(4, 2, has_coordinates=False),
    _Size(2, 1, has_coordinates=False),
)


@dataclass(frozen=True, slots=True)
class TextBoard:
    """The lines of a board, and the hexes on which something had to be left out."""

    lines: list[str]
    crowded: list[Hex]


@dataclass(frozen=True, slots=True)
class _Run:
    """Characters of one style, each one column wide."""

    chars: str
    style: str


_Grid = dict[tuple[int, int], _Run]
"""The character at each (column, line), as a run of length 1."""


def draw_board(
    scene: Scene, terrains: Mapping[str, str], kinds: Mapping[str, str], width: int, styler: Styler
) -> TextBoard:
    """Return the board with the largest hexes that fit, or with the smallest if none do.

    `terrains` and `kinds` give the characters of terrains and of kinds of pieces.
    """
    if not scene.cells:
        return TextBoard([], [])
    cells = sorted(scene.cells, key=lambda cell: (cell.at[1], cell.at[0]))
    # In half hexes from the left: a row further down begins half a hex later.
    left = min(2 * q + r for q, r in (cell.at for cell in cells))
    right = max(2 * q + r for q, r in (cell.at for cell in cells))
    margin = max(len(coordinates(cell.at)) for cell in cells) + 1

    def board_width(size: _Size) -> int:
        return (right - left + 2) * size.columns // 2 + 1 + (0 if size.has_coordinates else margin)

    size = next((size for size in _SIZES if board_width(size) <= width), _SIZES[-1])
    grid: _Grid = {}
    crowded = []
    top = row = cells[0].at[1] - 1
    for cell in cells:
        q, r = cell.at
        x = (2 * q + r - left) * size.columns // 2
        y = (r - top - 1) * size.lines
        if not size.has_coordinates:
            x += margin
            if r != row:
                _put(grid, 0, y, _Run(coordinates(cell.at), DIM))
        row = r
        if not _draw_cell(grid, cell, (x, y), size, terrains[cell.terrain], kinds, scene.package):
            crowded.append(cell.at)
    return TextBoard(_styled_lines(grid, styler), crowded)


def _put(grid: _Grid, x: int, y: int, run: _Run) -> None:
    for index, char in enumerate(run.chars):
        grid[x + index, y] = _Run(char, run.style)


def _draw_cell(
    grid: _Grid,
    cell: Cell,
    at: tuple[int, int],
    size: _Size,
    glyph: str,
    kinds: Mapping[str, str],
    package: str,
) -> bool:
    """Draw a hex; return False if something had to be left out."""
    x, y = at
    inner = size.columns - 1
    rows, is_complete = _rows(cell, kinds, inner, size.lines - size.has_coordinates)
    if size.has_coordinates:
        head = coordinates(cell.at)
        note = _single_width(cell.note)
        if note and len(head) + len(note) < inner:
            head = f"{head} {note}"
        elif note:
            is_complete = False
        rows = [[_Run(f"{head} "[:inner], label_style(package, cell.terrain))], *rows]
    else:
        is_complete = is_complete and not cell.note
        # Pieces at the foot, the terrain above them.
        rows = [[] for _ in range(size.lines - len(rows))] + rows
    for line in range(size.lines):
        _put(grid, x + 1, y + line, _Run(glyph * inner, terrain_style(package, cell.terrain)))
        row = rows[line] if line < len(rows) else []
        length = _length(row)
        # One character of the terrain before the pieces, if there is room for it.
        column = x + 1 + (length < inner and (line > 0 or not size.has_coordinates))
        for run in row:
            _put(grid, column, y + line, run)
            column += len(run.chars) + 1
        # Round brackets in the first line of a contested hex, and in every line where nothing changed.
        is_round = cell.is_contested and not (line and cell.is_changed)
        if is_round or cell.is_changed:
            # Two such neighbours share the column between them.
            is_shared = (x, y + line) in grid
            left = "|" if is_shared else "(" if is_round else "["
            _put(grid, x, y + line, _Run(left, HIGHLIGHT))
            _put(grid, x + size.columns, y + line, _Run(")" if is_round else "]", HIGHLIGHT))
    return is_complete


def _length(row: Sequence[_Run]) -> int:
    return sum(len(run.chars) + 1 for run in row) - 1


def _rows(
    cell: Cell, kinds: Mapping[str, str], inner: int, max_rows: int
) -> tuple[list[list[_Run]], bool]:
    """Return the pieces of a hex in at most `max_rows` rows, and whether all of them have room there."""
    rows: list[list[_Run]] = []
    for run in _piece_runs(cell, kinds, inner):
        if not rows or _length([*rows[-1], run]) > inner:
            rows.append([])
        rows[-1].append(run)
    if len(rows) <= max_rows and all(_length(row) <= inner for row in rows):
        return rows, True
    shown = [
        row if _length(row) <= inner else [_Run(row[0].chars[:inner], row[0].style)]
        for row in rows[:max_rows]
    ]
    *before, last = shown[-1]
    room = inner - _length([*before, _Run("", "")])
    # A plus after what is left; alone in a hex of one column it would hide the seat.
    cut = last.chars[: room - 1] + "+" if room > 1 else last.chars
    shown[-1] = [*before, _Run(cut, last.style)]
    return shown, False


def _piece_runs(cell: Cell, kinds: Mapping[str, str], inner: int) -> list[_Run]:
    """Return the pieces of each seat, then removed pieces, then marks.

    A seat's pieces are one run, or a run each where one does not fit into a row.
    """
    runs = []
    for is_removed, pieces in ((False, cell.pieces), (True, cell.removed)):
        for seat, group in by_seat(pieces):
            style = f"{seat_style(seat)} {STRUCK}" if is_removed else seat_style(seat)
            head = f"{'x' if is_removed else ''}{seat}"
            each = [_piece(piece, kinds) for piece in group]
            together = head + "".join(each)
            labels = [together] if len(together) <= inner else [head + label for label in each]
            runs += [_Run(label, style) for label in labels]
    return runs + [_Run(f"{MARK}{seat}", seat_style(seat)) for seat in cell.marks]


def _piece(piece: Piece, kinds: Mapping[str, str]) -> str:
    count = "" if piece.count == 1 else str(piece.count)
    note = f"={_single_width(piece.note)}" if piece.note else ""
    return f"{kinds[piece.kind]}{count}{note}"


def _single_width(text: str) -> str:
    """Return a note in characters of one column each, as the grid needs them."""
    return "".join(char if columns(char) == 1 else "?" for char in clean(text))


def _styled_lines(grid: _Grid, styler: Styler) -> list[str]:
    """Return the grid as lines, in which neighbours of the same style are styled together."""
    lines = []
    width = max(x for x, _ in grid) + 1
    for y in range(max(y for _, y in grid) + 1):
        line, chars, style = "", "", ""
        for x in range(width):
            run = grid.get((x, y), _Run(" ", ""))
            if run.style != style:
                line += styler(chars, style)
                chars, style = "", run.style
            chars += run.chars
        lines.append(line + styler(chars, style))
    return lines
