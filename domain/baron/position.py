"""The position as docs/formats.md defines it, as a viewer may see it, and the state that a position shows.

No position contains the order of the pile. A reserve is visible to its owner, and to everyone once the game
has ended; `state` in an event is the hash of the position that a spectator sees during the game.
"""

from domain.baron.formats import BaronPosition, PlayerJson, Tile
from domain.baron.state import Player, State
from domain.contract import ALL_SECRETS
from domain.hexes import hex_of


def position(state: State, viewer: int | None) -> BaronPosition:
    """The position for the seat `viewer`; None: for a spectator, ALL_SECRETS: after the game has ended."""
    left = state.turns_left
    result: BaronPosition = {
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
                "reserve": _reserve(player) if viewer in (seat, ALL_SECRETS) else None,
                "reserve_size": player.reserve_size,
            }
            for seat, player in enumerate(state.players)
        ],
    }
    if state.ranking is not None:
        result["ranking"] = state.ranking
    return result


def _reserve(player: Player) -> list[Tile] | None:
    """The tiles; None if they were never opened, even for a viewer who may see them."""
    return None if player.reserve is None else list(player.reserve)


def from_position(position: BaronPosition, *, turn: int = 1) -> State:
    """The state that a position shows; `turn` is not part of a position, and the pile stays unknown."""
    state = State([_player(entry) for entry in position["players"]])
    state.phase, state.round, state.to_act = (
        position["phase"],
        position["round"],
        position["to_act"],
    )
    state.turn = turn
    for entry in position["tiles"]:
        state.lay_tile(hex_of(entry["at"]), entry["tile"])
    for keep in position["keeps"]:
        at = hex_of(keep["at"])
        state.keeps[at] = (keep["seat"], keep["side"])
        if keep["value"] is not None:
            state.values[at] = keep["value"]
    state.market, state.removed = tuple(position["market"]), tuple(position["removed"])
    state.pile_left = position["pile"]
    left = [player["turns_left"] for player in position["players"]]
    counted = tuple(turns for turns in left if turns is not None)
    state.turns_left = counted if len(counted) == len(left) else None
    state.ranking = position.get("ranking")
    return state


def _player(entry: PlayerJson) -> Player:
    player = Player(entry["keeps"], entry["reserve"], entry["reserve_size"])
    player.honour, player.resting = entry["honour"], entry["keeps_resting"]
    player.out = entry["out"]
    return player
