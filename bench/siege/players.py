"""Twelve clients that play whole games over HTTP, and two that ask whether the service is healthy and ready.

They run in one process with an event loop, apart from the attackers, and report every response to the
process that started them. Each client plays both seats of its games, so that it never waits for an opponent.
Eight of them keep their connections alive, and four open a connection for each request. After a 503 with
`Retry-After` a client waits and repeats the request with the same Idempotency-Key, and if the server has
closed a kept connection between two requests, it opens another one. Any other response that is not the
expected one is a failure.
"""

import asyncio
import contextlib
import gc
import random
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Final, Literal, TypeAlias

import orjson

from bench.siege.attack import API, FRESH_PLAYERS_ADDRESS, PLAYERS_ADDRESS, request
from bench.siege.responses import HEAD_END, Head, parse_head
from bench.siege.stored_games import Account, StoredGames
from bench.siege.traffic import HOST

PAUSE: Final = 0.15
"""Seconds between two turns, so that the players leave most of the processor to the service."""
PAUSE_WHEN_FINISHING: Final = 0.2
PATIENCE: Final = 20.0
"""Seconds after which a client gives a request up."""
SECONDS_BETWEEN_PROBES: Final = 0.2
SECONDS_BETWEEN_REPORTS: Final = 0.1
MONITOR_ADDRESS: Final = "127.0.0.3"
ROUND_LIMIT: Final = 30
_STREAM_LIMIT: Final = 2**22

Kind: TypeAlias = Literal["play", "fresh play", "end of game", "/healthz", "/readyz"]
"""Fresh play: the requests of clients that open a connection for each of them."""
Result: TypeAlias = Literal["served", "refused", "closed", "failed"]
"""Closed: the server had closed the connection while it waited for a request."""
_PROBES: Final[tuple[Kind, ...]] = ("/healthz", "/readyz")


@dataclass(frozen=True, slots=True)
class Sample:
    """One request of a client: when it was sent, how long it took, in seconds, and how it ended.

    A sample of the kind "end of game" is the time from the last action of a game until its result was there.
    """

    client: int
    kind: Kind
    start: float
    seconds: float
    result: Result
    detail: str
    """The request, and the response or the error."""


class RequestFailedError(Exception):
    """A request that got neither the expected response nor a 503 with `Retry-After`."""


class HttpClient:
    """A client with one connection, which is kept alive and opened again after the server has closed it.

    A client whose kind is "fresh play" opens a connection for each request.
    """

    def __init__(
        self, number: int, port: int, address: str, samples: list[Sample], kind: Kind
    ) -> None:
        self.number = number
        self.kind = kind
        self._port = port
        self._address = address
        self._samples = samples
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, data: bytes, expected: Sequence[int]) -> bytes:
        """Send a request, repeat it while it is refused, and return the body of the response.

        Raises RequestFailedError.
        """
        while True:
            head, body = await self.send_once(data, expected)
            if head.status != 503:
                return body
            assert head.retry_after is not None
            await asyncio.sleep(head.retry_after)

    async def send_once(self, data: bytes, expected: Sequence[int]) -> tuple[Head, bytes]:
        """Send a request, add a sample of it, and return the head and the body of the response.

        The response has an expected status, or it is a 503 with `Retry-After`. If the server has closed the
        connection after an earlier response, the request is sent once more, on a new connection. Raises
        RequestFailedError.
        """
        is_reused = self._streams is not None
        start = time.monotonic()
        head, body, problem = None, b"", ""
        result: Result = "failed"
        try:
            async with asyncio.timeout(PATIENCE):
                head, body = await self._exchange(data)
            problem = f"{head.status} {body[:200].decode(errors='replace')}"
        except TimeoutError:
            problem = f"no response within {PATIENCE:.0f} s"
        except (OSError, EOFError, ValueError) as error:
            problem = f"{type(error).__name__}: {error}"
            if is_reused and _is_closed_before_response(error):
                result = "closed"
        if head is None or head.closes or self.kind == "fresh play":
            self.close()
        if head is not None and head.status in expected:
            result = "served"
        elif head is not None and head.status == 503 and head.retry_after is not None:
            result = "refused"
        detail = f"{data[:80].splitlines()[0].decode()}: {problem}"[:300]
        seconds = time.monotonic() - start
        self._samples.append(Sample(self.number, self.kind, start, seconds, result, detail))
        if result == "closed":
            return await self.send_once(data, expected)
        if head is None or result == "failed":
            raise RequestFailedError(detail)
        return head, body

    def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def _exchange(self, data: bytes) -> tuple[Head, bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection(
                HOST, self._port, local_addr=(self._address, 0), limit=_STREAM_LIMIT
            )
        reader, writer = self._streams
        writer.write(data)
        await writer.drain()
        head = parse_head((await reader.readuntil(HEAD_END))[: -len(HEAD_END)])
        if not head.is_chunked:
            return head, await reader.readexactly(head.length)
        body = b""
        while size := int(await reader.readline(), 16):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readline()
        return head, body


def _is_closed_before_response(error: Exception) -> bool:
    """Whether the server closed the connection and sent nothing: it has not handled the request."""
    if isinstance(error, asyncio.IncompleteReadError):
        return not error.partial
    return isinstance(error, ConnectionResetError | BrokenPipeError)


class Player:
    """A client that plays one game after the other, with one account for each of the two seats."""

    def __init__(
        self, http: HttpClient, accounts: Sequence[Account], samples: list[Sample]
    ) -> None:
        self._accounts = accounts
        self._samples = samples
        self._chance = random.Random(http.number)
        self._http = http

    async def run(self) -> None:
        """Play until the task is cancelled. After a failure, begin another game."""
        # So that the clients do not move in step.
        await asyncio.sleep(self._chance.random() * PAUSE)
        while True:
            with contextlib.suppress(RequestFailedError):
                await self._play_game()
            await asyncio.sleep(PAUSE)

    async def _play_game(self) -> None:
        await self._request("GET", "/me", 0)
        body = {
            "rules": "barony",
            "seats": 2,
            "options": {"round_limit": ROUND_LIMIT, "seating": "joined"},
        }
        path = f"/games/{(await self._request('POST', '/games', 0, body, [201]))['id']}"
        await self._request("POST", f"{path}/players", 1, {}, [201, 409])
        seat, seats_without_actions = 0, 0
        while seats_without_actions < 2:
            legal = await self._request("GET", f"{path}/legal-actions", seat)
            if legal["actions"]:
                seats_without_actions = 0
                action = self._choose(legal["actions"])
                body = {"action": action, "expected_seq": legal["seq"]}
                await self._request("POST", f"{path}/actions", seat, body, [201])
                await asyncio.sleep(PAUSE)
            else:
                seats_without_actions += 1
            seat = 1 - seat
        await self._wait_for_result(path)

    async def _wait_for_result(self, path: str) -> None:
        start = time.monotonic()
        while (await self._request("GET", path, 0))["status"] == "playing":
            if time.monotonic() - start > PATIENCE:
                break
            await asyncio.sleep(PAUSE_WHEN_FINISHING)
        seconds = time.monotonic() - start
        result: Result = "served" if seconds <= PATIENCE else "failed"
        self._samples.append(
            Sample(self._http.number, "end of game", start, seconds, result, f"the end of {path}")
        )

    async def _request(
        self,
        method: str,
        path: str,
        seat: int,
        body: object = None,
        expected: Sequence[int] = (200,),
    ) -> Any:
        headers = f"Idempotency-Key: {self._chance.randbytes(8).hex()}\r\n" if body else ""
        encoded = b"" if body is None else orjson.dumps(body)
        token = self._accounts[seat].token
        send = request(method, f"{API}{path}", encoded, token, headers)
        return orjson.loads(await self._http.send(send.data, expected))

    def _choose(self, actions: Sequence[dict[str, Any]]) -> dict[str, Any]:
        # First a type and then an action of it; otherwise nearly all actions would be moves.
        type = self._chance.choice(sorted({action["type"] for action in actions}))
        return self._chance.choice([action for action in actions if action["type"] == type])


async def _probe(path: Kind, port: int, samples: list[Sample]) -> None:
    """Request a probe's path at intervals, each time on a new connection from an address of its own."""
    send = request("GET", path)
    while True:
        http = HttpClient(-1, port, MONITOR_ADDRESS, samples, path)
        started = time.monotonic()
        with contextlib.suppress(RequestFailedError):
            await http.send_once(send.data, [200])
        http.close()
        await asyncio.sleep(max(0.0, started + SECONDS_BETWEEN_PROBES - time.monotonic()))


async def _report(samples: list[Sample], connection: Connection) -> None:
    """Send the samples on, until the other end is closed."""
    while True:
        await asyncio.sleep(SECONDS_BETWEEN_REPORTS)
        batch = samples.copy()
        samples.clear()
        connection.send(batch)


async def _play(stored: StoredGames, connection: Connection) -> None:
    port = stored.target.port
    samples: list[Sample] = []
    groups: tuple[tuple[Kind, str, Sequence[Sequence[Account]]], ...] = (
        ("play", PLAYERS_ADDRESS, stored.clients),
        ("fresh play", FRESH_PLAYERS_ADDRESS, stored.fresh_clients),
    )
    players: list[Player] = []
    for kind, address, clients in groups:
        for accounts in clients:
            http = HttpClient(len(players), port, address, samples, kind)
            players.append(Player(http, accounts, samples))
    async with asyncio.TaskGroup() as tasks:
        for player in players:
            tasks.create_task(player.run())
        for path in _PROBES:
            tasks.create_task(_probe(path, port, samples))
        tasks.create_task(_report(samples, connection))


def run_players(stored: StoredGames, connection: Connection) -> None:
    """Play, and send lists of samples, until the other end of the connection is closed.

    This is the whole work of a process, which its parent ends.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process after Ctrl-C
    # A full collection would stop all clients for a tenth of a second, and count as the service's.
    gc.freeze()
    gc.disable()
    asyncio.run(_play(stored, connection))
