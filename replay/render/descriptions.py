"""Descriptions of scenes in words, and the entries of the legend, for pictures and the terminal."""

from collections.abc import Mapping
from itertools import groupby
from typing import TypeAlias

from domain.hexes import Hex
from domain.scene import Cell, LegendEntry, Piece, Scene, Sign
from replay.render.text_layout import clean

Names: TypeAlias = Mapping[str, str]
"""What kinds of pieces are called, by kind."""


def piece_names(scene: Scene) -> Names:
    """Return the names that the scene's legend gives to kinds of pieces."""
    return {entry.kind: clean(entry.meaning) for entry in scene.legend if entry.sign == "piece"}


def coordinates(at: Hex) -> str:
    """Return the coordinates of a hex as a player types them: `3,-2`."""
    return f"{at[0]},{at[1]}"


def in_words(name: str) -> str:
    """Return a name in the rules as words: `mysterious_place` becomes `mysterious place`."""
    return clean(name.replace("_", " "))


def with_count(word: str, count: int) -> str:
    """Return a word with its number, such as `2 villages` or `3 cities`; the word alone for 1."""
    if count == 1:
        return word
    plural = f"{word[:-1]}ies" if word.endswith("y") and word[-2:-1] not in "aeiou" else f"{word}s"
    return f"{count} {plural}"


def all_pieces(cell: Cell) -> tuple[Piece, ...]:
    """Return the pieces on a hex, and those that the last event removed from it."""
    return (*cell.pieces, *cell.removed)


def by_seat(pieces: tuple[Piece, ...]) -> list[tuple[int, list[Piece]]]:
    """Return the pieces grouped by seat, each seat's in the given order."""
    ordered = sorted(pieces, key=lambda piece: piece.seat)
    return [(seat, list(group)) for seat, group in groupby(ordered, key=lambda piece: piece.seat)]


def describe_pieces(pieces: tuple[Piece, ...], names: Names) -> str:
    """Return a description of pieces, such as `seat 0 city, 2 knights; seat 2 knight`."""
    return "; ".join(
        f"seat {seat} "
        + ", ".join(
            with_count(names.get(piece.kind) or in_words(piece.kind), piece.count)
            + (f" ({clean(piece.note)})" if piece.note else "")
            for piece in group
        )
        for seat, group in by_seat(pieces)
    )


def describe_marks(seats: tuple[int, ...]) -> str:
    """Return a description of marks, such as `marked by seat 0, seat 2`."""
    return f"marked by {', '.join(f'seat {seat}' for seat in seats)}"


def describe_cell(cell: Cell, names: Names) -> str:
    """Return a description of a hex, such as `plain 0,0: seat 1 city, 2 knights; just changed`."""
    parts = [describe_pieces(cell.pieces, names)] if cell.pieces else []
    if cell.value:
        parts.append(f"value {clean(cell.value)}")
    if cell.note:
        parts.append(clean(cell.note))
    if cell.marks:
        parts.append(describe_marks(cell.marks))
    if cell.removed:
        parts.append(f"removed: {describe_pieces(cell.removed, names)}")
    if cell.is_contested:
        parts.append("just fought over")
    if cell.is_changed:
        parts.append("just changed")
    terrain = f"{in_words(cell.terrain)} {coordinates(cell.at)}"
    return f"{terrain}: {'; '.join(parts)}" if parts else terrain


def describe_scene(scene: Scene) -> str:
    """Return a description of the scene, except for its board, in a few sentences."""
    sentences = ["1 hex." if len(scene.cells) == 1 else f"{len(scene.cells)} hexes."]
    for panel in scene.panels:
        state = ", out" if panel.is_out else ", to act" if panel.is_to_act else ""
        sentences.append(f"Seat {panel.seat}, {clean(panel.heading)}: {panel.score}{state}.")
    sentences += [
        f"Seat {arrow.seat} moved {coordinates(arrow.start)} to {coordinates(arrow.end)}."
        for arrow in scene.arrows
    ]
    if scene.caption:
        sentences.append(clean(scene.caption))
    return " ".join(sentences)


_MEANINGS: dict[Sign, str] = {
    "value": "value of a hex",
    "piece_note": "value of a piece",
    "note": "note on a hex",
    "mark": "mark of a seat",
    "outline": "hexes that belong together",
    "contested": "fought over in the last event",
    "removed": "removed in the last event",
    "arrow": "moved in the last event",
    "changed": "changed in the last event",
}
"""What a sign means where the game does not explain it."""


def legend_entries(scene: Scene) -> list[LegendEntry]:
    """Return the entries for a scene's legend: first terrains, then pieces, then signs."""
    entries = [entry for entry in scene.legend if entry.sign in {"terrain", "piece"}]
    explained = {(entry.sign, entry.kind) for entry in entries}
    terrains = {cell.terrain for cell in scene.cells}
    kinds = {piece.kind for cell in scene.cells for piece in all_pieces(cell)}
    entries += [
        LegendEntry("terrain", in_words(name), kind=name)
        for name in sorted(terrains)
        if ("terrain", name) not in explained
    ]
    entries += [
        LegendEntry("piece", in_words(kind), kind=kind)
        for kind in sorted(kinds)
        if ("piece", kind) not in explained
    ]
    entries.sort(key=lambda entry: entry.sign != "terrain")
    present = _signs_in(scene)
    meanings = _MEANINGS | {entry.sign: entry.meaning for entry in scene.legend}
    return entries + [LegendEntry(sign, meanings[sign]) for sign in _MEANINGS if sign in present]


def _signs_in(scene: Scene) -> set[Sign]:
    """Return the signs that a scene has, except terrains and pieces."""
    cells = scene.cells
    present: dict[Sign, bool] = {
        "value": any(cell.value for cell in cells),
        "piece_note": any(piece.note for cell in cells for piece in all_pieces(cell)),
        "note": any(cell.note for cell in cells),
        "mark": any(cell.marks for cell in cells),
        "outline": bool(scene.outlines),
        "contested": any(cell.is_contested for cell in cells),
        "removed": any(cell.removed for cell in cells),
        "arrow": bool(scene.arrows),
        "changed": any(cell.is_changed for cell in cells),
    }
    return {sign for sign, is_present in present.items() if is_present}
