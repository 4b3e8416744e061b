"""The position, the standings and the ranking of a game with Sorcery. It has no secrets."""

from domain.barony.formats import BaronyPosition
from domain.barony.position import position as base_position
from domain.barony.scoring import final_score, finish_with
from domain.barony.scoring import standings as base_standings
from domain.barony.sorcery.components import POINTS_AN_IMPRINT
from domain.barony.sorcery.formats import SorceryStanding
from domain.barony.sorcery.state import SorceryState
from domain.contract import DomainEvent


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
