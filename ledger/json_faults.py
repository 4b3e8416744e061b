"""Why a line is not canonical JSON, as a sentence for the person who has the file.

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

MAX_DEPTH: Final = 254
"""How deep arrays and objects may be nested: the limit of orjson's encoder."""

_LONGEST_QUOTE: Final = 40
"""Characters of the file that a sentence quotes."""
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_BRACKET: Final = re.compile(rb"[\[\]{}]")
_WIDE_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class _FaultError(Exception):
    """Carries a sentence out of the parser's callbacks."""


def fault_in(text: bytes) -> str:
    """Return why a line, without its line feed, is not canonical JSON. The line must be one that is not."""
    return _encoding_fault(text) or _depth_fault(text) or _syntax_fault(text)


def _encoding_fault(text: bytes) -> str:
    """What is wrong with the bytes, whatever they encode; empty if nothing is."""
    if not text.strip():
        return "the line is empty"
    if text.startswith(codecs.BOM_UTF8):
        return "the line begins with a byte order mark, which a game record does not have"
    if text.startswith(_WIDE_MARKS) or text[:2].count(0) == 1:
        return "the text is encoded in UTF-16 or UTF-32; a game record is in UTF-8"
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return f"byte {error.start + 1} of the line is not valid UTF-8"
    if text.endswith(b"\r"):
        return "the line ends with a carriage return; only a line feed may end it"
    return ""


def _depth_fault(text: bytes) -> str:
    """That arrays and objects are nested too deeply; empty if they are not."""
    depth = 0
    for bracket in _BRACKET.findall(_STRING.sub(b"", text)):
        depth += 1 if bracket in b"[{" else -1
        if depth > MAX_DEPTH:
            return f"arrays and objects are nested more than {MAX_DEPTH} deep"
    return ""


def _syntax_fault(text: bytes) -> str:
    try:
        value = json.loads(
            text.decode(),
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_fraction,
            parse_constant=_constant,
        )
    except _FaultError as fault:
        return str(fault)
    except json.JSONDecodeError as error:
        return f"not JSON: {error.msg} at character {error.pos + 1} of the line"
    if not isinstance(value, dict | list):
        return "a line must be a JSON object"
    return "not canonical JSON (sorted unique keys, no white space, shortest escapes, no fractions)"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        repeated, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise _FaultError(f"the key {_quoted(json.dumps(repeated))} occurs twice in one object")
    return fields


def _integer(digits: str) -> int:
    # The length is compared first: Python refuses to convert thousands of digits.
    if len(digits) > len(str(-INTEGERS_BELOW)) or abs(int(digits)) >= INTEGERS_BELOW:
        raise _FaultError(
            f"the number {_quoted(digits)} is too large: a record has integers below 2^53"
        )
    return int(digits)


def _fraction(digits: str) -> NoReturn:
    raise _FaultError(f"the number {_quoted(digits)} is not an integer")


def _constant(name: str) -> NoReturn:
    raise _FaultError(f"not JSON: {name} is not a number of JSON")


def _quoted(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 3]}..."
