"""What the explanations of all actions share: hexes, terrains, reserves and points. A part of `explain`."""

from collections.abc import Sequence

from domain.barony.components import TERRAINS as TERRAIN_NAMES
from domain.barony.state import State
from domain.barony.terms import POINT, TERRAINS
from domain.contract import Reason
from domain.messages import Message, PlayerAt, Term, counted, message


def number_of(state: State, at: Sequence[int]) -> int:
    """The number of a hex of the board."""
    return state.board.index[at[0], at[1]]


def terrain_at(state: State, hex: int) -> Term:
    """The terrain of a hex."""
    return TERRAINS[TERRAIN_NAMES[state.board.terrain[hex]]]


def reserve_change(pawn: Term, before: int, used: int) -> Message:
    """The pawns of one kind in reserve before and after an action."""
    return message(
        "the reserve goes from {pawns} to {rest}", pawns=counted(before, pawn), rest=before - used
    )


def explain_points(state: State, seat: int, points: int) -> Reason:
    """BY-END-1: points on the score track."""
    return "BY-END-1", message(
        "{player} advances by {points} to {score} on the score track",
        player=PlayerAt(seat),
        points=counted(points, POINT),
        score=state.score[seat] + points,
    )
