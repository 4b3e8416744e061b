"""Compares JSON with the TypedDict that describes it, as exactly as the OpenAPI document does."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from domain.json_types import INTEGERS_BELOW, Length, Pattern, Range


def faults(value: object, form: Any, path: str = "") -> list[str]:
    """Return the differences between a value and its type, each with its path."""
    return [*_faults(value, form, path)]


def _faults(value: object, form: Any, path: str) -> Iterator[str]:
    is_object, origin, arguments = _parts(form)
    if is_object:
        yield from _object_faults(value, form, path)
    elif origin is Annotated:
        inner, *metadata = arguments
        inner_faults = [*_faults(value, inner, path)]
        yield from inner_faults
        if not inner_faults:
            yield from (
                f"{path}: {value!r} is outside {it}" for it in metadata if not _is_in(value, it)
            )
    elif origin in (Union, UnionType):
        branches = [[*_faults(value, branch, path)] for branch in arguments]
        if all(branches):
            yield f"{path}: {value!r} is none of {form}: {min(branches, key=len)}"
    elif origin is Literal:
        if value not in arguments:
            yield f"{path}: {value!r} is none of {arguments}"
    elif isinstance(origin, type) and issubclass(origin, Sequence):
        if not isinstance(value, list):
            yield f"{path}: {value!r} is no list"
            return
        for i, item in enumerate(value):
            yield from _faults(item, arguments[0], f"{path}.{i}")
    elif form is int:
        if type(value) is not int or abs(value) >= INTEGERS_BELOW:
            yield f"{path}: {value!r} is no integer"
    elif form in (str, bool, NoneType):
        if type(value) is not form:
            yield f"{path}: {value!r} is no {form.__name__}"
    else:
        raise TypeError(f"{path}: {form!r} is no type of JSON")


def _object_faults(value: object, form: Any, path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path}: {value!r} is no object"
        return
    hints = _hints(form)
    for name in form.__required_keys__ - value.keys():
        yield f"{path}.{name}: is missing"
    for name, item in value.items():
        if name in hints:
            yield from _faults(item, hints[name], f"{path}.{name}")
        else:
            yield f"{path}.{name}: is not a field of {form.__name__}"


@cache
def _parts(form: Any) -> tuple[bool, Any, tuple[Any, ...]]:
    """Return whether a type is a TypedDict, and its origin and arguments."""
    return is_typeddict(form), get_origin(form), get_args(form)


@cache
def _hints(form: Any) -> dict[str, Any]:
    """Return the type of each field, whether or not it is required."""
    return {
        name: get_args(hint)[0] if get_origin(hint) is NotRequired else hint
        for name, hint in get_type_hints(form, include_extras=True).items()
    }


def _is_in(value: Any, limit: object) -> bool:
    match limit:
        case Range(minimum, maximum):
            return (minimum is None or value >= minimum) and (maximum is None or value <= maximum)
        case Length(minimum, maximum):
            return len(value) >= minimum and (maximum is None or len(value) <= maximum)
        case Pattern(regex):
            return re.fullmatch(regex, value) is not None
        case str():
            return True
        case _:
            raise TypeError(f"unknown metadata: {limit!r}")
