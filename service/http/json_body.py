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
from werkzeug.exceptions import RequestEntityTooLarge, UnsupportedMediaType

from domain.errors import Malformed

MAX_BODY_BYTES: Final = 64 * 1024
MAX_DEPTH: Final = 32
"""Levels of objects and arrays inside each other."""
MAX_NAMES: Final = 64
"""Names in one object. Every name that is not expected costs an error message."""
_INTEGER_BOUND: Final = 2**53
_JSON: Final = "application/json"


def read_json(request: Request, *, required: bool = True) -> Any:
    """Return the decoded body of a request. Raises Malformed, UnsupportedMediaType, RequestEntityTooLarge.

    If the body is not `required`, an empty one counts as an empty object.
    """
    # Read as PEP 3333 prescribes: Werkzeug's stream and parsed headers cost more than decoding a small body.
    environ = request.environ
    length = int(environ.get("CONTENT_LENGTH") or 0)
    if length > MAX_BODY_BYTES:
        raise RequestEntityTooLarge(f"a body may have at most {MAX_BODY_BYTES} bytes")
    data: bytes = environ["wsgi.input"].read(length)
    if not data and not required:
        return {}
    if environ.get("CONTENT_TYPE") != _JSON:
        _check_content_type(request)
    if environ.get("HTTP_CONTENT_ENCODING", "identity") != "identity":
        raise UnsupportedMediaType("the body must not be compressed")
    return decode_json(data)


def _check_content_type(request: Request) -> None:
    """Raise UnsupportedMediaType unless the body is JSON in UTF-8."""
    if request.mimetype != _JSON:
        raise UnsupportedMediaType(f"the body must have Content-Type: {_JSON}")
    if request.mimetype_params.get("charset", "utf-8").lower() not in ("utf-8", "utf8"):
        raise UnsupportedMediaType("the body must be encoded in UTF-8")


def decode_json(data: bytes) -> Any:
    """Return the value of a strict JSON text. Raises Malformed."""
    try:
        # orjson refuses what is not JSON: invalid UTF-8, lone surrogates, NaN. The second parser refuses
        # the rest.
        orjson.loads(data)
        value = _DECODER.decode(data.decode())
    except orjson.JSONDecodeError as error:
        raise Malformed({"": f"is not valid JSON: {error}"}) from None
    except RecursionError:
        raise _too_deep() from None
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise _too_deep()
    return value


def _to_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MAX_NAMES:
        raise Malformed({"": f"contains an object with more than {MAX_NAMES} names"})
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
    return Malformed({"": f"is nested more than {MAX_DEPTH} levels deep"})
