"""Which rows of docs/threats.md explain why an audit calls a mutated record sound.

The rows are computed from the differences between the record and the mutant. Where events differ, two things
must hold besides: a server that keeps to the rules can have written the mutant, which
tests/support/honest_server.py decides independently of the audit, and comparing the mutant with the original
record exposes it.
"""

from collections.abc import Collection, Iterator, Mapping
from difflib import SequenceMatcher
from io import BytesIO
from typing import Any, Final

from domain.clock.events import CLOCK_EVENTS
from domain.contract import STATEMENT
from domain.json_types import JsonObject
from ledger.canonical import canonical
from ledger.commands import ARBITER, TAKEBACK
from ledger.record import Record
from replay.compare.comparison import compare
from replay.history.event_values import seated_players
from tests.mutations.subjects import SERVER_KEY, Subject
from tests.support.honest_disputes import TYPES as DISPUTE_EVENTS
from tests.support.honest_server import refutation
from tests.support.records import KEY, read

DERIVED: Final = frozenset({"seq", "prev", "hash", "state"})
"""Fields of an event that follow from its other fields and the events before it."""
ACTED: Final = frozenset({"action", "by", "data"})
"""The fields of an event that say who did what, with which outcome."""
CONSEQUENCES: Final = frozenset({"RoundScored", "GameFinished"})
"""Types of events that follow completely from the other events of a game."""
SETTINGS: Final = frozenset({"options", "clock", "invited", "arbiter", "seed"})

NONCE_SOURCES: Final = ((True, {"nonce"}), (False, {"nonce_from"}))
"""Whether an event is of a dispute or takeback, and what differs if the source of a nonce was made up."""

HEADER_ROWS: Final[Mapping[str, str]] = {
    "engine": "header-made-up",
    "keys": "header-made-up",
    "players": "names-made-up",
    "inclusion": "evidence-withheld",
    "log": "header-made-up",
    "origin": "header-made-up",
}
"""The row that explains another value of a field of the header, outside of the hash chain."""
EVENT_ROWS: Final = frozenset(
    {
        "action-made-up",
        "agreement-made-up",
        "arbiter-made-up",
        "event-withheld",
        "game-made-up",
        "nonce-source-made-up",
        "mark-made-up",
        "order-made-up",
        "player-key-made-up",
        "settings-made-up",
        "signature-removed",
        "statement-made-up",
        "times-made-up",
    }
)
"""The rows that explain other events."""
ROWS: Final = (
    EVENT_ROWS | frozenset(HEADER_ROWS.values()) | {"evidence-withheld", "statement-withheld"}
)
"""All rows that can explain why a mutant is sound."""


class Unexplained(Exception):  # not an error: the result of a search
    """A difference that no row of the table explains, or that its row does not explain."""


def rows_of(subject: Subject, data: bytes) -> frozenset[str]:
    """Return the rows that explain how a sound mutant differs from its record. Raises Unexplained."""
    original, mutant = subject.record, read(data)
    rows = {
        *_header_rows(original.header, mutant.header),
        *_event_rows(original, mutant),
        *_evidence_rows(original, mutant),
    }
    if not rows:
        raise Unexplained("it has the same content in other bytes")
    if original.lines != mutant.lines:
        _require_exposure(subject, data)
    return frozenset(rows)


def _header_rows(original: JsonObject, mutant: JsonObject) -> Iterator[str]:
    for name in sorted(original.keys() | mutant.keys()):
        if name == "head" or original.get(name) == mutant.get(name):
            continue
        if name not in HEADER_ROWS:
            raise Unexplained(f"{name} in the header differs: {mutant.get(name)!r}")
        yield HEADER_ROWS[name]
    unknown = mutant["head"].keys() - original["head"].keys()
    if unknown:
        raise Unexplained(f"the head has unknown fields {sorted(unknown)}")


def _event_rows(original: Record, mutant: Record) -> Iterator[str]:
    bodies, others = ([_body(event) for event in record.events] for record in (original, mutant))
    keys, other_keys = (list(map(canonical, events)) for events in (bodies, others))
    matcher = SequenceMatcher(None, keys, other_keys, autojunk=False)
    seated = [original.names.get(id, id) for id in seated_players(original)]
    dropped, added = [], []
    for tag, start, end, other_start, other_end in matcher.get_opcodes():
        if tag == "equal":
            continue
        if tag == "replace" and end - start == other_end - other_start:
            pairs = zip(bodies[start:end], others[other_start:other_end], strict=True)
            for event, other in pairs:
                if event["type"] == other["type"]:
                    yield from _changed_event_rows(event, other, seated)
                else:
                    dropped.append(event)
                    added.append(other)
        else:
            dropped += bodies[start:end]
            added += others[other_start:other_end]
    yield from _moved_event_rows(dropped, added)


def _body(event: Mapping[str, Any]) -> JsonObject:
    return {name: value for name, value in event.items() if name not in DERIVED}


def _changed_event_rows(
    event: JsonObject, other: JsonObject, seated: Collection[str]
) -> Iterator[str]:
    """The rows that explain how an event differs from the one in its place.

    `seated` are the players of the game, without those who left before its start.
    """
    fields = {name for name in event.keys() | other.keys() if event.get(name) != other.get(name)}
    if "at" in fields:
        yield "times-made-up"
    fields -= {"at"}
    if "signature" in fields:
        if "signature" in other:
            raise Unexplained("an event has another player's signature that was accepted")
        yield "signature-removed"
        fields -= {"signature"}
    if "conditional" in fields:
        yield "mark-made-up"
        fields -= {"conditional"}
    data = {
        name
        for name in event["data"].keys() | other["data"].keys()
        if event["data"].get(name) != other["data"].get(name)
    }
    if event["type"] == "GameCreated" and fields and fields <= {"by", "data"} and data <= SETTINGS:
        yield from ["settings-made-up"] * bool(data) + ["game-made-up"] * ("by" in fields)
    elif event["type"] == "SeatTaken" and fields == {"by", "data"} and data == {"player"}:
        yield "game-made-up"  # another player took part
    elif event["type"] == "GameStarted" and fields == {"data"} and data == {"players"}:
        yield "game-made-up"
    elif fields == {"data"} and (event["type"] in DISPUTE_EVENTS, data) in NONCE_SOURCES:
        yield "nonce-source-made-up"
    elif (
        event["type"] == "SeatTaken" and data == {"nonce"} and event["data"]["player"] not in seated
    ):
        yield "settings-made-up"  # the nonce of a player who left counts for nothing
    elif (event["type"] == "AdministratorDecided" and data == {"administrator"}) or (
        event["type"] == "EventsLost" and fields == {"data"}
    ):
        yield "arbiter-made-up"
    elif event["type"] in CONSEQUENCES and fields == {"data"}:
        return  # the honest server confirms that it follows from what differs elsewhere
    elif event["type"] in DISPUTE_EVENTS and fields == {"secrets"}:
        yield "statement-made-up"
    elif event["type"] in DISPUTE_EVENTS and fields and fields <= {"by", "data", "secrets"}:
        yield "arbiter-made-up" if event["by"] == ARBITER else "agreement-made-up"
    elif fields and fields <= ACTED and event["action"] is not None and other["action"] is not None:
        yield "action-made-up"
    elif fields:
        raise Unexplained(f"a {event['type']} differs in {sorted(fields)} {sorted(data)}")


def _moved_event_rows(dropped: list[JsonObject], added: list[JsonObject]) -> Iterator[str]:
    """The rows that explain events that are missing, added or in another place."""
    missing, new = (
        {canonical(_without_place(event)): event for event in events} for events in (dropped, added)
    )
    for key in missing.keys() & new.keys():
        yield "order-made-up"
        if missing[key]["at"] != new[key]["at"]:
            yield "times-made-up"
    for key in missing.keys() - new.keys():
        if missing[key]["type"] not in CONSEQUENCES:
            yield _row_of_existence(missing[key], "event-withheld")
    for key in new.keys() - missing.keys():
        if new[key]["type"] not in CONSEQUENCES:
            yield _row_of_existence(new[key], "action-made-up")


def _without_place(event: JsonObject) -> JsonObject:
    """An event without what follows from its place: its time, and seats in the order of joining."""
    if event["type"] != "GameStarted":
        return {**event, "at": ""}
    return {
        **event,
        "at": "",
        "data": {**event["data"], "players": sorted(event["data"]["players"])},
    }


def _row_of_existence(event: JsonObject, row: str) -> str:
    """The row that explains an event that is missing or was added."""
    if event["by"] == ARBITER:
        return "arbiter-made-up"
    if event["by"] == TAKEBACK:
        return "agreement-made-up"
    if event["type"] in DISPUTE_EVENTS or event["type"] in CLOCK_EVENTS:
        return "agreement-made-up"
    if event["type"] in {"PlayerInvited", "InvitationDeclined", "InvitationRevoked"}:
        return "settings-made-up"
    if event["type"] in {"SeatVacated", "SubstituteSeated"}:
        return "agreement-made-up"
    if event["type"] in {"AdministratorDecided", "EventsLost"}:
        return "arbiter-made-up"
    if event["type"] in {"PlayerKeyAdded", "PlayerKeyRevoked"}:
        return "player-key-made-up"
    if event["action"] is not None or event["type"] in {
        *("SeatTaken", "SeatLeft", "TurnForfeited", "DeadlineExcused")
    }:
        return row
    raise Unexplained(f"a {event['type']} is missing or was added")


def _evidence_rows(original: Record, mutant: Record) -> Iterator[str]:
    opened, other_opened = (_openings(record) for record in (original, mutant))
    if any(name != STATEMENT for _, name in opened.keys() ^ other_opened.keys()):
        raise Unexplained("other secrets are opened")
    if opened.keys() != other_opened.keys():
        yield "statement-withheld"
    elif opened != other_opened and original.lines == mutant.lines:
        raise Unexplained("a secret is opened with another value than the one committed to")
    receipts, others = original.receipts, mutant.receipts
    if receipts == others:
        return
    for receipt in others:
        # The holder of the server's key can issue receipts, but only for the events as they are.
        if receipt != KEY.receipt(mutant.events[receipt["seq"] - 1]):
            raise Unexplained(f"a receipt was accepted that is not for its event: {receipt}")
    if len(others) != len(receipts) or original.lines == mutant.lines:
        yield "evidence-withheld"


def _openings(record: Record) -> dict[tuple[int, str], Any]:
    return {
        (seq, name): opening
        for seq, by_name in record.openings.items()
        for name, opening in by_name.items()
    }


def _require_exposure(subject: Subject, data: bytes) -> None:
    """Check that the rules allow the mutant, and that the original record exposes it. Raises Unexplained."""
    reason = refutation(data)
    if reason is not None:
        raise Unexplained(f"no server that keeps to the rules writes it: {reason}")
    comparison = compare(BytesIO(subject.data), BytesIO(data), trusted=[SERVER_KEY])
    if not comparison.proofs:
        raise Unexplained("comparing it with the original proves nothing against the server")
