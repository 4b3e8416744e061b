"""Records: a record that is written can be read back, and an invalid one is rejected by line number."""

from collections.abc import Callable
from io import BytesIO
from typing import Any

import orjson
import pytest
from typing_extensions import override

from domain.errors import Unreadable
from domain.json_types import JsonObject
from ledger import record as record_module
from ledger.canonical import canonical
from ledger.keys import BadSignature, check_head
from ledger.record import MAX_LINE_BYTES, engine, scan
from tests.support.faults import raises
from tests.support.records import KEY, SINCE, STRANGER, Table, read


@pytest.fixture
def data(eventful: Table) -> bytes:
    return eventful.record(receipts=True)


def test_a_record_consists_of_header_events_openings_and_receipts(
    eventful: Table, data: bytes
) -> None:
    lines = data.splitlines()
    header = orjson.loads(lines[0])
    head = header["head"]
    assert header == {
        "format": "cartulary/1",
        "game": "game-1",
        "rules": "stones",
        "keys": [KEY.public_entry(SINCE)],
        "engine": engine(),
        "head": {
            "seq": eventful.game.seq,
            "hash": eventful.game.hash,
            "key": KEY.id,
            "signature": head["signature"],
        },
    }
    assert lines[1 : eventful.game.seq + 1] == [sealed.line for sealed in eventful.sealed]
    rest = [orjson.loads(line) for line in lines[eventful.game.seq + 1 :]]
    assert [entry["seq"] for entry in rest if "open" in entry] == [
        sealed.game.seq for sealed in eventful.sealed if sealed.openings
    ]
    actions = [sealed.event["seq"] for sealed in eventful.sealed if sealed.event["action"]]
    assert [entry["receipt"]["seq"] for entry in rest if "receipt" in entry] == actions
    assert all(line == canonical(orjson.loads(line)) for line in lines)
    assert data.endswith(b"}\n")


def test_a_record_is_read_back_as_it_was_written(eventful: Table, data: bytes) -> None:
    record = read(data)
    assert record.events == [sealed.event for sealed in eventful.sealed]
    assert record.lines == [sealed.line for sealed in eventful.sealed]
    assert record.openings == {
        sealed.game.seq: sealed.openings for sealed in eventful.sealed if sealed.openings
    }
    assert record.opened_values()[8]["lucky/0"] == eventful.sealed[7].openings["lucky/0"]["value"]
    assert record.game == "game-1"
    assert [receipt["key"] for receipt in record.receipts] == [KEY.id] * len(record.receipts)


def test_the_last_line_feed_may_be_missing(data: bytes) -> None:
    assert read(data[:-1]) == read(data)


def test_the_signature_covers_the_whole_header(data: bytes) -> None:
    header = read(data).header
    check_head(header, header["keys"])
    for name in header:
        if name != "head":
            with pytest.raises(BadSignature):
                check_head({**header, name: "other"}, [KEY.public_entry(SINCE)])
    for name in header["head"]:
        with pytest.raises(BadSignature):
            check_head({**header, "head": {**header["head"], name: "0"}}, [KEY.public_entry(SINCE)])
    with raises(BadSignature, match="not in the list"):
        check_head(header, [STRANGER.public_entry(SINCE)])


def with_line(data: bytes, number: int, change: Callable[[JsonObject], None]) -> bytes:
    """Change one line of a record (counted from 1) and write it canonically."""
    lines = data.splitlines()
    value = orjson.loads(lines[number - 1])
    change(value)
    lines[number - 1] = canonical(value)
    return b"\n".join(lines) + b"\n"


def set_field(name: str, value: Any) -> Callable[[JsonObject], None]:
    """Return a function that sets a field of a line."""
    return lambda line: line.__setitem__(name, value)


HASHES = ["", "0" * 63, "0" * 65, "G" * 64, "A" * 64, 5, None]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("v", [2, 0, "1", None, True]),
        ("game", ["", 5, None, "a b", "a/b", "x" * 101]),
        ("seq", [0, -1, "1", True, None]),
        ("type", ["", 5, None, "Two Words", "Nul\x00"]),
        (
            "at",
            [
                "",
                "2026-11-20",
                "2026-11-20T09:15:00Z",
                "2026-11-20T09:15:00.000+00:00",
                "2026-02-30T09:15:00.000Z",
                "2026-11-20T24:00:00.000Z",
                "2026-11-20t09:15:00.000z",
                "٢٠٢٦-11-20T09:15:00.000Z",
                5,
            ],
        ),
        (
            "by",
            [{}, {"seat": 0, "player": "a"}, {"seat": -1}, {"seat": True}, {"who": 1}, [], None],
        ),
        ("by", [{"seat": 100}, {"player": ""}, {"player": "a b"}, {"system": 5}]),
        ("action", [[], "take", 0, False]),
        ("data", [[], None, "x"]),
        ("secrets", [{}, [], None, {"a": "x"}, {"a": None}]),
        *((name, HASHES) for name in ("state", "prev", "hash")),
    ],
)
def test_an_event_with_an_invalid_field_is_rejected_with_its_line(
    data: bytes, name: str, values: list[Any]
) -> None:
    for value in values:
        with pytest.raises(Unreadable) as error:
            read(with_line(data, 9, set_field(name, value)))
        assert error.value.line == 9


def test_an_event_without_one_of_its_fields_is_rejected(data: bytes) -> None:
    for name in orjson.loads(data.splitlines()[9]):
        with raises(Unreadable, match="line 10: "):
            read(with_line(data, 10, lambda line, name=name: line.pop(name)))  # type: ignore[misc] # mypy cannot infer a lambda with a default


def test_fields_of_later_versions_are_kept(data: bytes) -> None:
    more = with_line(with_line(data, 9, set_field("later", [1])), 1, set_field("later", 1))
    assert read(more).events[7]["later"] == [1]  # type: ignore[typeddict-item] # a field that the type does not have


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("format", "cartulary/2"),
        ("format", None),
        ("game", ""),
        ("rules", 5),
        ("keys", {}),
        ("keys", ["a"]),
        ("keys", [{"key": "a", "public": "b", "from": "c", "until": None}]),
        ("keys", [{"key": "a", "public": "b", "from": SINCE}]),
        ("head", []),
        ("head", {"seq": 1, "hash": "0" * 64, "key": "a"}),
        ("head", {"seq": 0, "hash": "0" * 64, "key": "a", "signature": "b"}),
        ("engine", None),
    ],
)
def test_an_invalid_header_is_rejected(data: bytes, name: str, value: Any) -> None:
    with raises(Unreadable, match="line 1: "):
        read(with_line(data, 1, set_field(name, value)))


@pytest.mark.parametrize(
    ("seats", "rules", "options"),
    [(0, "stones", {}), (101, "stones", {}), (2, 5, {}), (2, "stones", [])],
)
def test_an_invalid_game_is_rejected(data: bytes, seats: Any, rules: Any, options: Any) -> None:
    def change(line: JsonObject) -> None:
        line["data"] |= {"seats": seats, "rules": rules, "options": options}

    with raises(Unreadable, match="line 2: "):
        read(with_line(data, 2, change))


def move_line(data: bytes, old: int, new: int) -> bytes:
    """Return the record with one line at another place."""
    lines = data.splitlines()
    lines.insert(new, lines.pop(old))
    return b"\n".join(lines) + b"\n"


def test_lines_in_the_wrong_order_are_rejected(eventful: Table, data: bytes) -> None:
    count, last = eventful.game.seq, len(data.splitlines()) - 1
    for old, new, reason in (
        (0, 1, "does not name the format cartulary/1"),
        (1, 2, "the first event, and no other, must be GameCreated"),
        (last, 5, "an event comes after"),
        (count + 1, 5, "an event comes after"),
        (count + 1, last, "openings come after receipts"),
    ):
        with raises(Unreadable, match=reason):
            read(move_line(data, old, new))


@pytest.mark.parametrize(
    "line",
    [
        {"seq": 6, "open": {}},
        {"seq": 6, "open": {"a": {"salt": "00", "value": 1}}},
        {"seq": 6, "open": {"a": {"salt": "0" * 64}}},
        {"seq": 6, "open": {"a": 5}},
        {"seq": 6, "open": {"a": {"salt": "0" * 64, "value": 1, "more": 1}}},
        {"seq": 0, "open": {"a": {"salt": "0" * 64, "value": 1}}},
        {"seq": 6, "open": {"a": {"salt": "0" * 64, "value": 1}}, "more": 1},
        {"seq": 1, "open": {"a": {"salt": "0" * 64, "value": 1}}},
        {"open": {"a": {"salt": "0" * 64, "value": 1}}},
        {"receipt": 5},
        {"receipt": {}, "more": 1},
        {"other": 1},
    ],
)
def test_invalid_openings_and_receipts_are_rejected(eventful: Table, line: JsonObject) -> None:
    data = eventful.record() + canonical(line) + b"\n"
    with raises(Unreadable, match=f"line {len(data.splitlines())}: "):
        read(data)


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"{}\n", b"[]\n", b"\x00", b"\xff\xfe", b"PK\x03\x04"]
)
def test_a_file_that_is_not_a_record_is_rejected(data: bytes) -> None:
    with raises(Unreadable, match="line 1: "):
        read(data)


def test_a_header_without_events_is_rejected(data: bytes) -> None:
    with raises(Unreadable, match="line 2: there are no events"):
        read(data.splitlines()[0] + b"\n")


def test_reading_stops_within_an_endless_line(data: bytes) -> None:
    class Endless(BytesIO):
        read_so_far = 0

        @override
        def readline(self, size: int | None = -1) -> bytes:
            assert size is not None
            assert size > 0
            self.read_so_far += size
            return b"[" * size

    source = Endless()
    _, faults = scan(source)
    assert [fault.line for fault in faults] == [1]
    assert source.read_so_far <= MAX_LINE_BYTES + 1
    long = with_line(data, 9, set_field("data", {"x": "y" * MAX_LINE_BYTES}))
    with raises(Unreadable, match="line 9: the line has more than"):
        read(long)


def test_the_readable_part_of_a_damaged_record_is_returned(data: bytes) -> None:
    whole = read(data)
    lines = data.splitlines()
    lines[9] = lines[9][:-5]
    record, faults = scan(BytesIO(b"\n".join(lines)))
    assert [fault.line for fault in faults] == [10]
    assert record.events == whole.events[:8]
    assert record.openings == whole.openings
    assert len(record.receipts) == len(whole.receipts)
    lines[0] = b"{}"
    record, faults = scan(BytesIO(b"\n".join(lines)))
    assert [fault.line for fault in faults] == [1, 10]
    assert record.header == {}
    assert record.events == whole.events[:8]


def test_reading_stops_after_twenty_faults() -> None:
    _, faults = scan(BytesIO(b"nonsense\n" * 10_000))
    assert len(faults) == 20


def test_reading_stops_within_an_endless_record(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = len(b"".join(data.splitlines(keepends=True)[:9]))
    monkeypatch.setattr(record_module, "MAX_RECORD_BYTES", size)
    with raises(Unreadable, match=f"line 10: the record has more than {size} bytes"):
        read(data)


def test_a_line_with_many_values_is_refused_if_they_are_bounded(data: bytes) -> None:
    lines = data.splitlines(keepends=True)
    most = max(sum(line.count(sign) for sign in (b",", b"[", b"{")) for line in lines)
    assert record_module.read(BytesIO(data), max_line_values=most).events
    lines[5] = b'{"data":[' + b"1," * most + b"1]}\n"
    with raises(Unreadable, match=f"line 6: the line has more than {most} values"):
        record_module.read(BytesIO(b"".join(lines)), max_line_values=most)


def test_a_record_names_its_players(eventful: Table) -> None:
    players: list[JsonObject] = [
        {"id": "player-0", "handle": "ada", "keys": [KEY.public_entry(SINCE)]},
        {"id": "player-1", "handle": None, "keys": []},
    ]
    keys = [KEY.public_entry(SINCE)]
    named = record_module.header(eventful.game, keys, KEY.sign_head, players)
    lines = [sealed.line for sealed in eventful.sealed]
    record = read(b"".join(record_module.write(named, lines, {})))
    assert record.names == {"player-0": "ada"}
    assert read(eventful.record()).names == {}
    with pytest.raises(BadSignature):
        check_head({**named, "players": players[:1]}, keys)


@pytest.mark.parametrize(
    "players",
    [
        "ada",
        {},
        ["ada"],
        [{}],
        [{"id": "", "handle": "ada", "keys": []}],
        [{"id": "player-0", "handle": 5, "keys": []}],
        [{"id": "player-0", "handle": "ada"}],
        [{"id": "player-0", "handle": "ada", "keys": [{}]}],
        [{"id": "player-0", "handle": "ada", "keys": "none"}],
    ],
)
def test_a_header_with_malformed_players_is_rejected(data: bytes, players: Any) -> None:
    with pytest.raises(Unreadable):
        read(with_line(data, 1, set_field("players", players)))
