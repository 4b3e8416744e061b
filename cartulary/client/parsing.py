"""Reads the JSON of responses into the dataclasses of `results`."""

import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import lru_cache
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

import orjson

from cartulary.client.errors import InvalidResponse
from domain.messages import message

T = TypeVar("T")

_SCALARS: Final = (str, int, bool, types.NoneType)


class _WrongForm(Exception):
    """A value does not have the form of its type; `path` leads to it."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


def json_of(body: bytes) -> object:
    """Return the JSON of a body. Raises InvalidResponse."""
    try:
        value: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise InvalidResponse(message("the server's response is not JSON")) from None
    return value


def parse(kind: type[T], value: object) -> T:
    """Return JSON as a dataclass of `results`; unknown fields are ignored. Raises InvalidResponse."""
    try:
        result: T = _parse(kind, value, "")
    except _WrongForm as error:
        raise InvalidResponse(
            message(
                "the server's response is not the one that was expected: see the field {field}",
                field=error.path or "body",
            )
        ) from None
    return result


def _parse(kind: Any, value: object, path: str) -> Any:
    if kind is Any or kind is object:
        return value
    if kind in _SCALARS:
        # `true` is no number.
        if type(value) is kind:
            return value
        raise _WrongForm(path)
    if is_dataclass(kind):
        return _dataclass(kind, value, path)
    origin = get_origin(kind)
    if origin in {Union, types.UnionType}:
        return _alternative(get_args(kind), value, path)
    if origin is tuple:
        if not isinstance(value, list):
            raise _WrongForm(path)
        item = get_args(kind)[0]
        return tuple(_parse(item, entry, f"{path}.{i}") for i, entry in enumerate(value))
    if isinstance(value, dict):
        return value
    raise _WrongForm(path)


def _alternative(kinds: tuple[Any, ...], value: object, path: str) -> Any:
    if value is None and types.NoneType in kinds:
        return None
    (kind,) = (kind for kind in kinds if kind is not types.NoneType)
    return _parse(kind, value, path)


def _dataclass(kind: Any, value: object, path: str) -> Any:
    if not isinstance(value, dict):
        raise _WrongForm(path)
    attributes: dict[str, Any] = {}
    for field, hint in _fields(kind):
        if field.metadata.get("whole"):
            attributes[field.name] = value
        elif field.name in value:
            attributes[field.name] = _parse(
                hint, value[field.name], f"{path}.{field.name}".lstrip(".")
            )
        elif field.default is MISSING:
            raise _WrongForm(f"{path}.{field.name}".lstrip("."))
    return kind(**attributes)


@lru_cache(maxsize=64)
def _fields(kind: Any) -> tuple[tuple[Field[Any], Any], ...]:
    hints: Mapping[str, Any] = get_type_hints(kind)
    return tuple((field, hints[field.name]) for field in fields(kind))
