"""Scenes in words, the same for pictures and the terminal: descriptions, and the entries of the legend."""

from collections.abc import Mapping
from itertools import groupby
from typing import TypeAlias

from domain.hexes import Hex
from domain.scene import Cell, LegendEntry, Piece, Scene, Sign
from replay.render.text_layout import clean

Names: TypeAlias = Mapping[str, str]
"""What kinds of pieces are called, by kind."""


def piece_names(scene: Scene) -> Names:
    """The names that the scene's legend gives to kinds of pieces."""
    return {entry.kind: clean(entry.meaning) for entry in scene.legend if entry.sign == "piece"}


def coordinates(at: Hex) -> str:
    """A hex as a player types it: `3,-2`."""
    return f"{at[0]},{at[1]}"


def readable(name: str) -> str:
    """A name in the rules as words: `mysterious_place` becomes `mysterious place`."""
    return clean(name.replace("_", " "))


def counted(word: str, count: int) -> str:
    """`village`, `2 villages`, `3 cities`."""
    if count == 1:
        return word
    plural = f"{word[:-1]}ies" if word.endswith("y") and word[-2:-1] not in "aeiou" else f"{word}s"
    return f"{count} {plural}"


def all_pieces(cell: Cell) -> tuple[Piece, ...]:
    """The pieces on a hex, and those that the last event removed from it."""
    return (*cell.pieces, *cell.removed)


def by_seat(pieces: tuple[Piece, ...]) -> list[tuple[int, list[Piece]]]:
    """The pieces grouped by seat, each seat's in the given order."""
    ordered = sorted(pieces, key=lambda piece: piece.seat)
    return [(seat, list(group)) for seat, group in groupby(ordered, key=lambda piece: piece.seat)]


def describe_pieces(pieces: tuple[Piece, ...], names: Names) -> str:
    """`seat 0 city, 2 knights; seat 2 knight`."""
    return "; ".join(
        f"seat {seat} "
        + ", ".join(
            counted(names.get(piece.kind) or readable(piece.kind), piece.count)
            + (f" ({clean(piece.note)})" if piece.note else "")
            for piece in group
        )
        for seat, group in by_seat(pieces)
    )


def describe_marks(seats: tuple[int, ...]) -> str:
    """`marked by seat 0, seat 2`."""
    return f"marked by {', '.join(f'seat {seat}' for seat in seats)}"


def describe_cell(cell: Cell, names: Names) -> str:
    """`plain 0,0: seat 1 city, 2 knights; removed: seat 0 village; just changed`."""
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
    terrain = f"{readable(cell.terrain)} {coordinates(cell.at)}"
    return f"{terrain}: {'; '.join(parts)}" if parts else terrain


def describe_scene(scene: Scene) -> str:
    """The scene without its board in a few sentences."""
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


def explanations(scene: Scene) -> list[LegendEntry]:
    """The entries for a scene's legend: first terrains, then pieces, then signs."""
    entries = [entry for entry in scene.legend if entry.sign in {"terrain", "piece"}]
    explained = {(entry.sign, entry.kind) for entry in entries}
    terrains = {cell.terrain for cell in scene.cells}
    kinds = {piece.kind for cell in scene.cells for piece in all_pieces(cell)}
    entries += [
        LegendEntry("terrain", readable(name), kind=name)
        for name in sorted(terrains)
        if ("terrain", name) not in explained
    ]
    entries += [
        LegendEntry("piece", readable(kind), kind=kind)
        for kind in sorted(kinds)
        if ("piece", kind) not in explained
    ]
    entries.sort(key=lambda entry: entry.sign != "terrain")
    present = _signs_in(scene)
    meanings = _MEANINGS | {entry.sign: entry.meaning for entry in scene.legend}
    return entries + [LegendEntry(sign, meanings[sign]) for sign in _MEANINGS if sign in present]


def _signs_in(scene: Scene) -> set[Sign]:
    """The signs that a scene has, terrains and pieces aside."""
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
