"""Scoring and ranking (BY-END-1, 3, 4, 6)."""

from collections.abc import Sequence
from typing import Any

from domain.barony.components import RANKS, RESOURCES, VICTORY_POINTS
from domain.barony.state import State
from domain.contract import DomainEvent, Json, untyped_event
from domain.errors import NotNow


def token_points(state: State, seat: int) -> int:
    """BY-END-3: victory points of the seat's unused tokens."""
    tokens = zip(state.resources[seat], VICTORY_POINTS, strict=True)
    return sum(count * points for count, points in tokens)


def final_score(state: State, seat: int) -> int:
    """BY-END-3: what the seat would have if the game ended now."""
    return state.score[seat] + token_points(state, seat)


def standings(state: State) -> list[Any]:
    """The entries of `RoundScored.standings`, with what makes up the scores, in order of seats."""
    return [
        {
            "seat": seat,
            "score": state.score[seat],
            "final_score": final_score(state, seat),
            "rank": RANKS[state.rank[seat]],
            "new_cities": state.new_cities[seat],
            "resources": dict(zip(RESOURCES, state.resources[seat], strict=True)),
            "token_points": token_points(state, seat),
        }
        for seat in range(state.seats)
    ]


def ranking(state: State, scores: Sequence[int]) -> list[Json]:
    """BY-END-4, 6: best first; among equals the highest seat, out seats after all others.

    `scores` are the final ones, by seat.
    """
    order = sorted(
        range(state.seats),
        key=lambda seat: (not state.is_out[seat], scores[seat], seat),
        reverse=True,
    )
    return [
        {"seat": seat, "score": scores[seat], "place": place}
        for place, seat in enumerate(order, start=1)
    ]


def finish(state: State, scores: Sequence[int] | None = None) -> DomainEvent:
    """`GameFinished` with the ranking. Raises NotNow before play is over.

    `scores`: the final ones by seat, where they are not those of the base game.
    """
    if state.phase != "scoring":
        raise NotNow("BY-END-2", "the game is not being scored")
    if scores is None:
        scores = [final_score(state, seat) for seat in range(state.seats)]
    return untyped_event("GameFinished", {"ranking": ranking(state, scores)})
