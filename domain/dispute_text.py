"""Events of disputes and takebacks, and the resumption of play, as one line of English each."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from domain.dispute_events import (
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


def ruling_text(ruling: Ruling) -> str:
    """`the game is abandoned`: the ruling as a clause."""
    if ruling["type"] == "resume":
        return f"play resumes after event {ruling['from']}"
    if ruling["type"] == "remove_seat":
        return f"seat {ruling['seat']} is removed"
    return _TEXTS[ruling["type"]]


def _opened(data: DisputeOpened) -> str:
    until = data["clock_stopped_until"]
    clock = f"; the clock stops until {until} at the latest" if until is not None else ""
    return f"disputes event {data['about']}{clock}"


def _answered(data: DisputeAnswered) -> str:
    return f"answers dispute {data['dispute']}"


def _proposed(data: RulingProposed) -> str:
    return f"proposes to rule in dispute {data['dispute']} that {ruling_text(data['ruling'])}"


def _withdrawn(data: DisputeWithdrawn) -> str:
    return f"withdraws dispute {data['dispute']}"


def _ruled(data: DisputeRuled) -> str:
    by = "the players agree" if data["arbiter"] is None else f"arbiter {data['arbiter']} rules"
    return f"dispute {data['dispute']}: {by} that {ruling_text(data['ruling'])}"


def _requested(data: TakebackRequested) -> str:
    return f"asks to take back the last action, to go on after event {data['from']}"


def _takeback_answered(data: TakebackAnswered) -> str:
    verb = "agrees to" if data["agree"] else "declines"
    return f"{verb} takeback {data['request']}"


_TEXTS: Final = {
    "dismiss": "the dispute is dismissed",
    "result_stands": "the result stands",
    "abandon": "the game is abandoned",
}
"""By type, the texts of the rulings that have no other field."""


def _resumed(data: PlayResumed) -> str:
    return f"play resumes after event {data['from']}, as event {data['because']} decided"


DISPUTE_TEXTS: Final[Mapping[str, Callable[[Any], str]]] = {
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
