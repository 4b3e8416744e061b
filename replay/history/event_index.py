"""The index of a game's events: where its rounds begin, and the first and last events of its players."""

from collections.abc import Iterable
from dataclasses import dataclass

from domain.contract import STATEMENT
from domain.event import acting_seat
from replay.history.event_text import seat_in_play
from replay.history.timeline import Transition


@dataclass(frozen=True, slots=True)
class RoundStart:
    """Event `seq`, after which a round is in progress. Round 0 is the set-up."""

    round: int
    seq: int


@dataclass(frozen=True, slots=True)
class SeatEvents:
    """The first and the last event of a seat, by seq: actions, forfeited turns, disputes and takebacks."""

    seat: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class EventIndex:
    """The rounds of a game on its current branch, and the seats that have caused events, in order.

    `has_secrets`: during the game, some viewers saw less than others.
    """

    rounds: tuple[RoundStart, ...] = ()
    seats: tuple[SeatEvents, ...] = ()
    has_secrets: bool = False


def event_index(game_steps: Iterable[Transition]) -> EventIndex:
    """Return the index of a game of which these are all events; empty before the start. Raises Unreadable."""
    rounds: dict[int, int] = {}
    seats: dict[int, SeatEvents] = {}
    has_secrets = False
    for transition in game_steps:
        event, before, after = transition.event, transition.before, transition.after
        if after.state is None:
            continue
        seq = event["seq"]
        has_secrets = has_secrets or any(name != STATEMENT for name in event.get("secrets", ()))
        if event["type"] == "PlayResumed":
            origin = after.resumptions[-1].origin
            rounds = {round: start for round, start in rounds.items() if start <= origin}
        if before is None or before.state is None or before.round != after.round:
            rounds.setdefault(after.round, seq)
        seat = seat_in_play(event)
        if seat is None:
            seat = acting_seat(event["by"])
        if seat is not None:
            first = seats[seat].first if seat in seats else seq
            seats[seat] = SeatEvents(seat, first, seq)
    return EventIndex(
        tuple(RoundStart(round, seq) for round, seq in sorted(rounds.items())),
        tuple(entry for _, entry in sorted(seats.items())),
        has_secrets,
    )
