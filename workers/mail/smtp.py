"""Sends a mail through the SMTP server of the settings, within one time limit for the whole conversation."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8
from typing import Final

import aiosmtplib
from aiosmtplib import SMTPDataError, SMTPException, SMTPRecipientRefused, SMTPResponseException
from typing_extensions import override

from domain.errors import CartularyError
from domain.messages import Message, message
from service.notifications.mail.delivery_status import is_about_address, is_status
from service.smtp_server import SmtpServer
from workers.bounded_calls import run_coroutine

MAX_REPLY_CHARACTERS: Final = 300
"""The number of characters of a server's reply that are kept."""
_PERMANENT: Final = 500
_POLICY: Final = SMTP.clone(cte_type="7bit")
_UTF8_POLICY: Final = SMTPUTF8.clone(cte_type="7bit")
"""Bodies are encoded as ASCII, which every server transports; with UTF8, headers are not."""


class MailNotSent(CartularyError):
    """The mail was not accepted now. It may be sent again later."""


class MailRefused(CartularyError):
    """The mail will never be accepted for its recipient.

    `is_address_at_fault` is True if the reply is about the address, not about this server or the content of
    the mail.
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

        Enhanced status codes (RFC 3463) distinguish this from a policy of the server (5.7.1) and a full
        mailbox (5.2.2). If a server does not send such codes, its reply is taken to be about the address.
        """
        status = self.text.split(" ", 1)[0]
        return is_about_address(status) if is_status(status) else self.is_permanent


class SmtpClient:
    """Sends mails through one server. Thread-safe: each mail is sent over a new connection."""

    def __init__(self, server: SmtpServer, seconds: float) -> None:
        """`seconds` is the time for a whole delivery, from resolving the server's name to its last reply."""
        self._server = server
        self._seconds = seconds

    def send(self, mail: EmailMessage, sender: str, recipient: str) -> None:
        """Send a mail with this envelope. Raises MailNotSent and MailRefused."""
        self._run(lambda smtp: self._send(smtp, mail, sender, recipient))

    def check(self) -> None:
        """Connect and log in without sending a mail. Raises MailNotSent if the server refuses that."""

        async def greet(smtp: aiosmtplib.SMTP) -> None:
            await smtp.noop()

        self._run(greet)

    def _run(self, conversation: Callable[[aiosmtplib.SMTP], Awaitable[None]]) -> None:
        """Connect, log in and run a conversation. Raises MailNotSent, and the errors of the conversation."""
        try:
            run_coroutine(self._converse(conversation))
        except TimeoutError as error:
            why = message(
                "{server} has not accepted the mail within {seconds} s",
                server=self._server.host,
                seconds=f"{self._seconds:g}",
            )
            raise MailNotSent(why) from error
        except (OSError, SMTPException, UnicodeError) as error:
            why = message(
                "{server} cannot be used: {reason}",
                server=self._server.host,
                reason=_reason_of(error),
            )
            raise MailNotSent(why) from error

    async def _converse(self, conversation: Callable[[aiosmtplib.SMTP], Awaitable[None]]) -> None:
        server = self._server
        context = None
        if server.tls != "none":
            context = ssl.create_default_context(
                cafile=None if server.ca_file is None else str(server.ca_file)
            )
        smtp = _Connection(
            hostname=server.host,
            port=server.port,
            username=server.user,
            password=server.password,
            # Without this name, the library would ask a name server for one.
            local_hostname="localhost",
            # The limit below is for all steps together.
            timeout=None,
            use_tls=server.tls == "implicit",
            # Raises an error if the server does not offer it: nothing is sent without encryption.
            start_tls=server.tls == "starttls",
            tls_context=context,
        )
        try:
            deadline = asyncio.get_running_loop().time() + self._seconds
            async with asyncio.timeout_at(deadline):
                await smtp.connect()
                await conversation(smtp)
            # The mail has been accepted, whatever the server replies after this.
            with suppress(SMTPException, TimeoutError):
                async with asyncio.timeout_at(deadline):
                    await smtp.quit()
        finally:
            smtp.close()

    async def _send(
        self, smtp: aiosmtplib.SMTP, mail: EmailMessage, sender: str, recipient: str
    ) -> None:
        needs_utf8 = not recipient.isascii()
        if smtp.is_ehlo_or_helo_needed:
            await smtp.ehlo()
        if needs_utf8 and not smtp.supports_extension("smtputf8"):
            raise MailRefused(
                message(
                    "{server} accepts no internationalized addresses", server=self._server.host
                ),
                is_address_at_fault=False,
            )
        options = ["SMTPUTF8"] if needs_utf8 else []
        encoding = "utf-8" if needs_utf8 else "ascii"
        try:
            await smtp.mail(sender, options=options, encoding=encoding)
            await smtp.rcpt(recipient, encoding=encoding)
            await smtp.data(mail.as_bytes(policy=_UTF8_POLICY if needs_utf8 else _POLICY))
        except SMTPResponseException as error:
            reply = _reply(error)
            why = message(
                "{server} replied: {code} {text}",
                server=self._server.host,
                code=reply.code,
                text=reply.text,
            )
            if reply.is_permanent and isinstance(error, SMTPRecipientRefused):
                raise MailRefused(why, is_address_at_fault=reply.is_about_address) from error
            if reply.is_permanent and isinstance(error, SMTPDataError):
                raise MailRefused(why, is_address_at_fault=False) from error
            raise MailNotSent(why) from error


class _Connection(aiosmtplib.SMTP):
    """A connection that is closed without waiting for the server to close its side of TLS."""

    @override
    def close(self) -> None:
        if isinstance(self.transport, asyncio.WriteTransport):
            self.transport.abort()
        super().close()


def _reply(error: SMTPResponseException) -> SmtpReply:
    printable = error.message.replace("\n", " ")
    return SmtpReply(error.code, "".join(filter(str.isprintable, printable))[:MAX_REPLY_CHARACTERS])


def _reason_of(error: Exception) -> str:
    """Return the reason why a connection cannot be used, in one line and without any part of a login."""
    if isinstance(error, SMTPResponseException):
        reply = _reply(error)
        return f"{reply.code} {reply.text}"
    return str(error) or type(error).__name__
