"""Fields of requests, strict: a word is no number, `true` is not 1, and every message says what to send."""

import re
from collections.abc import Mapping
from typing import Any, Final

from marshmallow import Schema, ValidationError, fields

from domain.errors import Malformed

LARGEST: Final = 2**53 - 1
_Messages = dict[str, str | list[Any] | dict[Any, Any]]

_MESSAGES: Final[_Messages] = {"required": "is missing", "null": "must not be null"}


def _messages(own: _Messages) -> _Messages:
    return {**_MESSAGES, **own}


class Form(Schema):
    """The form of a body or a query: what it does not name is refused, which is marshmallow's default."""

    error_messages = {"unknown": "is not known", "type": "must be an object"}  # noqa: RUF012


class Text(fields.String):
    """A string."""

    default_error_messages = _messages({"invalid": "must be a string"})


class Whole(fields.Integer):
    """An integer of a body, 0 or more, below 2^53."""

    default_error_messages = _messages({"invalid": "must be a whole number, 0 or more"})

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("metadata", {}).update(minimum=0, maximum=LARGEST)
        super().__init__(strict=True, **kwargs)

    def _validated(self, value: Any) -> int:  # type: ignore[explicit-override]
        number = super()._validated(value)
        if not 0 <= number <= LARGEST:
            raise self.make_error("invalid")
        return number


class Count(fields.Field[int]):
    """An integer of a query, written in digits; `least` to 2^53 - 1."""

    def __init__(self, *, least: int = 0, **kwargs: Any) -> None:
        self.least = least
        kwargs.setdefault("metadata", {}).update(type="integer", minimum=least, maximum=LARGEST)
        super().__init__(**kwargs)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:  # type: ignore[explicit-override]
        if isinstance(value, str) and re.fullmatch(r"[0-9]{1,16}", value):
            number = int(value)
            if self.least <= number <= LARGEST:
                return number
        raise ValidationError(f"must be a whole number, {self.least} or more")


class Object(fields.Field[dict[str, Any]]):
    """An object, whose inside is for somebody else to check."""

    default_error_messages = _messages({"invalid": "must be an object"})

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:  # type: ignore[explicit-override]
        if not isinstance(value, dict):
            raise self.make_error("invalid")
        return value


class Anything(fields.Raw):
    """A value of any kind, which is for somebody else to check."""

    default_error_messages = _messages({})


class Texts(fields.List[str]):
    """An array of strings."""

    default_error_messages = _messages({"invalid": "must be an array"})

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(Text(), **kwargs)


class Hex(fields.Field[bytes]):
    """Bytes in lowercase hex, `most` of them at most."""

    default_error_messages = _messages({})

    def __init__(self, *, most: int, **kwargs: Any) -> None:
        self.most = most
        kwargs.setdefault("metadata", {}).update(
            type="string", pattern=f"^([0-9a-f]{{2}}){{0,{most}}}$"
        )
        super().__init__(**kwargs)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bytes:  # type: ignore[explicit-override]
        if not isinstance(value, str) or not re.fullmatch(r"(?:[0-9a-f]{2})*", value):
            raise ValidationError("must be bytes in lowercase hex, two digits each")
        if len(value) > 2 * self.most:
            raise ValidationError(f"must have at most {self.most} bytes")
        return bytes.fromhex(value)


def checked(form: Schema, raw: object) -> dict[str, Any]:
    """What a form makes of decoded JSON or of a query. Raises Malformed, every wrong field named."""
    try:
        loaded: dict[str, Any] = form.load(raw)  # type: ignore[arg-type]
    except ValidationError as error:
        raise Malformed(
            _flat(
                error.normalized_messages()  # type: ignore[no-untyped-call]
            )
        ) from None
    return loaded


def _flat(messages: Mapping[Any, Any], prefix: str = "") -> dict[str, str]:
    """The tree of messages that marshmallow makes, by path."""
    flat: dict[str, str] = {}
    for name, told in messages.items():
        path = prefix if name == "_schema" else f"{prefix}.{name}" if prefix else str(name)
        if isinstance(told, Mapping):
            flat |= _flat(told, path)
        else:
            flat[path] = "; ".join(map(str, told))
    return flat
