"""How a player of Baron comes to an action step by step, and what an action would lead to.

    draw a tile       which slot of the market
    lay a tile        which tile, then where; or where, and then another tile than the one just drawn
    give up a tile    which tile
    put down a keep   on which meadow
    end the turn

Nothing here depends on what the seat that chooses may not know: the pile and the reserves of others.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, assert_never

from domain.baron.actions import (
    Action,
    DiscardTile,
    Draw,
    EndTurn,
    PlaceKeep,
    PlaceTile,
    parse_action_text,
)
from domain.baron.components import BONUS, COUNTS, MEADOW, SLOT_COSTS, TILES, VALUES
from domain.baron.decide import decide
from domain.baron.formats import BaronPosition, Tile
from domain.baron.legal import can_be_beside, free_meadows
from domain.baron.state import State
from domain.baron.terms import HONOUR, LABELS, TILE_TERMS, kinds
from domain.choices import COMMON_QUESTIONS, Choice, Preview, card, hex_choice
from domain.contract import Resign
from domain.errors import Malformed
from domain.hexes import Hex, hex_from_text, hex_of, neighbours
from domain.messages import Text, counted, hex_at, message

QUESTIONS: Final[Mapping[str, Text]] = {
    **COMMON_QUESTIONS,
    "slot": message("Which tile of the market do you take?"),
    "tile": message("Which tile of your reserve do you choose?"),
    "place": message("Where do you lay the tile?"),
    "given_up_tile": message("Which tile do you give up?"),
    "meadow": message("On which meadow do you put down a keep?"),
}


def choices(state: State, seat: int, action: Action, path: Sequence[Choice]) -> Sequence[Choice]:
    """The choices after those of `path` that lead on to the action; there is one way to every action."""
    return _choices_after_type(state, action)[len(path) - 1 : len(path)]


def _choices_after_type(state: State, action: Action) -> tuple[Choice, ...]:
    match action:
        case Draw(slot):
            return (card("slot", str(slot), state.market[slot - 1]),)
        case PlaceTile(tile, at):
            drawn = card("tile", tile, tile, is_default=tile == state.drawn)
            return (drawn, hex_choice("place", at))
        case DiscardTile(tile):
            return (card("given_up_tile", tile, tile),)
        case PlaceKeep(at):
            return (hex_choice("meadow", at),)
        case EndTurn() | Resign():
            return ()
        case _:
            assert_never(action)


def choice_message(position: BaronPosition, choice: Choice, path: Sequence[Choice]) -> Text:
    """The answer in words: what a tile costs or is worth, and what is around a hex."""
    match choice.question:
        case "action":
            return LABELS[choice.value]
        case "slot":
            return _slot_message(position, int(choice.value))
        case "place":
            return _place_message(position, hex_from_text(choice.value))
        case "meadow":
            return _meadow_message(position, hex_from_text(choice.value))
        case _:
            return _tile_message(choice.value)


def _slot_message(position: BaronPosition, slot: int) -> Text:
    """BN-DRW-1: the tile of a slot, with its price."""
    tile, cost = position["market"][slot - 1], SLOT_COSTS[slot - 1]
    if not cost:
        return message("{tile}, free of charge", tile=_tile_message(tile))
    return message("{tile}, for {honour}", tile=_tile_message(tile), honour=counted(cost, HONOUR))


def _tile_message(kind: str) -> Text:
    """BN-MAT-1: a tile with its value."""
    tile = next(tile for tile in TILES if tile == kind)
    return message("{tile} ({value})", tile=TILE_TERMS[tile], value=VALUES[tile])


def _place_message(position: BaronPosition, at: Hex) -> Text:
    """BN-LAY-3: an empty hex, with the tiles around it and the honour that a tile earns there."""
    adjacent = kinds(_tiles_around(position, at))
    bonus = BONUS.get(len(adjacent.items))
    if bonus is None:
        return message("{hex}, beside {tiles}", hex=hex_at(at), tiles=adjacent)
    return message(
        "{hex}, beside {tiles}, earning {honour}",
        hex=hex_at(at),
        tiles=adjacent,
        honour=counted(bonus, HONOUR),
    )


def _meadow_message(position: BaronPosition, at: Hex) -> Text:
    """BN-BAR-1: a meadow, with the number and the value of the tiles around it."""
    around = _tiles_around(position, at)
    return message(
        "{hex}, with {count} of 6 tiles around it, which are worth {value}",
        hex=hex_at(at),
        count=len(around),
        value=sum(VALUES[tile] for tile in around),
    )


def _tiles_around(position: BaronPosition, at: Hex) -> list[Tile]:
    near = frozenset(neighbours(at))
    return [entry["tile"] for entry in position["tiles"] if hex_of(entry["at"]) in near]


def action_for_choice(state: State, seat: int, path: Sequence[Choice], value: str) -> Action | None:
    """The simplest action that choosing `value` after the choices of `path` amounts to, allowed or not; None
    if there is none.

    A hex stands for laying a tile or for putting down a keep there, whatever kind of action was chosen.
    """
    answers = {choice.question: choice.value for choice in path}
    kind = answers.get("action")
    keep = _action_of(f"keep {value}")
    if isinstance(keep, PlaceKeep):
        if kind == PlaceKeep.type or (kind != PlaceTile.type and state.phase == "keep"):
            return keep
        return _placement(state, seat, answers.get("tile"), keep.at)
    match kind:
        case None:
            return _simplest_action(state, seat, value)
        case "draw":
            return _action_of(f"draw {value}")
        case "place_tile" if value in VALUES and "tile" not in answers:
            return _placement(state, seat, value)
        case "discard_tile":
            return _action_of(f"discard {value}")
        case _:
            return None


def _action_of(text: str) -> Action | None:
    """The action that a short form stands for; None if there is none."""
    try:
        return parse_action_text(text)
    except Malformed:
        return None


def _simplest_action(state: State, seat: int, type: str) -> Action | None:
    """The action of a type that is most likely to be allowed; None if there is no such type."""
    match type:
        case "draw":
            return Draw(1)
        case "place_tile":
            return _placement(state, seat)
        case "discard_tile":
            return DiscardTile(_own_tiles(state, seat)[0])
        case "place_keep":
            return PlaceKeep(next(iter(free_meadows(state)), min(state.tiles)))
        case "end_turn":
            return EndTurn()
        case "resign":
            return Resign()
        case _:
            return None


def _own_tiles(state: State, seat: int) -> tuple[Tile, ...]:
    """The tiles that the seat has; a meadow if it has none."""
    return state.players[seat].reserve or (MEADOW,)


def _placement(
    state: State, seat: int, tile: str | None = None, at: Hex | None = None
) -> PlaceTile:
    """BN-LAY: a tile on a hex, where the rules allow it if they allow any with the tile and the hex given."""
    tiles = [kind for kind in TILES if kind == tile] or sorted(set(_own_tiles(state, seat)))
    places = sorted(state.rim) if at is None else [at]
    for place in places:
        for kind in tiles:
            if place in state.rim and can_be_beside(kind, state.rim[place]):
                return PlaceTile(kind, place)
    return PlaceTile(tiles[0], places[0])


def actions_at_any_time(state: State, seat: int) -> Sequence[Action]:
    """BN-TRN-2: resigning, for a seat that is in the game while it is played."""
    is_playing = state.to_act is not None and state.players[seat].out is None
    return (Resign(),) if is_playing else ()


def preview(state: State, seat: int, action: Action) -> Preview:
    """What an action leads to, without the tile that refills the market. Raises what `decide` raises.

    It decides on a copy of the state that has nothing but what the seat knows; nothing is left in the pile
    of that copy when a tile is drawn.
    """
    visible = state.copy()
    visible.pile = None
    for other, player in enumerate(visible.players):
        if other != seat:
            player.reserve = None
    if not isinstance(action, Draw):
        return Preview(decide(visible, seat, action))
    visible.pile_left = 0
    event = decide(visible, seat, action)
    if not state.pile_left:
        return Preview(event)
    hidden = message("The tile that comes from the pile into the market is not known yet.")
    return Preview(event, hidden, {"refill": _possible_refills(state)})


def _possible_refills(state: State) -> list[Tile]:
    """BN-DRW-2: the kinds of tiles of which some are neither on the board, in the market nor removed."""
    visible = Counter((*state.tiles.values(), *state.market, *state.removed))
    return [kind for kind in TILES if visible[kind] < COUNTS[kind]]
