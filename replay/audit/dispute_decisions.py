"""Decides the events of disputes and takebacks again, and checks the events that must follow them.

A part of the check of decisions (replay/audit/decisions.py).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from domain.administration import ADMINISTRATOR
from domain.contract import STATEMENT, DomainEvent
from domain.corrections import RULINGS_SINCE
from domain.disputes import disputes, takebacks
from domain.disputes.events import Ruling
from domain.errors import not_now
from domain.event import By, Event, acting_seat
from domain.game import AdministratorDecision, Game
from domain.json_types import JsonObject
from domain.messages import Message, message
from ledger.canonical import unhex
from ledger.clock.turn_clock import clock_stopped_until
from ledger.commands import ARBITER, TAKEBACK
from replay.audit.findings import Check
from replay.history.event_values import actor, quoted

IsPlay = Callable[[int], bool]
"""Returns whether an event, given by its seq, is one of play, or `GameStarted`."""
_SOME_STATEMENT: Final = ""
"""The placeholder for a statement, of which only the existence is compared."""
_RESULTS: Final = frozenset({"PlayResumed", "PlayerRemoved", "GameAbandoned"})
"""The results of rulings. Logs from before there were disputes have only removals and ends by an arbiter."""


@dataclass(frozen=True, slots=True)
class _Result:
    """An event that must follow in the same append, with the data that it must contain."""

    type: str
    by: By
    data: Mapping[str, object] = field(default_factory=dict)


def decide_dispute_event(event: Event, before: Game, is_play: IsPlay) -> DomainEvent | None:
    """Return the event that the rules decide where the log has one of a dispute or a takeback.

    None if nobody in the game caused it, which is a separate finding. Raises Refused.
    """
    data = event["data"]
    nonce = unhex(data["nonce"]) if "nonce" in data else None
    statement = _SOME_STATEMENT if STATEMENT in event.get("secrets", {}) else None
    if event["type"] == "DisputeRuled":
        if before.arbiter is None:
            if _expected_result(before) is None:
                raise not_now("no player has just proposed the ruling on which all agree")
            return disputes.rule_by_agreement(before, data["dispute"])
        ruling = disputes.parse_ruling(data["ruling"])
        return disputes.rule(before, data["dispute"], ruling, statement, is_play, nonce)
    seat = acting_seat(event["by"])
    if seat is None or seat >= len(before.players):
        return None
    match event["type"]:
        case "DisputeOpened":
            until = clock_stopped_until(before, event["at"])
            return disputes.open_dispute(before, seat, data["about"], _SOME_STATEMENT, until, nonce)
        case "DisputeAnswered":
            return disputes.answer(before, data["dispute"], seat, _SOME_STATEMENT, nonce)
        case "RulingProposed":
            ruling = disputes.parse_ruling(data["ruling"])
            return disputes.propose(
                before, data["dispute"], seat, ruling, statement, is_play, nonce
            )
        case "DisputeWithdrawn":
            return disputes.withdraw(before, data["dispute"], seat)
        case "TakebackRequested":
            return takebacks.request(before, seat, nonce)
        case "TakebackAnswered":
            if not isinstance(data["agree"], bool):
                raise not_now("an answer to a takeback is true or false")
            return takebacks.answer(before, data["request"], seat, agree=data["agree"], nonce=nonce)
        case _:
            raise ValueError(f"{event['type']} is no event of a dispute or a takeback")


def result_problems(event: Event, before: Game) -> Iterator[Message]:
    """Yield how an event differs from the one that must directly follow a ruling or an agreement."""
    expected = _expected_result(before)
    if expected is None:
        if event["type"] == "PlayResumed":
            yield message("play is resumed without a ruling or an agreement")
        return
    if event["type"] != expected.type or event["by"] != expected.by:
        yield message(
            "{type} by {actor} immediately follows event {seq}",
            type=expected.type,
            actor=actor(expected.by),
            seq=before.seq,
        )
        return
    for name, value in expected.data.items():
        if event["data"].get(name) != value:
            yield message(
                "after event {seq}, {field} is {value}",
                seq=before.seq,
                field=name,
                value=quoted(value),
            )
    if event["at"] != before.at:
        yield message(
            "it is appended together with event {seq}, so it has the same time", seq=before.seq
        )


def missing_result(last: Game) -> Message | None:
    """Return the event that must follow the last one of a record, but is missing; None if none is."""
    expected = _expected_result(last)
    if expected is None:
        return None
    return message(
        "{type} is missing, which is appended together with this event", type=expected.type
    )


def check_foundation(check: Check, event: Event, before: Game, meaning: Message) -> None:
    """Report a removal or an end by an arbiter without a ruling or a decision of an administrator.

    Servers before RULINGS_SINCE recorded none, so an older event gets only a note. A later one is a finding
    with this meaning.
    """
    is_by_arbiter = event["type"] in _RESULTS and event["by"] == ARBITER
    if not is_by_arbiter or event["type"] == "PlayResumed" or _expected_result(before) is not None:
        return
    if event["at"] < RULINGS_SINCE:
        check.note(
            message(
                "{type} rests on the server's word: no dispute was ruled before it",
                type=event["type"],
            ),
            seq=event["seq"],
        )
    else:
        problem = message(
            "{type} by an arbiter follows neither from a ruling nor from a decision of an administrator",
            type=event["type"],
        )
        check.add_at_event(event["seq"], problem, meaning)


def _expected_result(before: Game) -> _Result | None:
    """Return the event that must follow the last one of a game, if that is a ruling or the last agreement;
    else None.
    """
    ruled = next(
        (
            dispute.ending.ruling
            for dispute in before.disputes
            if dispute.ending is not None and dispute.ending.seq == before.seq
        ),
        None,
    )
    if ruled is not None:
        return _result_of(ruled, before.seq)
    dispute = before.open_dispute
    proposals = () if dispute is None else dispute.proposals
    is_proposal = bool(proposals) and proposals[-1].seq == before.seq
    if dispute is not None and is_proposal and disputes.agreed_ruling(before, dispute) is not None:
        return _Result("DisputeRuled", ARBITER)
    decision = before.decision
    if decision is not None and decision.seq == before.seq:
        return _result_of_decision(decision)
    takeback = takebacks.agreed_takeback(before)
    if takeback is not None:
        data: JsonObject = {"from": takeback.origin, "because": before.seq}
        return _Result("PlayResumed", TAKEBACK, data)
    return None


def _result_of_decision(decision: AdministratorDecision) -> _Result | None:
    match decision.decision:
        case "remove_seat":
            return _Result("PlayerRemoved", ARBITER, {"seat": decision.seat})
        case "move_seat":
            data: JsonObject = {"seat": decision.seat, "player": decision.player}
            return _Result("SubstituteSeated", ADMINISTRATOR, data)
        case "abandon":
            return _Result("GameAbandoned", ARBITER)
        case _:
            return None


def _result_of(ruling: Ruling, seq: int) -> _Result | None:
    if ruling["type"] == "resume":
        return _Result("PlayResumed", ARBITER, {"from": ruling["from"], "because": seq})
    if ruling["type"] == "remove_seat":
        return _Result("PlayerRemoved", ARBITER, {"seat": ruling["seat"]})
    if ruling["type"] == "abandon":
        return _Result("GameAbandoned", ARBITER)
    return None
