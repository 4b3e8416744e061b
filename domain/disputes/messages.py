"""Events of disputes and takebacks, and the resumption of play, as one line each."""

from collections.abc import Callable, Mapping
from typing import Any, Final, assert_never

from domain.disputes.events import (
    DisputeAnswered,
    DisputeOpened,
    DisputeRuled,
    DisputeWithdrawn,
    Ruling,
    RulingProposed,
    TakebackAnswered,
    TakebackRequested,
)
from domain.event import PlayResumed
from domain.messages import Instant, Message, PlayerAt, PlayerWithId, message


def ruling_message(ruling: Ruling) -> Message:
    """`the game is abandoned`: the ruling as a clause."""
    match ruling["type"]:
        case "dismiss":
            return message("the dispute is dismissed")
        case "resume":
            return message("play resumes after event {event}", event=ruling["from"])
        case "remove_seat":
            return message("{player} is removed from the game", player=PlayerAt(ruling["seat"]))
        case "result_stands":
            return message("the result stands")
        case "abandon":
            return message("the game is abandoned")
        case _:
            assert_never(ruling)


def _opened(data: DisputeOpened) -> Message:
    until = data["clock_stopped_until"]
    if until is None:
        return message("disputes event {event}", event=data["about"])
    return message(
        "disputes event {event}; the clock stops until {until} at the latest",
        event=data["about"],
        until=Instant(until),
    )


def _answered(data: DisputeAnswered) -> Message:
    return message("answers dispute {dispute}", dispute=data["dispute"])


def _proposed(data: RulingProposed) -> Message:
    return message(
        "proposes a ruling in dispute {dispute}: {ruling}",
        dispute=data["dispute"],
        ruling=ruling_message(data["ruling"]),
    )


def _withdrawn(data: DisputeWithdrawn) -> Message:
    return message("withdraws dispute {dispute}", dispute=data["dispute"])


def _ruled(data: DisputeRuled) -> Message:
    ruling = ruling_message(data["ruling"])
    if data["arbiter"] is None:
        return message(
            "dispute {dispute} is settled by agreement of the players: {ruling}",
            dispute=data["dispute"],
            ruling=ruling,
        )
    return message(
        "dispute {dispute} is settled by the arbiter, {arbiter}: {ruling}",
        dispute=data["dispute"],
        arbiter=PlayerWithId(data["arbiter"]),
        ruling=ruling,
    )


def _requested(data: TakebackRequested) -> Message:
    return message(
        "asks to take back the last action, to go on after event {event}", event=data["from"]
    )


def _takeback_answered(data: TakebackAnswered) -> Message:
    if data["agree"]:
        return message("agrees to takeback {request}", request=data["request"])
    return message("declines takeback {request}", request=data["request"])


def _resumed(data: PlayResumed) -> Message:
    return message(
        "play resumes after event {event}, as event {cause} decided",
        event=data["from"],
        cause=data["because"],
    )


DISPUTE_MESSAGES: Final[Mapping[str, Callable[[Any], Message]]] = {
    "DisputeOpened": _opened,
    "DisputeAnswered": _answered,
    "RulingProposed": _proposed,
    "DisputeWithdrawn": _withdrawn,
    "DisputeRuled": _ruled,
    "TakebackRequested": _requested,
    "TakebackAnswered": _takeback_answered,
    "PlayResumed": _resumed,
}
"""By event type. The data is `Any` in this table alone."""
