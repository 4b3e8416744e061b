"""The checks of the hash chain and of the positions, for which hashing and folding are enough."""

from domain.errors import Unreadable
from domain.event import ZEROS
from ledger.record import Record
from ledger.seal import hash_in, state_hash
from replay.audit.findings import Check
from replay.language.renderer import english
from replay.timeline import Step, unreadable_on_error


def check_chain(record: Record) -> Check:
    """Check that the events follow one another by number, hash, time and game."""
    check = Check("chain", "events hashed again")
    prev, at, seq = ZEROS, "", 0
    game = record.events[0]["game"] if record.events else ""
    for number, (event, line) in enumerate(zip(record.events, record.lines, strict=True), 1):
        if event["seq"] != seq + 1:
            check.add(
                f"event {event['seq']} follows event {seq}"
                if seq
                else f"the first event is event {event['seq']}",
                "Events were removed, repeated or reordered.",
                line=number + 1,
                seq=event["seq"],
            )
        if event["prev"] != prev:
            check.add(
                "its prev is not the hash of the previous event",
                "The previous event was changed, inserted or removed, or this event is from another history.",
                line=number + 1,
                seq=event["seq"],
            )
        if hash_in(line, event["hash"]) != event["hash"]:
            check.add(
                "its hash does not match its content",
                "The event was changed after it was sealed.",
                line=number + 1,
                seq=event["seq"],
            )
        if event["at"] < at:
            check.add(
                f"its time, {event['at']}, is before that of the previous event",
                "The time was made up.",
                line=number + 1,
                seq=event["seq"],
            )
        if event["game"] != game:
            check.add(
                f"it is an event of game {event['game']}",
                "Events of two games were mixed.",
                line=number + 1,
                seq=event["seq"],
            )
        prev, at, seq = event["hash"], event["at"], event["seq"]
        check.count += 1
    return check


class StateCheck:
    """Compares the `state` of each event with the position that follows from the record."""

    def __init__(self) -> None:
        self.check = Check("state", "positions computed again")

    def examine(self, step: Step) -> None:
        """Check one event."""
        seq = step.event["seq"]
        self.check.count += 1
        try:
            with unreadable_on_error(seq):
                computed = state_hash(step.after)
        except Unreadable as unreadable:
            self.stop(seq, english(unreadable.why))
            return
        if computed == step.event["state"]:
            return
        is_unchanged = step.before is not None and computed == step.before.state_hash
        self.check.add_at_event(
            seq,
            f"its state is {step.event['state'][:12]}…, but the position after it has the hash"
            f" {computed[:12]}…" + (", the same as before it" if is_unchanged else ""),
            "The data of the event do not lead to the position sealed with it: the event was made up, or"
            " these rules apply it differently from the program that wrote it.",
        )

    def stop(self, seq: int, reason: str) -> None:
        """Report that no position can be computed from event `seq` on."""
        meaning = "No game can go on like this: the event was made up or is incomplete."
        self.check.add_at_event(seq, reason, meaning)
        self.check.add_unknown(
            f"whether the positions from event {seq} on follow from the events",
            "A copy of the record in which this event is as the server wrote it decides it.",
            line=seq + 1,
            seq=seq,
        )
