"""Scoring and ranking (BN-END-2, 3)."""

from domain.baron.apply import apply_outcome
from domain.baron.formats import BaronStanding
from domain.baron.outcome import set_off_by_the_end
from domain.baron.state import State
from domain.baron.turn_order import finished, is_decided
from domain.contract import DomainEvent, Json, untyped_event
from domain.errors import NotNow


def standings(state: State) -> list[BaronStanding]:
    """The entries of `RoundScored.standings` in order of seats: honour, and the values of the baronies."""
    baronies: dict[int, list[int]] = {seat: [] for seat in range(len(state.players))}
    for at, value in sorted(state.values.items()):
        baronies[state.keeps[at][0]].append(value)
    return [
        {"seat": seat, "score": player.honour, "baronies": baronies[seat]}
        for seat, player in enumerate(state.players)
    ]


def ranking(state: State) -> list[Json]:
    """BN-END-3: most honour first, equals share the place; who is out after all others, the latest first.

    Seats that went out in the same moment share the place (BN-OUB-4).
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
    """What seats are compared by, the higher the better."""
    player = state.players[seat]
    return (True, player.honour) if player.out is None else (False, player.out)


def finish(state: State) -> DomainEvent:
    """`GameFinished`: what the knights still on the board came to, and the ranking. Raises NotNow.

    BN-OUB-3: with a single seat left nothing more comes about.
    """
    if state.phase != "scoring":
        raise NotNow("BN-END-1", "the game is not being scored")
    data: Json = {} if is_decided(state) else set_off_by_the_end(state)
    after = state.copy()
    apply_outcome(after, data)
    return untyped_event(
        "GameFinished", {"ranking": ranking(after), **data, "then": finished(after)}
    )
