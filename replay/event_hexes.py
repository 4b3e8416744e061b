"""The hexes that an event names, found by the types that a rule system states for its event data."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import UnionType
from typing import (
    Annotated,
    Any,
    Final,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from domain.contract import AnyRuleSystem
from domain.event import Event
from domain.hexes import Hex
from domain.json_types import HexJson

_HEX_METADATA: Final = get_args(HexJson)[1:]
"""What marks a type as that of a hex. A list of two numbers can also be a list of seats."""
_MAX_DEPTH: Final = 12
"""How deep types are followed; no event is nested that deep."""


def event_hexes(event: Event, rules: AnyRuleSystem) -> frozenset[Hex]:
    """Return all hexes in the action and the data of an event, whose values are not checked.

    An event or action of a type that the rules do not know has none.
    """
    hexes = set(_hexes(rules.EVENTS.get(event["type"]), event["data"], _MAX_DEPTH))
    action = event["action"]
    if isinstance(action, Mapping) and isinstance(action.get("type"), str):
        hexes.update(_hexes(rules.ACTIONS.get(action["type"]), action, _MAX_DEPTH))
    return frozenset(hexes)


def _hexes(type: Any, value: Any, depth: int) -> Iterator[Hex]:
    """Yield the hexes in a value, where it has the form of the type."""
    if not depth or not _has_hexes(type, depth):
        return
    origin, arguments = get_origin(type), get_args(type)
    if origin is Annotated and arguments[1:] == _HEX_METADATA:
        match value:
            case [int(q), int(r)]:
                yield (q, r)
            case _:
                pass
    elif origin in {Annotated, NotRequired, Required}:
        yield from _hexes(arguments[0], value, depth - 1)
    elif origin in {Union, UnionType}:
        for member in arguments:
            yield from _hexes(member, value, depth - 1)
    elif origin in {list, Sequence} and isinstance(value, list):
        for item in value:
            yield from _hexes(arguments[0], item, depth - 1)
    elif origin is dict and isinstance(value, dict):
        for item in value.values():
            yield from _hexes(arguments[1], item, depth - 1)
    elif is_typeddict(type) and isinstance(value, dict):
        for name, hint in _fields(type).items():
            if name in value:
                yield from _hexes(hint, value[name], depth - 1)


@cache
def _has_hexes(type: Any, depth: int) -> bool:
    """Whether values of a type can contain hexes."""
    if not depth:
        return False
    if get_origin(type) is Annotated and get_args(type)[1:] == _HEX_METADATA:
        return True
    parts = _fields(type).values() if is_typeddict(type) else get_args(type)
    return any(_has_hexes(part, depth - 1) for part in parts if not isinstance(part, str))


@cache
def _fields(typed_dict: Any) -> Mapping[str, Any]:
    """The types of the fields of a TypedDict."""
    return get_type_hints(typed_dict, include_extras=True)
