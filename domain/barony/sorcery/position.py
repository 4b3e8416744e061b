"""The position of a game with Sorcery, written and read back. It has no secrets."""

from typing import Any

from domain.barony.position import fill
from domain.barony.position import position as base_position
from domain.barony.sorcery.state import SorceryBoard, SorceryState
from domain.contract import Json


def position(state: SorceryState, viewer: int | None) -> Any:
    """The whole state, the same for every viewer."""
    whole: Json = base_position(state, viewer)
    whole["sorcery"] = True
    whole["spells"] = list(state.spells)
    hexes = state.board.hexes
    for seat, player in enumerate(whole["players"]):
        player["magic"] = state.magic[seat]
        player["imprints"] = [list(hexes[hex]) for hex in state.imprints[seat]]
    return whole


def from_position(whole: Json, *, turn: int = 1, end_by_agreement: bool = False) -> SorceryState:
    """The state that a position shows. What a position does not tell is given beside it."""
    state = SorceryState(SorceryBoard.from_json(whole["board"]), len(whole["players"]))
    fill(state, whole, turn, end_by_agreement=end_by_agreement)
    index = state.board.index
    state.spells = tuple(whole["spells"])
    state.magic = [player["magic"] for player in whole["players"]]
    state.imprints = [
        tuple(index[q, r] for q, r in player["imprints"]) for player in whole["players"]
    ]
    return state
