"""Reads the answers of players by mail: the lines with actions, without additions of the mail program."""

from collections.abc import Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import EmailPolicy
from hashlib import sha256
from itertools import count
from typing import Any, Final

from typing_extensions import override

from domain.messages import Message, message
from workers.mail.quotations import written_lines

MAX_ACTIONS: Final = 8
"""The most actions of one answer, as many as a page accepts together."""
MAX_PARTS: Final = 32
"""The most parts of a mail that is read, including the parts of parts."""
MAX_HEADER_CHARACTERS: Final = 1000
"""The longest header that is read: the time that Python needs for one grows with the square of its length."""
_AUTOMATIC_PRECEDENCE: Final = frozenset({"bulk", "junk", "list", "auto_reply"})
_AUTOMATIC_HEADERS: Final = ("List-Id", "X-Autoreply", "X-Autorespond", "X-Auto-Response")
_DASHES: Final = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"))


@dataclass(frozen=True, slots=True)
class Reply:
    """A mail of a player. `id` is the same if it is delivered again. Either `forms` or `fault` is empty."""

    id: str
    forms: tuple[str, ...] = ()
    """The lines with actions, in lower case and with single spaces."""
    fault: Message | None = None
    """Why the mail cannot be read."""


def read_reply(content: bytes, token: str) -> Reply | None:
    """Return what a player has answered to an address with a token; None for a mail that a program wrote."""
    try:
        mail = _parsed(content)
        id = _digest(token, str(mail.get("Message-ID", "")).strip() or content)
        if _is_automatic(mail):
            return None
        text = _text(mail)
    except (ValueError, LookupError, AttributeError, TypeError, RecursionError):
        # The parser of headers raises these errors for some malformed or overlong values, the parser of mails
        # for too many parts, and decoding for an unknown charset or for bytes outside of the charset.
        fault = message("its text cannot be read: the charset or the form of the mail is wrong")
        return Reply(_digest(token, content), fault=fault)
    if text is None:
        return Reply(
            id, fault=message("it has no plain text: answer in plain text instead of HTML only")
        )
    forms = tuple(action_lines(text))
    if not forms:
        return Reply(id, fault=message("it has no line above what it quotes"))
    if len(forms) > MAX_ACTIONS:
        fault = message(
            "it has more than {count} lines: leave an empty line between actions and other text",
            count=MAX_ACTIONS,
        )
        return Reply(id, fault=fault)
    return Reply(id, forms)


class _BoundedPolicy(EmailPolicy):
    """The policy of the standard library, without headers that are too long to be read."""

    @override
    def header_fetch_parse(self, name: str, value: str) -> Any:
        if len(value) > MAX_HEADER_CHARACTERS:
            raise ValueError(name)
        return super().header_fetch_parse(name, value)


_POLICY: Final = _BoundedPolicy()


def _parsed(content: bytes) -> EmailMessage:
    """Return the parsed mail. Raises ValueError for too many parts, other errors for malformed headers."""
    parts = count(1)

    def new_part() -> EmailMessage:
        if next(parts) > MAX_PARTS:
            raise ValueError
        return EmailMessage(_POLICY)

    mail = BytesParser(new_part, policy=_POLICY).parsebytes(content)
    assert isinstance(mail, EmailMessage), "so are all parts"
    return mail


def action_lines(text: str) -> Sequence[str]:
    """Return the lines with actions at the top of a text, in lower case and with plain dashes."""
    lines = written_lines(text, MAX_ACTIONS)
    return [line.translate(_DASHES).lower() for line in lines]


def _text(mail: EmailMessage) -> str | None:
    """Return the text of a mail; None if it has only other parts. Raises LookupError and ValueError."""
    part = mail.get_body(("plain",))
    if part is None or part.get_content_type() != "text/plain":
        return None
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return None
    text = content.decode(str(part.get_param("charset", "utf-8")), errors="strict")
    return _join_lines(text) if part.get_param("format", "") == "flowed" else text


def _join_lines(text: str) -> str:
    """Return a text in which the lines that a program has broken are joined (RFC 3676)."""
    parts: list[str] = []
    is_open = False
    for line in text.splitlines():
        if parts and not (is_open and not line.startswith(">") and line != "-- "):
            parts.append("\n")
        parts.append(line)
        is_open = line.endswith(" ") and line != "-- " and not line.startswith(">")
    return "".join(parts)


def _is_automatic(mail: EmailMessage) -> bool:
    """Return whether a program has written a mail (RFC 3834), which must be neither answered nor acted on."""
    if mail.get_content_type() == "multipart/report":
        return True
    if str(mail.get("Auto-Submitted", "no")).partition(";")[0].strip().lower() != "no":
        return True
    if str(mail.get("Precedence", "")).strip().lower() in _AUTOMATIC_PRECEDENCE:
        return True
    return any(mail.get(name) is not None for name in _AUTOMATIC_HEADERS)


def _digest(token: str, text: str | bytes) -> str:
    data = text if isinstance(text, bytes) else text.encode(errors="surrogateescape")
    return sha256(token.encode() + b"\n" + data).hexdigest()[:32]
