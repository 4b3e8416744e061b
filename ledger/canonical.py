"""Canonical JSON (RFC 8785) for everything that is hashed or signed, and strict decoding of it.

All numbers are integers of magnitude below 2^53, so RFC 8785 only governs the order of keys, the
escapes and the absence of white space; orjson writes these as required. Bytes are written as
lowercase hex.
"""

import re
from hashlib import sha256
from typing import Any, Final

import orjson

from domain.errors import Unreadable
from domain.messages import message
from ledger.json_faults import fault_in

CANONICAL_OPTIONS: Final = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_STRICT_INTEGER
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)
_UNSORTED: Final = CANONICAL_OPTIONS & ~orjson.OPT_SORT_KEYS

_HEX: Final = re.compile(r"(?:[0-9a-f]{2})*")
_MAYBE_POINT: Final = re.compile(rb"\.[-+0-9e]++[,}\]]").search
find_exponent: Final = re.compile(rb"e[-+0-9]++[,}\]]").search
"""Match every fraction in a canonical object or array, and few strings: a quick test before the exact one.

They begin with a letter and never backtrack, which makes them three times as fast as one expression.
"""
_EXPONENT: Final = re.compile(rb"[0-9]e").search


def canonical(value: Any) -> bytes:
    """Return the canonical JSON of objects, arrays, strings, integers, booleans and null.

    Raises ValueError for any other value. Floats are not detected, because that would double the
    cost: our own values contain none, and `decode` rejects them.
    """
    try:
        text = orjson.dumps(value, option=CANONICAL_OPTIONS)
        if not text.isascii() and _has_astral(text):
            text = orjson.dumps(_sorted(value), option=_UNSORTED)
    except TypeError as error:
        raise ValueError(f"the value has no canonical JSON: {error}") from None
    return text


def digest(data: bytes) -> str:
    """Return the SHA-256 digest in hex."""
    return sha256(data).hexdigest()


def unhex(text: object) -> bytes:
    """Return the bytes that lowercase hex encodes. Raises ValueError for anything else."""
    if not isinstance(text, str) or not _HEX.fullmatch(text):
        raise ValueError("not lowercase hex")
    return bytes.fromhex(text)


def decode(text: bytes) -> Any:
    """Return the value of a canonical JSON text.

    Raises Unreadable for any other text, including fractions and duplicate keys, so that no two texts
    decode to the same value.
    """
    try:
        value = orjson.loads(text)
        written = canonical(value)
    except ValueError:  # the base of orjson's error too
        raise Unreadable(fault_in(text)) from None
    if written != text or isinstance(value, float) or _has_fraction(text):
        raise Unreadable(fault_in(text))
    return value


def decode_any(text: bytes) -> Any:
    """Return the value of any JSON text. Raises Unreadable."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise Unreadable(
            message(
                "not JSON: an error in line {line}, column {column}",
                line=error.lineno,
                column=error.colno,
            )
        ) from None


def _has_astral(text: bytes) -> bool:
    """Whether there is a character beyond U+FFFF: UTF-8 and UTF-16 sort keys with these differently."""
    return max(text) >= 0xF0


def _sorted(value: Any) -> Any:
    """The value with the keys of all objects sorted by their UTF-16 code units."""
    match value:
        case dict():
            keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
            return {key: _sorted(value[key]) for key in keys}
        case list() | tuple():
            return [_sorted(item) for item in value]
        case _:
            return value


def _has_fraction(text: bytes) -> bool:
    """Whether the canonical text of an object or an array contains a fraction: a point or an exponent outside
    of strings.
    """
    if not (_MAYBE_POINT(text) or find_exponent(text)):
        return False
    if b"\\" in text:
        text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    outside = b"".join(text.split(b'"')[::2])
    return b"." in outside or _EXPONENT(outside) is not None
