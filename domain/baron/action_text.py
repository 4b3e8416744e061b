"""The short text of actions, as people type and read it: `lay vineyard 1,0`.

draw 2            lay vineyard 1,0      discard forest
keep 1,0          end                   resign
"""

from domain.baron.action_json import parse_action
from domain.baron.actions import Action, DiscardTile, Draw, EndTurn, PlaceKeep, PlaceTile
from domain.contract import Json, Resign
from domain.hex_text import hex_pair, hex_text, json_from_text, number_from_text


def action_text(action: Action) -> str:
    """The action in short form; `parse_action_text` reads it back."""
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
    return parse_action(json_from_text(text, _read))


def _read(word: str, rest: list[str]) -> Json:
    """The JSON of a short form in words. Raises ValueError."""
    match word, rest:
        case "draw", [slot]:
            return {"type": "draw", "slot": number_from_text(slot)}
        case "lay", [tile, at]:
            return {"type": "place_tile", "tile": tile, "at": hex_pair(at)}
        case "discard", [tile]:
            return {"type": "discard_tile", "tile": tile}
        case "keep", [at]:
            return {"type": "place_keep", "at": hex_pair(at)}
        case "end", []:
            return {"type": "end_turn"}
        case "resign", []:
            return {"type": "resign"}
        case _:
            raise ValueError(word)
