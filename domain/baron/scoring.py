"""Standings, the final ranking and the end of the game (BN-END-2, 3)."""

from domain.baron.apply import apply_consequences
from domain.baron.consequences import consequences_of_end
from domain.baron.formats import BaronStanding, Consequences, Result
from domain.baron.state import State
from domain.baron.turn_order import after_end, is_decided
from domain.contract import DomainEvent
from domain.errors import NotNow
from domain.event import RankingEntry
from domain.messages import message


def standings(state: State) -> list[BaronStanding]:
    """The entries of `RoundScored.standings` in order of seats: honour, and the values of the baronies."""
    baronies: dict[int, list[int]] = {seat: [] for seat in range(len(state.players))}
    for at, value in sorted(state.values.items()):
        baronies[state.keeps[at][0]].append(value)
    return [
        {"seat": seat, "score": player.honour, "baronies": baronies[seat]}
        for seat, player in enumerate(state.players)
    ]


def ranking(state: State) -> list[RankingEntry]:
    """BN-END-3: the most honour first; seats that are out come last, the latest to go out first.

    Seats with the same honour share a place, and so do seats that went out together (BN-OUB-4).
    """
    ranks = {seat: _rank(state, seat) for seat in range(len(state.players))}
    return [
        {
            "seat": seat,
            "score": state.players[seat].honour,
            "place": 1 + sum(rank > ranks[seat] for rank in ranks.values()),
        }
        for seat in sorted(ranks, key=lambda seat: ranks[seat], reverse=True)
    ]


def _rank(state: State, seat: int) -> tuple[bool, int]:
    """A value that is greater for a seat that is ranked higher."""
    player = state.players[seat]
    return (True, player.honour) if player.out is None else (False, player.out)


def finish(state: State) -> DomainEvent:
    """`GameFinished`: what the knights still on the board come to, and the ranking. Raises NotNow.

    BN-OUB-3: if at most one seat is left, the knights come to nothing more.
    """
    if state.phase != "scoring":
        raise NotNow("BN-END-1", message("the game is not being scored"))
    consequences: Consequences = {} if is_decided(state) else consequences_of_end(state)
    after = state.copy()
    apply_consequences(after, consequences)
    data: Result = {"ranking": ranking(after), **consequences, "then": after_end(after)}
    return DomainEvent("GameFinished", data)
