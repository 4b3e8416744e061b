"""What is wrong with the fields of an account: handle, password, e-mail address and locale."""

import re
from typing import Final

from domain.errors import Malformed
from domain.json_fields import one_of
from domain.messages import Message, Text, message
from ledger.time_zones import is_time_zone
from service.accounts.account_reader import PROFILE_VISIBILITIES, visibility_named
from service.accounts.handles import InvalidHandle, parse_handle
from service.accounts.passwords import PASSWORD_LENGTHS, is_easy_to_guess
from service.accounts.reserved_handles import is_reserved
from service.email_address import InvalidAddress, parse_address

LOCALE_PATTERN: Final = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")


def checked_handle(handle: str, faults: dict[str, Text]) -> str:
    """Return a new handle, normalized. Raises Malformed with these faults and that of the handle."""
    try:
        handle = parse_handle(handle)
    except InvalidHandle as error:
        faults["handle"] = error.message
    else:
        if is_reserved(handle):
            faults["handle"] = message(
                "is reserved, because it seems to speak for this server: choose another one"
            )
    if faults:
        raise Malformed(faults)
    return handle


def faults_of(handle: str, password: str, email: str | None, locale: str | None) -> dict[str, Text]:
    """Return what is wrong with the fields of a new account, except for the handle."""
    faults: dict[str, Text] = {}
    if fault := password_fault(password, handle):
        faults["password"] = fault
    if email is not None:
        try:
            parse_address(email)
        except InvalidAddress as error:
            faults["email"] = error.message
    if fault := locale_fault(locale):
        faults["locale"] = fault
    return faults


def locale_fault(locale: str | None) -> Message | None:
    """Return what is wrong with the locale of an account; None if nothing is."""
    if locale is None or (len(locale) <= 35 and LOCALE_PATTERN.fullmatch(locale)):
        return None
    return message("must be a language tag such as en or fr-CH")


def time_zone_fault(name: str | None) -> Message | None:
    """Return what is wrong with the time zone of an account; None if nothing is."""
    if name is None or is_time_zone(name):
        return None
    return message("must be the name of a time zone, such as Europe/Paris")


def profile_fault(name: str | None) -> Message | None:
    """Return what is wrong with the visibility of a profile; None if nothing is."""
    if name is None or visibility_named(name) is not None:
        return None
    return one_of(PROFILE_VISIBILITIES)


def password_fault(password: str, handle: str = "") -> Message | None:
    """Return what is wrong with a new password, of the player with this handle; None if nothing is."""
    shortest, longest = PASSWORD_LENGTHS
    if not shortest <= len(password) <= longest:
        return message("must have {least} to {most} characters", least=shortest, most=longest)
    if is_easy_to_guess(password, [handle]):
        return message(
            "is too easy to guess: choose a longer one, such as some words that do not belong together"
        )
    return None
