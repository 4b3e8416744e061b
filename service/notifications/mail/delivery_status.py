"""Reads reports of mail servers about mails that could not be delivered (RFC 3464)."""

from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage, Message
from email.policy import default
from typing import Final

MAX_BYTES: Final = 1024 * 1024
"""The number of bytes that are read of a report; the original mail, which may follow, is not needed."""
_RECIPIENT_HEADERS: Final = ("X-Original-To", "Delivered-To", "Envelope-To", "To")
_MAX_DIAGNOSTIC: Final = 300


@dataclass(frozen=True, slots=True)
class DeliveryStatus:
    """The content of a report. `recipients` are the addresses to which the report itself was sent."""

    recipients: tuple[str, ...]
    status: str
    """The enhanced status code of the failure (RFC 3463), such as `5.1.1`."""
    diagnostic: str
    """The reply of the server that refused the mail, in one line; it may be empty."""

    @property
    def is_about_address(self) -> bool:
        """Whether no mail can reach the address; False if a mailbox is full, or a policy forbids the mail."""
        return is_about_address(self.status)


def read_delivery_status(content: bytes, recipient: str = "") -> DeliveryStatus | None:
    """Return the content of a report; None for a mail that is not a report of a final failure.

    `recipient` is the address that the report was sent to, if it is known; otherwise headers name it. A mail
    to several recipients has failed if it has failed for one of them; mails from this server have one.
    """
    try:
        mail = message_from_bytes(content[:MAX_BYTES], policy=default)
        assert isinstance(mail, EmailMessage)
        if mail.get_content_type() != "multipart/report":
            return None
        if str(mail.get_param("report-type", "")).lower() != "delivery-status":
            return None
        for group in _groups(mail):
            status = _header(group, "Status").split(" ")[0]
            if _header(group, "Action").lower() == "failed" and is_status(status):
                recipients = (recipient,) if recipient else _recipients(mail)
                diagnostic = _header(group, "Diagnostic-Code").partition(";")[2].strip()
                return DeliveryStatus(recipients, status, diagnostic[:_MAX_DIAGNOSTIC])
    except (ValueError, LookupError, AttributeError, TypeError, RecursionError):
        # The parser of headers raises these errors for some malformed values, and the parser of mails for
        # deeply nested parts.
        return None
    return None


def _recipients(mail: EmailMessage) -> tuple[str, ...]:
    """Return the addresses to which a report was sent, by its headers."""
    return tuple(
        address
        for name in _RECIPIENT_HEADERS
        for value in mail.get_all(name, [])
        for address in _addresses(str(value))
    )


def _groups(mail: EmailMessage) -> Iterator[Message]:
    """Iterate over the groups of fields of a report, the first of which is about the whole mail."""
    for part in mail.walk():
        if part.get_content_type() == "message/delivery-status":
            groups = part.get_payload()
            if isinstance(groups, list):
                yield from (group for group in groups if isinstance(group, Message))
            return


def _header(group: Message, name: str) -> str:
    value = "".join(filter(str.isprintable, str(group.get(name, "")).replace("\n", " ")))
    return " ".join(value.split())


def is_status(text: str) -> bool:
    """Return whether a text is an enhanced status code (RFC 3463)."""
    parts = text.split(".")
    return len(parts) == 3 and all(part.isdecimal() for part in parts)


def is_about_address(status: str) -> bool:
    """Return whether an enhanced status code means that no mail can reach the address."""
    kind, *reason = status.split(".")
    return kind == "5" and reason[0] in ("1", "2") and reason != ["2", "2"]


def _addresses(value: str) -> list[str]:
    """Return the addresses in the value of a header."""
    words = value.replace(",", " ").split()
    return [word.strip("<>\"'") for word in words if "@" in word]
