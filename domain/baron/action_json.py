"""The form of actions: JSON to values and back (docs/formats.md, Actions). What is not of it breaks FORMAT.

Only the form is looked at, never a board or a reserve.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from domain.baron.actions import Action, DiscardTile, Draw, EndTurn, PlaceKeep, PlaceTile
from domain.baron.components import SLOTS, TILES
from domain.contract import Json, Resign
from domain.json_fields import FieldReader, is_integer, parse_action_fields


class BaronForm(FieldReader):
    """Reads the fields that only Baron's actions have."""

    def slot(self) -> int:
        """The field `slot`."""
        value = self.raw.get("slot")
        if is_integer(value) and 1 <= value <= SLOTS:
            return value
        self.errors["slot"] = f"must be a market slot, 1 to {SLOTS}"
        return 1

    def tile(self) -> str:
        """The field `tile`."""
        return self.word(self.raw.get("tile"), "tile", TILES)


FORMS: Final[Mapping[str, Callable[[BaronForm], Action]]] = {
    "draw": lambda form: Draw(form.allow("slot").slot()),
    "place_tile": lambda form: PlaceTile(form.allow("tile", "at").tile(), form.hex("at")),
    "discard_tile": lambda form: DiscardTile(form.allow("tile").tile()),
    "place_keep": lambda form: PlaceKeep(form.allow("at").hex("at")),
    "end_turn": lambda form: form.without_fields(EndTurn()),
    "resign": lambda form: form.without_fields(Resign()),
}
"""What reads an action of each type."""


def parse_action(raw: object) -> Action:
    """The action that decoded JSON stands for. Raises Malformed with every wrong field."""
    action: Action = parse_action_fields(raw, BaronForm, FORMS)
    return action


def action_to_json(action: Action) -> Any:
    """The action as JSON."""
    raw: Json = {"type": action.type}
    match action:
        case Draw(slot):
            raw["slot"] = slot
        case PlaceTile(tile, at):
            raw.update(tile=tile, at=list(at))
        case DiscardTile(tile):
            raw["tile"] = tile
        case PlaceKeep(at):
            raw["at"] = list(at)
        case EndTurn() | Resign():
            pass
    return raw
