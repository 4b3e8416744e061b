"""What a scene says in words, the same for a picture and a terminal.

Here: the sentence for one hex, counting things, and cleaning text that comes from outside. How text
is measured and broken into lines stands in `lettering`.
"""

import unicodedata
from itertools import groupby

from domain.hexes import Hex
from domain.scene import Cell, Piece, Scene

# Marks that turn the direction of writing: in a table or a caption they would reorder what others wrote.
_TURNING = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c")


def clean(text: str) -> str:
    """Text that is safe to show on one line: no control characters, no lone surrogates, no characters that
    XML forbids, nothing that turns the direction of writing; white space is single blanks.
    """
    kept = (
        "\ufffd"
        if unicodedata.category(char) in {"Cc", "Cs"} or ord(char) & 0xFFFE == 0xFFFE
        else char
        for char in " ".join(text.split())
        if char not in _TURNING
    )
    return "".join(kept)


def place(at: Hex) -> str:
    """A hex as people type it: `3,-2`."""
    return f"{at[0]},{at[1]}"


def spoken(name: str) -> str:
    """A name of the rules as a word: `mysterious_place` is a mysterious place."""
    return clean(name.replace("_", " "))


def counted(kind: str, count: int) -> str:
    """`village`, `2 villages`, `3 cities`."""
    word = spoken(kind)
    if count == 1:
        return word
    plural = f"{word[:-1]}ies" if word.endswith("y") and word[-2:-1] not in "aeiou" else f"{word}s"
    return f"{count} {plural}"


def by_seat(pieces: tuple[Piece, ...]) -> list[tuple[int, list[Piece]]]:
    """The pieces seat by seat, each seat's in the order given."""
    ordered = sorted(pieces, key=lambda piece: piece.seat)
    return [(seat, list(group)) for seat, group in groupby(ordered, key=lambda piece: piece.seat)]


def pieces_said(pieces: tuple[Piece, ...]) -> str:
    """`seat 0 city, 2 knights; seat 2 knight`."""
    return "; ".join(
        f"seat {seat} "
        + ", ".join(
            counted(piece.kind, piece.count) + (f" ({clean(piece.note)})" if piece.note else "")
            for piece in group
        )
        for seat, group in by_seat(pieces)
    )


def marks_said(seats: tuple[int, ...]) -> str:
    """`marked by seat 0, seat 2`."""
    return f"marked by {', '.join(f'seat {seat}' for seat in seats)}"


def cell_said(cell: Cell) -> str:
    """`plain 0,0: seat 1 city, 2 knights; gone: seat 0 village; just changed`."""
    parts = [pieces_said(cell.pieces)] if cell.pieces else []
    if cell.note:
        parts.append(clean(cell.note))
    if cell.marks:
        parts.append(marks_said(cell.marks))
    if cell.removed:
        parts.append(f"gone: {pieces_said(cell.removed)}")
    if cell.is_contested:
        parts.append("just fought over")
    if cell.is_changed:
        parts.append("just changed")
    ground = f"{spoken(cell.terrain)} {place(cell.at)}"
    return f"{ground}: {'; '.join(parts)}" if parts else ground


def scene_said(scene: Scene) -> str:
    """The scene without its board in a few sentences, for who does not see the picture."""
    sentences = [f"{counted('hex', 1) if len(scene.cells) == 1 else f'{len(scene.cells)} hexes'}."]
    for panel in scene.panels:
        state = ", out" if panel.is_out else ", to act" if panel.is_to_act else ""
        sentences.append(f"Seat {panel.seat}, {clean(panel.heading)}: {panel.score}{state}.")
    sentences += [f"Seat {w.seat} went {place(w.start)} to {place(w.end)}." for w in scene.arrows]
    if scene.caption:
        sentences.append(clean(scene.caption))
    return " ".join(sentences)
