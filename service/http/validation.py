"""Reads and validates requests, so that all programs read the same bytes in the same way.

`read_json` refuses some JSON that this API does not allow: repeated names in an object, objects with very
many names, numbers with a fraction or an exponent or of 2^53 and more, and deep nesting. `validate` checks
the fields of a body or a query by a schema of strict fields: a string is not a number, and `true` is not 1.
Their messages complete a sentence that begins with the name of the field, and say what to send.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Final, NoReturn

import orjson
from flask import Request
from marshmallow import Schema, ValidationError, fields, missing
from typing_extensions import override

from domain.errors import Malformed
from domain.messages import Message, Text, comma_list, message
from service.errors import BodyTooLarge, UnsupportedBody

MAX_BODY_BYTES: Final = 64 * 1024
BODY_TOO_LARGE: Final = message("a body may have at most {bytes} bytes", bytes=MAX_BODY_BYTES)
UPLOAD_PATHS: Final = frozenset({"/api/v1/imports", "/imports"})
"""The paths to which records are uploaded: the bodies of these requests may be larger."""
MAX_FORM_BYTES: Final = 16 * 1024
"""The most bytes of a form with a file besides the file."""
MULTIPART: Final = "multipart/form-data"
FILE_TYPES: Final = ("application/jsonl", "application/x-ndjson", "application/octet-stream")
"""The types of a body that is a file."""
MAX_DEPTH: Final = 32
"""The most levels of nested objects and arrays."""
MAX_NAMES: Final = 64
"""The most names in one object. Every unexpected name costs an error message."""
GIVEN_TWICE: Final = message("is given more than once")
MAX_INTEGER: Final = 2**53 - 1
_JSON: Final = "application/json"
_DESCRIPTIONS: Final = frozenset(
    {"description", "example", "type", "format", "enum", "nullable", "minLength", "maxLength"}
    | {"items", "allOf", "minimum", "maximum", "maxItems", "pattern"}
)
"""Names of OpenAPI with which fields are described."""


def read_json(request: Request, *, required: bool = True) -> Any:
    """Return the decoded body of a request. Raises Malformed, UnsupportedBody, BodyTooLarge.

    If the body is not `required`, an empty one counts as an empty object.
    """
    # The body is read as in PEP 3333: Werkzeug's stream and headers cost more than decoding a small body.
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
        raise UnsupportedBody.with_message("the body must not be compressed")
    return decode_json(data)


def _check_content_type(request: Request) -> None:
    """Raise UnsupportedBody unless the body is JSON in UTF-8."""
    if request.mimetype != _JSON:
        raise UnsupportedBody.with_message("the body must have Content-Type: {type}", type=_JSON)
    if request.mimetype_params.get("charset", "utf-8").lower() not in ("utf-8", "utf8"):
        raise UnsupportedBody.with_message("the body must be encoded in UTF-8")


def read_file(request: Request, field: str, max_bytes: int, too_large: Text) -> bytes:
    """Return the file in a body: the body itself, or the part `field` of a form.

    `too_large` is the reason for refusing a larger one. Raises Malformed, UnsupportedBody, BodyTooLarge.
    """
    allow_file(request, max_bytes)
    if request.environ.get("HTTP_CONTENT_ENCODING", "identity") != "identity":
        raise UnsupportedBody.with_message("the body must not be compressed")
    if request.mimetype == MULTIPART:
        file = request.files.get(field)
        if file is None:
            raise Malformed({field: message("is missing: the form must have a file of this name")})
        data = file.stream.read(max_bytes + 1)
    elif request.mimetype in FILE_TYPES:
        data = request.stream.read(max_bytes + 1)
    else:
        raise UnsupportedBody.with_message(
            "the body must have Content-Type: {types}", types=comma_list([*FILE_TYPES, MULTIPART])
        )
    if len(data) > max_bytes:
        raise BodyTooLarge(too_large)
    return data


def form_too_large(request: Request) -> Message:
    """Return the reason for refusing a form with too many parts, or with too large ones besides its files."""
    return message(
        "a form may have at most {parts} parts, and {bytes} bytes besides its files",
        parts=request.max_form_parts or 0,
        bytes=request.max_form_memory_size or 0,
    )


def allow_file(request: Request, max_bytes: int) -> None:
    """Allow a file of this size in the form of a request, if the body has not been read yet."""
    request.max_content_length = max_bytes + MAX_FORM_BYTES


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
    if len(digits) > 17 or abs(int(digits)) > MAX_INTEGER:
        fault = message(
            "contains the number {number}: integers must be below 2^53", number=digits[:32]
        )
        raise Malformed({"": fault})
    return int(digits)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_to_object, parse_float=_refuse_fraction, parse_int=_to_integer
)


def _depth(value: Any) -> int:
    """Return the depth of nested objects and arrays."""
    depth, level = 0, [value]
    while level := [item for item in level if isinstance(item, dict | list)]:
        depth += 1
        level = [
            inner for item in level for inner in (item.values() if isinstance(item, dict) else item)
        ]
    return depth


def _too_deep() -> Malformed:
    return Malformed({"": message("is nested more than {levels} levels deep", levels=MAX_DEPTH)})


_Messages = dict[str, str | list[Any] | dict[Any, Any]]

_INVALID: Final = message("is not valid")
_NOT_AN_OBJECT: Final = message("must be an object")
_NOT_AN_ARRAY: Final = message("must be an array")


def _messages(invalid: Message = _INVALID) -> _Messages:
    """Return the messages of a field by marshmallow's names, which formats strings but leaves lists alone."""
    return {
        "required": [message("is missing")],
        "null": [message("must not be null")],
        "validator_failed": [_INVALID],
        "invalid": [invalid],
        "invalid_utf8": [invalid],
        "too_large": [invalid],
        "type": [_NOT_AN_OBJECT],
    }


def _at_least(minimum: int) -> Message:
    return message("must be a whole number, {minimum} or more", minimum=minimum)


def _at_most(count: int) -> Message:
    return message("must have at most {count} elements", count=count)


class StrictSchema(Schema):
    """The schema of a body or a query. Unknown fields are refused, which is marshmallow's default."""

    error_messages = {"unknown": message("is not known"), "type": _NOT_AN_OBJECT}  # type: ignore[dict-item] # marshmallow puts them into lists as they are # noqa: RUF012 # it declares it without ClassVar


class _Described:
    """A field that takes what describes it in the OpenAPI document as arguments, not only as `metadata`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        described = {name: kwargs.pop(name) for name in [*kwargs] if name in _DESCRIPTIONS}
        kwargs.setdefault("metadata", {}).update(described)
        super().__init__(*args, **kwargs)


class String(_Described, fields.String):
    """A string."""

    default_error_messages = _messages(message("must be a string"))


class Choice(String):
    """One of several strings."""

    def __init__(self, *, choices: Sequence[str], **kwargs: Any) -> None:
        self.choices = choices
        super().__init__(enum=list(choices), **kwargs)

    @override
    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, *args, **kwargs)
        if text not in self.choices:
            fault = message("must be one of {choices}", choices=comma_list(self.choices))
            raise ValidationError([fault])
        return text


class NonNegativeInteger(_Described, fields.Integer):
    """An integer in a body, from 0 to 2^53 - 1."""

    minimum: ClassVar[int] = 0
    default_error_messages = _messages(_at_least(0))

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(strict=True, minimum=self.minimum, maximum=MAX_INTEGER, **kwargs)

    @override
    def _validated(self, value: Any) -> int:
        number = super()._validated(value)
        if not self.minimum <= number <= MAX_INTEGER:
            raise self.make_error("invalid")
        return number


class PositiveInteger(NonNegativeInteger):
    """An integer in a body, from 1 to 2^53 - 1."""

    minimum = 1
    default_error_messages = _messages(_at_least(1))


class Flag(_Described, fields.Field[bool]):
    """A boolean in a body."""

    default_error_messages = _messages(message("must be true or false"))

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(type="boolean", **kwargs)

    @override
    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid")
        return value


def whole_number(text: str) -> int | None:
    """Return the whole number that a text of decimal digits stands for; None for any other text.

    The number is at most MAX_INTEGER.
    """
    number = int(text) if re.fullmatch(r"[0-9]{1,16}", text) else MAX_INTEGER + 1
    return number if number <= MAX_INTEGER else None


class QueryInteger(_Described, fields.Field[int]):
    """An integer in a query, written in decimal digits, from `minimum` to `maximum`."""

    default_error_messages = _messages()

    def __init__(self, *, minimum: int = 0, maximum: int = MAX_INTEGER, **kwargs: Any) -> None:
        self.minimum, self.maximum = minimum, maximum
        super().__init__(type="integer", minimum=minimum, maximum=maximum, **kwargs)

    @override
    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        number = whole_number(value) if isinstance(value, str) else None
        if number is not None and self.minimum <= number <= self.maximum:
            return number
        fault = (
            _at_least(self.minimum)
            if self.maximum == MAX_INTEGER
            else message(
                "must be a whole number from {least} to {most}",
                least=self.minimum,
                most=self.maximum,
            )
        )
        raise ValidationError([fault])


class PageLimit(QueryInteger):
    """How many things a page has, which are at most `most`, whatever larger number is given."""

    def __init__(self, things: str, *, most: int, default: int) -> None:
        self.most = most
        description = f"{things} per page, at most {most}."
        super().__init__(minimum=1, load_default=default, description=description)

    @override
    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> int:
        return min(super()._deserialize(value, *args, **kwargs), self.most)


class AnyObject(_Described, fields.Field[dict[str, Any]]):
    """An object whose contents are checked elsewhere."""

    default_error_messages = _messages(_NOT_AN_OBJECT)

    @override
    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.make_error("invalid")
        return value


class AnyValue(_Described, fields.Raw):
    """A value of any type, which is checked elsewhere."""

    default_error_messages = _messages()


class _BoundedList(_Described, fields.List[Any]):
    """An array of at most `max_items` elements. The elements of a longer array are not checked."""

    element: ClassVar[type[fields.Field[Any]]]
    default_error_messages = _messages(_NOT_AN_ARRAY)

    def __init__(self, *, max_items: int, **kwargs: Any) -> None:
        self.max_items = max_items
        super().__init__(self.element(), maxItems=max_items, **kwargs)

    @override
    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> list[Any]:
        if isinstance(value, list) and len(value) > self.max_items:
            raise ValidationError([_at_most(self.max_items)])
        return super()._deserialize(value, *args, **kwargs)


class TextList(_BoundedList):
    """An array of strings."""

    element: ClassVar[type[fields.Field[Any]]] = String


class IntegerList(_BoundedList):
    """An array of integers, 0 or more."""

    element: ClassVar[type[fields.Field[Any]]] = NonNegativeInteger


class HexText(_Described, fields.String):
    """A string of lowercase hex digits, of one length."""

    default_error_messages = _messages()

    def __init__(self, *, digits: int, **kwargs: Any) -> None:
        self.digits = digits
        super().__init__(pattern=f"^[0-9a-f]{{{digits}}}$", **kwargs)

    @override
    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        if not isinstance(value, str) or not re.fullmatch(f"[0-9a-f]{{{self.digits}}}", value):
            fault = message("must be {count} digits of lowercase hex", count=self.digits)
            raise ValidationError([fault])
        return value


class HexBytes(_Described, fields.Field[bytes]):
    """At most `max_bytes` bytes in lowercase hex."""

    default_error_messages = _messages()

    def __init__(self, *, max_bytes: int, **kwargs: Any) -> None:
        self.max_bytes = max_bytes
        pattern = f"^([0-9a-f]{{2}}){{0,{max_bytes}}}$"
        super().__init__(type="string", pattern=pattern, **kwargs)

    @override
    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bytes:
        if not isinstance(value, str) or not re.fullmatch(r"(?:[0-9a-f]{2})*", value):
            raise ValidationError([message("must be bytes in lowercase hex, two digits each")])
        if len(value) > 2 * self.max_bytes:
            raise ValidationError(
                [message("must have at most {count} bytes", count=self.max_bytes)]
            )
        return bytes.fromhex(value)


def validate(schema: Schema, raw: object) -> dict[str, Any]:
    """Return the values that a schema loads from decoded JSON or from a query.

    Raises Malformed, which names every invalid field.
    """
    fields_by_name = schema.load_fields
    if isinstance(raw, dict) and raw.keys() <= fields_by_name.keys():
        # Much faster than `load`, whose hooks, partial loading and messages a valid value does not need.
        with suppress(ValidationError):
            values = {
                name: field.deserialize(raw.get(name, missing), name, raw)
                for name, field in fields_by_name.items()
            }
            return {name: value for name, value in values.items() if value is not missing}
    try:
        loaded: dict[str, Any] = schema.load(raw)  # type: ignore[arg-type] # a wrong type is a ValidationError
    except ValidationError as error:
        messages = error.normalized_messages()  # type: ignore[no-untyped-call] # has no annotations
        raise Malformed(_flatten(messages)) from None
    return loaded


def _flatten(messages: Mapping[Any, Any], prefix: str = "") -> dict[str, Message]:
    """Return marshmallow's nested messages by the paths of the fields, such as `invite.0`."""
    flat: dict[str, Message] = {}
    for name, faults in messages.items():
        path = prefix if name == "_schema" else f"{prefix}.{name}" if prefix else str(name)
        if isinstance(faults, Mapping):
            flat |= _flatten(faults, path)
        else:
            # Every field reports its first fault only.
            (flat[path],) = faults
    return flat
