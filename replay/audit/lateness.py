"""Notes about time: actions that were accepted after their deadline, and turns forfeited long after it.

Neither breaks a rule. A deadline takes effect when the forfeit is in the log, so an action that is logged
before the forfeit is valid, however late it is.
"""

from typing import Final

from domain.event import acting_seat
from ledger.commands import CLOCK
from ledger.envelope import format_timestamp
from ledger.turn_clock import deadline, milliseconds_left, time_left_text
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
    lateness = f"{event['at']}, {time_left_text(left)}: its deadline was {format_timestamp(moment)}"
    if acting_seat(event["by"]) == before.to_act and event["action"] is not None:
        check.note(
            f"seat {before.to_act} acted at {lateness}. The action is valid, because the turn had not been"
            " forfeited.",
            seq=event["seq"],
        )
    elif event["by"] == CLOCK and -left >= LATE_FORFEIT_MILLISECONDS:
        check.note(
            f"the clock ended the turn of seat {before.to_act} at {lateness}.", seq=event["seq"]
        )
