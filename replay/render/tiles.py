"""The board in characters: staggered rows of tiles, laid like bricks.

A tile is as wide as the terminal allows, of an even number of columns so that every other row
can be shifted by half of it. Its first column is the gap to its neighbour, where the brackets
around what has changed stand. Large tiles have their coordinates in them; before a row of small
ones stand those of its first hex, and q counts on from there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from domain.hexes import Hex
from domain.scene import Cell, Piece, Scene
from replay.render.ansi import DIM, GILT, STRUCK, Ansi, ground_style, label_style, seat_style
from replay.render.glyphs import MARK
from replay.render.text_layout import columns
from replay.render.words import by_seat, clean, place


@dataclass(frozen=True, slots=True)
class _Size:
    """Columns (gap included) and lines of a tile, and whether its coordinates are in it."""

    across: int
    down: int
    coordinates: bool


_SIZES = (
    _Size(10, 3, coordinates=True),
    _Size(8, 3, coordinates=True),
    _Size(6, 3, coordinates=True),
    _Size(4, 2, coordinates=False),
    _Size(2, 1, coordinates=False),
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """The lines of the board, and the hexes on which something had to be left out."""

    lines: list[str]
    crowded: list[Hex]


@dataclass(frozen=True, slots=True)
class _Run:
    """Characters of one style, each one column wide."""

    chars: str
    style: str


_Grid = dict[tuple[int, int], _Run]
"""What stands at (column, line): runs of one character."""


def board_lines(
    scene: Scene, grounds: Mapping[str, str], kinds: Mapping[str, str], width: int, ansi: Ansi
) -> Drawn:
    """The board in the largest tiles that fit, in the smallest where none do.

    `grounds` and `kinds` give the sign of each ground and kind of piece.
    """
    if not scene.cells:
        return Drawn([], [])
    cells = sorted(scene.cells, key=lambda cell: (cell.at[1], cell.at[0]))
    # In half tiles from the left: a row further down begins half a tile later.
    left = min(2 * q + r for q, r in (cell.at for cell in cells))
    right = max(2 * q + r for q, r in (cell.at for cell in cells))
    rim = max(len(place(cell.at)) for cell in cells) + 1

    def taken(size: _Size) -> int:
        return (right - left + 2) * size.across // 2 + 1 + (0 if size.coordinates else rim)

    size = next((size for size in _SIZES if taken(size) <= width), _SIZES[-1])
    grid: _Grid = {}
    crowded = []
    top = row = cells[0].at[1] - 1
    for cell in cells:
        q, r = cell.at
        x = (2 * q + r - left) * size.across // 2
        y = (r - top - 1) * size.down
        if not size.coordinates:
            x += rim
            if r != row:
                _put(grid, 0, y, _Run(place(cell.at), DIM))
        row = r
        if not _tile(grid, cell, (x, y), size, grounds[cell.terrain], kinds):
            crowded.append(cell.at)
    return Drawn(_painted(grid, ansi), crowded)


def _put(grid: _Grid, x: int, y: int, run: _Run) -> None:
    for index, char in enumerate(run.chars):
        grid[x + index, y] = _Run(char, run.style)


def _tile(
    grid: _Grid, cell: Cell, at: tuple[int, int], size: _Size, sign: str, kinds: Mapping[str, str]
) -> bool:
    """One tile; false where something of it had to be left out."""
    x, y = at
    inner = size.across - 1
    ground = ground_style(cell.terrain)
    rows, whole = _rows(cell, kinds, inner, size.down - size.coordinates)
    if size.coordinates:
        head = place(cell.at)
        note = _narrow(cell.note)
        if note and len(head) + len(note) < inner:
            head = f"{head} {note}"
        elif note:
            whole = False
        rows = [[_Run(f"{head} "[:inner], label_style(cell.terrain))], *rows]
    else:
        whole = whole and not cell.note
        # Pieces at the foot, the ground above them.
        rows = [[] for _ in range(size.down - len(rows))] + rows
    for line in range(size.down):
        _put(grid, x + 1, y + line, _Run(sign * inner, ground))
        row = rows[line] if line < len(rows) else []
        used = _length(row)
        # One sign of the ground before the pieces, where there is room for it.
        across = x + 1 + (used < inner and (line > 0 or not size.coordinates))
        for run in row:
            _put(grid, across, y + line, run)
            across += len(run.chars) + 1
        # Around what was fought over in its first line, in every line where nothing changed.
        fought = cell.is_contested and not (line and cell.is_changed)
        if fought or cell.is_changed:
            # Two such neighbours share the column between them.
            shared = (x, y + line) in grid
            _put(grid, x, y + line, _Run("|" if shared else "(" if fought else "[", GILT))
            _put(grid, x + size.across, y + line, _Run(")" if fought else "]", GILT))
    return whole


def _length(row: Sequence[_Run]) -> int:
    """Columns of runs with one between each two."""
    return sum(len(run.chars) + 1 for run in row) - 1


def _rows(
    cell: Cell, kinds: Mapping[str, str], inner: int, most: int
) -> tuple[list[list[_Run]], bool]:
    """The pieces of a hex in at most so many rows, and whether that was room enough for all."""
    rows: list[list[_Run]] = []
    for run in _pieces(cell, kinds, inner):
        if not rows or _length([*rows[-1], run]) > inner:
            rows.append([])
        rows[-1].append(run)
    if len(rows) <= most and all(_length(row) <= inner for row in rows):
        return rows, True
    kept = [
        row if _length(row) <= inner else [_Run(row[0].chars[:inner], row[0].style)]
        for row in rows[:most]
    ]
    *before, last = kept[-1]
    room = inner - _length([*before, _Run("", "")])
    # A plus behind what is left; alone in a tile of one column it would hide the seat.
    cut = last.chars[: room - 1] + "+" if room > 1 else last.chars
    kept[-1] = [*before, _Run(cut, last.style)]
    return kept, False


def _pieces(cell: Cell, kinds: Mapping[str, str], inner: int) -> list[_Run]:
    """The pieces seat by seat, those that are gone behind the others, then marks; piece by piece
    where a seat's do not fit into one row.
    """
    runs = []
    for gone, pieces in ((False, cell.pieces), (True, cell.removed)):
        for seat, group in by_seat(pieces):
            style = f"{seat_style(seat)};{STRUCK}" if gone else seat_style(seat)
            head = f"{'x' if gone else ''}{seat}"
            each = [_piece(piece, kinds) for piece in group]
            joined = head + "".join(each)
            labels = [joined] if len(joined) <= inner else [head + label for label in each]
            runs += [_Run(label, style) for label in labels]
    return runs + [_Run(f"{MARK}{seat}", seat_style(seat)) for seat in cell.marks]


def _piece(piece: Piece, kinds: Mapping[str, str]) -> str:
    count = "" if piece.count == 1 else str(piece.count)
    note = f"={_narrow(piece.note)}" if piece.note else ""
    return f"{kinds[piece.kind]}{count}{note}"


def _narrow(text: str) -> str:
    """A note in characters of one column each, as the grid needs them."""
    return "".join(char if columns(char) == 1 else "?" for char in clean(text))


def _painted(grid: _Grid, ansi: Ansi) -> list[str]:
    """The grid as lines; neighbours of one style share their sequences."""
    lines = []
    width = max(x for x, _ in grid) + 1
    for y in range(max(y for _, y in grid) + 1):
        line, chars, style = "", "", ""
        for x in range(width):
            run = grid.get((x, y), _Run(" ", ""))
            if run.style != style:
                line += ansi(chars, style)
                chars, style = "", run.style
            chars += run.chars
        lines.append(line + ansi(chars, style))
    return lines
