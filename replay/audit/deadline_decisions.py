"""What the clock does at deadlines, and who has vacant seats, decided again.

A part of the check of decisions (replay/audit/decisions.py).
"""

from domain import lifecycle
from domain.administration import ADMINISTRATOR
from domain.bot_tasks import common_action
from domain.clock import substitutes
from domain.clock.deadlines import (
    Outcome,
    act_for_absent_seat,
    deadline_outcome,
    excuse,
    is_left_by_everybody,
    is_placement,
)
from domain.contract import DomainEvent
from domain.errors import NotNow
from domain.event import Event
from domain.game import Game
from domain.messages import message
from ledger.commands import CLOCK, is_due
from replay.timeline import Step


def decide_deadline(event: Event, before: Game) -> DomainEvent:
    """Return what the clock may do with an event of this type. Raises Refused, NotNow."""
    _require_due(event, before)
    if event["action"] is not None:
        return _decide_action(event, before)
    seat = before.to_act
    assert seat is not None, "there is a deadline only in a turn"
    has_action = bool(before.rules.legal_actions(before.state, seat))
    outcome = deadline_outcome(before)
    match event["type"]:
        case "TurnForfeited":
            _require_outcome("forfeit", before, or_else=outcome == "bot" and not has_action)
            return lifecycle.forfeit(before)
        case "PlayerRemoved":
            is_former = _is_removal_of_former_version(before)
            _require_outcome(
                "remove", before, or_else=is_former or (outcome == "bot" and not has_action)
            )
            return lifecycle.remove(before, seat)
        case "DeadlineExcused":
            _require_outcome("excuse", before)
            return excuse(before)
        case _:
            _require_outcome("vacate", before)
            return substitutes.vacate(before, seat)


def decide_seat_event(event: Event, before: Game) -> DomainEvent:
    """Return what `SeatVacated` or `SubstituteSeated` must be. Raises NotNow."""
    seat = event["data"]["seat"]
    if event["type"] == "SubstituteSeated":
        player = event["data"]["player"]
        if event["by"] == ADMINISTRATOR:
            return substitutes.seat_by_decision(before, seat, player)
        if before.options["private"] and player not in before.invited:
            raise NotNow(None, message("the game is private, and this player is not invited"))
        return substitutes.seat_substitute(before, seat, player)
    if event["by"] == CLOCK:
        return decide_deadline(event, before)
    return substitutes.vacate(before, seat)


def is_clock_playing(step: Step) -> bool:
    """Return whether an event is an action of the clock after which the same turn goes on."""
    event, before, after = step.event, step.before, step.after
    return (
        event["by"] == CLOCK
        and event["action"] is not None
        and before is not None
        and after.to_act is not None
        and after.turn == before.turn
    )


def is_left(event: Event, before: Game) -> bool:
    """Return whether nobody is left in the game who could have missed its end: it may wait for the clock."""
    return is_left_by_everybody(before) and event["by"] != CLOCK


def _require_due(event: Event, before: Game) -> None:
    if not is_due(before, event["at"]):
        raise NotNow(None, message("the time for the turn was not over"))


def _require_outcome(expected: Outcome, before: Game, *, or_else: bool = False) -> None:
    """Raise NotNow unless the deadline leads to this, by the game's options, unless `or_else`."""
    if deadline_outcome(before) != expected and not or_else:
        raise NotNow(None, message("by the game's options, the deadline leads to something else"))


def _decide_action(event: Event, before: Game) -> DomainEvent:
    action = before.rules.parse_action(event["action"])
    seat = before.to_act
    is_common = seat in before.vacant_seats and action == common_action(before, seat)
    _require_outcome("bot", before, or_else=is_common)
    return act_for_absent_seat(before, action)


def _is_removal_of_former_version(before: Game) -> bool:
    """Whether this is a placement in a game whose clock says nothing about deadlines.

    A missed placement removed the player before clocks could say so. That was before there were substitutes:
    in a game with these, the seat becomes vacant.
    """
    clock = before.clock
    return (
        clock is not None
        and "on_deadline" not in clock
        and not before.options.get("substitutes")
        and is_placement(before)
    )
