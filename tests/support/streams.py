"""Readers of event streams: plain sockets on one event loop, so that a test can hold many open."""

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass
class Received:
    """One thing that came over a stream: an event of the log has an id, the end of a game has none."""

    id: int | None
    event: str
    data: Json


@dataclass
class Reader:
    """One open stream. `is_open` says whether the server still holds it open."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    status: int
    headers: dict[str, str]
    rest: bytes = b""
    comments: int = 0
    is_open: bool = True
    _lines: list[str] = field(default_factory=list)

    async def next(self, patience: float = 10.0) -> Received | None:
        """The next thing that comes; None when the stream has ended."""
        async with asyncio.timeout(patience):
            while True:
                line = await self._line()
                if line is None:
                    return None
                if line.startswith(":"):
                    self.comments += 1
                elif line:
                    self._lines.append(line)
                elif self._lines:
                    told = dict(one.split(": ", 1) for one in self._lines)
                    self._lines.clear()
                    number = told.get("id")
                    return Received(
                        None if number is None else int(number),
                        told.get("event", "message"),
                        json.loads(told["data"]),
                    )

    async def _line(self) -> str | None:
        while b"\n" not in self.rest:
            piece = await self._chunk()
            if not piece:
                await self.close()
                return None
            self.rest += piece
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode()

    async def _chunk(self) -> bytes:
        try:
            size = int((await self.reader.readline()) or b"0", 16)
            piece = await self.reader.readexactly(size + 2)
        except (asyncio.IncompleteReadError, ConnectionError):
            return b""
        return piece[:-2]

    async def close(self) -> None:
        """Hang up."""
        self.is_open = False
        self.writer.close()
        with suppress(ConnectionError):
            await self.writer.wait_closed()


async def opened(
    url: str, path: str, headers: Mapping[str, str] | None = None, limit: int = 2**16
) -> Reader:
    """Open a stream, and read the head of the answer. `limit`: bytes that are read ahead."""
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=limit)
    sent = {"Host": "x", **(headers or {})}
    lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    await writer.drain()
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    told = dict(line.lower().split(": ", 1) for line in head[1:] if line)
    return Reader(reader, writer, int(head[0].split(" ")[1]), told)
