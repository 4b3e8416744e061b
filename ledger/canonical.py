"""Canonical JSON (RFC 8785) of what this project hashes and signs, and strict reading of it.

Numbers here are integers below 2^53 in size, so that of RFC 8785 the order of keys, the escapes and the
absence of white space are left, all of which orjson writes. Bytes stand in JSON as lowercase hex. Nothing
here knows what the JSON says.
"""

import re
from hashlib import sha256
from typing import Any, Final

import orjson

from domain.errors import Unreadable

_OPTIONS: Final = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_STRICT_INTEGER
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)
_UNSORTED: Final = _OPTIONS & ~orjson.OPT_SORT_KEYS

_HEX: Final = re.compile(r"(?:[0-9a-f]{2})*")
_PERHAPS_A_POINT: Final = re.compile(rb"\.[0-9]+(?:e[+-]?[0-9]+)?(?:[,}\]]|$)").search
_PERHAPS_AN_EXPONENT: Final = re.compile(rb"e[+-]?[0-9]+(?:[,}\]]|$)").search
"""What every fraction among canonical values matches, and few strings: a quick look before an exact one."""
_EXPONENT: Final = re.compile(rb"[0-9]e").search


def canonical(value: Any) -> bytes:
    """The canonical JSON of a value made of objects, arrays, strings, integers, booleans and null.

    Raises ValueError for what has none. Fractions are not looked for, which would cost as much again: our
    own values have none, and `decode` lets none in.
    """
    try:
        text = orjson.dumps(value, option=_OPTIONS)
        if not text.isascii() and _has_astral(text):
            text = orjson.dumps(_sorted(value), option=_UNSORTED)
    except TypeError as error:
        raise ValueError(f"has no canonical JSON: {error}") from None
    return text


def digest(data: bytes) -> str:
    """SHA-256 in hex."""
    return sha256(data).hexdigest()


def unhex(text: object) -> bytes:
    """The bytes that lowercase hex stands for. Raises ValueError for any other way to write them."""
    if not isinstance(text, str) or not _HEX.fullmatch(text):
        raise ValueError("not lowercase hex")
    return bytes.fromhex(text)


def decode(text: bytes) -> Any:
    """The value of a canonical text, and of no other: the same value has the same bytes.

    Raises Unreadable for whatever is not canonical, fractions and keys named twice included.
    """
    value = decode_any(text)
    try:
        written = canonical(value)
    except ValueError as error:
        raise Unreadable(str(error)) from None
    if written != text or _has_fraction(text):
        raise Unreadable(
            "not canonical JSON: keys in order, each once, no white space, no fractions"
        )
    return value


def decode_any(text: bytes) -> Any:
    """The value of any JSON text. Raises Unreadable."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise Unreadable(f"not JSON: {error}") from None


def _has_astral(text: bytes) -> bool:
    """Whether there is a character beyond U+FFFF, whose place among keys UTF-8 and UTF-16 see differently."""
    return max(text) >= 0xF0


def _sorted(value: Any) -> Any:
    """The value with the keys of all objects in the order of their UTF-16 code units."""
    match value:
        case dict():
            keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
            return {key: _sorted(value[key]) for key in keys}
        case list() | tuple():
            return [_sorted(item) for item in value]
        case _:
            return value


def _has_fraction(text: bytes) -> bool:
    """Whether a canonical text has a number that is no integer: point or exponent outside its strings."""
    if not (_PERHAPS_A_POINT(text) or _PERHAPS_AN_EXPONENT(text)):
        return False
    if b"\\" in text:
        text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    outside = b"".join(text.split(b'"')[::2])
    return b"." in outside or _EXPONENT(outside) is not None
