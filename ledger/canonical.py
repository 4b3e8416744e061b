"""Canonical JSON (RFC 8785) and timestamps for everything that is hashed or signed, and strict decoding.

All numbers are integers of magnitude below 2^53, so RFC 8785 only governs the order of keys, the escapes and
the absence of white space; orjson writes these as required. Bytes are written as lowercase hex.

If a line is not canonical JSON, the standard library's parser finds the reason, because it reports what
orjson accepts or describes differently: duplicate keys, numbers that are too large, and the position of an
error.
"""

import codecs
import json
import re
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final, NoReturn

import orjson

from domain.errors import Unreadable
from domain.json_types import INTEGERS_BELOW
from domain.messages import Message, message

MAX_DEPTH: Final = 254
"""How deep arrays and objects may be nested: the limit of orjson's encoder."""

_LONGEST_QUOTE: Final = 40
"""Characters of the file that a sentence quotes."""
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_BRACKET: Final = re.compile(rb"[\[\]{}]")
_WIDE_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class _FaultError(Exception):
    """Carries a message out of the parser's callbacks."""

    def __init__(self, fault: Message) -> None:
        super().__init__()
        self.fault = fault


def fault_in(text: bytes) -> Message:
    """Return the reason for which a line, without its line feed, is not canonical JSON."""
    return _encoding_fault(text) or _depth_fault(text) or _syntax_fault(text)


def _encoding_fault(text: bytes) -> Message | None:
    if not text.strip():
        return message("the line is empty")
    if text.startswith(codecs.BOM_UTF8):
        return message("the line begins with a byte order mark, which a game record does not have")
    if text.startswith(_WIDE_MARKS) or text[:2].count(0) == 1:
        return message("the text is encoded in UTF-16 or UTF-32; a game record is in UTF-8")
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return message("byte {number} of the line is not valid UTF-8", number=error.start + 1)
    if text.endswith(b"\r"):
        return message("the line ends with a carriage return; only a line feed may end it")
    return None


def _depth_fault(text: bytes) -> Message | None:
    depth = 0
    for bracket in _BRACKET.finditer(_STRING.sub(b"", text)):
        depth += 1 if bracket[0] in b"[{" else -1
        if depth > MAX_DEPTH:
            return message("arrays and objects are nested more than {most} deep", most=MAX_DEPTH)
    return None


def _syntax_fault(text: bytes) -> Message:
    try:
        value = json.loads(
            text.decode(),
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_fraction,
            parse_constant=_constant,
        )
    except _FaultError as error:
        return error.fault
    except json.JSONDecodeError as error:
        return message(
            "not JSON: a syntax error at character {number} of the line", number=error.pos + 1
        )
    if not isinstance(value, dict | list):
        return message("a line must be a JSON object")
    return message(
        "not canonical JSON (sorted unique keys, no white space, shortest escapes, no fractions)"
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        repeated, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise _FaultError(
            message("the key {key} occurs twice in one object", key=_quote(json.dumps(repeated)))
        )
    return fields


def _integer(digits: str) -> int:
    # The length is compared first: Python refuses to convert thousands of digits.
    if len(digits) > len(str(-INTEGERS_BELOW)) or abs(int(digits)) >= INTEGERS_BELOW:
        raise _FaultError(
            message(
                "the number {number} is too large: a record has integers below 2^53",
                number=_quote(digits),
            )
        )
    return int(digits)


def _fraction(digits: str) -> NoReturn:
    raise _FaultError(message("the number {number} is not an integer", number=_quote(digits)))


def _constant(name: str) -> NoReturn:
    raise _FaultError(message("not JSON: {name} is not a number of JSON", name=name))


def _quote(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 3]}..."


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
Both expressions begin with a fixed character and never backtrack, which makes them three times as fast as a
single one.
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


def format_timestamp(moment: datetime) -> str:
    """Return the timestamp of an aware datetime: RFC 3339, UTC, with milliseconds and `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


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
        raise Unreadable.with_message(
            "not JSON: an error in line {line}, column {column}",
            line=error.lineno,
            column=error.colno,
        ) from None


def _has_astral(text: bytes) -> bool:
    """Return whether there is a character beyond U+FFFF, by which UTF-8 and UTF-16 sort keys differently."""
    return max(text) >= 0xF0


def _sorted(value: Any) -> Any:
    """Return the value with the keys of all objects sorted by their UTF-16 code units."""
    match value:
        case dict():
            keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
            return {key: _sorted(value[key]) for key in keys}
        case list() | tuple():
            return [_sorted(item) for item in value]
        case _:
            return value


def _has_fraction(text: bytes) -> bool:
    """Return whether the canonical text of an object or array has a fraction outside of strings."""
    if not (_MAYBE_POINT(text) or find_exponent(text)):
        return False
    if b"\\" in text:
        text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    outside = b"".join(text.split(b'"')[::2])
    return b"." in outside or _EXPONENT(outside) is not None


def entry_hash(entry: Mapping[str, Any]) -> str:
    """Return the hash of an entry of a chain: the digest of its canonical JSON without the field `hash`.

    The events of tournaments, the entries of the administration log and the lines of rated games are chains
    of entries, each of which has the hash of the entry before it in `prev`.
    """
    return digest(canonical({name: value for name, value in entry.items() if name != "hash"}))
