"""Notes about time: actions that were accepted after their deadline, and turns forfeited long after it.

Neither breaks a rule. A deadline takes effect when the forfeit is in the log, so an action that is logged
before the forfeit is valid, however late it is.
"""

from typing import Final

from domain.event import acting_seat
from domain.messages import Instant, PlayerAt, message
from ledger.commands import CLOCK
from ledger.envelope import format_timestamp
from ledger.turn_clock import deadline, milliseconds_left, time_left_message
from replay.audit.findings import Check
from replay.timeline import Step

LATE_FORFEIT_MILLISECONDS: Final = 60_000
"""A turn that is forfeited so long after its deadline is noted: a scheduler takes some seconds at most."""


def note_lateness(check: Check, step: Step) -> None:
    """Add a note to the check if the event is an action after its deadline, or a late forfeit."""
    event, before = step.event, step.before
    if before is None or before.clock is None:
        return
    left = milliseconds_left(before, event["at"])
    if left is None or left > 0:
        return
    moment = deadline(before)
    assert moment is not None
    assert before.to_act is not None, "there is a deadline only in a turn"
    if acting_seat(event["by"]) == before.to_act and event["action"] is not None:
        check.note(
            message(
                "{player} acted on {time}, {lateness}: its deadline was {deadline}. The action is"
                " valid, because the turn had not been forfeited.",
                player=PlayerAt(before.to_act),
                time=Instant(event["at"], is_exact=True),
                lateness=time_left_message(left),
                deadline=Instant(format_timestamp(moment), is_exact=True),
            ),
            seq=event["seq"],
        )
    elif event["by"] == CLOCK and -left >= LATE_FORFEIT_MILLISECONDS:
        check.note(
            message(
                "the clock ended the turn of {player} on {time}, {lateness}: its deadline was"
                " {deadline}.",
                player=PlayerAt(before.to_act),
                time=Instant(event["at"], is_exact=True),
                lateness=time_left_message(left),
                deadline=Instant(format_timestamp(moment), is_exact=True),
            ),
            seq=event["seq"],
        )
