"""Events that today's rules contradict, but those of an earlier version allowed."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from domain.corrections import Correction, corrections_of
from domain.errors import CartularyError
from domain.event import Event
from domain.game import Game
from domain.messages import Message, listing, message
from ledger.record import Record
from replay.audit.findings import Check
from replay.timeline import unreadable_on_error

_NUMBER: Final = re.compile("[0-9]{1,9}")


class FormerRules:
    """Explains contradictions to today's rules by those of earlier versions, for one check of a record."""

    def __init__(self, record: Record, check: Check) -> None:
        self._engine = record.header.get("engine", "")
        self._check = check

    def explain(
        self, event: Event, before: Game, difference: Message, allows: Callable[[Game], bool]
    ) -> bool:
        """Return whether the rules before a correction allow an event that today's do not.

        `difference` says how today's rules contradict it. `allows` returns whether the rules of a game allow
        the event after it; it is called with `before` under the former rules. The explanation becomes a
        note if the event is older than the correction, and otherwise an open question: the server should
        have had the corrected rules.
        """
        for correction in corrections_of(before.rules):
            former = replace(before, rules=correction.former)
            try:
                with unreadable_on_error(event["seq"]):
                    is_allowed = allows(former)
            except CartularyError:
                continue
            if is_allowed:
                self._add(event, correction, difference)
                return True
        return False

    def _add(self, event: Event, correction: Correction, difference: Message) -> None:
        seq, clauses = event["seq"], listing(correction.clauses)
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
        )

    def _is_older(self, event: Event, correction: Correction) -> bool:
        """Whether the event is older than the release, or was exported by an older program."""
        return event["at"] < correction.released or (
            _version(self._engine) < _version(correction.engine)
        )


def _version(text: str) -> tuple[int, ...]:
    """The numbers in a version; one without numbers is later than any other."""
    return tuple(map(int, _NUMBER.findall(text))) or (10**9,)
