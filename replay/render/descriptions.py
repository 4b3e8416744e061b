"""Descriptions of scenes in words: of hexes, as a table of all hexes, and the entries of the legend."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Final, TypeAlias

from domain.hexes import Hex
from domain.messages import (
    Message,
    PlayerAt,
    Term,
    Text,
    Value,
    comma_list,
    counted,
    hex_at,
    message,
    message_in,
    plural_message,
    semicolon_list,
)
from domain.scene import Cell, LegendEntry, Panel, Piece, Scene, Sign
from replay.language.catalogue import Catalogue
from replay.language.renderer import Renderer
from replay.language.text_layout import clean

PieceNames: TypeAlias = Mapping[str, Text]
"""What kinds of pieces are called, by kind."""
_CACHED_CELLS: Final = 2048
"""Hexes whose texts are cached for one language and the same names."""


def piece_names(scene: Scene) -> PieceNames:
    """Return the names that the scene's legend gives to kinds of pieces."""
    return {entry.kind: entry.meaning for entry in scene.legend if entry.sign == "piece"}


def coordinates(at: Hex) -> str:
    """Return the coordinates of a hex as a player types them: `3,-2`."""
    return f"{at[0]},{at[1]}"


def in_words(name: str) -> str:
    """Return a name in the rules as words: `mysterious_place` becomes `mysterious place`."""
    return clean(name.replace("_", " "))


def player_label(seat: int) -> Message:
    """Return the player of a seat as a label, for a heading or a list: the name, or `seat 1`."""
    return message("{player:label}", player=PlayerAt(seat))


def all_pieces(cell: Cell) -> tuple[Piece, ...]:
    """Return the pieces on a hex, and those that the last event removed from it."""
    return (*cell.pieces, *cell.removed)


def is_bare(cell: Cell) -> bool:
    """Return whether a hex has nothing but its terrain."""
    return cell == _bare_cell(cell.at, cell.terrain)


@lru_cache(maxsize=4096)
def _bare_cell(at: Hex, terrain: str) -> Cell:
    return Cell(at, terrain)


def by_seat(pieces: tuple[Piece, ...]) -> list[tuple[int, list[Piece]]]:
    """Return the pieces grouped by seat, each seat's in the given order."""
    ordered = sorted(pieces, key=lambda piece: piece.seat)
    return [(seat, list(group)) for seat, group in groupby(ordered, key=lambda piece: piece.seat)]


def describe_pieces(pieces: tuple[Piece, ...], names: PieceNames) -> Iterator[Message]:
    """Yield the pieces of each seat, such as `seat 0: city, 2 knights`."""
    for seat, group in by_seat(pieces):
        yield message(
            "{player:label}: {pieces}",
            player=PlayerAt(seat),
            pieces=comma_list(_describe_piece(piece, names) for piece in group),
        )


def describe_removed(pieces: tuple[Piece, ...], names: PieceNames) -> Iterator[Message]:
    """Yield the pieces of each seat that the last event removed, such as `lost by seat 0: 2 knights`."""
    for seat, group in by_seat(pieces):
        yield message(
            "lost by {player}: {pieces}",
            player=PlayerAt(seat),
            pieces=comma_list(_describe_piece(piece, names) for piece in group),
        )


def _describe_piece(piece: Piece, names: PieceNames) -> Value:
    name: Value = names.get(piece.kind) or in_words(piece.kind)
    if piece.count != 1:
        count = piece.count
        name = (
            counted(count, name)
            if isinstance(name, Term)
            else message("{name} ({count})", count=count, name=name)
        )
    return message("{piece} ({note})", piece=name, note=piece.note) if piece.note else name


def describe_marks(seats: tuple[int, ...]) -> Message:
    """Return a description of marks, such as `marked by seat 0, seat 2`."""
    return message("marked by {players}", players=comma_list(map(player_label, seats)))


def describe_cell(cell: Cell, names: PieceNames, terrains: Mapping[str, Text]) -> Value:
    """Return a description of a hex, such as `plain 0,0; seat 1: city, 2 knights; just changed`."""
    terrain = describe_terrain(cell, terrains)
    parts: list[Value] = [message("{terrain} {hex}", terrain=terrain, hex=hex_at(cell.at))]
    parts += describe_pieces(cell.pieces, names)
    parts += describe_signs(cell, names)
    return semicolon_list(parts)


def cell_texts(scene: Scene, renderer: Renderer) -> Callable[[Cell], str]:
    """Return a function that returns the description of a hex of the scene as text.

    Most hexes are the same in many scenes, so their texts are cached.
    """
    pieces, terrains = piece_names(scene), terrain_names(scene)
    meanings = tuple(
        # The text of a message is all that a description shows of it; a term has several forms.
        (kind, meaning if isinstance(meaning, Term) else renderer(meaning))
        for kind, meaning in (*pieces.items(), *terrains.items())
    )
    seats = {piece.seat for cell in scene.cells for piece in all_pieces(cell)}
    seats |= {seat for cell in scene.cells for seat in cell.marks}
    names = tuple((seat, renderer.names.seat(seat)) for seat in sorted(seats))
    texts = _cached_texts(renderer.catalogue, meanings, names)

    def text_of(cell: Cell) -> str:
        text = texts.get(cell)
        if text is None:
            text = renderer(describe_cell(cell, pieces, terrains))
            if len(texts) < _CACHED_CELLS:
                texts[cell] = text
        return text

    return text_of


@lru_cache(maxsize=32)
def _cached_texts(
    catalogue: Catalogue,
    meanings: tuple[tuple[str, Term | str], ...],
    names: tuple[tuple[int, str | None], ...],
) -> dict[Cell, str]:
    """Return the texts of hexes in a language, where kinds and players have these names."""
    return {}


def describe_terrain(cell: Cell, terrains: Mapping[str, Text]) -> Value:
    """Return what the terrain of a hex is called."""
    return terrains.get(cell.terrain) or in_words(cell.terrain)


def describe_signs(cell: Cell, names: PieceNames) -> Iterator[Value]:
    """Yield descriptions of all else that a hex has, such as `value 3` or `just changed`."""
    if cell.value:
        yield message("value {value}", value=cell.value)
    if cell.note:
        yield cell.note
    if cell.marks:
        yield describe_marks(cell.marks)
    yield from describe_removed(cell.removed, names)
    if cell.is_contested:
        yield message("just fought over")
    if cell.is_changed:
        yield message("just changed")


def describe_scene(scene: Scene, renderer: Renderer) -> str:
    """Return a description of the scene, except for its board, in a few sentences."""
    sentences = [plural_message("{count} hex.", "{count} hexes.", count=len(scene.cells))]
    sentences += map(_describe_panel, scene.panels)
    sentences += [
        message(
            "{player} moved from {start} to {end}.",
            player=PlayerAt(arrow.seat),
            start=hex_at(arrow.start),
            end=hex_at(arrow.end),
        )
        for arrow in scene.arrows
    ]
    if scene.caption is not None:
        sentences.append(message("{caption}.", caption=scene.caption))
    return " ".join(map(renderer.sentence, sentences))


def _describe_panel(panel: Panel) -> Message:
    player, heading, score = PlayerAt(panel.seat), panel.heading, panel.score
    if panel.is_out:
        return message(
            "{player:label}, {heading}: {score}, out of the game.",
            player=player,
            heading=heading,
            score=score,
        )
    if panel.is_to_act:
        return message(
            "{player:label}, {heading}: {score}, to act.",
            player=player,
            heading=heading,
            score=score,
        )
    return message(
        "{player:label}, {heading}: {score}.", player=player, heading=heading, score=score
    )


def panel_state(panel: Panel) -> Message | None:
    """Return whether the player of a panel is to act or out of the game; None if neither."""
    if panel.is_out:
        return message_in("state of a player", "out")
    return message_in("state of a player", "to act") if panel.is_to_act else None


_MEANINGS: Final[Mapping[Sign, Message]] = {
    "value": message("value of a hex"),
    "piece_note": message("value of a piece"),
    "note": message("note on a hex"),
    "mark": message("mark of a player"),
    "outline": message("hexes that belong together"),
    "contested": message("fought over in the last event"),
    "removed": message("removed in the last event"),
    "arrow": message("moved in the last event"),
    "changed": message("changed in the last event"),
}
"""What a sign means where the game does not explain it."""


def terrain_names(scene: Scene) -> Mapping[str, Text]:
    """Return the names that the scene's legend gives to terrains."""
    return {entry.kind: entry.meaning for entry in scene.legend if entry.sign == "terrain"}


def legend_entries(scene: Scene) -> list[LegendEntry]:
    """Return the entries for a scene's legend: first terrains, then pieces, then signs."""
    entries = [entry for entry in scene.legend if entry.sign in {"terrain", "piece"}]
    explained = {(entry.sign, entry.kind) for entry in entries}
    terrains = {cell.terrain for cell in scene.cells}
    kinds = {piece.kind for cell in scene.cells for piece in all_pieces(cell)}
    entries += [
        LegendEntry("terrain", _unexplained(name), kind=name)
        for name in sorted(terrains)
        if ("terrain", name) not in explained
    ]
    entries += [
        LegendEntry("piece", _unexplained(kind), kind=kind)
        for kind in sorted(kinds)
        if ("piece", kind) not in explained
    ]
    entries.sort(key=lambda entry: entry.sign != "terrain")
    present = _signs_in(scene)
    meanings = {**_MEANINGS, **{entry.sign: entry.meaning for entry in scene.legend}}
    return entries + [LegendEntry(sign, meanings[sign]) for sign in _MEANINGS if sign in present]


def _unexplained(name: str) -> Message:
    return message("{name}", name=in_words(name))


def legend_text(entry: LegendEntry, renderer: Renderer) -> str:
    """Return the meaning of an entry, with the value of what it explains."""
    meaning = renderer(entry.meaning)
    return f"{meaning} {renderer(entry.value)}" if entry.value else meaning


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


@dataclass(frozen=True, slots=True)
class TableRow:
    """A hex in words: its coordinates, its terrain, the pieces of each player, and everything else on it.

    `pieces` and `signs` are empty where there are none.
    """

    at: str
    terrain: str
    pieces: str
    signs: str


def table_rows(scene: Scene, renderer: Renderer) -> list[TableRow]:
    """Return a row for each hex of a scene, in rows of the board from top to bottom."""
    pieces, terrains = piece_names(scene), terrain_names(scene)
    return [
        TableRow(
            coordinates(cell.at),
            renderer.sentence(describe_terrain(cell, terrains)),
            renderer.sentence(semicolon_list(describe_pieces(cell.pieces, pieces))),
            renderer.sentence(semicolon_list(describe_signs(cell, pieces))),
        )
        for cell in sorted(scene.cells, key=lambda cell: (cell.at[1], cell.at[0]))
    ]
