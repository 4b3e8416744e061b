"""What a hostile server may answer to the calls of its log: nothing too long, and nothing of another form."""

import orjson
import pytest

from client.calls import server_keys
from client.errors import InvalidResponse
from client.requests import Call
from client.results import MAX_KEYS
from client.witness import calls
from ledger.transparency.merkle import MAX_PATH
from tests.support.faults import raises
from tests.support.log_server import LogServer

HASH = "0" * 64
KEY = {"key": "k", "public": HASH, "from": "2026-01-01T00:00:00.000Z", "until": None}


@pytest.mark.parametrize(
    ("call", "path", "body", "field"),
    [
        (server_keys(), "/keys", {"keys": [KEY] * (MAX_KEYS + 1)}, "keys"),
        (server_keys(), "/keys", {"keys": [{**KEY, "public": "00"}]}, "keys.0.public"),
        (server_keys(), "/keys", {"keys": [{**KEY, "from": "now"}]}, "keys.0.from"),
        (server_keys(), "/keys", {"keys": [KEY], "origin": 1}, "origin"),
        (
            calls.consistency_path(1, 2),
            "/log/proofs/consistency",
            {"path": [HASH] * (MAX_PATH + 1)},
            "path",
        ),
        (calls.consistency_path(1, 2), "/log/proofs/consistency", {"path": ["0g"]}, "path"),
        (calls.leaf_hashes(0, 2), "/log/leaves", {"leaves": [HASH] * 3}, "leaves"),
        (calls.leaf_hashes(0, 2), "/log/leaves", {"leaves": [None]}, "leaves"),
        (calls.epochs(), "/log/epochs", {"epochs": [""] * 1001}, "epochs"),
        (calls.epochs(), "/log/epochs", ["epochs"], "epochs"),
    ],
)
def test_the_field_that_is_wrong_is_named(
    call: Call[object], path: str, body: object, field: str
) -> None:
    server = LogServer("a")
    server.bodies[path] = orjson.dumps(body)
    with server.client() as client, raises(InvalidResponse, match=f"see the field {field}$"):
        client.run(call)


def test_a_page_without_leaves_is_an_error() -> None:
    server = LogServer("a")
    server.bodies["/log/leaves"] = b'{"leaves": []}'
    with server.client() as client, raises(InvalidResponse, match="does not show leaf 7"):
        client.run(calls.leaf_hashes(7, 1))


@pytest.mark.parametrize("call", [calls.checkpoint(), calls.epochs()])
def test_an_invalid_signed_note_is_an_error(call: Call[object]) -> None:
    server = LogServer("a")
    server.bodies = {"/log/checkpoint": b"note", "/log/epochs": b'{"epochs": ["note"]}'}
    with server.client() as client, raises(InvalidResponse, match="checkpoint cannot be read"):
        client.run(call)


def test_keys_are_read_with_their_times() -> None:
    server = LogServer("a")
    server.bodies["/keys"] = orjson.dumps({"keys": [KEY, {"key": "k", "public": HASH}]})
    with server.client() as client:
        first, second = client.run(server_keys()).keys
    assert (first.since, first.until) == (KEY["from"], None)
    assert (second.public, second.since, second.until) == (HASH, None, None)
