"""Finds the hexes in an event, by the types that a rule system declares for its event data."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from types import UnionType
from typing import (
    Annotated,
    Any,
    Final,
    NotRequired,
    Required,
    TypeAlias,
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
"""The annotation of the type of a hex, because a list of two numbers can also be a list of seats."""
_MAX_DEPTH: Final = 12
"""The depth to which types are followed; no event is nested that deep."""


_Finder: TypeAlias = Callable[[Any, set[Hex]], None]
"""Adds the hexes in a value to a set, where the value has the form of the finder's type."""


def event_hexes(event: Event, rules: AnyRuleSystem) -> frozenset[Hex]:
    """Return all hexes in the action and the data of an event, whose values are not checked.

    An event or action of a type that the rules do not know has none.
    """
    hexes: set[Hex] = set()
    _find(rules.EVENTS.get(event["type"]), event["data"], hexes)
    action = event["action"]
    if isinstance(action, Mapping) and isinstance(action.get("type"), str):
        _find(rules.ACTIONS.get(action["type"]), action, hexes)
    return frozenset(hexes)


def _find(type: Any, value: Any, hexes: set[Hex]) -> None:
    finder = _finder(type)
    if finder is not None:
        finder(value, hexes)


@cache
def _finder(type: Any, depth: int = _MAX_DEPTH) -> _Finder | None:
    """Return the finder of a type, which is cached; None if its values have no hexes."""
    origin, arguments = get_origin(type), get_args(type)
    if not depth:
        return None
    if origin is Annotated and arguments[1:] == _HEX_METADATA:
        return _find_hex
    if origin in {Annotated, NotRequired, Required}:
        return _finder(arguments[0], depth - 1)
    if origin in {Union, UnionType}:
        return _finder_in_union([_finder(member, depth - 1) for member in arguments])
    if origin in {list, Sequence}:
        return _finder_in_items(_finder(arguments[0], depth - 1), list, lambda value: value)
    if origin is dict:
        return _finder_in_items(_finder(arguments[1], depth - 1), dict, dict.values)
    if is_typeddict(type):
        hints = get_type_hints(type, include_extras=True)
        return _finder_in_fields({name: _finder(hint, depth - 1) for name, hint in hints.items()})
    return None


def _find_hex(value: Any, hexes: set[Hex]) -> None:
    match value:
        case [int(q), int(r)]:
            hexes.add((q, r))
        case _:
            pass


def _finder_in_union(members: Sequence[_Finder | None]) -> _Finder | None:
    finders = [finder for finder in members if finder is not None]

    def find(value: Any, hexes: set[Hex]) -> None:
        for finder in finders:
            finder(value, hexes)

    return find if finders else None


def _finder_in_items(
    finder: _Finder | None, container: type[Any], items_of: Callable[[Any], Iterable[Any]]
) -> _Finder | None:
    if finder is None:
        return None

    def find(value: Any, hexes: set[Hex]) -> None:
        if isinstance(value, container):
            for item in items_of(value):
                finder(item, hexes)

    return find


def _finder_in_fields(fields: Mapping[str, _Finder | None]) -> _Finder | None:
    finders = [(name, finder) for name, finder in fields.items() if finder is not None]

    def find(value: Any, hexes: set[Hex]) -> None:
        if isinstance(value, dict):
            for name, finder in finders:
                if name in value:
                    finder(value[name], hexes)

    return find if finders else None
