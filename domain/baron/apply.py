"""`apply`: writes recorded facts into a state. It never refuses and never decides; the facts say all.

The shapes of the facts' data are in docs/formats.md and made in `domain.baron.decide` and its neighbours;
each is fixed once released.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from domain.baron.components import BARON, KNIGHT
from domain.baron.state import Player, State
from domain.contract import Json
from domain.hexes import hex_of


def _tile_drawn(state: State, data: Json) -> None:
    player = state.players[data["seat"]]
    player.honour -= data["cost"]
    player.reserve_size += 1
    if player.reserve is not None:
        player.reserve = tuple(sorted((*player.reserve, data["tile"])))
    slot = data["slot"]
    state.market = state.market[: slot - 1] + state.market[slot:]
    if data["refill"] is not None:
        state.market += (data["refill"],)
        state.pile_left -= 1


def _tile_placed(state: State, data: Json) -> None:
    state.lay(hex_of(data["at"]), data["tile"])
    _give_up(state.players[data["seat"]], data["tile"])


def _tile_discarded(state: State, data: Json) -> None:
    _give_up(state.players[data["seat"]], data["tile"])


def _give_up(player: Player, tile: str) -> None:
    """A tile leaves the reserve."""
    player.reserve_size -= 1
    if player.reserve is not None:
        left = list(player.reserve)
        left.remove(tile)
        player.reserve = tuple(left)


def _keep_placed(state: State, data: Json) -> None:
    state.keeps[hex_of(data["at"])] = (data["seat"], KNIGHT)
    state.players[data["seat"]].keeps -= 1


def _only_the_course(state: State, data: Json) -> None:
    """`TurnEnded`, `TurnForfeited`, departures: all they do stands in fields that any fact may have."""


def _game_finished(state: State, data: Json) -> None:
    state.ranking = data["ranking"]


EVENT_APPLIERS: Final[Mapping[str, Callable[[State, Json], None]]] = {
    "TileDrawn": _tile_drawn,
    "TilePlaced": _tile_placed,
    "TileDiscarded": _tile_discarded,
    "KeepPlaced": _keep_placed,
    "TurnEnded": _only_the_course,
    "TurnForfeited": _only_the_course,
    "PlayerResigned": _only_the_course,
    "PlayerRemoved": _only_the_course,
    "GameFinished": _game_finished,
}
"""What writes the data of each type of fact into a state, but for what any of them may bring about."""


def apply(state: State, type: str, data: Any) -> None:
    """Write a fact into a state that the caller owns."""
    EVENT_APPLIERS[type](state, data)
    apply_outcome(state, data)
    if "then" in data:
        _apply_course(state, data["then"])


def apply_outcome(state: State, data: Json) -> None:
    """What a fact brought about for keeps, honour and seats, in the fields that say so."""
    for barony in data.get("baronies", ()):
        at = hex_of(barony["at"])
        if barony["result"] == "established":
            state.keeps[at] = (barony["seat"], BARON)
            state.values[at] = barony["value"]
            for beaten in barony["beaten"]:
                fallen = hex_of(beaten["at"])
                del state.keeps[fallen], state.values[fallen]
        else:
            del state.keeps[at]
    for entry in data.get("honour", ()):
        state.players[entry["seat"]].honour += entry["change"]
    for entry in data.get("returned", ()):
        state.players[entry["seat"]].resting += entry["keeps"]
    if "out" in data:
        for seat in data["out"]["seats"]:
            player = state.players[seat]
            player.out = data["out"]["moment"]
            player.keeps = player.resting = player.reserve_size = 0
            player.reserve = ()


def _apply_course(state: State, then: Json) -> None:
    state.phase = then["phase"]
    state.round = then["round"]
    state.turn = then["turn"]
    state.to_act = then["to_act"]
    state.turns_left = tuple(then["turns_left"]) if "turns_left" in then else None
    for entry in then.get("rested", ()):
        player = state.players[entry["seat"]]
        player.resting -= entry["keeps"]
        player.keeps += entry["keeps"]
