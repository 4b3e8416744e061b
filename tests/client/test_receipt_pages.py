"""The client that gets receipts: pages, and servers that respond with something else."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from client.clients import Client
from client.errors import ClientError
from client.receipts import receipt_pages
from client.retries import UNTRUSTED_SERVER
from domain.json_types import JsonObject
from tests.support.faults import raises
from tests.support.records import KEY, SINCE, STRANGER

Respond = Callable[[httpx.Request], httpx.Response]


def receipt(seq: int, **fields: Any) -> JsonObject:
    statement = {
        "game": "game-1",
        "seq": seq,
        "hash": f"{seq:064x}",
        "at": "2026-11-20T09:15:00.000Z",
    }
    return KEY.sign({**statement, **fields})


def client_of(pages: list[Any], keys: Any = None) -> tuple[Client, list[httpx.Request]]:
    """A client of a server that responds with these pages in turn, and the requests that it gets."""
    requests: list[httpx.Request] = []
    published = {"keys": [KEY.public_entry(SINCE)]} if keys is None else keys

    def respond(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        if request.url.path == "/api/v1/keys":
            return httpx.Response(200, json=published)
        page = pages.pop(0)
        return page if isinstance(page, httpx.Response) else httpx.Response(200, json=page)

    return client_to(respond), requests


def client_to(respond: Respond) -> Client:
    transport = httpx.MockTransport(respond)
    return Client("http://server/", "t0ken", limits=UNTRUSTED_SERVER, transport=transport)


def test_all_pages_are_read_with_the_token() -> None:
    pages = [
        {"receipts": [receipt(1), receipt(2)], "left_out": 1, "next": "c1"},
        {"receipts": [], "left_out": 2, "next": "c2"},
        {"receipts": [receipt(3)], "left_out": 0, "next": None},
    ]
    client, requests = client_of(pages)
    with client:
        read = list(receipt_pages(client, "game-1"))
    assert [item["seq"] for page in read for item in page.receipts] == [1, 2, 3]
    assert sum(page.left_out for page in read) == 3
    assert {request.headers["Authorization"] for request in requests} == {"Bearer t0ken"}
    queries = [dict(request.url.params) for request in requests[1:]]
    assert [query.get("cursor") for query in queries] == [None, "c1", "c2"]
    assert {query["game"] for query in queries} == {"game-1"}


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (httpx.Response(401), "HTTP 401"),
        (httpx.Response(404), "HTTP 404"),
        (httpx.Response(503), "HTTP 503"),
        (
            httpx.Response(302, headers={"Location": "http://elsewhere/"}),
            "redirects to http://elsewhere/",
        ),
        (httpx.Response(200, content=b"<html>"), "is not JSON"),
        (httpx.Response(200, content=b"[]"), "field body"),
        (httpx.Response(200, content=b" " * ((1 << 20) + 1)), "too long"),
        ({"receipts": 1, "left_out": 0, "next": None}, "the field receipts"),
        ({"receipts": [], "left_out": 0, "next": 7}, "the field next"),
        ({"receipts": [{}], "left_out": 0, "next": None}, "field game is missing or invalid"),
        (
            {"receipts": [receipt(1, game="../../etc")], "left_out": 0, "next": None},
            "field game is missing or invalid",
        ),
        (
            {"receipts": [{**receipt(1), "seq": 2}], "left_out": 0, "next": None},
            "that is not valid",
        ),
        ({"receipts": [receipt(1, more=1)], "left_out": 0, "next": None}, "unknown field more"),
    ],
)
def test_anything_but_valid_receipts_is_an_error(page: Any, message: str) -> None:
    client, _ = client_of([page])
    with raises(ClientError, match=message):
        list(receipt_pages(client, "game-1"))


def test_receipts_by_a_key_that_the_server_does_not_publish_are_an_error() -> None:
    page = {"receipts": [receipt(1)], "left_out": 0, "next": None}
    client, _ = client_of([page], {"keys": [STRANGER.public_entry(SINCE)]})
    with raises(ClientError, match="not in the list of keys"):
        list(receipt_pages(client))
    for keys in ({}, {"keys": 1}, {"keys": [1]}, {"keys": [{"key": "x"}]}):
        client, _ = client_of([page], keys)
        with raises(ClientError, match="the field keys"):
            list(receipt_pages(client))


def test_a_server_that_does_not_respond_is_an_error() -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    with raises(ClientError, match="does not respond: no connection can be made"):
        list(receipt_pages(client_to(fail)))
