"""The check of chance: once the game's secret is published, everything that was drawn is drawn again."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from domain import lifecycle
from domain.contract import DomainEvent
from domain.errors import Malformed, NotNow, Unreadable
from domain.event import Event
from domain.messages import Message, message, semicolon_list
from ledger.canonical import canonical
from ledger.record import Record
from replay.audit.findings import Check
from replay.audit.former_rules import FormerRules
from replay.timeline import Step, unreadable_on_error

CHOSEN: Final = message("Somebody chose what should have been drawn.")


class ChanceCheck:
    """Draws seating, set-up and what was drawn anew again, from the game's secret and the players' nonces."""

    def __init__(self, record: Record, secret: bytes | None) -> None:
        self.check = Check("chance")
        self._secret = secret
        self._openings = record.openings
        self._former_rules = FormerRules(record, self.check)
        if secret is None:
            self.check.add_unknown(
                message(
                    "whether the random draws follow from the secret that the server committed to"
                ),
                message("The record after the game has ended publishes the secret and decides it."),
            )

    def examine(self, step: Step) -> None:
        """Check one event; only `GameStarted` and `PlayResumed` have random draws."""
        event = step.event
        if event["type"] == "PlayResumed" and event.get("secrets"):
            self._add_unknown_of_resumption(event["seq"])
        if event["type"] not in ("GameStarted", "PlayResumed") or self._secret is None:
            return
        self.check.count += 1
        seq = event["seq"]
        try:
            with unreadable_on_error(seq):
                decided = _decide(step, self._secret)
        except (Unreadable, NotNow, Malformed):
            self.check.add_unknown(
                message("whether event {seq} was drawn, because it cannot be drawn again", seq=seq),
                message(
                    "A copy of the record in which the events before it are intact decides it."
                ),
                line=seq + 1,
                seq=seq,
            )
            return
        problems = self._problems(event, decided)
        if problems and not self._is_explained(step, self._secret, problems):
            for problem in problems:
                self.check.add_at_event(seq, problem, CHOSEN)

    def _add_unknown_of_resumption(self, seq: int) -> None:
        """Report that the hash of the event before, on which the new draws depend, is the server's to set.

        The server knows the seed. It can seal that event with one time or salt after another, until the draws
        suit it.
        """
        self.check.add_unknown(
            message(
                "whether the server chose what was drawn anew when play resumed (event {seq}), by choosing"
                " the time or the salt of event {previous}",
                seq=seq,
                previous=seq - 1,
            ),
            message(
                "Nothing can decide it. Rulings and takebacks rest on trust in the operator of the server."
            ),
            line=seq + 1,
            seq=seq,
        )

    def _is_explained(self, step: Step, secret: bytes, problems: Sequence[Message]) -> bool:
        """Whether the rules of an earlier version draw what was recorded."""
        assert step.before is not None, "the first event has no random draws"
        return self._former_rules.explain(
            step.event,
            step.before,
            message("{problems}", problems=semicolon_list(problems)),
            lambda game: (
                not self._problems(step.event, _decide(replace(step, before=game), secret))
            ),
        )

    def _problems(self, event: Event, decided: DomainEvent) -> list[Message]:
        """How an event differs from what was drawn again."""
        problems = [
            message("{field} is not what the seed gives", field=name)
            for name in sorted(decided.data.keys() | event["data"].keys())
            if _differ(decided.data.get(name), event["data"].get(name))
        ]
        commitments = event.get("secrets", {})
        openings = self._openings.get(event["seq"], {})
        self.check.count += len(decided.secrets.keys() | commitments.keys())
        for name in sorted(decided.secrets.keys() | commitments.keys()):
            if name not in decided.secrets:
                problems.append(message("the seed gives no secret {name}", name=name))
            elif name not in commitments:
                problems.append(message("it does not commit to the secret {name}", name=name))
            elif name in openings and _differ(openings[name]["value"], decided.secrets[name]):
                problems.append(message("the secret {name} is not what the seed gives", name=name))
        return problems


def _decide(step: Step, secret: bytes) -> DomainEvent:
    """Return the event with its random draws. Raises NotNow, Malformed."""
    assert step.before is not None, "the first event has no random draws"
    if step.event["type"] == "GameStarted":
        return lifecycle.start(step.before, secret)
    assert step.origin is not None, "a step that resumes play has an origin"
    return lifecycle.resume(step.before, step.origin, step.event["data"]["because"], secret)


def _differ(one: object, other: object) -> bool:
    return canonical(one) != canonical(other)
