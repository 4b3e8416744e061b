"""The form of mails: their headers, which no text can change, and their parts."""

from datetime import UTC, datetime
from email import message_from_bytes
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, default

import pytest

from workers.mail.layout import Content, Headers, Picture, compose, content_id, recipient_address

SENDER = Address("Cartulary", addr_spec="games@example.org")
PNG = b"\x89PNG\r\n\x1a\n picture"


def sent(content: Content, recipient: Address | None = None, **fields: str) -> EmailMessage:
    """Return a mail as its receiver parses it, which must be ASCII with short lines."""
    headers = Headers(
        sender=SENDER,
        recipient=recipient or Address("Ada", addr_spec="ada@example.org"),
        id="0123456789abcdef" * 2,
        date=datetime(2026, 11, 22, 9, 15, tzinfo=UTC),
        **fields,
    )
    encoded = compose(content, headers).as_bytes(policy=SMTP.clone(cte_type="7bit"))
    assert encoded.isascii()
    assert max(map(len, encoded.split(b"\r\n"))) <= 998
    return message_from_bytes(encoded, policy=default)


def content(subject: str = "It is your turn", text: str = "Hello") -> Content:
    return Content("fr", subject, text, f"<p>{text}</p>", (Picture("board-1", PNG),))


def test_a_mail_has_text_html_and_a_picture_that_the_html_shows() -> None:
    mail = sent(content(text="Zoë joue.\n.\nFrom here"))
    assert [part.get_content_type() for part in mail.walk()] == [
        "multipart/alternative",
        "text/plain",
        "multipart/related",
        "text/html",
        "image/png",
    ]
    *_, picture = mail.walk()
    assert picture["Content-ID"] == f"<{content_id('board-1', 'example.org')}>"
    assert picture.get_content_disposition() == "inline"
    assert picture.get_payload(decode=True) == PNG
    text = mail.get_body(("plain",))
    assert text is not None
    assert text.get_content().splitlines() == ["Zoë joue.", ".", "From here"]


def test_the_headers_identify_the_mail_its_thread_and_that_a_program_has_written_it() -> None:
    mail = sent(content(), thread="game-17")
    assert mail["Message-ID"] == "<0123456789abcdef0123456789abcdef@example.org>"
    assert mail["References"] == mail["In-Reply-To"] == "<game-17@example.org>"
    assert mail["Date"] == "Sun, 22 Nov 2026 09:15:00 +0000"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["Content-Language"] == "fr"
    assert mail["List-Unsubscribe"] is None


def test_the_address_for_unsubscribing_is_not_encoded_however_long_it_is() -> None:
    url = "https://a-server-with-a-rather-long-name.play.example.org/unsubscribe/" + "a" * 60
    mail = sent(content(), unsubscribe_url=url)
    assert mail["List-Unsubscribe"] == f"<{url}>"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


@pytest.mark.parametrize(
    "text",
    [
        "turn\r\nBcc: bob@example.org",
        "turn\nBcc: bob@example.org",
        "turn\rBcc: bob@example.org",
        "turn\r\n\r\nAnother body",
        "turn\u2028Bcc: bob@example.org",
        "turn\x0b\x0cBcc: bob@example.org\x00",
        "tour\x85Bcc: bob@example.org",
        "é" * 300 + "\r\nBcc: bob@example.org",
        "=?utf-8?q?turn=0d=0aBcc:_bob@example.org?=",
    ],
)
def test_no_text_adds_a_header(text: str) -> None:
    expected = set(sent(content()).keys())
    mail = sent(content(subject=text), recipient_address(text, "ada@example.org"))
    assert set(mail.keys()) == expected
    assert len(mail.keys()) == len(expected)
    (recipient,) = mail["To"].addresses
    assert recipient.addr_spec == "ada@example.org"


@pytest.mark.parametrize(
    "name", ['Ada "the" <b@example.org>, x', "Zoë", "a@b", "用户", "\u202eada"]
)
def test_no_name_changes_the_recipient(name: str) -> None:
    mail = sent(content(), recipient_address(name, "ada@example.org"))
    (recipient,) = mail["To"].addresses
    assert recipient.addr_spec == "ada@example.org"
