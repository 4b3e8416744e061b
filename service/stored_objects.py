"""Dataclasses that are stored as JSON objects, and that a later version may have written.

While processes are replaced one by one, and after a downgrade, a process reads members and words that it does
not know. It ignores them, and keeps the members when it stores the object again: a class whose objects are
changed has a field `later_members` for them.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Final, TypeVar

import orjson

_LATER_MEMBERS: Final = "later_members"
_T = TypeVar("_T")


def decode_object(object_type: type[_T], stored: bytes | str | Mapping[str, Any]) -> _T:
    """Return an instance of a dataclass from its JSON.

    Unknown members become its `later_members`, if it has this field. Raises
    ValueError and TypeError if the JSON is not an object with the members that are necessary.
    """
    members = stored if isinstance(stored, Mapping) else orjson.loads(stored)
    if not isinstance(members, Mapping):
        raise TypeError("the stored value is not a JSON object")
    names = _names_of(object_type)  # type: ignore[arg-type]  # classes are hashable
    arguments = {
        name: value for name, value in members.items() if name in names and name != _LATER_MEMBERS
    }
    if _LATER_MEMBERS in names:
        arguments[_LATER_MEMBERS] = {
            name: value for name, value in members.items() if name not in arguments
        }
    return object_type(**arguments)


def members_of(instance: Any) -> dict[str, Any]:
    """Return the members to store for a dataclass and the dataclasses in it, with those of later versions."""
    names = _names_of(type(instance))  # type: ignore[arg-type]  # as above
    own = {name: _stored_value(getattr(instance, name)) for name in names if name != _LATER_MEMBERS}
    return {**_stored_value(instance.later_members), **own} if _LATER_MEMBERS in names else own


def _stored_value(value: Any) -> Any:
    # dataclasses.asdict would copy every value in depth, which takes twice as long.
    if isinstance(value, str | int | float | None):
        return value
    if is_dataclass(value):
        return members_of(value)
    if isinstance(value, dict):
        return {name: _stored_value(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_stored_value(item) for item in value]
    return value


@cache
def _names_of(object_type: type) -> tuple[str, ...]:
    """Return the names of the fields of a dataclass."""
    return tuple(field.name for field in fields(object_type))
