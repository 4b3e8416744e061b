"""The turn order of games in which the seats act in turn: its state, and who is next.

An event has its consequences for the turn order in the field `then`, so that applying it needs no rule.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypedDict

from domain.errors import NotNow, Refused
from domain.event import RankingEntry
from domain.json_types import PositiveCount, Seat
from domain.life_cycle_messages import ENDED_PHASES
from domain.messages import PlayerAt, message

Phase: TypeAlias = Literal["play", "scoring", "finished"]


class Then(TypedDict):
    """The turn order after an event."""

    phase: Phase
    round: PositiveCount
    turn: PositiveCount
    to_act: Seat | None


@dataclass(slots=True, kw_only=True)
class TurnState:
    """The turn order of a game; a game derives from it, and adds what is on its table.

    `out` has the seats that have left the game, in the order in which they left it.
    """

    seats: int
    phase: Phase = "play"
    round: int = 1
    turn: int = 1
    to_act: int | None = 0
    out: tuple[int, ...] = ()
    ranking: list[RankingEntry] | None = None

    def in_game(self) -> list[int]:
        """The seats still in the game, in order."""
        return [seat for seat in range(self.seats) if seat not in self.out]


def require_play(state: TurnState, clause: str) -> int:
    """Return the seat whose turn it is. Raises NotNow with the clause when play is over."""
    if state.to_act is None:
        raise NotNow(clause, ENDED_PHASES[state.phase])
    return state.to_act


def require_in_game(state: TurnState, seat: int, clause: str) -> None:
    """Raise NotNow with the clause when play is over, and Refused if the seat has left the game."""
    require_play(state, clause)
    if seat in state.out:
        raise Refused(clause, message("{player} is out of the game", player=PlayerAt(seat)))


def require_turn(state: TurnState, seat: int, clause: str) -> None:
    """Raise NotNow with the clause when play is over, and Refused if it is not the turn of the seat."""
    require_in_game(state, seat, clause)
    if seat != state.to_act:
        raise Refused(clause, message("it is not the turn of {player}", player=PlayerAt(seat)))


def next_seat(state: TurnState, can_act: Callable[[int], bool]) -> int | None:
    """Return the seat after the one whose turn it is that can act; the same one if it alone can.

    None if no seat can. Seats that are out are passed over.
    """
    assert state.to_act is not None
    first = state.to_act + 1
    order = [seat % state.seats for seat in range(first, first + state.seats)]
    return next((seat for seat in order if seat not in state.out and can_act(seat)), None)


def turn_of(state: TurnState, seat: int | None) -> Then:
    """Return the turn order when the turn of `to_act` is over and that of `seat` begins.

    A new round begins with a seat that is not behind the last one. None ends play.
    """
    if seat is None:
        return {"phase": "scoring", "round": state.round, "turn": state.turn, "to_act": None}
    assert state.to_act is not None
    round = state.round + (seat <= state.to_act)
    return {"phase": "play", "round": round, "turn": state.turn + 1, "to_act": seat}


def same_turn(state: TurnState) -> Then:
    """Return the turn order when the turn goes on."""
    return {"phase": state.phase, "round": state.round, "turn": state.turn, "to_act": state.to_act}


def apply_then(state: TurnState, then: Then) -> None:
    """Write the turn order of an event into a state that the caller owns."""
    state.phase, state.round = then["phase"], then["round"]
    state.turn, state.to_act = then["turn"], then["to_act"]


def ranking(state: TurnState, scores: Sequence[int]) -> list[RankingEntry]:
    """Return the ranking by scores (in order of seats), the highest first. Equal seats share a place.

    Seats that are out come last, whatever their scores, the latest to leave first.
    """
    ranks = [(seat not in state.out, scores[seat]) for seat in range(state.seats)]
    for place, seat in enumerate(state.out):
        ranks[seat] = (False, place)
    return [
        {
            "seat": seat,
            "score": scores[seat],
            "place": 1 + sum(other > ranks[seat] for other in ranks),
        }
        for seat in sorted(range(state.seats), key=lambda seat: (ranks[seat], -seat), reverse=True)
    ]
