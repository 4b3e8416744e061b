"""The quick audit says about form, chain and head what the complete audit says."""

import random
from io import BytesIO

import pytest

from ledger.canonical import canonical
from replay.audit import Report, audit, quick_audit
from replay.audit.quick import _audit_usual
from replay.bots import playout
from tests.games.records import FOLDER
from tests.support.records import (
    ENGLISH,
    KEY,
    STRANGER,
    TRUSTED,
    Table,
    forge_record,
    trusting_signer,
)

CHECKS = ["form", "head", "chain"]


@pytest.fixture(scope="module")
def data() -> bytes:
    """A record of Baron, which has secrets, openings, and receipts after them."""
    return playout.play(playout.plan("baron", 2, b"quick", {})).record


def quick(data: bytes) -> Report:
    return quick_audit(BytesIO(data), trusted=TRUSTED)


def compare(data: bytes) -> Report:
    """Return the quick report, which must be the same as that part of the complete one."""
    report, complete = quick(data), audit(BytesIO(data), trusted=TRUSTED)
    expected = [check for check in complete.checks if check.name in CHECKS]
    assert [check.as_json(ENGLISH) for check in report.checks] == [
        check.as_json(ENGLISH) for check in expected
    ]
    for check, other in zip(report.checks, expected, strict=True):
        assert check.findings == other.findings
        assert check.unknowns == other.unknowns
    return report


def test_a_sound_record_is_checked_without_reading_it_twice(data: bytes) -> None:
    trusted = trusting_signer(data)
    report = quick_audit(BytesIO(data), trusted=trusted)
    assert (report.verdict, report.is_quick) == ("sound", True)
    assert [check.name for check in report.checks] == CHECKS
    assert report.summary["status"] == "finished"
    assert report.as_json(ENGLISH)["quick"] is True
    assert _audit_usual(data, (), trusted) is not None
    complete = audit(BytesIO(data), trusted=trusted)
    assert [check.count for check in report.checks] == [
        check.count for check in complete.checks if check.name in CHECKS
    ]
    assert report.summary == complete.summary
    assert quick_audit(BytesIO(data)).verdict == "unknown"
    assert quick_audit(BytesIO(data), keys=[STRANGER.public]).verdict == "broken"


@pytest.mark.parametrize("name", ["baron-five", "sorcery-movement", "agreement", "clock-abandons"])
def test_recorded_games_are_checked_as_by_the_complete_audit(name: str) -> None:
    compare((FOLDER / f"{name}.jsonl").read_bytes())


def test_games_in_progress_and_signed_actions_are_checked(eventful: Table, signed: Table) -> None:
    for table in (eventful.until(3), eventful.until(9), eventful, signed):
        for receipts in (False, True):
            assert compare(table.record(receipts=receipts)).verdict != "broken"


def test_damaged_records_are_reported_as_by_the_complete_audit(eventful: Table) -> None:
    data = eventful.record(receipts=True)
    chance, broken = random.Random(7), 0
    for _ in range(60):
        changed = bytearray(data)
        place = chance.randrange(len(data))
        match chance.randrange(4):
            case 0:
                changed[place] ^= chance.randrange(1, 256)
            case 1:
                del changed[place : place + chance.randrange(1, 40)]
            case 2:
                changed[place:place] = chance.choice([b"\n", b" ", b"1", b'"a":1,', b"\xff", b".5"])
            case _:
                lines = data.splitlines(keepends=True)
                line = chance.randrange(len(lines))
                lines.insert(chance.randrange(len(lines)), lines.pop(line))
                changed = bytearray(b"".join(lines))
        broken += compare(bytes(changed)).verdict == "broken"
    assert broken > 45  # the rest is changed in its openings and receipts, or not at all


@pytest.mark.parametrize("value", [1.5, 1e100, "é", "a.b", [], {"at": "2026"}])
def test_unusual_values_in_sealed_events_are_reported_as_by_the_complete_audit(
    eventful: Table, value: object
) -> None:
    def change(events: list[object]) -> None:
        event = events[8]
        assert isinstance(event, dict)
        event["data"]["more"] = value

    compare(forge_record(eventful.record(), change))  # type: ignore[arg-type] # a list of any events


@pytest.mark.parametrize(
    "fields",
    [
        {"at": "2026-11-20T09:15:09.5Z"},
        {"at": "2026-11-31T09:15:09.000Z"},
        {"at": "2020-11-20T09:15:09.000Z"},
        {"by": {"seat": -1}},
        {"by": {"seat": 1, "player": "a"}},
        {"action": 1},
        {"data": []},
        {"game": "other"},
        {"type": "GameCreated"},
        {"v": 2},
        {"later": 1},
    ],
    ids=repr,
)
def test_invalid_fields_in_sealed_events_are_reported_as_by_the_complete_audit(
    eventful: Table, fields: dict[str, object]
) -> None:
    lines = eventful.record().splitlines()
    record = (
        forge_record(
            eventful.record(),
            lambda events: events[8].update(fields),  # type: ignore[typeddict-item] # not valid
        )
        if "v" not in fields and "data" not in fields
        else b"\n".join(
            [*lines[:9], canonical({**eventful.sealed[8].event, **fields}), *lines[10:]]
        )
    )
    report = compare(record)
    assert report.verdict != "sound"


def test_an_invalid_record_is_reported_as_by_the_complete_audit() -> None:
    header = Table().record().split(b"\n", 1)[0]
    for data in (b"", b"\n", b"nonsense", b"{}\n{}\n", header, header + b"\n\n", b"\xff" * 99):
        assert compare(data).verdict == "broken"
    assert KEY.id in header.decode()
