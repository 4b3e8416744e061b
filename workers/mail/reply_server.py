"""The process `cartulary replies`: receives the answers of players from a mail server, by LMTP (RFC 2033).

A mail is accepted when its actions are done and stored. If the process or Redis fails before that, the mail
server delivers it again. Everybody who can connect can deliver mails, so the address should be on this
machine or an internal network.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, Final

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import Envelope
from typing_extensions import override

from service.bootstrap import build
from service.errors import TooManyRequests, Unavailable
from service.operation.process_reports import SECONDS_TO_HANG, Reporter
from service.operation.stop_signals import StopSignals
from service.settings import Settings, SettingsError, lmtp_address
from workers.mail.replies import Replies

log = logging.getLogger(__name__)

MAX_CONNECTIONS: Final = 64
THREADS: Final = 4
IDLE_SECONDS: Final = 60.0
"""The time after which an idle connection is closed."""
_ACCEPTED: Final = "250 2.0.0 OK"
_LATER: Final = "451 4.3.0 try again later"
_TOO_MANY: Final = "451 4.7.1 too many mails of this player, try again later"


class _Handler:
    """The hooks that aiosmtpd calls, each for one connection at a time."""

    def __init__(self, replies: Replies, threads: ThreadPoolExecutor) -> None:
        self._replies = replies
        self._threads = threads

    async def handle_EHLO(  # noqa: N802 # the name of aiosmtpd's hook
        self, _server: Any, session: Any, _envelope: Envelope, name: str, responses: list[str]
    ) -> list[str]:
        session.host_name = name
        # A mail server that knows the limit would return a large mail itself, with its own message.
        return [line for line in responses if not line[4:].startswith("SIZE")]

    async def handle_RCPT(  # noqa: N802 # the name of aiosmtpd's hook
        self, _server: Any, _session: Any, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        # Mails to unknown addresses are accepted: after a refusal, the mail server would write to a sender
        # that may be forged. LMTP has one reply for each recipient, and each mail here has one recipient.
        if envelope.rcpt_tos:
            return "452 4.5.3 one recipient at a time"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(  # noqa: N802 # the name of aiosmtpd's hook
        self, _server: Any, _session: Any, envelope: Envelope
    ) -> str:
        content = envelope.original_content
        assert isinstance(content, bytes)
        recipient, sender = envelope.rcpt_tos[0], _sender(envelope)
        return await self.run(partial(self._replies.receive, recipient, sender, content))

    async def refuse_large(self, envelope: Envelope) -> str:
        """Inform the player that a mail was too large to be read, and return the reply to the mail server."""
        recipient, sender = envelope.rcpt_tos[0], _sender(envelope)
        return await self.run(partial(self._replies.refuse_large, recipient, sender))

    async def run(self, work: Callable[[], None]) -> str:
        """Call a function in a thread, and return the reply to the mail server."""
        try:
            await asyncio.get_running_loop().run_in_executor(self._threads, work)
        except TooManyRequests:
            return _TOO_MANY
        except Unavailable as error:
            log.warning("a mail is not handled: %s", error)
            return _LATER
        except Exception:
            log.exception("a mail cannot be handled")
            return _LATER
        return _ACCEPTED


def _sender(envelope: Envelope) -> str:
    """Return the sender of an envelope, "" for the null sender of reports and automatic answers."""
    return (envelope.mail_from or "").strip("<>")


class _Connection(LMTP):
    """A connection of the mail server. A mail that is too large is accepted, and the player is informed."""

    connections: set["_Connection"]

    def __init__(self, handler: _Handler, connections: set["_Connection"], max_bytes: int) -> None:
        super().__init__(
            handler, data_size_limit=max_bytes, enable_SMTPUTF8=True, timeout=IDLE_SECONDS
        )
        self.connections = connections
        self._replies = handler

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.connections.add(self)
        if len(self.connections) > MAX_CONNECTIONS and isinstance(transport, asyncio.Transport):
            transport.abort()

    @override
    def connection_lost(self, error: Exception | None) -> None:
        self.connections.discard(self)
        super().connection_lost(error)

    @override
    async def push(self, status: Any) -> None:
        """Send a reply. aiosmtpd has no hook for mails that it has discarded, only these replies to them."""
        if isinstance(status, str) and status.startswith(("552 ", "500 Line too long")):
            envelope = self.envelope
            if envelope is not None and envelope.rcpt_tos:
                status = await self._replies.refuse_large(envelope)
        await super().push(status)


@asynccontextmanager
async def receiving(replies: Replies, host: str, port: int, max_bytes: int) -> AsyncIterator[int]:
    """Receive mails at an address within this block; the value is the port, which is chosen for port 0."""
    loop = asyncio.get_running_loop()
    connections: set[_Connection] = set()
    with ThreadPoolExecutor(THREADS, "replies") as threads:
        handler = _Handler(replies, threads)
        server = await loop.create_server(
            lambda: _Connection(handler, connections, max_bytes), host, port
        )
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            for connection in list(connections):
                if connection.transport is not None:
                    connection.transport.close()
            await asyncio.sleep(0)


def run_replies(settings: Settings) -> None:
    """Receive the answers of players until SIGTERM or SIGINT. Raises SettingsError."""
    service = build(settings)
    if not service.notifications.mail.reply_addresses.is_configured:
        raise SettingsError.with_message(
            "{variable} must be set: to this address, players answer",
            variable="CARTULARY_REPLY_ADDRESS",
        )
    stop = StopSignals()
    stop.listen()
    reporter = Reporter(service.process_reports, "replies")
    host, port = lmtp_address(settings.reply_lmtp)

    async def run() -> None:
        async with receiving(Replies(service), host, port, settings.bounds.max_reply_bytes):
            log.info("receiving answers to mails at %s:%s", host, port)
            reporter.start()
            # The event loop keeps running between these waits.
            while not await asyncio.to_thread(stop.wait, SECONDS_TO_HANG / 4):
                reporter.note_progress()

    try:
        asyncio.run(run())
    finally:
        with suppress(Unavailable):
            reporter.end()
