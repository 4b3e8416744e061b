"""Strict decoding of JSON bodies, so that all programs read the same bytes in the same way.

This file refuses what JSON allows and this API does not: repeated names in an object, numbers with a
fraction or an exponent or of 2^53 and more, and deep nesting. The schemas check which fields a body
has.
"""

import json
from collections import Counter
from typing import Any, Final, NoReturn

import orjson
from flask import Request
from werkzeug.exceptions import UnsupportedMediaType

from domain.errors import Malformed

MAX_BODY_BYTES: Final = 64 * 1024
MAX_DEPTH: Final = 32
"""Levels of objects and arrays inside each other."""
_INTEGER_BOUND: Final = 2**53


def read_json(request: Request, *, required: bool = True) -> Any:
    """Return the decoded body of a request. Raises Malformed, UnsupportedMediaType.

    If the body is not `required`, an empty one counts as an empty object.
    """
    data = request.get_data(cache=False)
    if not data and not required:
        return {}
    if request.mimetype != "application/json":
        raise UnsupportedMediaType("the body must have Content-Type: application/json")
    if request.mimetype_params.get("charset", "utf-8").lower() not in ("utf-8", "utf8"):
        raise UnsupportedMediaType("the body must be encoded in UTF-8")
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise UnsupportedMediaType("the body must not be compressed")
    return decode_json(data)


def decode_json(data: bytes) -> Any:
    """Return the value of a strict JSON text. Raises Malformed."""
    try:
        # orjson refuses what is not JSON: invalid UTF-8, lone surrogates, NaN. The second parser refuses
        # the rest.
        orjson.loads(data)
        value = json.loads(
            data.decode(),
            object_pairs_hook=_to_object,
            parse_float=_refuse_fraction,
            parse_int=_to_integer,
        )
    except orjson.JSONDecodeError as error:
        raise Malformed({"": f"is not valid JSON: {error}"}) from None
    except RecursionError:
        raise _too_deep() from None
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise _too_deep()
    return value


def _to_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        repeated = sorted(name for name, count in counts.items() if count > 1)
        raise Malformed(dict.fromkeys(repeated, "is given more than once"))
    return value


def _refuse_fraction(number: str) -> NoReturn:
    raise Malformed({"": f"contains the number {number[:32]}: only integers are allowed"})


def _to_integer(digits: str) -> int:
    # The length is checked first: Python refuses to convert very long numbers.
    if len(digits) > 17 or abs(int(digits)) >= _INTEGER_BOUND:
        raise Malformed({"": f"contains the number {digits[:32]}: integers must be below 2^53"})
    return int(digits)


def _depth(value: Any) -> int:
    """Return how many objects and arrays are nested inside each other."""
    depth, level = 0, [value]
    while level := [item for item in level if isinstance(item, dict | list)]:
        depth += 1
        level = [
            inner for item in level for inner in (item.values() if isinstance(item, dict) else item)
        ]
    return depth


def _too_deep() -> Malformed:
    return Malformed({"": f"is nested more than {MAX_DEPTH} levels deep"})
