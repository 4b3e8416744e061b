"""Clients of event streams: plain sockets on one event loop, so that a test can keep many open."""

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tests.support.processes import HANG_SECONDS

Json = dict[str, Any]


@dataclass
class ServerSentEvent:
    """A server-sent event: an event of the log, with its seq as `id`, or the end of the game, without."""

    id: int | None
    event: str
    data: Json


@dataclass
class StreamClient:
    """One open stream. `is_open` becomes False when the server or the test has closed it."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    status: int
    headers: dict[str, str]
    buffer: bytes = b""
    comments: int = 0
    is_open: bool = True
    _lines: list[str] = field(default_factory=list)

    async def next(self, seconds: float = HANG_SECONDS) -> ServerSentEvent | None:
        """Return the next event, or None when the stream has ended.

        Raises TimeoutError if none arrives within `seconds`.
        """
        async with asyncio.timeout(seconds):
            while True:
                line = await self._read_line()
                if line is None:
                    return None
                if line.startswith(":"):
                    self.comments += 1
                elif line:
                    self._lines.append(line)
                elif self._lines:
                    fields = dict(line.split(": ", 1) for line in self._lines)
                    self._lines.clear()
                    id = fields.get("id")
                    return ServerSentEvent(
                        None if id is None else int(id),
                        fields.get("event", "message"),
                        json.loads(fields["data"]),
                    )

    async def next_event(self, seconds: float = HANG_SECONDS) -> ServerSentEvent:
        """Return the next event; the stream must not end."""
        event = await self.next(seconds)
        assert event is not None, "the stream has ended"
        return event

    async def _read_line(self) -> str | None:
        while b"\n" not in self.buffer:
            chunk = await self._read_chunk()
            if not chunk:
                await self.close()
                return None
            self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.decode()

    async def _read_chunk(self) -> bytes:
        try:
            size = int((await self.reader.readline()) or b"0", 16)
            chunk = await self.reader.readexactly(size + 2)
        except (asyncio.IncompleteReadError, ConnectionError):
            return b""
        return chunk[:-2]

    async def close(self) -> None:
        """Close the connection."""
        self.is_open = False
        self.writer.close()
        with suppress(ConnectionError):
            await self.writer.wait_closed()


async def open_stream(
    url: str, path: str, headers: Mapping[str, str] | None = None, limit: int = 2**16
) -> StreamClient:
    """Open a stream and read the head of the response. `limit` is the number of bytes read ahead."""
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=limit)
    request_headers = {"Host": "x", **(headers or {})}
    lines = [f"GET {path} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in request_headers.items()]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    await writer.drain()
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    response_headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
    return StreamClient(reader, writer, int(head[0].split(" ")[1]), response_headers)
