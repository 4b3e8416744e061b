"""Scoring with Sorcery: imprints count at the end (BS-MYS-5)."""

from typing import Any

from domain.barony.scoring import final_score
from domain.barony.scoring import finish as base_finish
from domain.barony.scoring import standings as base_standings
from domain.barony.sorcery.components import POINTS_AN_IMPRINT
from domain.barony.sorcery.state import SorceryState
from domain.contract import DomainEvent


def imprint_points(state: SorceryState, seat: int) -> int:
    """BS-MYS-5: victory points of the seat's imprints."""
    return POINTS_AN_IMPRINT * len(state.imprints[seat])


def standings(state: SorceryState) -> list[Any]:
    """The entries of `RoundScored.standings`, with what makes up the scores, in order of seats."""
    return [
        {
            **entry,
            "final_score": entry["final_score"] + imprint_points(state, seat),
            "imprint_points": imprint_points(state, seat),
        }
        for seat, entry in enumerate(base_standings(state))
    ]


def finish(state: SorceryState) -> DomainEvent:
    """`GameFinished` with the ranking. Raises NotNow before play is over."""
    scores = [final_score(state, seat) + imprint_points(state, seat) for seat in range(state.seats)]
    return base_finish(state, scores)
