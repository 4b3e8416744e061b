"""Strict decoding of JSON bodies, so that all programs read the same bytes in the same way.

This file refuses what JSON allows and this API does not: repeated names in an object, objects with very many
names, numbers with a fraction or an exponent or of 2^53 and more, and deep nesting. The schemas check which
fields a body has.
"""

import json
from collections import Counter
from typing import Any, Final, NoReturn

import orjson
from flask import Request

from domain.errors import Malformed
from domain.messages import message
from service.errors import BodyTooLarge, UnsupportedBody

MAX_BODY_BYTES: Final = 64 * 1024
BODY_TOO_LARGE: Final = message("a body may have at most {bytes} bytes", bytes=MAX_BODY_BYTES)
MAX_DEPTH: Final = 32
"""Levels of objects and arrays inside each other."""
MAX_NAMES: Final = 64
"""Names in one object. Every name that is not expected costs an error message."""
GIVEN_TWICE: Final = message("is given more than once")
_INTEGER_BOUND: Final = 2**53
_JSON: Final = "application/json"


def read_json(request: Request, *, required: bool = True) -> Any:
    """Return the decoded body of a request. Raises Malformed, UnsupportedBody, BodyTooLarge.

    If the body is not `required`, an empty one counts as an empty object.
    """
    # Read as PEP 3333 prescribes: Werkzeug's stream and parsed headers cost more than decoding a small body.
    environ = request.environ
    length = int(environ.get("CONTENT_LENGTH") or 0)
    if length > MAX_BODY_BYTES:
        raise BodyTooLarge(BODY_TOO_LARGE)
    data: bytes = environ["wsgi.input"].read(length)
    if not data and not required:
        return {}
    if environ.get("CONTENT_TYPE") != _JSON:
        _check_content_type(request)
    if environ.get("HTTP_CONTENT_ENCODING", "identity") != "identity":
        raise UnsupportedBody(message("the body must not be compressed"))
    return decode_json(data)


def _check_content_type(request: Request) -> None:
    """Raise UnsupportedBody unless the body is JSON in UTF-8."""
    if request.mimetype != _JSON:
        raise UnsupportedBody(message("the body must have Content-Type: {type}", type=_JSON))
    if request.mimetype_params.get("charset", "utf-8").lower() not in ("utf-8", "utf8"):
        raise UnsupportedBody(message("the body must be encoded in UTF-8"))


def decode_json(data: bytes) -> Any:
    """Return the value of a strict JSON text. Raises Malformed."""
    try:
        # orjson refuses what is not JSON: invalid UTF-8, lone surrogates, NaN. The second parser refuses
        # the rest.
        orjson.loads(data)
        value = _DECODER.decode(data.decode())
    except orjson.JSONDecodeError as error:
        fault = message(
            "is not valid JSON (line {line}, column {column})",
            line=error.lineno,
            column=error.colno,
        )
        raise Malformed({"": fault}) from None
    except RecursionError:
        raise _too_deep() from None
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise _too_deep()
    return value


def _to_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MAX_NAMES:
        fault = message("contains an object with more than {count} names", count=MAX_NAMES)
        raise Malformed({"": fault})
    value = dict(pairs)
    if len(value) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        repeated = sorted(name for name, count in counts.items() if count > 1)
        raise Malformed(dict.fromkeys(repeated, GIVEN_TWICE))
    return value


def _refuse_fraction(number: str) -> NoReturn:
    fault = message("contains the number {number}: only integers are allowed", number=number[:32])
    raise Malformed({"": fault})


def _to_integer(digits: str) -> int:
    # The length is checked first: Python refuses to convert very long numbers.
    if len(digits) > 17 or abs(int(digits)) >= _INTEGER_BOUND:
        fault = message(
            "contains the number {number}: integers must be below 2^53", number=digits[:32]
        )
        raise Malformed({"": fault})
    return int(digits)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_to_object, parse_float=_refuse_fraction, parse_int=_to_integer
)


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
    return Malformed({"": message("is nested more than {levels} levels deep", levels=MAX_DEPTH)})
