"""Scoring and ranking (BY-END-1, 3, 4, 6)."""

from collections.abc import Sequence

from domain.barony.components import RANKS, RESOURCES, VICTORY_POINTS
from domain.barony.state import Player, State
from domain.contract import DomainEvent, Json
from domain.errors import NotNow


def token_points(player: Player) -> int:
    """BY-END-3: victory points of the unused tokens."""
    held = zip(player.resources, VICTORY_POINTS, strict=True)
    return sum(count * points for count, points in held)


def final_score(player: Player) -> int:
    """BY-END-3: what the seat would have if the game ended now."""
    return player.score + token_points(player)


def standings(state: State) -> list[Json]:
    """The entries of `RoundScored.standings`, with what makes up the scores, in order of seats."""
    return [
        {
            "seat": seat,
            "score": player.score,
            "final_score": final_score(player),
            "rank": RANKS[player.rank],
            "new_cities": player.new_cities,
            "resources": dict(zip(RESOURCES, player.resources, strict=True)),
            "token_points": token_points(player),
        }
        for seat, player in enumerate(state.players)
    ]


def ranking(state: State, scores: Sequence[int]) -> list[Json]:
    """BY-END-4, 6: best first; among equals the highest seat, out seats after all others.

    `scores` are the final ones, by seat.
    """
    order = sorted(
        range(len(state.players)),
        key=lambda seat: (not state.players[seat].is_out, scores[seat], seat),
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
        scores = [final_score(player) for player in state.players]
    return DomainEvent("GameFinished", {"ranking": ranking(state, scores)})
