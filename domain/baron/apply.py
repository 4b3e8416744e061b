"""`apply`: writes recorded events into a state. It never refuses and never decides.

The data of each event are described in docs/formats.md and typed in `domain.baron.formats`; their form is
fixed once released.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from domain.baron.components import BARON, KNIGHT
from domain.baron.formats import (
    Consequences,
    GoingOut,
    KeepPlaced,
    PlayerResigned,
    Result,
    Then,
    Tile,
    TileDiscarded,
    TileDrawn,
    TilePlaced,
    TurnEnded,
)
from domain.baron.state import Player, State
from domain.event import EventData
from domain.hexes import Hex, hex_of


def _tile_drawn(state: State, data: TileDrawn) -> None:
    player = state.players[data["seat"]]
    player.honour -= data["cost"]
    player.reserve_size += 1
    if player.reserve is not None:
        player.reserve = tuple(sorted((*player.reserve, data["tile"])))
    slot, refill = data["slot"], data["refill"]
    state.market = state.market[: slot - 1] + state.market[slot:]
    if refill is not None:
        state.market += (refill,)
        state.pile_left -= 1
    _apply_then(state, data["then"])


def _tile_placed(state: State, data: TilePlaced) -> None:
    place_tile(state, data["seat"], hex_of(data["at"]), data["tile"])
    apply_consequences(state, data)
    _apply_then(state, data["then"])


def _tile_discarded(state: State, data: TileDiscarded) -> None:
    _take_from_reserve(state.players[data["seat"]], data["tile"])
    _apply_then(state, data["then"])


def _keep_placed(state: State, data: KeepPlaced) -> None:
    place_keep(state, data["seat"], hex_of(data["at"]))
    apply_consequences(state, data)
    _apply_then(state, data["then"])


def _turn_ended(state: State, data: TurnEnded) -> None:
    _apply_then(state, data["then"])


def _player_departed(state: State, data: PlayerResigned) -> None:
    go_out(state, data["out"])
    _apply_then(state, data["then"])


def _game_finished(state: State, data: Result) -> None:
    apply_consequences(state, data)
    state.ranking = data["ranking"]
    _apply_then(state, data["then"])


def place_tile(state: State, seat: int, at: Hex, tile: Tile) -> None:
    """Lay a tile of the seat's reserve."""
    state.lay_tile(at, tile)
    _take_from_reserve(state.players[seat], tile)


def _take_from_reserve(player: Player, tile: Tile) -> None:
    player.reserve_size -= 1
    if player.reserve is not None:
        reserve = list(player.reserve)
        reserve.remove(tile)
        player.reserve = tuple(reserve)


def place_keep(state: State, seat: int, at: Hex) -> None:
    """Put down a keep of the seat, knight side up."""
    state.keeps[at] = (seat, KNIGHT)
    state.players[seat].keeps -= 1


def apply_consequences(state: State, data: Consequences) -> None:
    """Change keeps, honour and seats by what a tile, a keep or the end of the game leads to."""
    for result in data.get("baronies", ()):
        at = hex_of(result["at"])
        if result["result"] == "established":
            state.keeps[at] = (result["seat"], BARON)
            state.values[at] = result["value"]
            for beaten in result["beaten"]:
                baron = hex_of(beaten["at"])
                del state.keeps[baron], state.values[baron]
        else:
            del state.keeps[at]
    for change in data.get("honour", ()):
        state.players[change["seat"]].honour += change["change"]
    for returned in data.get("returned", ()):
        state.players[returned["seat"]].resting += returned["keeps"]
    if "out" in data:
        go_out(state, data["out"])


def go_out(state: State, out: GoingOut) -> None:
    """Let seats go out of the game together, with everything in their reserves."""
    for seat in out["seats"]:
        player = state.players[seat]
        player.out = out["moment"]
        player.keeps = player.resting = player.reserve_size = 0
        player.reserve = ()


def _apply_then(state: State, then: Then) -> None:
    state.phase = then["phase"]
    state.round = then["round"]
    state.turn = then["turn"]
    state.to_act = then["to_act"]
    state.turns_left = tuple(then["turns_left"]) if "turns_left" in then else None
    for entry in then.get("rested", ()):
        player = state.players[entry["seat"]]
        player.resting -= entry["keeps"]
        player.keeps += entry["keeps"]


EVENT_APPLIERS: Final[Mapping[str, Callable[[State, Any], None]]] = {
    "TileDrawn": _tile_drawn,
    "TilePlaced": _tile_placed,
    "TileDiscarded": _tile_discarded,
    "KeepPlaced": _keep_placed,
    "TurnEnded": _turn_ended,
    "TurnForfeited": _turn_ended,
    "PlayerResigned": _player_departed,
    "PlayerRemoved": _player_departed,
    "GameFinished": _game_finished,
}
"""By event type. The data is Any in this table alone: the type of an event determines the TypedDict of its
data, as `formats.EVENTS` states; a test compares the two.
"""


def apply(state: State, type: str, data: EventData) -> None:
    """Write a recorded event into a state that the caller owns."""
    EVENT_APPLIERS[type](state, data)
