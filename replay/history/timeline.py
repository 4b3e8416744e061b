"""Replays a record: the game after each event, and at the end of a turn or a round.

A record is folded, but not checked against the rules. An event that the rules cannot apply makes the record
unreadable from there: `unreadable_on_error` turns the errors of the rules into Unreadable.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final

from typing_extensions import override

from domain.contract import Opened
from domain.errors import CartularyError, Unreadable
from domain.event import Event
from domain.fold import EarlierGames, evolve, fold
from domain.game import Game
from domain.messages import message, plural_message
from ledger.record import Record
from replay.history.branches import Branch
from replay.history.branches import branch as current_branch


@dataclass(frozen=True, slots=True)
class Transition:
    """An event with the game before it (None for the first event) and after it.

    `origin` is the earlier game from which the event resumes play, if it does.
    """

    event: Event
    before: Game | None
    after: Game
    origin: Game | None = None


class PositionNotFound(CartularyError):
    """The record does not have this event, turn or round. `message` says which ones it has."""


_ERRORS_OF_DATA: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
"""The errors of rules that are applied to data for which they are not made."""


class _UnreadableOnError(AbstractContextManager[None]):
    """See `unreadable_on_error`. A class, because one is needed several times for each event."""

    __slots__ = ("_seq",)

    def __init__(self, seq: int) -> None:
        self._seq = seq

    @override
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: object
    ) -> None:
        if isinstance(error, Unreadable):
            raise Unreadable(error.why, self._seq + 1) from error
        if isinstance(error, _ERRORS_OF_DATA):
            why = message(
                "event {seq} cannot be applied to the game before it ({error})",
                seq=self._seq,
                error=type(error).__name__,
            )
            raise Unreadable(why, self._seq + 1) from error


def unreadable_on_error(seq: int) -> AbstractContextManager[None]:
    """Raise Unreadable if the block fails on the data of event `seq`.

    The data of a record is untrusted, and the rules do not check it when they apply it: a missing field or a
    hex that is not on the board can cause any of `_ERRORS_OF_DATA`.
    """
    return _UnreadableOnError(seq)


def transitions(record: Record, secrets: Opened | None = None) -> Iterator[Transition]:
    """Yield every event with the game before and after it.

    The game is folded with the values `secrets`, by seq and name; by default, with those that the record
    opens. Raises Unreadable at the first event that cannot be applied.
    """
    opened = record.opened_values() if secrets is None else secrets
    earlier = EarlierGames(record.events)
    before: Game | None = None
    for event in record.events:
        with unreadable_on_error(event["seq"]):
            after = evolve(before, event, opened, earlier)
        earlier.keep(after)
        origin = None
        if event["type"] == "PlayResumed":
            origin = earlier.game_after(event["data"]["from"])
        yield Transition(event, before, after, origin)
        before = after


def game_at(record: Record, seq: int, branch: Branch | None = None) -> Game:
    """Return the game after event `seq`, which must be on the branch, if one is given.

    Raises PositionNotFound, Unreadable.
    """
    last = len(record.events)
    if not 1 <= seq <= last:
        raise PositionNotFound.with_message(
            "there is no event {seq}: the record has events 1 to {last}", seq=seq, last=last
        )
    if branch is not None and not branch.has(seq):
        raise PositionNotFound.with_message(
            "event {seq} is not on branch {branch}", seq=seq, branch=branch.number
        )
    return _fold_to(record, seq)


def head(record: Record, branch: Branch | None = None) -> Game:
    """Return the game after the last event of a branch; by default, of the record. Raises Unreadable."""
    return _fold_to(record, len(record.events) if branch is None else branch.last)


def transition_at(record: Record, seq: int) -> Transition:
    """Return event `seq` with the game before and after it. Raises PositionNotFound, Unreadable."""
    after = game_at(record, seq)
    event = record.events[seq - 1]
    before = _fold_to(record, seq - 1) if seq > 1 else None
    origin = _fold_to(record, event["data"]["from"]) if event["type"] == "PlayResumed" else None
    return Transition(event, before, after, origin)


def after_turn(record: Record, turn: int, branch: Branch | None = None) -> Game:
    """Return the game at the end of turn `turn`, or its head if that turn is still in progress.

    `branch` is the current one by default. Turns count from 1, placements of the set-up included. Raises
    PositionNotFound, Unreadable.
    """
    game, last = _end_of(record, turn, branch, first=1, number_of=lambda game: game.turn)
    if game is None:
        why = plural_message(
            "there is no turn {turn}: {count} turn has begun",
            "there is no turn {turn}: {count} turns have begun",
            count=last,
            turn=turn,
        )
        raise PositionNotFound(why)
    return game


def after_round(record: Record, round: int, branch: Branch | None = None) -> Game:
    """Return the game at the end of round `round` (0 is the set-up), or its head if that round is still in
    progress.

    `branch` is the current one by default. Raises PositionNotFound, Unreadable.
    """
    game, last = _end_of(record, round, branch, first=0, number_of=lambda game: game.round)
    if game is None:
        if last < 0:
            why = message("there is no round {round}: the game has not started", round=round)
        else:
            why = message(
                "there is no round {round}: the last one is {last}", round=round, last=last
            )
        raise PositionNotFound(why)
    return game


def _end_of(
    record: Record,
    number: int,
    branch: Branch | None,
    *,
    first: int,
    number_of: Callable[[Game], int],
) -> tuple[Game | None, int]:
    """Return the game at the end of the turn or round with this number, or None, and the last number of the
    branch. Numbers begin with `first`.
    """
    branch = branch or current_branch(record)
    last = first - 1
    for transition in transitions(record):
        if transition.event["seq"] > branch.last:
            break
        if transition.after.state is None or not branch.has(transition.event["seq"]):
            continue
        last = number_of(transition.after)
        if last > number >= first or (last == number and transition.after.to_act is None):
            return transition.after, last
    return (head(record, branch) if last == number >= first else None), last


def _fold_to(record: Record, seq: int) -> Game:
    """Fold in one pass, which is fastest. If that fails, fold event by event to find the event at fault."""
    try:
        with unreadable_on_error(seq):
            game = fold(record.events[:seq], None, record.opened_values())
            assert game is not None
            return game
    except Unreadable:
        for transition in transitions(record):
            if transition.event["seq"] == seq:
                return transition.after
        raise
