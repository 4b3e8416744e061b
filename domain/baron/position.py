"""The position: the whole state as docs/formats.md has it, as a viewer may see it, and read back.

The order of the pile is in no position. A reserve is there for its owner, and for whoever looks at a game
that has ended; `state` in events is the hash of what a spectator sees while it is on.
"""

from typing import Any

from domain.baron.state import Player, State
from domain.contract import ALL_SECRETS, Json
from domain.hexes import hex_of


def position(state: State, viewer: int | None) -> Any:
    """The state as the seat `viewer` may see it; None: a spectator, ALL_SECRETS: when the game has ended."""
    left = state.turns_left
    whole: Json = {
        "rules": "baron",
        "phase": state.phase,
        "round": state.round,
        "to_act": state.to_act,
        "tiles": [{"at": list(at), "tile": tile} for at, tile in sorted(state.tiles.items())],
        "keeps": [
            {"at": list(at), "seat": seat, "side": side, "value": state.values.get(at)}
            for at, (seat, side) in sorted(state.keeps.items())
        ],
        "market": list(state.market),
        "pile": state.pile_left,
        "removed": list(state.removed),
        "players": [
            {
                "seat": seat,
                "status": "active" if player.out is None else "out",
                "out": player.out,
                "honour": player.honour,
                "keeps": player.keeps,
                "keeps_resting": player.resting,
                "turns_left": None if left is None else left[seat],
                "reserve": _shown(player) if viewer in (seat, ALL_SECRETS) else None,
                "reserve_size": player.reserve_size,
            }
            for seat, player in enumerate(state.players)
        ],
    }
    if state.ranking is not None:
        whole["ranking"] = state.ranking
    return whole


def _shown(player: Player) -> list[str] | None:
    """Null also for who may see it, where it was never opened."""
    return None if player.reserve is None else list(player.reserve)


def from_position(whole: Any, *, turn: int = 1) -> State:
    """The state that a position shows, with what it does not tell given beside it or unknown."""
    state = State([_player(entry) for entry in whole["players"]])
    state.phase, state.round, state.to_act = whole["phase"], whole["round"], whole["to_act"]
    state.turn = turn
    for entry in whole["tiles"]:
        state.lay(hex_of(entry["at"]), entry["tile"])
    for keep in whole["keeps"]:
        at = hex_of(keep["at"])
        state.keeps[at] = (keep["seat"], keep["side"])
        if keep["value"] is not None:
            state.values[at] = keep["value"]
    state.market, state.removed = tuple(whole["market"]), tuple(whole["removed"])
    state.pile_left = whole["pile"]
    left = tuple(entry["turns_left"] for entry in whole["players"])
    state.turns_left = None if None in left else left
    state.ranking = whole.get("ranking")
    return state


def _player(entry: Json) -> Player:
    player = Player(entry["keeps"], entry["reserve"], entry["reserve_size"])
    player.honour, player.resting = entry["honour"], entry["keeps_resting"]
    player.out = entry["out"]
    return player
