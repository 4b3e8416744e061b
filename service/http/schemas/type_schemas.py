"""OpenAPI 3.0 schemas of static types: the TypedDicts by which code is checked also describe the API.

A TypedDict becomes a component of the document, with its docstring as the description; other types become
schemas where they are used. `domain.json_types` has the metadata that state ranges, lengths and patterns.
"""

import types
from collections.abc import Mapping, Sequence
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from domain.json_types import INTEGERS_BELOW, JsonObject, Length, Pattern, Range

REFERENCE: Final = "#/components/schemas/"
NULL: Final[JsonObject] = {"nullable": True, "enum": [None]}
"""The schema of null alone: in OpenAPI 3.0, `nullable` has no effect beside a reference."""
_UNIONS: Final = (Union, types.UnionType)
_SCALARS: Final[Mapping[object, str]] = {str: "string", int: "integer", bool: "boolean"}


class Component(NamedTuple):
    """Metadata of a type that stands for a component: `Annotated[object, Component("Event")]`."""

    name: str


class OneOf(NamedTuple):
    """Metadata of a type whose values are only known when the program runs."""

    values: Sequence[str]


class Components:
    """The components that schemas refer to, by name."""

    def __init__(self, schemas: Mapping[str, JsonObject] | None = None) -> None:
        self.schemas: dict[str, JsonObject] = dict(schemas or {})

    def schema_of(self, type: object) -> JsonObject:
        """Return the schema of a type, and add the components that it refers to.

        Raises TypeError for a type that has no place in JSON, and for two TypedDicts of one name.
        """
        origin, arguments = get_origin(type), get_args(type)
        if origin is Annotated:
            return self._annotated(arguments[0], arguments[1:])
        if origin in {NotRequired, Required}:
            return self.schema_of(arguments[0])
        if origin in _UNIONS:
            return self._union(arguments)
        if origin is Literal:
            return _literal(arguments)
        if origin in {list, Sequence}:
            return {"type": "array", "items": self.schema_of(arguments[0])}
        if origin is dict:
            values = arguments[1]
            return {
                "type": "object",
                "additionalProperties": True if values is Any else self.schema_of(values),
            }
        if is_typeddict(type):
            return self._reference(type)
        if type in _SCALARS:
            return {"type": _SCALARS[type]}
        if type in {object, Any}:
            return {}
        raise TypeError(f"{type!r} has no schema")

    def add(self, name: str, schema: JsonObject) -> JsonObject:
        """Add a component and return a reference to it. Raises TypeError if the name has another schema."""
        if self.schemas.setdefault(name, schema) != schema:
            raise TypeError(f"two components have the name {name}")
        return {"$ref": REFERENCE + name}

    def object_schema(self, typed_dict: Any, **fields: JsonObject) -> JsonObject:
        """Return the schema of the fields of a TypedDict, some of them replaced by other schemas."""
        hints = get_type_hints(typed_dict, include_extras=True)
        properties = {
            name: fields[name] if name in fields else self.schema_of(hint)
            for name, hint in hints.items()
        }
        schema: JsonObject = {"type": "object", "properties": properties}
        if typed_dict.__doc__:
            schema["description"] = " ".join(typed_dict.__doc__.split())
        if typed_dict.__required_keys__:
            schema["required"] = sorted(typed_dict.__required_keys__)
        return schema

    def _reference(self, typed_dict: Any) -> JsonObject:
        name = component_name(typed_dict)
        if name not in self.schemas:
            self.schemas[name] = {}  # so that a type that contains itself comes to an end
            self.schemas[name] = self.object_schema(typed_dict)
        return {"$ref": REFERENCE + name}

    def _annotated(self, type: object, metadata: tuple[object, ...]) -> JsonObject:
        for item in metadata:
            if isinstance(item, Component):
                return {"$ref": REFERENCE + item.name}
        schema = dict(self.schema_of(type))
        further: JsonObject = {}
        for item in metadata:
            match item:
                case Range(minimum, maximum):
                    further |= _bounds("minimum", minimum) | _bounds("maximum", maximum)
                case Length(minimum, maximum):
                    further |= _bounds("minItems", minimum or None) | _bounds("maxItems", maximum)
                case Pattern(regex):
                    further["pattern"] = f"^{regex}$"
                case OneOf():
                    further["enum"] = list(item.values)
                case str():
                    further["description"] = item
                case _:
                    raise TypeError(f"{item!r} is no metadata of a schema")
        if "$ref" in schema and further:
            schema = {"allOf": [schema]}  # beside a reference, OpenAPI 3.0 ignores everything
        return schema | further

    def _union(self, members: tuple[object, ...]) -> JsonObject:
        schemas = [self.schema_of(member) for member in members if member is not types.NoneType]
        if types.NoneType not in members:
            return {"anyOf": schemas}
        if len(schemas) == 1 and "type" in schemas[0]:
            (schema,) = schemas
            nullable = schema | {"nullable": True}
            return nullable | ({"enum": [*schema["enum"], None]} if "enum" in schema else {})
        return {"anyOf": [*schemas, NULL]}


def component_name(typed_dict: Any) -> str:
    """Return the name of a TypedDict's component: its own, after that of its rule system if it has one."""
    package = typed_dict.__module__.split(".")[-2]
    name: str = typed_dict.__name__.removesuffix("Json")
    is_of_rules = typed_dict.__module__.startswith("domain.") and package != "domain"
    prefix = package.title().replace("_", "") if is_of_rules else ""
    return name if name.startswith(prefix) else prefix + name


def _literal(values: tuple[object, ...]) -> JsonObject:
    kinds = {_SCALARS.get(type(value), "") for value in values}
    if len(kinds) != 1 or "" in kinds:
        raise TypeError(f"values of several types: {values!r}")
    return {"type": kinds.pop(), "enum": list(values)}


def _bounds(name: str, value: int | None) -> JsonObject:
    return {} if value is None or abs(value) >= INTEGERS_BELOW else {name: value}


RESPONSES: Final = Components()
"""The components of responses, which routes add when they are defined."""
