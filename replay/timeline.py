"""Going through a record: the game after each event, and where a turn or a round was over.

What a record says is folded, never judged. A record that holds what the rules cannot even apply is
unreadable there; `reading` turns what they run into to that.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from domain.contract import State
from domain.errors import Unreadable
from domain.event import Event
from domain.game import Game, evolve, fold
from ledger.record import Record


@dataclass(frozen=True, slots=True)
class Step:
    """An event with the game before it (None: there was none) and after it."""

    event: Event
    before: Game | None
    after: Game


class PositionNotFound(LookupError):
    """A seq, turn or round that the record does not have; says what it has."""


@contextmanager
def reading(seq: int) -> Iterator[None]:
    """Around whatever reads the data of event `seq` believing it. Raises Unreadable.

    Those data may come from anywhere, and the rules do not check what is recorded: a missing field or a
    hex that is not on the board shows as whatever Python makes of it.
    """
    try:
        yield
    except Unreadable as error:
        raise Unreadable(error.why, seq + 1) from error
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        what = f"{type(error).__name__}: {error}"
        raise Unreadable(
            f"event {seq} cannot be applied to what was before it ({what})", seq + 1
        ) from error


def steps(record: Record) -> Iterator[Step]:
    """Every event with the game before and after it. Raises Unreadable when it gets to one that cannot be."""
    opened = record.opened()
    before: Game | None = None
    for event in record.events:
        with reading(event["seq"]):
            after = evolve(before, event, opened)
        yield Step(event, before, after)
        before = after


def game_at(record: Record, seq: int) -> Game:
    """The game after event `seq`. Raises PositionNotFound, Unreadable."""
    last = len(record.events)
    if not 1 <= seq <= last:
        raise PositionNotFound(f"there is no event {seq}: the record has events 1 to {last}")
    return _after(record, seq)


def head(record: Record) -> Game:
    """The game after the last event. Raises Unreadable."""
    return _after(record, len(record.events))


def step_at(record: Record, seq: int) -> Step:
    """Event `seq` with the game before and after it. Raises PositionNotFound, Unreadable."""
    after = game_at(record, seq)
    return Step(record.events[seq - 1], _after(record, seq - 1) if seq > 1 else None, after)


def after_turn(record: Record, turn: int) -> Game:
    """The game when turn `turn` (from 1, placements of a set-up included) was over; its head if that turn
    is the last and still under way.

    Raises PositionNotFound, Unreadable.
    """
    return _end_of(
        record,
        turn,
        first=1,
        counted=lambda state: state.turn,
        why=lambda reached: f"there is no turn {turn}: {_count(reached, 'turn')} begun",
    )


def after_round(record: Record, round: int) -> Game:
    """The game at the end of round `round` (0: of the set-up); its head if the round is still under way.

    Raises PositionNotFound, Unreadable.
    """
    return _end_of(
        record,
        round,
        first=0,
        counted=lambda state: state.round,
        why=lambda reached: f"there is no round {round}: {_rounds(reached)}",
    )


def _end_of(
    record: Record,
    number: int,
    *,
    first: int,
    counted: Callable[[State], int],
    why: Callable[[int], str],
) -> Game:
    """The game when turn or round `number`, as `counted` from `first`, was over, or its head under way."""
    reached = first - 1
    for step in steps(record):
        state = step.after.state
        if state is None:
            continue
        reached = counted(state)
        if reached > number >= first or (reached == number and step.after.to_act is None):
            return step.after
    if reached == number:
        return head(record)
    raise PositionNotFound(why(reached))


def _rounds(reached: int) -> str:
    if reached < 0:
        return "the game has not started"
    return f"the last one is {reached}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}s have" if number != 1 else f"1 {what} has"


def _after(record: Record, seq: int) -> Game:
    """CachedGame in one go, which is quickest; only where that fails event by event, to say where."""
    try:
        with reading(seq):
            game = fold(record.events[:seq], None, record.opened())
            assert game is not None
            return game
    except Unreadable:
        for step in steps(record):
            if step.event["seq"] == seq:
                return step.after
        raise
