"""Decides the events that concern only a game's clock again: holidays and pauses.

A part of the check of decisions (replay/audit/decisions.py).
"""

from domain.clock import holidays, pauses
from domain.contract import DomainEvent
from domain.errors import NotNow
from domain.event import Event, acting_seat
from domain.game import Game
from domain.messages import message
from ledger.envelope import is_timestamp
from ledger.turn_clock import is_pause_over


def decide_clock_event(event: Event, before: Game) -> DomainEvent | None:
    """Return what the rules decide in place of an event of CLOCK_EVENTS.

    None if nobody in the game did this, which is a finding of its own. Raises Refused.
    """
    data, at = event["data"], event["at"]
    if event["type"] == "PauseAgreed":
        seat = acting_seat(event["by"])
        if seat is None or seat >= len(before.players):
            return None
        is_over = is_pause_over(before, at)
        return pauses.agree(before, seat, agree=data["agree"], is_over=is_over)
    if not all(is_timestamp(data[name]) for name in ("from", "to") if name in data):
        raise NotNow(None, message("the times of the holiday are not valid"))
    if event["type"] == "HolidayAnnounced":
        return holidays.announce(before, data["player"], data["from"], data["to"], at)
    return holidays.cancel(before, data["player"], data["from"], at)
