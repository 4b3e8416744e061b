"""Scoring and ranking (BY-END-1, 3, 4, 6)."""

from collections.abc import Sequence

from domain.barony.components import RANKS, VICTORY_POINTS
from domain.barony.formats import BaronyStanding
from domain.barony.position import tokens_to_json
from domain.barony.state import State
from domain.contract import DomainEvent
from domain.errors import NotNow
from domain.event import Ranked, RankingEntry
from domain.messages import message


def token_points(state: State, seat: int) -> int:
    """BY-END-3: the victory points of the seat's unused tokens."""
    tokens = zip(state.resources[seat], VICTORY_POINTS, strict=True)
    return sum(count * points for count, points in tokens)


def final_score(state: State, seat: int) -> int:
    """BY-END-3: the final score of the seat if the game ended now."""
    return state.score[seat] + token_points(state, seat)


def standings(state: State) -> list[BaronyStanding]:
    """BY-END-1, 3: the entries of `RoundScored.standings` in order of seats, with the parts of the scores."""
    return [
        {
            "seat": seat,
            "score": state.score[seat],
            "final_score": final_score(state, seat),
            "rank": RANKS[state.rank[seat]],
            "new_cities": state.new_cities[seat],
            "resources": tokens_to_json(state.resources[seat]),
            "token_points": token_points(state, seat),
        }
        for seat in range(state.seats)
    ]


def ranking(state: State, scores: Sequence[int]) -> list[RankingEntry]:
    """BY-END-4, 6: the seats, best first, by their final scores (in order of seats).

    Among equals the highest seat comes first; seats that are out come after all others.
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


def finish(state: State) -> DomainEvent:
    """BY-END-3, 4: `GameFinished` with the ranking. Raises NotNow before play is over."""
    return finish_with(state, [final_score(state, seat) for seat in range(state.seats)])


def finish_with(state: State, scores: Sequence[int]) -> DomainEvent:
    """BY-END-4: `GameFinished` with the ranking by these final scores. Raises NotNow before play is over."""
    if state.phase != "scoring":
        raise NotNow("BY-END-2", message("play is not over"))
    data: Ranked = {"ranking": ranking(state, scores)}
    return DomainEvent("GameFinished", data)
