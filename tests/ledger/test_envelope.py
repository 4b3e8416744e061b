"""The envelope is defined once, by the type `Event`: sealing and the checks of `envelope` agree with it."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import orjson
import pytest

from domain.errors import Unreadable
from domain.event import Event
from ledger import envelope
from ledger.canonical import format_timestamp
from ledger.envelope import check_envelope, is_timestamp
from tests.support.faults import raises
from tests.support.records import PLAYER_KEY, Table


def test_every_field_of_the_type_is_checked() -> None:
    assert {*envelope._PATTERNS, *envelope._CHECKS} == Event.__annotations__.keys()
    assert not envelope._PATTERNS.keys() & envelope._CHECKS.keys()
    assert Event.__optional_keys__ == {"secrets", "signature", "conditional", "prepared"}, (
        "the quick check names them"
    )


def test_sealed_events_have_exactly_the_fields_of_the_type(eventful: Table, signed: Table) -> None:
    names: set[str] = set()
    prepared = Table(seats=2, options={"seating": "joined"}).start()
    prepared.take(1)
    prepared.add_key("player-1", PLAYER_KEY)
    prepared.act_as_prepared({"type": "take", "stones": 1}, key=PLAYER_KEY)
    for sealed in (*eventful.sealed, *signed.sealed, prepared.sealed[-1]):
        event = orjson.loads(sealed.line)
        assert check_envelope(event) == sealed.event
        assert event.keys() >= Event.__required_keys__
        names |= event.keys()
    assert names == Event.__annotations__.keys()


PREPARED: dict[str, Any] = {
    **dict.fromkeys(("head", "root", "salt"), "0" * 64),
    "key": "0" * 16,
    "signature": "0" * 128,
    "index": 0,
    "path": ["0" * 64],
}
INVALID: list[tuple[str, Any]] = [
    ("v", 2),
    ("game", "a b"),
    ("seq", 0),
    ("type", "Two Words"),
    ("at", "2026-11-20T09:15:00Z"),
    ("at", "2026-02-30T09:15:00.000Z"),
    ("by", {"seat": 0, "player": "a"}),
    ("by", {"seat": 100}),
    ("by", {"clock": 1}),
    ("action", "take"),
    ("data", None),
    ("secrets", {}),
    ("secrets", {"pile": "00"}),
    ("signature", None),
    ("signature", {"key": "0" * 16, "head": "0" * 64}),
    ("signature", {"key": "0" * 15, "head": "0" * 64, "signature": "0" * 128}),
    ("signature", {"key": "0" * 16, "head": "0" * 63, "signature": "0" * 128}),
    ("signature", {"key": "0" * 16, "head": "0" * 64, "signature": "0" * 126}),
    ("signature", {"key": 5, "head": "0" * 64, "signature": "0" * 128}),
    ("signature", {"key": "0" * 16, "head": "0" * 64, "signature": "0" * 128, "more": 1}),
    ("conditional", False),
    ("conditional", 1),
    ("prepared", {name: value for name, value in PREPARED.items() if name != "root"}),
    ("prepared", {**PREPARED, "more": 1}),
    ("prepared", {**PREPARED, "salt": "0" * 63}),
    ("prepared", {**PREPARED, "index": True}),
    ("prepared", {**PREPARED, "index": -1}),
    ("prepared", {**PREPARED, "path": ["0"]}),
    ("prepared", {**PREPARED, "path": ["0" * 64] * 33}),
    ("prepared", {**PREPARED, "outcomes": {}}),
    ("prepared", {**PREPARED, "outcomes": [{"refill": 1}]}),
    ("state", "0" * 63),
    ("prev", "G" * 64),
    ("hash", None),
]


def test_there_is_an_invalid_value_for_every_field() -> None:
    assert {name for name, _ in INVALID} == Event.__annotations__.keys()


@pytest.mark.parametrize(("name", "value"), INVALID)
def test_the_error_for_an_invalid_field_names_it(eventful: Table, name: str, value: Any) -> None:
    event: Any = {**eventful.sealed[-1].event, name: value}
    reason = f"the field {name} has an invalid value" if name != "v" else "an event of version 2"
    with raises(Unreadable, match=reason):
        check_envelope(event)


@pytest.mark.parametrize("name", ["state", "prev", "hash"])
@pytest.mark.parametrize(
    "value",
    [
        "",
        "0" * 62,
        "0" * 66,
        "A" * 64,
        "\N{ARABIC-INDIC DIGIT ZERO}" * 64,
        " " + "0" * 63,
        "0" * 64 + "\n",
        "0" * 31 + "  " + "0" * 31,
        "0" * 64 + " " + "0" * 64,
        ["0" * 64],
    ],
)
def test_a_digest_is_32_bytes_in_lowercase_hex(eventful: Table, name: str, value: Any) -> None:
    event: Any = {**eventful.sealed[-1].event, name: value}
    with raises(Unreadable, match=f"the field {name} has an invalid value"):
        check_envelope(event)


def test_each_digest_is_checked_alone(eventful: Table) -> None:
    event: Any = {**eventful.sealed[-1].event, "prev": "0" * 64 + " ", "hash": "0" * 63}
    with raises(Unreadable, match="the field prev has an invalid value"):
        check_envelope(event)


@pytest.mark.parametrize(("name", "value"), [("seq", True), ("seq", 1.0), ("by", {"seat": True})])
def test_booleans_and_fractions_are_not_numbers(eventful: Table, name: str, value: Any) -> None:
    event: Any = {**eventful.sealed[-1].event, name: value}
    with raises(Unreadable, match=f"the field {name} has an invalid value"):
        check_envelope(event)


def test_the_error_for_a_missing_field_names_it(eventful: Table) -> None:
    for name in Event.__required_keys__ - {"v"}:
        event: Any = {**eventful.sealed[-1].event}
        del event[name]
        with raises(Unreadable, match=f"the field {name} is missing"):
            check_envelope(event)


def test_a_timestamp_is_utc_with_milliseconds() -> None:
    moment = datetime(2026, 11, 20, 10, 15, 0, 7000, tzinfo=timezone(timedelta(hours=1)))
    assert format_timestamp(moment) == "2026-11-20T09:15:00.007Z"
    assert format_timestamp(datetime(2026, 1, 1, tzinfo=UTC)) == "2026-01-01T00:00:00.000Z"
    assert is_timestamp(format_timestamp(moment))
    assert not is_timestamp("2026-02-30T09:15:00.000Z")
