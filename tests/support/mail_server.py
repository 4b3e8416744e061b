"""A real SMTP server (aiosmtpd) that keeps the mails it gets, and one that breaks the protocol."""

import asyncio
import socket
import ssl
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from typing import Any, cast

from aiosmtpd.controller import UnthreadedController
from aiosmtpd.smtp import AuthResult, Envelope, LoginPassword
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support.processes import HANG_SECONDS


@dataclass
class ReceivedMail:
    """A mail with its envelope."""

    sender: str
    recipient: str
    options: tuple[str, ...]
    content: bytes

    @property
    def message(self) -> EmailMessage:
        """The mail, parsed."""
        return message_from_bytes(self.content, policy=default)


@dataclass
class MailServer:
    """A server: the `mails` that it accepted, and its replies to the next commands, instead of accepting."""

    port: int = 0
    mails: list[ReceivedMail] = field(default_factory=list)
    mail_replies: list[str] = field(default_factory=list)
    recipient_replies: list[str] = field(default_factory=list)
    data_replies: list[str] = field(default_factory=list)
    refused_recipients: dict[str, str] = field(default_factory=dict)
    """Replies to RCPT, always, by recipient."""
    logins: list[tuple[str, str]] = field(default_factory=list)

    def to(self, address: str) -> list[ReceivedMail]:
        """Return the mails that were sent to an address."""
        return [mail for mail in self.mails if mail.recipient == address]


class _Handler:
    """The hooks that aiosmtpd calls."""

    def __init__(self, server: MailServer) -> None:
        self._server = server

    async def handle_MAIL(  # noqa: N802 # the name of aiosmtpd's hook
        self, _server: Any, _session: Any, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self._server.mail_replies:
            return self._server.mail_replies.pop(0)
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 2.1.0 OK"

    async def handle_RCPT(  # noqa: N802 # the name of aiosmtpd's hook
        self, _server: Any, _session: Any, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        if address in self._server.refused_recipients:
            return self._server.refused_recipients[address]
        if self._server.recipient_replies:
            return self._server.recipient_replies.pop(0)
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(  # noqa: N802 # the name of aiosmtpd's hook
        self, _server: Any, _session: Any, envelope: Envelope
    ) -> str:
        if self._server.data_replies:
            return self._server.data_replies.pop(0)
        for recipient in envelope.rcpt_tos:
            self._server.mails.append(
                ReceivedMail(
                    envelope.mail_from or "",
                    recipient,
                    tuple(envelope.mail_options),
                    cast("bytes", envelope.original_content),
                )
            )
        return "250 2.0.0 Queued"


@contextmanager
def mail_server(
    *,
    certificate: Path | None = None,
    is_tls_implicit: bool = False,
    password: str | None = None,
    has_utf8: bool = True,
) -> Iterator[MailServer]:
    """A server on 127.0.0.1, with TLS if it has a certificate (a PEM file with its key).

    With a `password`, mails must be preceded by a login with it.
    """
    server = MailServer()

    def authenticate(
        _server: Any, _session: Any, _envelope: Any, _mechanism: str, credentials: LoginPassword
    ) -> AuthResult:
        server.logins.append((credentials.login.decode(), credentials.password.decode()))
        return AuthResult(success=credentials.password == (password or "").encode(), handled=False)

    context = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
    options: dict[str, Any] = {"enable_SMTPUTF8": has_utf8}
    if context is not None and not is_tls_implicit:
        options["tls_context"] = context
    if password is not None:
        options |= {
            "authenticator": authenticate,
            # aiosmtpd does not know that a connection with implicit TLS is encrypted, and warns.
            "auth_required": not is_tls_implicit,
            "auth_require_tls": not is_tls_implicit,
        }
    loop = asyncio.new_event_loop()
    controller = UnthreadedController(
        _Handler(server),
        hostname="127.0.0.1",
        port=0,
        loop=loop,
        ssl_context=context if is_tls_implicit else None,
        **options,
    )
    # In another thread: Playwright may keep an event loop running in this one.
    with ThreadPoolExecutor(1) as executor:
        executor.submit(controller.begin).result()
    server.port = controller.server.sockets[0].getsockname()[1]  # type: ignore[union-attr] # it has begun
    thread = Thread(target=loop.run_forever)
    thread.start()
    try:
        yield server
    finally:

        async def stop() -> None:
            controller.server.close()  # type: ignore[union-attr] # as above
            tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(stop(), loop).result(HANG_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@contextmanager
def raw_mail_server(converse: Callable[[socket.socket], None]) -> Iterator[int]:
    """A server that does anything with its connections; the value is its port.

    `converse` is stopped by an error when the client disconnects.
    """

    def serve(listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, suppress(OSError):
                    converse(connection)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=serve, args=(listener,))
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            # Closing the listener would not end `accept`.
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def make_certificate(file: Path, name: str = "localhost", address: str = "127.0.0.1") -> Path:
    """Write a self-signed certificate for a name and an address, with its key, and return the file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName(name), x509.IPAddress(ip_address(address))]),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return file
