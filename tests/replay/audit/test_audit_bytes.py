"""Audits of records in which bytes or lines were changed, deleted, inserted, repeated or swapped."""

import random
from copy import deepcopy
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from domain.event import Event
from ledger.canonical import canonical
from replay.bots import playout
from tests.support import token_game
from tests.support.records import Table, audit_record, forge_record, trusting_signer
from tests.support.sorcery_games import game_with_casts
from tests.support.variants import nightly_except

relaxed = settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@cache
def some_record(name: str) -> bytes:
    """A finished game with everything that a record can have, cached for the many examples of a test."""
    if name == "stones":
        with token_game.registered():
            table = Table(seats=3, clock={"per_turn": 60}).start()
            table.take(3)
            table.wait(60)
            table.forfeit()
            table.remove(2)
            return table.play_out().record(receipts=True)
    if name == "sorcery":
        return game_with_casts("moves", "recruits", seats=2, rounds=6).record()
    plan = playout.plan(name, 3, b"bytes", {}, ("sensible",), round_limit=3)
    return playout.play(plan).record


RECORDS = ["stones", "barony", "sorcery"]


def test_the_unchanged_records_are_sound() -> None:
    for name in RECORDS:
        data = some_record(name)
        assert audit_record(data, trusted=trusting_signer(data)).is_sound


@pytest.mark.parametrize("name", RECORDS)
@relaxed
@given(place=st.floats(0, 1, exclude_max=True), mask=st.integers(1, 255))
def test_a_flipped_byte_is_reported(name: str, place: float, mask: int) -> None:
    data = bytearray(some_record(name))
    data[int(place * len(data))] ^= mask
    report = audit_record(bytes(data))
    assert report.verdict == "broken"
    assert report.first is not None
    assert report.first.line is not None


@pytest.mark.parametrize("name", RECORDS)
@relaxed
@given(place=st.floats(0, 1, exclude_max=True), size=st.integers(1, 3))
def test_deleted_bytes_are_reported(name: str, place: float, size: int) -> None:
    data = some_record(name)
    at = int(place * len(data))
    changed = data[:at] + data[at + size :]
    assume(changed != data[:-1])  # of the last line feed a file may do without
    assert audit_record(changed).verdict == "broken"


@pytest.mark.parametrize("name", RECORDS)
@relaxed
@given(place=st.floats(0, 1), put=st.binary(min_size=1, max_size=3))
def test_inserted_bytes_are_reported(name: str, place: float, put: bytes) -> None:
    data = some_record(name)
    at = int(place * len(data))
    assert audit_record(data[:at] + put + data[at:]).verdict == "broken"


@pytest.mark.parametrize("name", RECORDS)
def test_every_removed_or_repeated_line_is_reported_except_receipts(name: str) -> None:
    lines = some_record(name).splitlines(keepends=True)
    for number, line in enumerate(lines):
        out = b"".join(lines[:number] + lines[number + 1 :])
        assert (audit_record(out).verdict == "broken") != line.startswith(b'{"receipt"')
        doubled = b"".join(lines[: number + 1] + lines[number:])
        assert (audit_record(doubled).verdict == "broken") != line.startswith(b'{"receipt"')


@pytest.mark.parametrize("name", RECORDS)
def test_swapped_lines_are_reported_except_receipts(name: str) -> None:
    lines = some_record(name).splitlines(keepends=True)
    for number in range(len(lines) - 1):
        one, other = lines[number : number + 2]
        swapped = b"".join([*lines[:number], other, one, *lines[number + 2 :]])
        both = one.startswith(b'{"receipt"') and other.startswith(b'{"receipt"')
        assert (audit_record(swapped).verdict == "broken") != both


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_cut_off_anywhere_in_its_game_is_reported(name: str) -> None:
    data = some_record(name)
    end = data.rindex(b'"type":"GameFinished"')
    for size in random.Random(1).sample(range(end), 40):
        assert audit_record(data[:size]).verdict == "broken"


ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    99,
    10**15,
    "",
    "x",
    "\x1b[31m",
    [],
    {},
    [0, 0],
    {"a": 1},
    [None],
]


def paths(value: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to everything inside a JSON value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    inside_paths = []
    for key, item in inside:
        inside_paths.append((*before, key))
        if isinstance(item, dict | list):
            inside_paths += paths(item, (*before, key))
    return inside_paths


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("seed", nightly_except(range(10), range(30)))
def test_made_up_data_that_were_sealed_again_are_reported(name: str, seed: int) -> None:
    """They were sealed with the server's own key, so only the rules can refute them."""
    chance = random.Random(seed)
    record = some_record(name)
    was: list[Any] = []

    def change(events: list[Event]) -> None:
        event: Any = events[chance.randrange(len(events))]
        was.append(deepcopy(event))
        *way, last = chance.choice(paths(event["data"]))
        inner = event["data"]
        for key in way:
            inner = inner[key]
        inner[last] = deepcopy(chance.choice(ODD))
        was.append(event)

    data = forge_record(record, change)
    same = canonical(was[0]["data"]) == canonical(was[1]["data"])
    lawful = (
        was[0]["type"] == "GameCreated" and was[1]["data"]["options"] != was[0]["data"]["options"]
    )
    assert (audit_record(data).verdict == "broken") != same or lawful
