"""Sends a mail through the SMTP server of the settings, within one time limit for the whole conversation.

smtplib limits the time of single operations only: a server that sends a byte now and then would never exceed
it. So a timer closes the connection when the time is over, whatever is being waited for.
"""

import smtplib
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8
from threading import Timer
from typing import Final

from typing_extensions import override

from domain.errors import CartularyError
from domain.messages import Message, message
from service.smtp_server import SmtpServer
from workers.bounded_calls import resolve, time_left

MAX_REPLY_CHARACTERS: Final = 300
"""Characters of a server's reply that are kept."""
_PERMANENT: Final = 500
_POLICY: Final = SMTP.clone(cte_type="7bit")
_UTF8_POLICY: Final = SMTPUTF8.clone(cte_type="7bit")
"""Bodies are encoded as ASCII, which every server transports; with UTF8, headers are not."""


class MailNotSent(CartularyError):
    """The mail was not accepted now. It may be sent again later."""


class MailRefused(CartularyError):
    """The mail will never be accepted for its recipient.

    `is_address_at_fault`: the reply is about the address, not about this server or what the mail contains.
    """

    def __init__(self, why: Message, *, is_address_at_fault: bool) -> None:
        super().__init__(why)
        self.is_address_at_fault = is_address_at_fault


@dataclass(frozen=True, slots=True)
class SmtpReply:
    """A reply of a server: its code, and its text in one printable line."""

    code: int
    text: str

    @property
    def is_permanent(self) -> bool:
        """Whether the same command would fail again."""
        return self.code >= _PERMANENT

    @property
    def is_about_address(self) -> bool:
        """Whether a permanent reply to RCPT means that no mail can reach the address.

        Enhanced status codes (RFC 3463) tell this apart from a rule of the server (5.7.1) and a full mailbox
        (5.2.2). A server without such codes is believed.
        """
        status = self.text.split(" ", 1)[0].split(".")
        if len(status) != 3 or not all(part.isdecimal() for part in status):
            return self.is_permanent
        return status[0] == "5" and status[1] in ("1", "2") and status[1:] != ["2", "2"]


class SmtpClient:
    """Sends mails through one server. Thread-safe: each mail has a connection of its own."""

    def __init__(self, server: SmtpServer, seconds: float) -> None:
        """`seconds`: the time for a whole delivery, from resolving the server's name to its last reply."""
        self._server = server
        self._seconds = seconds

    def send(self, mail: EmailMessage, sender: str, recipient: str) -> None:
        """Send a mail with this envelope. Raises MailNotSent and MailRefused."""
        deadline = time.monotonic() + self._seconds
        try:
            with self._connection(deadline) as smtp:
                self._send(smtp, mail, sender, recipient)
        except (OSError, smtplib.SMTPException, UnicodeError) as error:
            if time.monotonic() >= deadline:
                why = message(
                    "{server} has not accepted the mail within {seconds} s",
                    server=self._server.host,
                    seconds=f"{self._seconds:g}",
                )
            else:
                why = message(
                    "{server} cannot be used: {reason}",
                    server=self._server.host,
                    reason=_reason_of(error),
                )
            raise MailNotSent(why) from error

    def _send(self, smtp: "_TimedSmtp", mail: EmailMessage, sender: str, recipient: str) -> None:
        needs_utf8 = not recipient.isascii()
        if needs_utf8 and not smtp.has_extn("smtputf8"):
            raise MailRefused(
                message(
                    "{server} accepts no internationalized addresses", server=self._server.host
                ),
                is_address_at_fault=False,
            )
        options = ["SMTPUTF8"] if needs_utf8 else []
        self._require(_reply(smtp.mail(sender, options)))
        reply = _reply(smtp.rcpt(recipient))
        if reply.is_permanent:
            raise MailRefused(self._refusal(reply), is_address_at_fault=reply.is_about_address)
        self._require(reply)
        content = mail.as_bytes(policy=_UTF8_POLICY if needs_utf8 else _POLICY)
        try:
            reply = _reply(smtp.data(content))
        except smtplib.SMTPDataError as error:
            reply = _reply((error.smtp_code, _as_bytes(error.smtp_error)))
        if reply.is_permanent:
            raise MailRefused(self._refusal(reply), is_address_at_fault=False)
        self._require(reply)

    def _require(self, reply: SmtpReply) -> None:
        """Raise MailNotSent unless a reply is positive."""
        if not 200 <= reply.code < 300:
            raise MailNotSent(self._refusal(reply))

    def _refusal(self, reply: SmtpReply) -> Message:
        return message(
            "{server} replied: {code} {text}",
            server=self._server.host,
            code=reply.code,
            text=reply.text,
        )

    @contextmanager
    def _connection(self, deadline: float) -> Iterator["_TimedSmtp"]:
        """An authenticated connection that is closed at the deadline."""
        server = self._server
        context = None
        if server.tls != "none":
            context = ssl.create_default_context(
                cafile=None if server.ca_file is None else str(server.ca_file)
            )
        smtp = _TimedSmtp(server, deadline, context if server.tls == "implicit" else None)
        timer = Timer(max(0.0, deadline - time.monotonic()), smtp.abort)
        timer.daemon = True
        timer.start()
        try:
            code, reply = smtp.connect(server.host, server.port)
            self._require(_reply((code, reply)))
            smtp.ehlo_or_helo_if_needed()
            if context is not None and server.tls == "starttls":
                # Raises an error if the server does not offer it: nothing is sent without encryption.
                smtp.starttls(context=context)
                smtp.ehlo_or_helo_if_needed()
            if server.user is not None and server.password is not None:
                smtp.login(server.user, server.password)
            yield smtp
            with suppress(OSError, smtplib.SMTPException):
                smtp.quit()
        finally:
            timer.cancel()
            smtp.close()


class _TimedSmtp(smtplib.SMTP):
    """A connection whose socket is made within a deadline, and which another thread can abort."""

    def __init__(
        self, server: SmtpServer, deadline: float, implicit_tls: ssl.SSLContext | None
    ) -> None:
        # Without a name of its own, smtplib would ask a name server for one.
        super().__init__(local_hostname="localhost", timeout=max(0.01, deadline - time.monotonic()))
        self._server = server
        self._deadline = deadline
        self._implicit_tls = implicit_tls
        # STARTTLS checks the certificate for this name.
        self._host = server.host
        self._plain: socket.socket | None = None
        self._is_aborted = False

    def abort(self) -> None:
        """Close the connection, so that whatever waits for the server fails at once."""
        self._is_aborted = True
        with suppress(OSError):
            if self._plain is not None:
                self._plain.shutdown(socket.SHUT_RDWR)

    # smtplib.SMTP_SSL overrides this method too; it is how the socket of a connection is chosen.
    def _get_socket(self, host: str, port: int, _timeout: float) -> socket.socket:
        plain = _connect(host, port, self._deadline)
        # TLS takes the socket over; a duplicate of its descriptor can still be shut down.
        self._plain = plain.dup()
        if self._is_aborted:
            self.abort()
        if self._implicit_tls is None:
            return plain
        try:
            return self._implicit_tls.wrap_socket(plain, server_hostname=self._server.host)
        except BaseException:
            plain.close()
            raise

    @override
    def close(self) -> None:
        super().close()
        if self._plain is not None:
            self._plain.close()


def _connect(host: str, port: int, deadline: float) -> socket.socket:
    """Return a connection to the first address of a host that accepts one. Raises OSError."""
    addresses = resolve(host, port, deadline)
    fault: OSError = OSError("the name has no address")
    for family, type, protocol, _, address in addresses:
        connection = socket.socket(family, type, protocol)
        try:
            connection.settimeout(time_left(deadline))
            connection.connect(address)
            connection.settimeout(time_left(deadline))
        except OSError as error:
            connection.close()
            fault = error
        else:
            return connection
    raise fault


def _reply(reply: tuple[int, bytes]) -> SmtpReply:
    code, text = reply
    printable = text.decode("utf-8", "replace").replace("\n", " ")
    return SmtpReply(code, "".join(filter(str.isprintable, printable))[:MAX_REPLY_CHARACTERS])


def _as_bytes(reply: bytes | str) -> bytes:
    return reply if isinstance(reply, bytes) else reply.encode()


def _reason_of(error: Exception) -> str:
    """Return in one line why a connection cannot be used, without anything that a login contains."""
    if isinstance(error, smtplib.SMTPResponseException):
        reply = _reply((error.smtp_code, _as_bytes(error.smtp_error)))
        return f"{reply.code} {reply.text}"
    return str(error) or type(error).__name__
