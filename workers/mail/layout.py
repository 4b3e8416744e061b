"""Composes a mail: its headers, and its text, HTML and picture parts.

multipart/alternative
├── text/plain
└── multipart/related
    ├── text/html
    └── image/png …      shown by the HTML by its Content-ID
"""

import re
from dataclasses import dataclass, field
from datetime import datetime
from email.headerregistry import Address, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage
from email.policy import SMTP, EmailPolicy
from email.utils import format_datetime
from typing import Any, Final

_MAX_SUBJECT: Final = 200
_FIXED_SPACES: Final = "\u00a0\u202f"
"""Non-breaking spaces; French has them before some punctuation marks."""


class _UnfoldedHeader:
    """A header with an address or an id, on one line: the usual folding would turn it into encoded words.

    A line may have 998 characters (RFC 5322).
    """

    max_count = 1
    name: str

    @staticmethod
    def value_parser(value: str) -> Any:
        """Return the tokens of a value, as `HeaderRegistry` requires."""
        return UnstructuredHeader.value_parser(value)

    @classmethod
    def parse(cls, value: str, kwds: dict[str, Any]) -> None:
        """Store the parsed value in `kwds`, as `HeaderRegistry` requires."""
        UnstructuredHeader.parse(value, kwds)

    def fold(self, *, policy: "EmailPolicy[Any]") -> str:
        """Return the header as it is sent."""
        return f"{self.name}: {self}{policy.linesep}"


def _policy() -> "EmailPolicy[EmailMessage]":
    registry = HeaderRegistry()
    for name in ("message-id", "in-reply-to", "references", "list-unsubscribe", "reply-to"):
        registry.map_to_type(name, _UnfoldedHeader)  # type: ignore[arg-type] # the registry adds the base class
    return SMTP.clone(cte_type="7bit", utf8=True, header_factory=registry)


_POLICY: Final = _policy()


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG picture in a mail. `name` is the local part of its Content-ID."""

    name: str
    png: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a mail, in one language."""

    language: str
    subject: str
    text: str
    html: str
    pictures: tuple[Picture, ...] = ()
    reply_to: str | None = None
    """The address to which the reader can answer with an action; None if answers are not read."""


@dataclass(frozen=True, slots=True)
class Headers:
    """The headers of a mail except its subject.

    `id` identifies the mail, and is the same if it is sent again. `thread` is the same for all mails that a
    mail program shows together. `unsubscribe_url` is the URL to which a mail program posts to unsubscribe
    without a login (RFC 8058).
    """

    sender: Address
    recipient: Address
    id: str
    date: datetime
    thread: str | None = None
    unsubscribe_url: str | None = None


def compose(content: Content, headers: Headers) -> EmailMessage:
    """Return a mail. No text can add a header or end one: line breaks and control characters are removed."""
    mail = EmailMessage(policy=_POLICY)
    domain = headers.sender.domain
    mail["Subject"] = _line(content.subject)[:_MAX_SUBJECT]
    mail["From"] = headers.sender
    mail["To"] = headers.recipient
    if content.reply_to is not None:
        mail["Reply-To"] = content.reply_to
    mail["Date"] = format_datetime(headers.date)
    mail["Message-ID"] = f"<{headers.id}@{domain}>"
    if headers.thread is not None:
        # No mail has this id: it only groups the mails of a thread.
        mail["In-Reply-To"] = mail["References"] = f"<{headers.thread}@{domain}>"
    # Vacation responders do not answer mails with these headers (RFC 3834).
    mail["Auto-Submitted"] = "auto-generated"
    mail["X-Auto-Response-Suppress"] = "All"
    if headers.unsubscribe_url is not None:
        mail["List-Unsubscribe"] = f"<{headers.unsubscribe_url}>"
        mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    mail.set_content(content.text, cte="quoted-printable")
    mail.add_alternative(content.html, subtype="html", cte="quoted-printable")
    mail["Content-Language"] = content.language
    parts = mail.get_payload()
    html = parts[-1] if isinstance(parts, list) else None
    assert isinstance(html, EmailMessage)
    for picture in content.pictures:
        html.add_related(
            picture.png,
            maintype="image",
            subtype="png",
            cid=f"<{content_id(picture.name, domain)}>",
            disposition="inline",
            filename=f"{picture.name}.png",
        )
    return mail


def content_id(name: str, domain: str) -> str:
    """Return the Content-ID of the picture with this name, without angle brackets."""
    return f"{name}@{domain}"


def recipient_address(name: str, address: str) -> Address:
    """Return a recipient with a display name. `address` has been checked (service/email_address.py)."""
    local, _, domain = address.rpartition("@")
    return Address(display_name=_line(name), username=local, domain=domain)


def _line(text: str) -> str:
    """Return a text in one line, without unprintable characters.

    The library decodes anything that looks like an encoded word (`=?utf-8?q?…?=`), even if it contains a line
    break. Therefore the beginning of such a word is split.
    """
    characters = (
        char if char.isprintable() or char in _FIXED_SPACES else " " if char.isspace() else ""
        for char in text
    )
    return re.sub(" +", " ", "".join(characters)).strip().replace("=?", "= ?")
