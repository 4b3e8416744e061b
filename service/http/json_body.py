"""Bodies: read strictly, so that no two programs can read the same bytes in two ways.

What JSON allows and the formats of this project do not is refused here: names given twice, numbers with a
point or an exponent or of 2^53 and more, deep nesting. What fields there are is for the schemas to say.
"""

import json
from typing import Any, Final, NoReturn

import orjson
from flask import Request
from werkzeug.exceptions import UnsupportedMediaType

from domain.errors import Malformed

MOST_BYTES: Final = 64 * 1024
DEEPEST: Final = 32
"""Levels of objects and arrays within each other."""
_LARGEST: Final = 2**53


def json_of(request: Request, *, required: bool = True) -> Any:
    """The JSON of a request's body. Raises Malformed, UnsupportedMediaType.

    Not `required`: no body at all counts as an empty object.
    """
    data = request.get_data(cache=False)
    if not data and not required:
        return {}
    if request.mimetype != "application/json":
        raise UnsupportedMediaType("the body must be JSON, said by Content-Type: application/json")
    if request.mimetype_params.get("charset", "utf-8").lower() not in ("utf-8", "utf8"):
        raise UnsupportedMediaType("the body must be JSON in UTF-8")
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise UnsupportedMediaType("the body must not be compressed")
    return decoded(data)


def decoded(data: bytes) -> Any:
    """The value of strict JSON. Raises Malformed."""
    try:
        # Sees to UTF-8, halves of surrogate pairs, NaN and whatever else is no JSON. What it lets pass is
        # seen by the second reading.
        orjson.loads(data)
        value = json.loads(
            data.decode(), object_pairs_hook=_object, parse_float=_fraction, parse_int=_integer
        )
    except orjson.JSONDecodeError as error:
        raise Malformed({"": f"is no JSON: {error}"}) from None
    except RecursionError:
        raise _too_deep() from None
    if data.count(b"[") + data.count(b"{") > DEEPEST and _depth(value) > DEEPEST:
        raise _too_deep()
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = sorted({name for name in names if names.count(name) > 1})
        raise Malformed(dict.fromkeys(twice, "is given more than once"))
    return found


def _fraction(number: str) -> NoReturn:
    raise Malformed({"": f"has the number {number[:32]}: numbers are integers here"})


def _integer(digits: str) -> int:
    # Longer than any that will do, and perhaps than Python cares to read.
    if len(digits) > 17 or abs(int(digits)) >= _LARGEST:
        raise Malformed({"": f"has the number {digits[:32]}: integers are smaller than 2^53 here"})
    return int(digits)


def _depth(value: Any) -> int:
    """How many objects and arrays lie within each other."""
    depth, level = 0, [value]
    while level := [item for item in level if isinstance(item, dict | list)]:
        depth += 1
        level = [
            inner for item in level for inner in (item.values() if isinstance(item, dict) else item)
        ]
    return depth


def _too_deep() -> Malformed:
    return Malformed({"": f"is nested more than {DEEPEST} levels deep"})
