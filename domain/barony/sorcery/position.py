"""The position, the standings and the ranking of a game with Sorcery. It has no secrets."""

from domain.barony.formats import BaronyPosition
from domain.barony.position import position as base_position
from domain.barony.position import with_position
from domain.barony.scoring import final_score, finish_with
from domain.barony.scoring import standings as base_standings
from domain.barony.sorcery.components import POINTS_AN_IMPRINT
from domain.barony.sorcery.formats import SorceryStanding
from domain.barony.sorcery.state import SorceryBoard, SorceryState
from domain.contract import DomainEvent
from domain.hexes import hex_of


def position(state: SorceryState, viewer: int | None) -> BaronyPosition:
    """The whole state, the same for every viewer."""
    whole = base_position(state, viewer)
    whole["sorcery"] = True
    whole["spells"] = list(state.spells)
    hexes = state.board.hexes
    for seat, player in enumerate(whole["players"]):
        player["magic"] = state.magic[seat]
        player["imprints"] = [list(hexes[hex]) for hex in state.imprints[seat]]
    return whole


def from_position(position: BaronyPosition) -> SorceryState:
    """The state that a position shows; the number of turns is not part of a position."""
    board = SorceryBoard.from_json(position["board"])
    state = with_position(SorceryState(board, len(position["players"])), position)
    state.spells = tuple(position["spells"])
    state.magic = [player["magic"] for player in position["players"]]
    state.imprints = [
        tuple(board.index[hex_of(at)] for at in player["imprints"])
        for player in position["players"]
    ]
    return state


def imprint_points(state: SorceryState, seat: int) -> int:
    """BS-MYS-5: the victory points of the seat's imprints."""
    return POINTS_AN_IMPRINT * len(state.imprints[seat])


def standings(state: SorceryState) -> list[SorceryStanding]:
    """BS-MYS-5: the base game's standings, with the points of imprints in the final scores."""
    return [
        {
            **standing,
            "final_score": standing["final_score"] + imprint_points(state, seat),
            "imprint_points": imprint_points(state, seat),
        }
        for seat, standing in enumerate(base_standings(state))
    ]


def finish(state: SorceryState) -> DomainEvent:
    """BS-MYS-5: `GameFinished`, with the points of imprints. Raises NotNow before play is over."""
    scores = [final_score(state, seat) + imprint_points(state, seat) for seat in range(state.seats)]
    return finish_with(state, scores)
