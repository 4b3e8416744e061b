"""One pure function, `text`: a scene for a terminal, or for anything that shows plain text.

Here the page is composed and the table of the seats is set; `tiles` draws the board in characters,
`letters` has the signs.
"""

from collections import Counter
from collections.abc import Sequence

from domain.scene import Panel, Scene
from replay.render.ansi import BOLD, DIM, GILT, STRUCK, Ansi, ground_style, seat_style
from replay.render.glyphs import MARK, ground_signs, piece_signs
from replay.render.text_layout import columns, cut, wrap
from replay.render.tiles import board_lines
from replay.render.words import clean, marks_said, pieces_said, place, spoken

_USUAL_WIDTH = 100
_NARROWEST = 20
_HARD = "\xa0"
"""A blank that no line is broken at; it is shown as any other."""
_LEAST_COLUMN = 13
"""A seat's column in the table; where there is less, the seats stand under each other."""


def text(scene: Scene, *, colour: bool, width: int | None) -> str:
    """The scene in lines of at most `width` columns (None: 100), ending with a line feed.

    With `colour` ANSI sequences of the 256 colours are used, grounds and seats with background and
    ink both set, so that it reads on dark and on light terminals; without, nothing but characters:
    a seat is its number, a piece its capital (`0CK3`: seat 0, a city and three knights), a ground
    fills its hex with its sign. What the last event changed stands in brackets, what was fought over
    in round ones, what it took away behind an `x`; a seat whose mark lies on a hex stands behind an
    asterisk. A board that is too wide even in its most compact form is wider than `width`; nothing
    else is.
    """
    wide = max(width or _USUAL_WIDTH, _NARROWEST)
    ansi = Ansi(colour)
    grounds = ground_signs(cell.terrain for cell in scene.cells)
    kinds = piece_signs(p.kind for cell in scene.cells for p in (*cell.pieces, *cell.removed))
    marks = {"mark of a seat": MARK} if any(cell.marks for cell in scene.cells) else {}
    if any(cell.is_contested for cell in scene.cells):
        marks["fought over"] = "()"
    drawn = board_lines(scene, grounds, kinds, wide, ansi)
    parts = [
        [ansi(line, BOLD) for line in wrap(clean(scene.title), wide, columns) if line],
        drawn.lines,
        _legend(grounds, kinds | marks, wide, ansi),
        [line for at in drawn.crowded for line in _crowded(scene, at, wide)],
        _marks(scene, wide),
        _seats(scene.panels, wide, ansi),
        _rows(scene.common_rows, wide, ansi),
        wrap(clean(scene.caption), wide, columns) if scene.caption else [],
    ]
    return "\n\n".join("\n".join(line.rstrip() for line in part) for part in parts if part) + "\n"


def _legend(grounds: dict[str, str], kinds: dict[str, str], width: int, ansi: Ansi) -> list[str]:
    """What the signs stand for, those of grounds in the grounds' colours."""
    if not (grounds or kinds):
        return []
    styles = {sign: ground_style(name) for name, sign in grounds.items()}
    entries = [
        f" {sign} {cut(spoken(name), width - 4, columns)} ".replace(" ", _HARD)
        for name, sign in (*grounds.items(), *kinds.items())
    ]
    return [
        " ".join(
            ansi(entry[:3], styles.get(entry[1], BOLD)) + ansi(entry[3:], DIM)
            for entry in line.split(" ")
        ).replace(_HARD, " ")
        for line in wrap(" ".join(entries), width, columns)
    ]


def _crowded(scene: Scene, at: tuple[int, int], width: int) -> list[str]:
    """A hex whose pieces did not fit, in words."""
    cell = next(cell for cell in scene.cells if cell.at == at)
    said = [pieces_said(cell.pieces)] if cell.pieces else []
    said += [f"gone: {pieces_said(cell.removed)}"] if cell.removed else []
    said += [clean(cell.note)] if cell.note else []
    said += [marks_said(cell.marks)] if cell.marks else []
    return wrap(f"+ {place(at)}: {'; '.join(said)}", width, columns)


def _marks(scene: Scene, width: int) -> list[str]:
    """Ways and borders, which characters cannot draw."""
    lines = []
    if scene.arrows:
        ways = (
            f"{place(way.start)} > {place(way.end)} (seat {way.seat}{f' x{n}' if n > 1 else ''})"
            for way, n in Counter(scene.arrows).items()
        )
        lines += wrap(f"ways: {', '.join(ways)}", width, columns)
    for outline in scene.outlines:
        note = f" ({clean(outline.note)})" if outline.note else ""
        hexes = " ".join(place(at) for at in outline.hexes)
        lines += wrap(f"border of seat {outline.seat}{note}: {hexes}", width, columns)
    return lines


def _padded(text: str, width: int) -> str:
    return text + " " * max(width - columns(text), 0)


def _seats(panels: Sequence[Panel], width: int, ansi: Ansi) -> list[str]:
    """The seats as the columns of a table, the labels of their facts as its rows."""
    if not panels:
        return []
    labels = list(dict.fromkeys(label for panel in panels for label, _ in panel.rows))
    first = max([columns(clean(label)) for label in labels] + [5])
    room = (width - first) // len(panels) - 2
    if room < _LEAST_COLUMN:
        return _stacked(panels, width, ansi)
    table: list[tuple[str, list[list[str]]]] = [
        ("seat", [[_state(panel)] for panel in panels]),
        ("", [wrap(clean(panel.heading), room, columns, 2) for panel in panels]),
        ("score", [[str(panel.score)] for panel in panels]),
    ]
    for label in labels:
        values = [", ".join(v for name, v in panel.rows if name == label) for panel in panels]
        table.append((clean(label), [wrap(_listed(clean(v)), room, columns) for v in values]))
    wide = [
        max(columns(line) for _, cells in table for line in cells[index])
        for index in range(len(panels))
    ]
    lines = []
    for row, (label, cells) in enumerate(table):
        for index in range(max(map(len, cells))):
            line = ansi(_padded("" if index else label, first), DIM)
            for panel, cell, room_taken in zip(panels, cells, wide, strict=True):
                piece = _padded(cell[index] if index < len(cell) else "", room_taken)
                line += "  " + _styled(piece.replace(_HARD, " "), row, panel, ansi)
            lines.append(line)
    return lines


def _state(panel: Panel) -> str:
    return (
        f"{panel.seat} {'out' if panel.is_out else '> to act' if panel.is_to_act else ''}".rstrip()
    )


def _styled(piece: str, row: int, panel: Panel, ansi: Ansi) -> str:
    """A cell of the table: the seat's colours on its number, weight on its name and score."""
    if row == 0:
        number = str(panel.seat)
        state = piece[len(number) :].rstrip()
        blanks = piece[len(number) + len(state) :]
        marked = ansi(state, GILT if panel.is_to_act else DIM)
        return ansi(number, seat_style(panel.seat)) + marked + blanks
    if row in {1, 2}:
        return ansi(piece, STRUCK if panel.is_out and row == 1 else BOLD)
    return ansi(piece, DIM) if panel.is_out else piece


def _stacked(panels: Sequence[Panel], width: int, ansi: Ansi) -> list[str]:
    """The seats under each other, for a narrow terminal."""
    lines: list[str] = []
    for panel in panels:
        number = str(panel.seat)
        state = " (out)" if panel.is_out else " (to act)" if panel.is_to_act else ""
        score = str(panel.score)
        name = cut(clean(panel.heading), width - columns(number + state + score) - 3, columns)
        rest = ansi(f"{name}{state}", GILT if panel.is_to_act else BOLD)
        lines.append(f"{ansi(number, seat_style(panel.seat))} {rest}  {ansi(score, BOLD)}")
        lines += [f"  {line}" for line in _rows(panel.rows, width - 2, ansi)]
    return lines


def _listed(value: str) -> str:
    """A list with commas, to be broken rather between its entries than in them."""
    return ", ".join(part.replace(" ", _HARD) for part in value.split(", "))


def _rows(facts: Sequence[tuple[str, str]], width: int, ansi: Ansi) -> list[str]:
    """(label, value) rows with the labels in a column of their own."""
    if not facts:
        return []
    names = [cut(clean(label), width // 2, columns) for label, _ in facts]
    first = max(map(columns, names))
    lines = []
    for name, (_, value) in zip(names, facts, strict=True):
        for index, line in enumerate(wrap(_listed(clean(value)), width - first - 2, columns)):
            label = ansi(_padded("" if index else name, first), DIM)
            lines.append(f"{label}  {line}".replace(_HARD, " "))
    return lines
