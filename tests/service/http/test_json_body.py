"""Strict reading of JSON bodies: the decoder by itself, and over HTTP."""

import json
import secrets
import socket
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import Malformed
from service.http.validation import MAX_DEPTH, decode_json
from tests.support.accounts import Accounts
from tests.support.processes import HANG_SECONDS

"""Types and flags of HTTP/2 frames (RFC 9113)."""

RESIGNATION = b'{"action": {"type": "resign"}, "expected_seq": 4}'

NOT_STRICT = [
    b"",
    b" ",
    b"{",
    b"{'a': 1}",
    b"[1,]",
    b"NaN",
    b"Infinity",
    b"-Infinity",
    b"1.0",
    b"1e3",
    b"[0.5]",
    b"-0.0",
    b'{"a": 1, "a": 1}',
    b'{"a": {"b": 1, "b": 2}}',
    b"9007199254740992",
    b"-9007199254740992",
    b"1" * 5000,
    b'"\xff"',
    b'"\xed\xa0\x80"',
    b'"\\ud800"',
    b'"\\udc00\\ud800"',
    b"\xef\xbb\xbf{}",
    "{}".encode("utf-16"),
    b'"a\nb"',
    b'{"a": 1} {"b": 2}',
    b"[" * 60000,
    b"[" * 2000 + b"]" * 2000,
    b'{"a":' * 500 + b"1" + b"}" * 500,
    b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1),
    b"nul",
    b"\x00",
]


@pytest.mark.parametrize("body", NOT_STRICT, ids=lambda body: repr(body[:20]))
def test_text_that_is_not_strict_json_is_malformed(body: bytes) -> None:
    with pytest.raises(Malformed):
        decode_json(body)


def test_a_body_that_is_not_strict_json_is_a_400(accounts: Accounts) -> None:
    game, (ada, _) = accounts.start_game()
    path = f"/api/v1/games/{game}/actions"
    for body in NOT_STRICT[1:]:
        response = ada.http.post(path, content=body, headers={"Content-Type": "application/json"})
        assert response.status_code == 400, body[:20]
    assert accounts.anonymous.get(f"/api/v1/games/{game}").json()["head"]["seq"] == 4


texts = st.text(st.characters(codec="utf-8"))
strict_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=10,
)


@given(strict_values, st.booleans())
def test_strict_json_is_decoded_to_its_value(value: Any, ascii: bool) -> None:
    assert decode_json(json.dumps(value, ensure_ascii=ascii).encode()) == value


def test_an_object_has_at_most_64_names(accounts: Accounts) -> None:
    names = {f"name{number}": 1 for number in range(64)}
    assert decode_json(json.dumps([names]).encode()) == [names]
    response = accounts.anonymous.post("/api/v1/tokens", json={**names, "one-more": 1})
    (error,) = response.json()["errors"]
    assert error == {"field": "body", "detail": "contains an object with more than 64 names"}


def test_a_query_has_at_most_32_parameters(accounts: Accounts) -> None:
    parameters = "&".join(f"p{number}=1" for number in range(33))
    response = accounts.anonymous.get(f"/api/v1/games?{parameters}")
    assert response.status_code == 400
    (error,) = response.json()["errors"]
    assert error == {"field": "query", "detail": "has more than 32 parameters"}


def test_a_problem_names_at_most_100_wrong_fields(accounts: Accounts) -> None:
    ada = accounts.register()
    body = {"rules": "barony", "seats": 2, "invite": [[]] * 200}
    response = ada.http.post("/api/v1/games", json=body)
    assert response.status_code == 400
    assert len(response.json()["errors"]) == 100


@given(st.binary(max_size=40))
def test_any_bytes_are_decoded_or_malformed(body: bytes) -> None:
    try:
        value = decode_json(body)
    except Malformed:
        return
    assert json.loads(body.decode()) == value


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("application/json", 201),
        ("application/json; charset=utf-8", 201),
        ("Application/JSON;charset=UTF-8", 201),
        ("application/json; charset=latin-1", 415),
        ("text/json", 415),
        ("application/jsonp", 415),
        ("application/x-www-form-urlencoded", 415),
        ("json", 415),
        ("", 415),
    ],
)
def test_a_body_must_be_declared_as_uncompressed_json(
    accounts: Accounts, content_type: str, status: int
) -> None:
    game, (ada, _) = accounts.start_game()
    path = f"/api/v1/games/{game}/actions"
    response = ada.http.post(path, content=RESIGNATION, headers={"Content-Type": content_type})
    assert response.status_code == status
    compressed = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    assert ada.http.post(path, content=RESIGNATION, headers=compressed).status_code == 415


def new_account() -> dict[str, str]:
    """Return the body of a registration."""
    return {"handle": f"player{secrets.token_hex(6)}", "password": "correct horse"}


class TestSize:
    @pytest.mark.parametrize(("size", "status"), [(65536, 400), (65537, 413), (5_000_000, 413)])
    @pytest.mark.parametrize("chunked", [False, True])
    def test_a_body_has_at_most_64_kib(
        self, accounts: Accounts, size: int, status: int, chunked: bool
    ) -> None:
        body = b'{"handle": "' + b"x" * (size - 14) + b'"}'
        assert len(body) == size
        chunks = iter([body[start : start + 10_000] for start in range(0, size, 10_000)])
        response = accounts.anonymous.post(
            "/api/v1/players",
            content=chunks if chunked else body,
            headers={"Content-Type": "application/json"},
        )
        assert response.status_code == status
        # The rest of the body is still on the connection, which cannot be used again.
        assert response.headers.get("Connection") == ("close" if status == 413 else None)

    def test_a_body_may_be_chunked(self, accounts: Accounts) -> None:
        response = accounts.anonymous.post(
            "/api/v1/players",
            content=iter([json.dumps(new_account()).encode()]),
            headers={"Content-Type": "application/json"},
        )
        assert response.request.headers["Transfer-Encoding"] == "chunked"
        assert response.status_code == 201

    def test_http_2_is_refused(self, accounts: Accounts) -> None:
        host, port = accounts.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=HANG_SECONDS) as connection:
            connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            received = b"".join(iter(lambda: connection.recv(65536), b""))
        assert received.startswith(b"HTTP/1.1 400 ")

    def test_a_large_content_length_is_refused_without_reading_the_body(
        self, accounts: Accounts
    ) -> None:
        host, port = accounts.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=HANG_SECONDS) as connection:
            connection.sendall(
                b"POST /api/v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                b"Content-Length: 99999999999\r\n\r\n{"
            )
            assert connection.recv(100).startswith(b"HTTP/1.1 413 ")

    def test_the_server_survives_clients_that_disconnect_within_a_body(
        self, accounts: Accounts
    ) -> None:
        host, port = accounts.url.removeprefix("http://").split(":")
        for _ in range(20):
            with socket.create_connection((host, int(port)), timeout=HANG_SECONDS) as connection:
                connection.sendall(
                    b"POST /api/v1/players HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{"
                )
        assert accounts.register().token
