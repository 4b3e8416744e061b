"""Answers of players to mails, delivered by LMTP as a mail server does it."""

import asyncio
import smtplib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from threading import Event, Thread

from service.bootstrap import Service
from tests.support.mail_server import MailServer, ReceivedMail
from tests.support.processes import HANG_SECONDS
from workers.mail.replies import Replies
from workers.mail.reply_server import receiving

REPLY_ADDRESS = "play@reply.example.org"


@contextmanager
def reply_server(service: Service) -> Iterator[int]:
    """Receive answers on a port of 127.0.0.1, which is the value."""
    ports: list[int] = []
    is_ready = Event()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def run() -> None:
        max_bytes = service.settings.bounds.max_reply_bytes
        async with receiving(Replies(service), "127.0.0.1", 0, max_bytes) as port:
            ports.append(port)
            is_ready.set()
            await stop.wait()

    thread = Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    try:
        assert is_ready.wait(HANG_SECONDS)
        yield ports[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


@dataclass
class Mailbox:
    """The mailbox of a player, who answers the mails in it."""

    address: str
    server: MailServer
    port: int
    count: int = 0

    @property
    def mails(self) -> list[ReceivedMail]:
        """The mails that have arrived."""
        return self.server.to(self.address)

    @property
    def last(self) -> EmailMessage:
        """The mail that has arrived last."""
        return self.mails[-1].message

    @property
    def text(self) -> str:
        """The text of that mail."""
        return text_of(self.last)

    def reply(self, text: str, mail: EmailMessage | None = None) -> EmailMessage:
        """Return an answer to a mail, by default the last one, that quotes it as programs do."""
        mail = mail or self.last
        answer = EmailMessage()
        self.count += 1
        answer["From"] = f"A player <{self.address}>"
        answer["To"] = mail["Reply-To"]
        answer["Subject"] = f"Re: {mail['Subject']}"
        answer["Message-ID"] = f"<{self.count}.{self.address}>"
        answer["In-Reply-To"] = mail["Message-ID"]
        quoted = "".join(f"> {line}\n" for line in text_of(mail).splitlines())
        answer.set_content(
            f"{text}\n\nOn Mon, 23 Nov 2026 at 10:00, Cartulary <games@example.org>\nwrote:\n\n{quoted}"
        )
        return answer

    def deliver(
        self, mail: EmailMessage | bytes, recipient: str | None = None, sender: str | None = None
    ) -> None:
        """Deliver a mail by LMTP. Raises smtplib.SMTPException if it is not accepted."""
        content = mail if isinstance(mail, bytes) else mail.as_bytes(policy=SMTP)
        if recipient is None:
            assert isinstance(mail, EmailMessage)
            recipient = str(mail["To"])
        with smtplib.LMTP("127.0.0.1", self.port, timeout=HANG_SECONDS) as client:
            client.sendmail(self.address if sender is None else sender, [recipient], content)

    def answer(self, text: str) -> None:
        """Answer the last mail."""
        self.deliver(self.reply(text))


def text_of(mail: EmailMessage) -> str:
    """Return the text of a mail."""
    part = mail.get_body(("plain",))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


def forms_of(text: str) -> list[str]:
    """Return the short forms that the text of a mail lists."""
    _, _, rest = text.partition("What you can do, in short form:\n")
    listed, _, _ = rest.partition("\n\n")
    forms = [
        form.strip()
        for line in listed.split("\n")
        if line.startswith(" ")
        for form in line.split("|")
    ]
    return [form for form in forms if not form.startswith("(and")]
