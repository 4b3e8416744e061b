"""The check of chance: whether all draws follow from the server's secret and the nonces of the players.

Once the game's secret is published, everything is drawn again. The server commits to its secret in the first
event, so it could choose the draws only by choosing a nonce after it knew all the others: the last one. Only
a player who supplied the last nonce and did not act together with the server rules that out.
"""

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
from replay.event_values import actor, player, secret_label
from replay.timeline import Step, unreadable_on_error

CREATORS_PLACE: Final = 2
"""The seq of the event with which the creator of a game takes the first place, as part of the creation."""


class NonceCheck:
    """Adds to the check of chance who supplied the nonces."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._taken: list[Event] = []
        """The events with which the present players took their places, in the order of their nonces."""

    def examine(self, event: Event) -> None:
        """Check one event; only `GameStarted` uses the nonces."""
        match event["type"]:
            case "SeatTaken":
                self._taken.append(event)
            case "SeatLeft":
                leaver = event["data"]["player"]
                self._taken = [taken for taken in self._taken if taken["data"]["player"] != leaver]
            case "GameStarted" if self._taken:
                self._check_last_nonce(event["seq"])
            case _:
                pass

    def _check_last_nonce(self, start: int) -> None:
        """Report who supplied the last nonce before event `start`.

        The nonce of the creator comes with the request that creates the game, before the commitment is
        published, so it does not count.
        """
        last = self._taken[-1]
        data, seq = last["data"], last["seq"]
        # The creator of the game, who adds a bot, supplies the nonce of the bot.
        supplier = actor(last["by"]) if "bot" in data else player(data["player"])
        source = data.get("nonce_from")
        if source == "player" and seq > CREATORS_PLACE:
            self._check.note(
                message(
                    "the record says that {player} supplied the last nonce (event {seq}), as this player can"
                    " confirm. So the server could not choose the draws, unless the two acted together.",
                    player=supplier,
                    seq=seq,
                ),
                seq=start,
            )
        elif source is None:
            self._check.add_unknown(
                message(
                    "whether the server chose the random draws, since the record does not say who supplied"
                    " the last nonce (event {seq})",
                    seq=seq,
                ),
                message(
                    "{player} can decide it: this player knows whether their program sent this nonce after it"
                    " had seen the commitment.",
                    player=supplier,
                ),
                line=start + 1,
                seq=start,
            )
        else:
            self._check.add_unknown(
                self._reason_for_doubt(seq),
                message(
                    "Nothing can decide it any more. A nonce sent by the player who joined last would have."
                ),
                line=start + 1,
                seq=start,
            )

    def _reason_for_doubt(self, seq: int) -> Message:
        """Return why the server that supplied the last nonce, with event `seq`, may have chosen the draws."""
        has_helped = any(
            event["data"].get("nonce_from") == "player" and event["seq"] > CREATORS_PLACE
            for event in self._taken
        )
        if has_helped:
            return message(
                "whether the server chose the random draws: it supplied the last nonce itself (event {seq}),"
                " when it knew all others",
                seq=seq,
            )
        return message(
            "whether the server chose the random draws: no player supplied a nonce after the commitment was"
            " published"
        )


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
        problems = self._problems(step, decided)
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
            lambda game: not self._problems(step, _decide(replace(step, before=game), secret)),
        )

    def _problems(self, step: Step, decided: DomainEvent) -> list[Message]:
        """How an event differs from what was drawn again."""
        assert step.before is not None, "the first event has no random draws"
        event, rules = step.event, step.before.rules
        problems = [
            message("{field} is not what the seed gives", field=name)
            for name in sorted(decided.data.keys() | event["data"].keys())
            if _differ(decided.data.get(name), event["data"].get(name))
        ]
        commitments = event.get("secrets", {})
        openings = self._openings.get(event["seq"], {})
        self.check.count += len(decided.secrets.keys() | commitments.keys())
        for name in sorted(decided.secrets.keys() | commitments.keys()):
            secret = secret_label(name, rules)
            if name not in decided.secrets:
                problems.append(message("the seed gives no secret “{secret}”", secret=secret))
            elif name not in commitments:
                problems.append(
                    message("it does not commit to the secret “{secret}”", secret=secret)
                )
            elif name in openings and _differ(openings[name]["value"], decided.secrets[name]):
                problems.append(
                    message("the secret “{secret}” is not what the seed gives", secret=secret)
                )
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
