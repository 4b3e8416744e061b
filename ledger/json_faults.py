"""Why a line is not canonical JSON, as a message for the person who has the file.

`ledger.canonical` decides whether a line is valid, and asks this module only about a line that is not. The
standard library's parser is used here, because it reports what orjson accepts or words differently: duplicate
keys, numbers that are too large, and the place of an error.
"""

import codecs
import json
import re
from collections import Counter
from typing import Any, Final, NoReturn

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
    """Return why a line, without its line feed, is not canonical JSON. The line must be one that is not."""
    return _encoding_fault(text) or _depth_fault(text) or _syntax_fault(text)


def _encoding_fault(text: bytes) -> Message | None:
    """What is wrong with the bytes, whatever they encode; None if nothing is."""
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
    """That arrays and objects are nested too deeply; None if they are not."""
    depth = 0
    for bracket in _BRACKET.findall(_STRING.sub(b"", text)):
        depth += 1 if bracket in b"[{" else -1
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
            message("the key {key} occurs twice in one object", key=_quoted(json.dumps(repeated)))
        )
    return fields


def _integer(digits: str) -> int:
    # The length is compared first: Python refuses to convert thousands of digits.
    if len(digits) > len(str(-INTEGERS_BELOW)) or abs(int(digits)) >= INTEGERS_BELOW:
        raise _FaultError(
            message(
                "the number {number} is too large: a record has integers below 2^53",
                number=_quoted(digits),
            )
        )
    return int(digits)


def _fraction(digits: str) -> NoReturn:
    raise _FaultError(message("the number {number} is not an integer", number=_quoted(digits)))


def _constant(name: str) -> NoReturn:
    raise _FaultError(message("not JSON: {name} is not a number of JSON", name=name))


def _quoted(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 3]}..."
