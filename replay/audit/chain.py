"""The checks that need only hashes: the chain of events, the positions, what was kept secret."""

from domain import chance
from domain.errors import Unreadable
from domain.event import ENDINGS, ZEROS, Event
from ledger.canonical import unhex
from ledger.record import Record
from ledger.record_schema import Opening
from ledger.seal import commitment, hash_in, state_hash
from replay.audit.findings import Check
from replay.timeline import Step, reading


def check_chain(record: Record) -> Check:
    """Events in unbroken order, each with its hash and that of the one before, times never back."""
    check = Check("chain", "events hashed again")
    prev, at, seq = ZEROS, "", 0
    id = record.events[0]["game"] if record.events else ""
    for number, (event, line) in enumerate(zip(record.events, record.lines, strict=True), 1):
        if event["seq"] != seq + 1:
            check.finds(
                f"event {event['seq']} follows event {seq}"
                if seq
                else f"it begins with {event['seq']}",
                "Events were taken out, doubled or put in another order.",
                line=number + 1,
                seq=event["seq"],
            )
        if event["prev"] != prev:
            check.finds(
                "its prev is not the hash of the event before",
                "The event before it was changed, put in or taken out, or this one is of another history.",
                line=number + 1,
                seq=event["seq"],
            )
        if hash_in(line, event["hash"]) != event["hash"]:
            check.finds(
                "its hash is not that of what it says",
                "The event was changed after it was sealed.",
                line=number + 1,
                seq=event["seq"],
            )
        if event["at"] < at:
            check.finds(
                f"it happened at {event['at']}, before the event before it",
                "The time was made up.",
                line=number + 1,
                seq=event["seq"],
            )
        if event["game"] != id:
            check.finds(
                f"it is an event of game {event['game']}",
                "Events of two games were mixed.",
                line=number + 1,
                seq=event["seq"],
            )
        prev, at, seq = event["hash"], event["at"], event["seq"]
        check.looked_at += 1
    return check


class StateCheck:
    """`state` of each event against the position worked out from the record."""

    def __init__(self) -> None:
        self.check = Check("state", "positions worked out again")

    def look(self, step: Step) -> None:
        """At one event."""
        seq = step.event["seq"]
        self.check.looked_at += 1
        try:
            with reading(seq):
                found = state_hash(step.after)
        except Unreadable as unreadable:
            self.stops(seq, unreadable.why)
            return
        if found == step.event["state"]:
            return
        same = step.before is not None and found == step.before.state_hash
        self.check.finds_at(
            seq,
            f"its state is {step.event['state'][:12]}…, the position after it has {found[:12]}…"
            + (", as before it" if same else ""),
            "What the event says does not lead to the position that was sealed with it: it was made up, or"
            " these rules apply it in another way than the program that wrote it.",
        )

    def stops(self, seq: int, why: str) -> None:
        """No further position can be worked out."""
        means = "No game can go on like this: the event was made up or is incomplete."
        self.check.finds_at(seq, why, means)
        self.check.left_out = f"nothing from event {seq} on could be worked out"


def check_secrets(record: Record) -> Check:
    """What was opened is what was committed to: secret values, and the game's own secret once it is over."""
    check = Check("secrets", "kept as committed to")
    for seq, opens in record.opens.items():
        line = record.open_lines[seq]
        committed = _committed(record, seq)
        for name, opening in opens.items():
            check.looked_at += 1
            if name not in committed:
                check.finds(
                    f"{name} is opened, of which event {seq} says nothing",
                    "An opening was made up or stands with the wrong event.",
                    line=line,
                    seq=seq,
                )
            elif commitment(opening) != committed[name]:
                check.finds(
                    f"{name} as it is opened is not what event {seq} committed to",
                    "The secret value was changed afterwards.",
                    line=line,
                    seq=seq,
                )
    end = ending(record)
    if end is None:
        closed = len(closed_secrets(record))
        check.left_out = "the game's secret is published at its end"
        if closed:
            check.left_out += f"; {closed} secret values are not opened here"
        return check
    for seq, name in closed_secrets(record):
        check.finds_at(
            seq,
            f"{name} is not opened, although the game is over",
            "Openings were left out: what this secret was cannot be checked.",
        )
    check.looked_at += 1
    if game_secret(record) is None:
        check.finds_at(
            end["seq"],
            "the game's secret that it publishes is not the one that was committed to at the beginning",
            "The chance of this game may have been chosen instead of drawn.",
        )
    return check


def _committed(record: Record, seq: int) -> dict[str, str]:
    """The commitments of event `seq`, if there is one."""
    return record.events[seq - 1].get("secrets", {}) if seq <= len(record.events) else {}


def proven_opens(record: Record) -> dict[int, dict[str, Opening]]:
    """What was opened and is what was committed to."""
    return {
        seq: {
            name: opening
            for name, opening in opens.items()
            if commitment(opening) == _committed(record, seq).get(name)
        }
        for seq, opens in record.opens.items()
    }


def ending(record: Record) -> Event | None:
    """The first event that ends the game."""
    return next((event for event in record.events if event["type"] in ENDINGS), None)


def closed_secrets(record: Record) -> list[tuple[int, str]]:
    """The secret values that are committed to and not opened: seq and name."""
    return [
        (event["seq"], name)
        for event in record.events
        for name in event.get("secrets", ())
        if name not in record.opens.get(event["seq"], ())
    ]


def game_secret(record: Record) -> bytes | None:
    """The game's secret as its end publishes it, if it is the one committed to; None if not known."""
    end = ending(record)
    if end is None:
        return None
    try:
        secret = unhex(end["data"].get("secret"))
    except ValueError:
        return None
    committed = record.events[0]["data"]["commitment"]
    return secret if len(secret) == 32 and chance.commitment(secret) == committed else None
