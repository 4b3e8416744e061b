"""The actions of Baron: as values, as JSON (docs/formats.md, Actions), and in short form.

    draw 2            lay vineyard 1,0      discard forest
    keep 1,0          end                   resign

`place vineyard 1,0`, `lay 1,0 vineyard`, `place 1,0` (a keep) and `pass` (no keep) are understood as well.
Only the form is checked here, never a board or a reserve; any other form breaks FORMAT.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final, Literal, TypeAlias

from domain.baron.components import SLOTS, TILES
from domain.baron.formats import BaronActionJson, Tile
from domain.contract import Resign
from domain.hexes import Hex, hex_pair, hex_text, json_from_text, number_from_text
from domain.json_fields import FieldReader, Parser, is_integer, parse_action_fields
from domain.json_types import JsonObject
from domain.messages import message


@dataclass(frozen=True, slots=True)
class Draw:
    """Take the tile of a market slot, counted from 1 (BN-DRW)."""

    type: ClassVar[Literal["draw"]] = "draw"
    slot: int


@dataclass(frozen=True, slots=True)
class PlaceTile:
    """Lay a tile of the reserve (BN-LAY-1)."""

    type: ClassVar[Literal["place_tile"]] = "place_tile"
    tile: Tile
    at: Hex


@dataclass(frozen=True, slots=True)
class DiscardTile:
    """Give up a tile, where none can be laid (BN-LAY-4)."""

    type: ClassVar[Literal["discard_tile"]] = "discard_tile"
    tile: Tile


@dataclass(frozen=True, slots=True)
class PlaceKeep:
    """Put a keep on a meadow (BN-KEP-1)."""

    type: ClassVar[Literal["place_keep"]] = "place_keep"
    at: Hex


@dataclass(frozen=True, slots=True)
class EndTurn:
    """End the turn without putting down a keep (BN-KEP-1)."""

    type: ClassVar[Literal["end_turn"]] = "end_turn"


Action: TypeAlias = Draw | PlaceTile | DiscardTile | PlaceKeep | EndTurn | Resign


class _BaronFields(FieldReader):
    """Reads the fields that only Baron's actions have."""

    def slot(self) -> int:
        value = self.raw.get("slot")
        if is_integer(value) and 1 <= value <= SLOTS:
            return value
        self.errors["slot"] = message("must be a market slot, 1 to {slots}", slots=SLOTS)
        return 1

    def tile(self) -> Tile:
        return self.word(self.raw.get("tile"), "tile", TILES)


ACTION_PARSERS: Final[Mapping[str, Parser[_BaronFields, Action]]] = {
    "draw": (["slot"], lambda fields: Draw(fields.slot())),
    "place_tile": (["tile", "at"], lambda fields: PlaceTile(fields.tile(), fields.hex("at"))),
    "discard_tile": (["tile"], lambda fields: DiscardTile(fields.tile())),
    "place_keep": (["at"], lambda fields: PlaceKeep(fields.hex("at"))),
    "end_turn": ([], lambda _: EndTurn()),
    "resign": ([], lambda _: Resign()),
}
"""By action type."""


parse_action: Final = partial(parse_action_fields, reader=_BaronFields, parsers=ACTION_PARSERS)
"""Returns the action that decoded JSON stands for. Raises Malformed, which names every wrong field."""


def action_to_json(action: Action) -> BaronActionJson:
    """The action as JSON."""
    match action:
        case Draw(slot):
            return {"type": "draw", "slot": slot}
        case PlaceTile(tile, at):
            return {"type": "place_tile", "tile": tile, "at": list(at)}
        case DiscardTile(tile):
            return {"type": "discard_tile", "tile": tile}
        case PlaceKeep(at):
            return {"type": "place_keep", "at": list(at)}
        case EndTurn():
            return {"type": "end_turn"}
        case Resign():
            return {"type": "resign"}


def action_text(action: Action) -> str:
    """The action in short form."""
    match action:
        case Draw(slot):
            return f"draw {slot}"
        case PlaceTile(tile, at):
            return f"lay {tile} {hex_text(at)}"
        case DiscardTile(tile):
            return f"discard {tile}"
        case PlaceKeep(at):
            return f"keep {hex_text(at)}"
        case EndTurn():
            return "end"
        case Resign():
            return "resign"


def parse_action_text(text: str) -> Action:
    """The action that the short form stands for. Raises Malformed."""
    return parse_action(json_from_text(text, _json_from_words))


def _json_from_words(word: str, others: list[str]) -> JsonObject:
    """The JSON of a short form, split into words. Raises ValueError."""
    match word, others:
        case "draw", [slot]:
            return {"type": "draw", "slot": number_from_text(slot)}
        case "lay" | "place", [at, tile] if "," in at:
            return {"type": "place_tile", "tile": tile, "at": hex_pair(at)}
        case "lay" | "place", [tile, at]:
            return {"type": "place_tile", "tile": tile, "at": hex_pair(at)}
        case "discard", [tile]:
            return {"type": "discard_tile", "tile": tile}
        case "keep" | "place", [at]:
            return {"type": "place_keep", "at": hex_pair(at)}
        case "end" | "pass", []:
            return {"type": "end_turn"}
        case "resign", []:
            return {"type": "resign"}
        case _:
            raise ValueError(word)
