"""Examples of requests and responses in the OpenAPI document, which are made from its schemas.

A field whose name is in VALUES has that value if its schema allows it. Other fields have a value that is
derived from the schema: the first of an enumeration, the least number, the shortest text that a pattern
allows.
"""

import re
from collections.abc import Mapping
from re import _constants, _parser  # type: ignore[attr-defined] # the parser of patterns is not public
from typing import Any, Final

from domain.json_types import JsonObject
from service.http.schemas.type_schemas import REFERENCE

MAX_DEPTH: Final = 8
"""Levels of an example below which lists are empty, and fields that may be missing are left out."""
VALUES: Final[Mapping[str, object]] = {
    "arbiter": "bea",
    "at": "2026-11-22T10:53:12.345Z",
    "created": "2026-11-22T10:53:12.345Z",
    "cursor": "MTc5NTM0NDc5Mg",
    "days": 90,
    "email": "ada@example.org",
    "ends": "2026-12-22T10:53:12.345Z",
    "endpoint": "https://push.example.org/send/1",
    "expected_seq": 7,
    "first_day": "2027-07-14",
    "game": "5f0c2d9a41e7b603",
    "handle": "ada",
    "id": "8a1b90c3d2e4f567",
    "invite": ["bea"],
    "last_day": "2027-07-21",
    "locale": "en",
    "name": "Friday evening",
    "nonce": "00ff",
    "password": "correct horse battery",
    "per_turn": 86400,
    "player": "8a1b90c3d2e4f567",
    "reason": "a reason for the log",
    "scopes": ["read", "play"],
    "seats": 2,
    "seq": 7,
    "statement": "The move was not possible.",
    "text": "Good game!",
    "time_zone": "Europe/Paris",
    "uploaded": "2026-11-22T10:53:12.345Z",
    "url": "https://example.org/hook",
}
_TEXTS: Final[Mapping[str, str]] = {
    "application/jsonl": '{"format":"cartulary/1","game":"5f0c2d9a41e7b603"}\n',
    "application/x-ndjson": '{"format":"cartulary/1","game":"5f0c2d9a41e7b603"}\n',
    "image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
    "text/event-stream": 'id: 7\ndata: {"seq":7}\n\n',
    "text/plain": "play.example.org/log\n7\n",
    "application/atom+xml": '<feed xmlns="http://www.w3.org/2005/Atom"></feed>',
    "text/calendar": "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n",
}
"""The examples of responses that are not JSON. Binary responses have none."""


def add_examples(document: JsonObject) -> None:
    """Add an example to the body of each request of a document, and of each successful response."""
    examples = _Examples(document["components"]["schemas"])
    for path in document["paths"].values():
        for operation in path.values():
            if not isinstance(operation, dict):
                continue
            replies = operation["responses"].items()
            bodies = [reply for status, reply in replies if str(status).startswith("2")]
            for body in (*bodies, operation.get("requestBody", {})):
                for type, content in body.get("content", {}).items():
                    if type == "application/json":
                        content["example"] = examples.of(content["schema"])
                    elif type in _TEXTS:
                        content["example"] = _TEXTS[type]


class _Examples:
    """Examples of the schemas of one document."""

    def __init__(self, components: Mapping[str, JsonObject]) -> None:
        self._components = components

    def of(self, schema: JsonObject, name: str = "", depth: int = 0) -> Any:
        """Return an example of a schema, for a field of this name."""
        schema = self._resolved(schema)
        if name in VALUES and _allows(schema, VALUES[name]):
            return VALUES[name]
        if "enum" in schema:
            return next((value for value in schema["enum"] if value is not None), None)
        for union in ("anyOf", "oneOf"):
            if union in schema:
                members = [self._resolved(member) for member in schema[union]]
                alternatives = [m for m in members if m.get("enum") != [None]]
                return (
                    self.of(alternatives[0], name, depth + 1)
                    if depth < MAX_DEPTH
                    else _last(members)
                )
        if "allOf" in schema:
            parts = [self.of(part, name, depth) for part in schema["allOf"]]
            if not all(isinstance(part, dict) for part in parts):
                return parts[0]
            return {key: value for part in parts for key, value in part.items()}
        match schema.get("type"):
            case "object":
                return self._object(schema, depth)
            case "array":
                least = schema.get("minItems", 0)
                count = least if depth >= MAX_DEPTH else max(1, least)
                return [self.of(schema.get("items", {}), "", depth + 1)] * count
            case "integer" | "number":
                return schema.get("minimum", 1)
            case "boolean":
                return False
            case "string":
                return _text(schema)
            case _:
                return {}

    def _object(self, schema: JsonObject, depth: int) -> JsonObject:
        required = schema.get("required", ())
        return {
            name: self.of(field, name, depth + 1)
            for name, field in schema.get("properties", {}).items()
            if name in required or depth < MAX_DEPTH // 2
        }

    def _resolved(self, schema: JsonObject) -> JsonObject:
        while "$ref" in schema:
            schema = self._components[schema["$ref"].removeprefix(REFERENCE)]
        return schema


def _allows(schema: JsonObject, value: object) -> bool:
    """Return whether the schema of a value without fields allows it; without a type, any value is allowed."""
    if "enum" in schema:
        return value in schema["enum"]
    match schema.get("type"):
        case "string":
            fits = isinstance(value, str) and len(value) <= schema.get("maxLength", len(value))
            return fits and re.search(schema.get("pattern", ""), str(value)) is not None
        case "integer":
            least, most = schema.get("minimum", value), schema.get("maximum", value)
            return isinstance(value, int) and least <= value <= most
        case "array":
            items = schema.get("items", {})
            return isinstance(value, list) and all(_allows(items, item) for item in value)
        case None:
            return not {"anyOf", "oneOf", "allOf", "properties"} & schema.keys()
        case type:
            return type == "object" and isinstance(value, dict) and "properties" not in schema


def _last(members: list[JsonObject]) -> None:
    assert any(member.get("enum") == [None] for member in members), "a union without end"


def _text(schema: JsonObject) -> str:
    """Return a text that a schema allows."""
    if "pattern" in schema:
        return _matching(_parser.parse(schema["pattern"]))
    return "text".ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength")]


def _matching(pattern: Any) -> str:
    """Return a short text that a parsed pattern matches."""
    text = ""
    for operation, argument in pattern:
        if operation is _constants.LITERAL:
            text += chr(argument)
        elif operation is _constants.IN:
            text += _character(argument)
        elif operation in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
            least, most, repeated = argument
            text += _matching(repeated) * max(int(least), min(1, int(most)))
        elif operation is _constants.SUBPATTERN:
            text += _matching(argument[-1])
        elif operation is _constants.BRANCH:
            text += _matching(argument[1][0])
        elif operation is _constants.ANY:
            text += "x"
        elif operation is not _constants.AT:
            raise ValueError(f"no example for {operation} in a pattern")
    return text


def _character(choices: Any) -> str:
    operation, argument = choices[0]
    if operation is _constants.CATEGORY:
        return "1" if argument is _constants.CATEGORY_DIGIT else "x"
    if operation is _constants.NEGATE:
        excluded = {value for kind, value in choices[1:] if kind is _constants.LITERAL}
        return next(char for char in "xyz" if ord(char) not in excluded)
    return chr(argument if operation is _constants.LITERAL else argument[0])
