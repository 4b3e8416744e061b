"""The client library on a server that fails: what is repeated, when it gives up, and what it raises."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import httpx
import orjson
import pytest
from typing_extensions import override

from cartulary.client import (
    AsyncClient,
    Client,
    ClientError,
    Conflict,
    Event,
    InvalidResponse,
    LegalActions,
    Limits,
    MalformedRequest,
    Problem,
    RequestRefused,
    ServerUnavailable,
    ServerUnreachable,
    StreamReset,
    TooManyRequests,
    Unauthorised,
)

URL = "http://127.0.0.1:1"
LEGAL = httpx.Response(200, json={"seq": 4, "actions": [{"type": "pass"}], "later": "ignored"})
TOKEN = httpx.Response(201, json={"token": "abc"})


def problem(status: int, headers: dict[str, str] | None = None, **members: Any) -> httpx.Response:
    body = {"type": "urn:cartulary:problem:x", "title": "T", "status": status, "detail": "D"}
    return httpx.Response(status, headers=headers, json={**body, **members})


class Server:
    """Answers requests in order, with responses, errors and streams of lines."""

    def __init__(self, *outcomes: httpx.Response | Exception) -> None:
        self.outcomes = list(outcomes)
        self.requests: list[httpx.Request] = []
        self.pauses: list[float] = []

    def respond(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        # A response can be read only once, and the ones above are used by several tests.
        return httpx.Response(outcome.status_code, headers=outcome.headers, content=outcome.content)

    def client(self, **limits: Any) -> Client:
        return Client(
            URL,
            limits=Limits(**limits),
            transport=httpx.MockTransport(self.respond),
            sleep=self.pauses.append,
        )

    def async_client(self, **limits: Any) -> AsyncClient:
        async def sleep(seconds: float) -> None:
            self.pauses.append(seconds)

        return AsyncClient(
            URL, limits=Limits(**limits), transport=httpx.MockTransport(self.respond), sleep=sleep
        )


Read = Callable[[Server], LegalActions]


def read(server: Server) -> LegalActions:
    return server.client().legal_actions("g")


def read_asynchronously(server: Server) -> LegalActions:
    async def call() -> LegalActions:
        async with server.async_client() as client:
            return await client.legal_actions("g")

    return asyncio.run(call())


both = pytest.mark.parametrize("read", [read, read_asynchronously])


@both
def test_a_request_that_reads_is_repeated_after_lost_connections_and_503(read: Read) -> None:
    lost = httpx.RemoteProtocolError("the server disconnected")
    server = Server(lost, problem(503, {"Retry-After": "2"}), httpx.ReadTimeout("late"), LEGAL)
    assert read(server) == LegalActions(4, ({"type": "pass"},))
    assert server.pauses == pytest.approx([0.1, 2.0, 1.6])


@both
def test_it_gives_up_after_five_attempts(read: Read) -> None:
    server = Server(*[httpx.ConnectError("refused")] * 9)
    with pytest.raises(ServerUnreachable, match="no connection can be made"):
        read(server)
    assert len(server.requests) == 5


@both
def test_a_429_is_repeated_when_its_time_has_passed_unless_that_is_too_long(read: Read) -> None:
    server = Server(problem(429, {"Retry-After": "30"}), LEGAL)
    read(server)
    assert server.pauses == [30]
    with pytest.raises(TooManyRequests) as raised:
        read(Server(problem(429, {"Retry-After": "3600"})))
    assert raised.value.retry_after == 3600


def test_an_action_is_repeated_with_the_same_idempotency_key() -> None:
    server = Server(httpx.ReadError("reset"), problem(503), problem(409, seq=9))
    with pytest.raises(Conflict) as raised:
        server.client().submit("g", {"type": "pass"}, expected_seq=4)
    assert raised.value.seq == 9
    assert len({request.headers["Idempotency-Key"] for request in server.requests}) == 1
    assert len({request.content for request in server.requests}) == 1
    other = Server(problem(409))
    with pytest.raises(Conflict):
        other.client().submit("g", {"type": "pass"}, expected_seq=4)
    assert (
        other.requests[0].headers["Idempotency-Key"]
        != server.requests[0].headers["Idempotency-Key"]
    )


def test_a_session_begins_without_the_token_of_an_earlier_one() -> None:
    beginnings: list[Callable[[Client], object]] = [
        lambda client: client.log_in("ada", "correct horse"),
        lambda client: client.register("ada", "correct horse"),
        lambda client: client.become_guest(),
    ]
    for begin in beginnings:
        server = Server(TOKEN, TOKEN)
        client = server.client()
        client.token = "ended"
        with suppress(ClientError):
            begin(client)
        assert "Authorization" not in server.requests[0].headers
        client.token = "valid"
        with suppress(ClientError):
            client.games()
        assert server.requests[1].headers["Authorization"] == "Bearer valid"


def test_logging_in_is_repeated_only_if_the_request_was_never_sent() -> None:
    server = Server(httpx.ConnectError("refused"), TOKEN)
    client = server.client()
    client.log_in("ada", "correct horse")
    assert client.token == "abc"
    for outcome in (httpx.ReadError("reset"), problem(503)):
        server = Server(outcome)
        with pytest.raises(ClientError):
            server.client().log_in("ada", "correct horse")
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("response", "error"),
    [
        (problem(400, errors=[{"field": "action.at", "detail": "D"}, 7]), MalformedRequest),
        (problem(401), Unauthorised),
        (problem(422, clause="BY-MOV-3"), RequestRefused),
        (problem(418), Problem),
        (httpx.Response(502, text="<html>"), ServerUnavailable),
        (problem(500, detail=7, clause=[]), ServerUnavailable),
        (httpx.Response(302, headers={"Location": "http://127.0.0.1:2"}), InvalidResponse),
        (httpx.Response(200, text="<html>"), InvalidResponse),
        (httpx.Response(200, json=[]), InvalidResponse),
        (httpx.Response(200, json={"seq": True, "actions": []}), InvalidResponse),
        (httpx.Response(200, json={"seq": 4}), InvalidResponse),
        (httpx.Response(200, json={"seq": 4, "actions": [7]}), InvalidResponse),
    ],
)
def test_every_other_response_is_a_separate_error(
    response: httpx.Response, error: type[ClientError]
) -> None:
    with pytest.raises(error) as raised:
        read(Server(response))
    assert type(raised.value) is error


def test_a_problem_has_the_clause_the_fields_and_the_request() -> None:
    members: dict[str, Any] = {
        "clause": "FORMAT",
        "errors": [{"field": "f", "detail": "d"}],
        "instance": "urn:r",
    }
    with pytest.raises(MalformedRequest, match="D") as raised:
        read(Server(problem(400, **members)))
    assert (raised.value.clause, raised.value.instance) == ("FORMAT", "urn:r")
    assert [(fault.field, fault.detail) for fault in raised.value.errors] == [("f", "d")]


def test_a_response_that_is_too_long_or_takes_too_long_is_an_error() -> None:
    with pytest.raises(InvalidResponse, match="too long"):
        Server(LEGAL).client(max_response_bytes=10).legal_actions("g")
    with pytest.raises(ServerUnreachable, match="too long"):
        Server(LEGAL).client(timeout=-1.0, attempts=1).legal_actions("g")


@pytest.mark.parametrize(
    "url", ["games.example.org", "ftp://games.example.org", "http://", "http://[::1"]
)
def test_the_url_of_a_server_is_checked_before_the_first_request(url: str) -> None:
    with pytest.raises(ClientError, match="the URL is not valid"):
        Client(url)


def test_a_token_that_no_header_can_contain_is_an_error() -> None:
    for token in ("a\nb", "é\u2028"):
        with pytest.raises(ClientError):
            Client(URL, token, limits=Limits(attempts=1)).me()


def event(seq: int) -> dict[str, Any]:
    return {
        "v": 1, "game": "g", "seq": seq, "type": "Passed", "at": "2026-01-01T00:00:00.000Z",
        "by": {"seat": 0}, "action": None, "data": {}, "state": "", "prev": "", "hash": "",
    }  # fmt: skip


def stream(*events: object) -> httpx.Response:
    """A stream with events of the log, or with texts as they are."""
    texts = [
        entry
        if isinstance(entry, str)
        else f"id: {entry}\ndata: {orjson.dumps(event(entry)).decode()}\n\n"
        for entry in events
        if isinstance(entry, int | str)
    ]
    headers = {"Content-Type": "text/event-stream"}
    return httpx.Response(200, headers=headers, content="".join(texts).encode())


END = "event: end\ndata: {}\n\n"
Follow = Callable[[Server], Sequence[Event]]


def follow(server: Server) -> Sequence[Event]:
    return list(server.client(max_event_bytes=2000).stream("g", after=2))


def follow_asynchronously(server: Server) -> Sequence[Event]:
    async def call() -> list[Event]:
        client = server.async_client(max_event_bytes=2000)
        return [event async for event in client.stream("g", after=2)]

    return asyncio.run(call())


both_streams = pytest.mark.parametrize("follow", [follow, follow_asynchronously])


@both_streams
def test_a_stream_is_resumed_after_its_last_event_until_the_game_ends(follow: Follow) -> None:
    server = Server(
        httpx.ConnectError("refused"),
        stream(3, ": comment\n\n", 4),
        problem(503, {"Retry-After": "5"}),
        stream(5),
        httpx.ReadTimeout("silence"),
        stream(6, END),
    )
    assert [event.seq for event in follow(server)] == [3, 4, 5, 6]
    last = [request.headers["Last-Event-ID"] for request in server.requests]
    assert last == ["2", "2", "4", "4", "5", "5"]
    assert server.pauses == pytest.approx([0.1, 0.2, 5.0, 0.2, 0.1])


@both_streams
def test_a_stream_after_the_last_event_of_an_ended_game_is_empty(follow: Follow) -> None:
    assert list(follow(Server(httpx.Response(204)))) == []


@both_streams
@pytest.mark.parametrize(
    ("outcomes", "error"),
    [
        ([stream("id: 0\nevent: reset\ndata: {}\n\n")], StreamReset),
        ([stream(5)], InvalidResponse),
        ([stream("data: 7\n\n")], InvalidResponse),
        ([stream("data: " + "x" * 4000)] * 2, InvalidResponse),
        ([httpx.Response(200, text="<html>")], InvalidResponse),
        ([problem(401)], Unauthorised),
        ([httpx.ConnectError("refused")] * 5, ServerUnreachable),
    ],
)
def test_a_stream_that_cannot_continue_is_an_error(
    follow: Follow, outcomes: list[httpx.Response | Exception], error: type[ClientError]
) -> None:
    with pytest.raises(error):
        follow(Server(*outcomes))


def test_leaving_a_stream_closes_its_connection() -> None:
    closed = []

    class Body(httpx.SyncByteStream):
        @override
        def __iter__(self) -> Iterator[bytes]:
            yield stream(3).content

        @override
        def close(self) -> None:
            closed.append(True)

    headers = {"Content-Type": "text/event-stream"}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, headers=headers, stream=Body()))
    events = Client(URL, transport=transport).stream("g", after=2)
    assert next(iter(events)).seq == 3
    events.close()  # type: ignore[attr-defined] # it is a generator
    assert closed == [True]
