"""The checks of the hash chain and of the positions, which only need hashing and folding."""

from functools import partial

from domain.errors import Unreadable
from domain.event import ZEROS
from domain.messages import Instant, Text, message
from ledger.pending import hash_in, state_hash
from ledger.record import Record
from replay.audit.findings import Check
from replay.history.timeline import Transition, unreadable_on_error


def check_chain(record: Record) -> Check:
    """Check that the events follow one another by number, hash, time and game."""
    check = Check("chain")
    prev, at, seq = ZEROS, "", 0
    game = record.events[0]["game"] if record.events else ""
    for number, (event, line) in enumerate(zip(record.events, record.lines, strict=True), 1):
        add = partial(check.add, line=number + 1, seq=event["seq"])
        if event["seq"] != seq + 1:
            add(
                message("event {seq} follows event {previous}", seq=event["seq"], previous=seq)
                if seq
                else message("the first event is event {seq}", seq=event["seq"]),
                message("Events were removed, repeated or reordered."),
                code="seq",
            )
        if event["prev"] != prev:
            add(
                message("its prev is not the hash of the previous event"),
                message(
                    "The previous event was changed, inserted or removed, or this event is from another"
                    " history."
                ),
                basis="links",
                code="prev",
            )
        if hash_in(line, event["hash"]) != event["hash"]:
            add(
                message("its hash does not match its content"),
                message("The event was changed after it was sealed."),
                basis="links",
                code="hash",
            )
        if event["at"] < at:
            add(
                message(
                    "its time, {time}, is before that of the previous event",
                    time=Instant(event["at"], is_exact=True),
                ),
                message("The time was made up."),
                code="time",
            )
        if event["game"] != game:
            add(
                message("it is an event of game {game}", game=event["game"]),
                message("Events of two games were mixed."),
                code="game",
            )
        prev, at, seq = event["hash"], event["at"], event["seq"]
        check.count += 1
    return check


class StateCheck:
    """Compares the `state` of each event with the position that follows from the record."""

    def __init__(self) -> None:
        self.check = Check("state")

    def examine(self, transition: Transition) -> None:
        """Check one event."""
        seq = transition.event["seq"]
        self.check.count += 1
        try:
            with unreadable_on_error(seq):
                computed = state_hash(transition.after)
        except Unreadable as unreadable:
            self.stop(seq, unreadable.why)
            return
        if computed == transition.event["state"]:
            return
        recorded, actual = transition.event["state"][:12], computed[:12]
        if transition.before is not None and computed == transition.before.state_hash:
            problem = message(
                "its state is {recorded}…, but the position after it has the hash {computed}…, the same as"
                " before it",
                recorded=recorded,
                computed=actual,
            )
        else:
            problem = message(
                "its state is {recorded}…, but the position after it has the hash {computed}…",
                recorded=recorded,
                computed=actual,
            )
        self.check.add_at_event(
            seq,
            problem,
            message(
                "The data of the event do not lead to the position sealed with it: the event was made up, or"
                " these rules apply it differently from the program that wrote it."
            ),
        )

    def stop(self, seq: int, reason: Text) -> None:
        """Report that no position can be computed from event `seq` on."""
        self.check.add_at_event(
            seq,
            message("{reason}", reason=reason),
            message("No game can go on like this: the event was made up or is incomplete."),
        )
        self.check.add_unknown(
            message("whether the positions from event {seq} on follow from the events", seq=seq),
            message(
                "A copy of the record in which this event is as the server wrote it decides it."
            ),
            line=seq + 1,
            seq=seq,
        )
