"""E-mail addresses, whose form is checked by email-validator without a request to a name server.

Internationalized addresses are accepted and normalized: letters composed (NFC), the domain in lower case.
"""

from email.headerregistry import Address
from email.utils import parseaddr
from typing import Final

from domain.errors import CartularyError
from service.entered_text import trim

MAX_LENGTH: Final = 254
"""The most characters of an address (RFC 5321, without the angle brackets)."""
MAX_SENDER_LOCAL_LENGTH: Final = 30
"""A local part has at most 64 octets (RFC 5321); a tag for bounces takes 33 of them with its plus sign."""


class InvalidAddress(CartularyError):
    """A text is not an e-mail address."""


def parse_address(text: str) -> str:
    """Return an e-mail address, normalized. Raises InvalidAddress.

    An address has a domain with a name that can be reached from anywhere: neither an IP address nor
    `localhost`. Quoted local parts, comments and display names are refused, white space around the address is
    left out.
    """
    from email_validator import EmailNotValidError, validate_email

    text = trim(text)
    if len(text) <= MAX_LENGTH:
        try:
            checked = validate_email(text, check_deliverability=False, strict=True)
        except (EmailNotValidError, UnicodeError):
            pass
        else:
            return checked.normalized
    raise InvalidAddress.with_message("must be an e-mail address")


def limit_key(address: str) -> str:
    """Return a key that is the same for variants of an address that usually reach the same mailbox.

    Variants differ in case, or have a tag: `ada+games@example.org`.
    """
    local, _, domain = address.casefold().rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"


def parse_sender(text: str) -> Address:
    """Return the sender of all mails: `games@example.org`, or `Cartulary <games@example.org>`.

    Raises InvalidAddress. The local part has room for the tag that identifies a bounce (bounces.py).
    """
    name, address = parseaddr(text)
    if "\n" in text or "\r" in text or not name.isprintable() or not address:
        raise InvalidAddress.with_message("must be an e-mail address")
    address = parse_address(address)
    local, _, _ = address.rpartition("@")
    if not address.isascii() or len(local) > MAX_SENDER_LOCAL_LENGTH:
        raise InvalidAddress.with_message(
            "must be an e-mail address in ASCII with at most {most} characters before the @",
            most=MAX_SENDER_LOCAL_LENGTH,
        )
    return Address(display_name=name, addr_spec=address)


def ascii_form(address: str) -> str:
    """Return a checked address with its domain in ASCII (IDNA), if that is possible.

    Every mail server accepts that form. An address whose local part is not ASCII is returned unchanged.
    """
    from email_validator import validate_email

    checked = validate_email(address, check_deliverability=False, strict=True)
    return checked.ascii_email or address
