"""Deadlines, vacant seats, holidays and pauses, decided again; and notes about late actions and forfeits.

A part of the check of decisions (replay/audit/decisions.py).

Notes are made of actions that were accepted after their deadline, and of turns forfeited long after it.
Neither violates a rule. A deadline takes effect when the forfeit is in the log, so an action that is logged
before the forfeit is valid, however late it is.
"""

from typing import Final

from domain import lifecycle
from domain.administration import ADMINISTRATOR
from domain.bot_tasks import common_action
from domain.clock import decisions, substitutes
from domain.clock.deadlines import (
    Outcome,
    act_for_absent_seat,
    deadline_outcome,
    excuse,
    is_left_by_everybody,
    is_placement,
)
from domain.contract import DomainEvent
from domain.errors import not_now
from domain.event import Event, acting_seat
from domain.game import Game
from domain.messages import Instant, PlayerAt, message
from ledger.canonical import format_timestamp
from ledger.clock.turn_clock import deadline, is_pause_over, milliseconds_left, time_left_message
from ledger.commands import CLOCK, is_due
from ledger.envelope import is_timestamp
from replay.audit.findings import Check
from replay.history.timeline import Transition


def decide_clock_event(event: Event, before: Game) -> DomainEvent | None:
    """Return the event that the rules decide where the log has an event of CLOCK_EVENTS.

    None if nobody in the game caused it, which is a separate finding. Raises Refused.
    """
    data, at = event["data"], event["at"]
    if event["type"] in {"PauseAgreed", "TimeGiven"}:
        seat = acting_seat(event["by"])
        if seat is None or seat >= len(before.players):
            return None
        if event["type"] == "TimeGiven":
            return decisions.give_time(before, seat, data["to"], data["seconds"])
        is_over = is_pause_over(before, at)
        return decisions.agree_to_pause(before, seat, agree=data["agree"], is_over=is_over)
    if not all(is_timestamp(data[name]) for name in ("from", "to") if name in data):
        raise not_now("the times of the holiday are not valid")
    if event["type"] == "HolidayAnnounced":
        return decisions.announce_holiday(before, data["player"], data["from"], data["to"], at)
    return decisions.cancel_holiday(before, data["player"], data["from"], at)


def decide_deadline(event: Event, before: Game) -> DomainEvent:
    """Return the event of this type that the clock may cause. Raises Refused, NotNow."""
    if not is_due(before, event["at"]):
        raise not_now("the time for the turn was not over")
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
    """Return the expected `SeatVacated` or `SubstituteSeated`. Raises NotNow."""
    seat = event["data"]["seat"]
    if event["type"] == "SubstituteSeated":
        player = event["data"]["player"]
        if event["by"] == ADMINISTRATOR:
            return substitutes.seat_by_decision(before, seat, player)
        is_for_invited = before.options["private"] and "club" not in before.options
        if is_for_invited and player not in before.invited:
            raise not_now("the game is private, and this player is not invited")
        return substitutes.seat_substitute(before, seat, player)
    if event["by"] == CLOCK:
        return decide_deadline(event, before)
    return substitutes.vacate(before, seat)


def is_clock_playing(transition: Transition) -> bool:
    """Return whether an event is an action of the clock after which the same turn continues."""
    event, before, after = transition.event, transition.before, transition.after
    return (
        event["by"] == CLOCK
        and event["action"] is not None
        and before is not None
        and after.to_act is not None
        and after.turn == before.turn
    )


def is_left(event: Event, before: Game) -> bool:
    """Return whether nobody is left in the game who would miss its end, which may then wait for the clock."""
    return is_left_by_everybody(before) and event["by"] != CLOCK


def _require_outcome(expected: Outcome, before: Game, *, or_else: bool = False) -> None:
    """Raise NotNow unless the deadline has this outcome by the game's options, or `or_else` is true."""
    if deadline_outcome(before) != expected and not or_else:
        raise not_now("by the game's options, the deadline leads to something else")


def _decide_action(event: Event, before: Game) -> DomainEvent:
    action = before.rules.parse_action(event["action"])
    seat = before.to_act
    is_common = seat in before.vacant_seats and action == common_action(before, seat)
    _require_outcome("bot", before, or_else=is_common)
    return act_for_absent_seat(before, action)


def _is_removal_of_former_version(before: Game) -> bool:
    """Return whether this is a placement in a game whose clock has no setting for deadlines.

    A missed placement removed the player before clocks had this setting. That was before there were
    substitutes: in a game with these, the seat becomes vacant.
    """
    clock = before.clock
    return (
        clock is not None
        and "on_deadline" not in clock
        and not before.options.get("substitutes")
        and is_placement(before)
    )


LATE_FORFEIT_MILLISECONDS: Final = 60_000
"""The delay after the deadline from which a forfeit is noted: a scheduler takes some seconds at most."""


def note_lateness(check: Check, transition: Transition) -> None:
    """Add a note to the check if the event is an action after its deadline, or a late forfeit."""
    event, before = transition.event, transition.before
    if before is None or before.clock is None:
        return
    left = milliseconds_left(before, event["at"])
    if left is None or left > 0:
        return
    moment = deadline(before)
    assert moment is not None
    assert before.to_act is not None, "there is a deadline only in a turn"
    player, time = PlayerAt(before.to_act), Instant(event["at"], is_exact=True)
    lateness, until = time_left_message(left), Instant(format_timestamp(moment), is_exact=True)
    if acting_seat(event["by"]) == before.to_act and event["action"] is not None:
        note = message(
            "{player} acted on {time}, {lateness}: its deadline was {deadline}. The action is"
            " valid, because the turn had not been forfeited.",
            player=player,
            time=time,
            lateness=lateness,
            deadline=until,
        )
        check.note(note, seq=event["seq"])
    elif event["by"] == CLOCK and -left >= LATE_FORFEIT_MILLISECONDS:
        note = message(
            "the clock ended the turn of {player} on {time}, {lateness}: its deadline was {deadline}.",
            player=player,
            time=time,
            lateness=lateness,
            deadline=until,
        )
        check.note(note, seq=event["seq"])
