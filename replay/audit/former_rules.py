"""Events that contradict the current rules, but were allowed by those of an earlier version."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from domain.corrections import (
    MISSED_DEADLINES,
    TAKEBACKS,
    Correction,
    LifeCycleCorrection,
    corrections_of,
)
from domain.errors import CartularyError
from domain.event import Event
from domain.fold import evolve
from domain.game import Game, MissedDeadlines
from domain.messages import Message, Text, listing, message
from ledger.record import Record
from replay.audit.findings import Check
from replay.history.timeline import Transition, unreadable_on_error

_NUMBER: Final = re.compile("[0-9]{1,9}")


AnyCorrection: TypeAlias = Correction | LifeCycleCorrection


class _Counts(NamedTuple):
    """The counts of missed deadlines in a game."""

    missed_deadlines: MissedDeadlines
    forfeits: MissedDeadlines


class FormerCounts:
    """Tracks the counts of missed deadlines in a game by the rules before the correction MISSED_DEADLINES.

    Counts are kept only where they differ from the current ones.
    """

    def __init__(self) -> None:
        self._by_seq: dict[int, _Counts] = {}

    def after(self, transition: Transition) -> None:
        """Count the changes by an event."""
        counts = self._counts_after(transition)
        if counts != (transition.after.missed_deadlines, transition.after.forfeits):
            self._by_seq[transition.after.seq] = counts

    def _counts_after(self, transition: Transition) -> _Counts:
        if transition.origin is not None:
            return self._counts_in(transition.origin)
        if transition.before is None or transition.before.seq not in self._by_seq:
            return _Counts(transition.after.missed_deadlines, transition.after.forfeits)
        former = evolve(self.game(transition.before), transition.event)
        return _Counts(former.missed_deadlines, former.forfeits)

    def game(self, game: Game) -> Game:
        """Return a game with the former counts."""
        counts = self._counts_in(game)
        return replace(game, missed_deadlines=counts.missed_deadlines, forfeits=counts.forfeits)

    def _counts_in(self, game: Game) -> _Counts:
        return self._by_seq.get(game.seq, _Counts(game.missed_deadlines, game.forfeits))

    def are_different(self, game: Game) -> bool:
        """Return whether the former counts after the last event of a game differ from the current ones."""
        return game.seq in self._by_seq


class FormerRules:
    """Explains contradictions to the current rules by earlier ones, for one check of a record."""

    def __init__(self, record: Record, check: Check) -> None:
        self._engine = record.header.get("engine", "")
        self._check = check
        self._counts = FormerCounts()

    def follow(self, transition: Transition) -> None:
        """Remember the data of an event that the former rules need, before the next one is explained."""
        self._counts.after(transition)

    def explain(
        self, event: Event, before: Game, difference: Message, allows: Callable[[Game], bool]
    ) -> bool:
        """Return whether the rules before a correction allow an event that the current rules do not.

        `difference` says how the current rules contradict it. `allows` returns whether the rules of a game
        allow the event after it; it is called with `before` under the former rules. The explanation becomes a
        note if the event is older than the correction, and otherwise an open question: the server should have
        had the corrected rules.
        """
        for correction, former in self._former_games(before):
            try:
                with unreadable_on_error(event["seq"]):
                    is_allowed = allows(former)
            except CartularyError:
                continue
            if is_allowed:
                self._add(event, correction, difference)
                return True
        return False

    def _former_games(self, before: Game) -> Iterator[tuple[AnyCorrection, Game]]:
        for correction in corrections_of(before.rules):
            yield correction, replace(before, rules=correction.former)
        if self._counts.are_different(before):
            yield MISSED_DEADLINES, self._counts.game(before)
        last = before.last_play
        if before.requested_takebacks and last is not None:
            # A request was remembered until play resumed.
            requested = frozenset() if last.takeback is None else frozenset({last.seq})
            yield TAKEBACKS, replace(before, requested_takebacks=requested)

    def _add(self, event: Event, correction: AnyCorrection, difference: Message) -> None:
        seq, clauses = event["seq"], _subject(correction)
        if self._is_older(event, correction):
            self._check.note(
                message(
                    "the rules then said otherwise: version {version} corrected {clauses}, and the event is"
                    " right by the rules before ({difference})",
                    clauses=clauses,
                    version=correction.engine,
                    difference=difference,
                ),
                seq=seq,
            )
            return
        self._check.add_unknown(
            message(
                "whether the server still had the rules before version {version} when it accepted event"
                " {seq}, which only those allow ({clauses}: {difference})",
                version=correction.engine,
                seq=seq,
                clauses=clauses,
                difference=difference,
            ),
            message(
                "Version {version} was released at {released}, before the event. A record that the server"
                " signed then names the version in its header.",
                version=correction.engine,
                released=correction.released,
            ),
            line=seq + 1,
            seq=seq,
            topic="rules",
        )

    def _is_older(self, event: Event, correction: AnyCorrection) -> bool:
        """Return whether the event is older than the release, or was exported by an older program."""
        return event["at"] < correction.released or (
            _version(self._engine) < _version(correction.engine)
        )


def _subject(correction: AnyCorrection) -> Text:
    """Return the subject of a correction: clauses of a game, or something around play."""
    if isinstance(correction, LifeCycleCorrection):
        return correction.subject
    return listing(correction.clauses)


def _version(text: str) -> tuple[int, ...]:
    """Return the numbers in a version; one without numbers is later than any other."""
    return tuple(map(int, _NUMBER.findall(text))) or (10**9,)
