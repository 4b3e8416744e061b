"""The choices by which a player of Baron comes to an action (`domain.choices`)."""

from collections.abc import Mapping, Sequence
from typing import Final, assert_never, cast

from domain.baron.actions import Action, DiscardTile, Draw, EndTurn, PlaceKeep, PlaceTile
from domain.baron.components import SLOT_COSTS, TILES
from domain.baron.decide import decide
from domain.baron.formats import BaronPosition, TileDrawn
from domain.baron.labels import LABELS
from domain.baron.state import State
from domain.baron.terms import HONOUR, TILE_TERMS
from domain.choices import COMMON_QUESTIONS, Choice, Preview, card, hex_choice
from domain.contract import DomainEvent, Resign
from domain.hex_text import hex_from_text
from domain.messages import Text, counted, hex_at, message

QUESTIONS: Final[Mapping[str, Text]] = {
    **COMMON_QUESTIONS,
    "slot": message("Which tile of the market do you take?"),
    "tile": message("Which tile of your reserve do you choose?"),
    "place": message("Where do you lay the tile?"),
    "meadow": message("On which meadow do you put down a keep?"),
}


def choices(state: State, seat: int, action: Action, path: Sequence[Choice]) -> Sequence[Choice]:
    """The choices after those of `path` that lead on to the action."""
    return _sequence(state, action)[len(path) - 1 : len(path)]


def _sequence(state: State, action: Action) -> tuple[Choice, ...]:
    """The choices after the type of the action."""
    match action:
        case Draw(slot):
            return (card("slot", str(slot), state.market[slot - 1]),)
        case PlaceTile(tile, at):
            return (card("tile", tile, tile), hex_choice("place", at))
        case DiscardTile(tile):
            return (card("tile", tile, tile),)
        case PlaceKeep(at):
            return (hex_choice("meadow", at),)
        case EndTurn() | Resign():
            return ()
        case _:
            assert_never(action)


def choice_message(position: BaronPosition, choice: Choice, path: Sequence[Choice]) -> Text:
    """The choice after those of `path` in words."""
    match choice.question:
        case "slot":
            slot = int(choice.value)
            return message(
                "{tile:the} of slot {slot}, for {honour}",
                tile=TILE_TERMS[position["market"][slot - 1]],
                slot=slot,
                honour=counted(SLOT_COSTS[slot - 1], HONOUR),
            )
        case "place" | "meadow":
            return message("on {hex}", hex=hex_at(choice.at or ()))
        case _:
            return LABELS[choice.value]


def attempt(state: State, seat: int, path: Sequence[Choice], value: str) -> Action | None:
    """The simplest action that choosing `value` after the choices of `path` amounts to."""
    words = [choice.value for choice in path] + [value]
    try:
        match words:
            case ["draw", slot] if slot in ("1", "2", "3"):
                return Draw(int(slot))
            case ["place_tile", tile, at] if tile in TILES:
                return PlaceTile(tile, hex_from_text(at))
            case ["discard_tile", tile] if tile in TILES:
                return DiscardTile(tile)
            case ["place_keep", at]:
                return PlaceKeep(hex_from_text(at))
            case ["end_turn"]:
                return EndTurn()
            case ["resign"]:
                return Resign()
            case _:
                return None
    except ValueError:  # the value of a hex or of a number
        return None


def actions_at_any_time(state: State, seat: int) -> Sequence[Action]:
    """BN-END-4: resigning, as long as the seat is in the game and play is not over."""
    return [] if state.to_act is None or state.players[seat].out is not None else [Resign()]


def preview(state: State, seat: int, action: Action) -> Preview:
    """What the action leads to, without the tile that refills the market. Raises what `decide` raises."""
    event = decide(state, seat, action)
    if not isinstance(action, Draw) or not state.pile_left:
        return Preview(event)
    data = cast("TileDrawn", {**event.data, "refill": None})
    return Preview(
        DomainEvent(event.type, data),
        message("The tile that comes from the pile into the market is not known yet."),
    )
