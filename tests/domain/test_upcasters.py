"""Events of earlier versions: each released version has an upcaster and a recorded game.

There is only version 1 so far. So the mechanism is tested with a version 0 that never existed: its events
have `command` and `author` in place of `action` and `by`, and `KnightsMoved` has `steps` in place of `moves`.
"""

from io import BytesIO
from typing import Any, Final

import orjson
import pytest

from domain import upcasters
from domain.errors import Unreadable
from domain.event import VERSION, ZEROS
from domain.fold import fold
from domain.json_types import JsonObject
from ledger.canonical import canonical, digest
from replay.audit import audit
from tests.games.records import FOLDER, course_of, record_of
from tests.games.scripted_game import KEY
from tests.support.faults import raises
from tests.support.records import read

NAME: Final = "blocked-by-departure"


def from_version_0(event: JsonObject) -> JsonObject:
    """Return an event of the made-up version 0 as one of version 1."""
    current = {name: value for name, value in event.items() if name not in {"command", "author"}}
    kind, _, name = event["author"].partition(" ")
    current["by"] = {kind: int(name) if kind == "seat" else name}
    current["action"] = event["command"]
    if "steps" in event["data"]:
        data = {name: value for name, value in event["data"].items() if name != "steps"}
        current["data"] = {**data, "moves": event["data"]["steps"]}
    return current


def to_version_0(event: JsonObject) -> JsonObject:
    """Return an event of version 1 as one of the made-up version 0."""
    old = {name: value for name, value in event.items() if name not in {"action", "by"}}
    ((kind, name),) = event["by"].items()
    old |= {"v": 0, "author": f"{kind} {name}", "command": event["action"]}
    if "moves" in event["data"]:
        data = {name: value for name, value in event["data"].items() if name != "moves"}
        old["data"] = {**data, "steps": event["data"]["moves"]}
    return old


def older_record(length: int) -> tuple[bytes, list[JsonObject]]:
    """Return a record whose first events are of version 0, and its events as they are in the file."""
    lines = (FOLDER / f"{NAME}.jsonl").read_bytes().splitlines()
    count = len(record_of(NAME).events)
    prev, events = ZEROS, []
    for number, line in enumerate(lines[1 : count + 1], 1):
        event = orjson.loads(line)
        if number <= length:
            event = to_version_0(event)
        event = {name: value for name, value in {**event, "prev": prev}.items() if name != "hash"}
        prev = digest(canonical(event))
        events.append({**event, "hash": prev})
    header: Any = orjson.loads(lines[0])
    header = KEY.sign_head({**header, "head": {"seq": count, "hash": prev}})
    rewritten = [header, *events]
    return b"\n".join([*map(canonical, rewritten), *lines[count + 1 :]]) + b"\n", events


@pytest.fixture
def version_0(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes version 0 known, as if it had been released before version 1."""
    monkeypatch.setattr(upcasters, "UPCASTERS", {**upcasters.UPCASTERS, 0: from_version_0})


def test_every_released_version_has_an_upcaster_and_a_recorded_game() -> None:
    assert upcasters.UPCASTERS.keys() == set(range(1, VERSION))
    recorded = {
        orjson.loads(line)["v"]
        for path in FOLDER.glob("*.jsonl")
        for line in path.read_bytes().splitlines()
        if b'"prev":' in line
    }
    assert recorded == set(range(1, VERSION + 1))


@pytest.mark.usefixtures("version_0")
@pytest.mark.parametrize("length", [10, 1000], ids=["first events", "all events"])
def test_a_record_with_events_of_an_older_version_replays_to_the_same_positions(
    length: int,
) -> None:
    data, events = older_record(length)
    assert events[5]["v"] == 0
    record = read(data)
    assert [event["v"] for event in record.events] == [VERSION] * len(events)
    for event, original in zip(record.events, record_of(NAME).events, strict=True):
        ignored = {"prev": "", "hash": ""}
        assert {**event, **ignored} == {**original, **ignored}
    game = fold(events)  # type: ignore[arg-type] # events as they were stored, of both versions
    assert game is not None
    assert game.position_while_on() == course_of(NAME)[-1].position_while_on()


@pytest.mark.usefixtures("version_0")
def test_an_audit_checks_events_of_an_older_version_as_they_were_recorded() -> None:
    data, events = older_record(10)
    report = audit(BytesIO(data), keys=[KEY.public])
    original = audit(BytesIO((FOLDER / f"{NAME}.jsonl").read_bytes()), keys=[KEY.public])
    assert report.findings == []
    assert report.verdict == original.verdict
    changed = data.replace(b'"author":"seat 0"', b'"author":"seat 1"', 1)
    first = audit(BytesIO(changed), keys=[KEY.public]).first
    assert first is not None
    seq = next(event["seq"] for event in events if event.get("author") == "seat 0")
    assert (first.check, first.seq) == ("chain", seq)


@pytest.mark.usefixtures("version_0")
def test_an_event_of_an_older_version_with_a_missing_field_is_refused_with_its_line() -> None:
    data, _ = older_record(10)
    with raises(Unreadable, match="line 5: this is not a valid event of version 0"):
        read(data.replace(b'"author":"player cid",', b"", 1))


@pytest.mark.parametrize("version", [0, 2, 99])
def test_an_event_of_an_unknown_version_is_refused_with_its_line(version: int) -> None:
    data = (FOLDER / f"{NAME}.jsonl").read_bytes()
    data = data.replace(b'"v":1}', b'"v":%d}' % version, 1)
    with raises(Unreadable, match=f"line 2: an event of version {version}: only version 1"):
        read(data)
