"""Writes the schemas of the OpenAPI document as types of Python, for the client generator."""

import keyword
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from domain.json_types import JsonObject
from domain.registry import RULES
from service.http.schemas.rule_systems import KINDS
from service.http.schemas.type_schemas import REFERENCE

BY_HAND: Final[Mapping[str, str]] = {
    "AcceptedAction": "AcceptedAction",
    "GameSummary": "GameSummary",
    "GameList": "GamePage",
}
"""The components that are classes of client/results.py."""
_JSON_OBJECT: Final = "JsonObject"
_WIDTH: Final = 100
_SCALARS: Final[Mapping[str, str]] = {"string": "str", "integer": "int", "boolean": "bool"}
_IMPORTS: Final = (
    ("collections.abc", ("Mapping",)),
    ("typing", ("Any", "Literal", "NotRequired", "TypeAlias", "TypedDict", "Unpack")),
    ("client.methods", ("C_co", "Group", "Method")),
    (
        "client.requests",
        (
            *("Call", "call", "long_call", "new_key", "read_bytes", "read_nothing", "read_text"),
            *("reader", "segment"),
        ),
    ),
    ("client.results", (*BY_HAND.values(),)),
    ("domain.json_types", (_JSON_OBJECT,)),
)
"""What modules import, if they use it."""


class TypeWriter:
    """Writes types for the components of a document."""

    def __init__(self, components: Mapping[str, JsonObject]) -> None:
        self._components = components

    @staticmethod
    def reference(name: str) -> JsonObject:
        """Return a reference to a component."""
        return {"$ref": REFERENCE + name}

    def needed(self, schemas: Iterable[JsonObject]) -> list[str]:
        """Return the components that schemas need as types, each after those that it needs."""
        found: dict[str, None] = {}
        begun: set[str] = set()

        def visit(node: object) -> None:
            if isinstance(node, list):
                for item in node:
                    visit(item)
            elif isinstance(node, dict):
                name = str(node.get("$ref", "")).removeprefix(REFERENCE)
                if name and name not in begun and name not in BY_HAND and name not in KINDS:
                    begun.add(name)
                    visit(self._components[name])
                    found[name] = None
                for value in node.values():
                    visit(value)

        visit(list(schemas))
        return list(found)

    def of(self, schema: JsonObject, *, is_request: bool = False) -> str:
        """Return the type of a schema.

        In requests, a value from a list has the type of the list. A later server may return other values.
        """
        if "$ref" in schema:
            name = str(schema["$ref"]).removeprefix(REFERENCE)
            return _JSON_OBJECT if name in KINDS else BY_HAND.get(name, name)
        if "allOf" in schema:
            (member,) = schema["allOf"]
            return self.of(member, is_request=is_request)
        if "anyOf" in schema:
            members = [member for member in schema["anyOf"] if not member.get("nullable")]
            is_nullable = len(members) < len(schema["anyOf"])
            kinds = dict.fromkeys(self.of(member, is_request=is_request) for member in members)
            return " | ".join([*kinds, *(["None"] if is_nullable else [])])
        null = " | None" if schema.get("nullable") else ""
        match schema.get("type"):
            case "array":
                return f"list[{self.of(schema.get('items', {}), is_request=is_request)}]{null}"
            case "object":
                values = schema.get("additionalProperties")
                if isinstance(values, dict):
                    return f"dict[str, {self.of(values, is_request=is_request)}]{null}"
                return _JSON_OBJECT + null
            case None:
                return "Any"
            case kind:
                choices = _choices(schema) if is_request else ""
                return choices or _SCALARS[kind] + null

    def of_parameter(self, schema: JsonObject) -> str:
        """Return the type of a parameter of a query."""
        if set(schema.get("enum", ())) == {"true", "false"}:
            return "bool"
        return self.of({**schema, "nullable": False}, is_request=True)

    def definitions(self, names: Iterable[str]) -> str:
        """Return the definitions of components, each after those that it needs."""
        names = set(names)
        ordered = self.needed([self.reference(name) for name in sorted(names)])
        return "\n\n".join(self._definition(name) for name in ordered if name in names)

    def _definition(self, name: str) -> str:
        schema = self._components[name]
        if "properties" not in schema:
            return f"{name}: TypeAlias = {self.of(schema)}\n"
        required = schema.get("required", ())
        is_request = schema.get("additionalProperties") is False
        fields: dict[str, str] = {}
        for key, value in schema["properties"].items():
            kind = self.of(value, is_request=is_request)
            if re.search(rf"\b{name}\b", kind):
                kind = f'"{kind}"'
            fields[key] = kind if key in required else f"NotRequired[{kind}]"
        text = docstring(schema.get("description") or f"The body of a request: {name}.", 4)
        if any(keyword.iskeyword(key) for key in fields):
            entries = ", ".join(f'"{key}": {kind}' for key, kind in fields.items())
            return f'{name} = TypedDict("{name}", {{{entries}}})\n{textwrap.dedent(text)}\n'
        lines = "\n".join(f"    {key}: {kind}" for key, kind in fields.items())
        return f"class {name}(TypedDict):\n{text}\n\n{lines}\n"

    def imports_of(self, own: Iterable[str], body: str = "") -> str:
        """Return the imports of a module with these definitions and this body."""
        text = _code(self.definitions(own) + body)
        defined = {*own}
        lines = [
            f"from {module} import {', '.join(used)}"
            for module, names in _IMPORTS
            if (used := [name for name in names if re.search(rf"\b{name}\b", text)])
        ]
        foreign = sorted(
            name
            for name in self._components
            if name not in defined
            and name not in {*BY_HAND, *BY_HAND.values()}
            and re.search(rf"(?<![\w'.\"])\b{name}\b(?![\w'\"])", text)
        )
        if foreign and body:
            lines.append(f"from client.groups.shared import {', '.join(foreign)}")
        return "\n".join(lines) + "\n\n\n"


def _code(text: str) -> str:
    """Return a module without its docstrings."""
    return re.sub(r'"""[\s\S]*?"""', "", text)


def _choices(schema: JsonObject) -> str:
    """Return the type of a value from a list; empty for other values, and for games.

    A server may have games of which this document knows nothing.
    """
    values = schema.get("enum")
    if values is None or {*values} & {*RULES}:
        return ""
    kinds = ", ".join(_literal(value) for value in values if value is not None)
    return f"Literal[{kinds}]{' | None' if None in values else ''}"


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def docstring(text: str, indent: int, details: str | None = None) -> str:
    """Return an indented docstring: a sentence, and what follows it if there is more."""
    whole = " ".join(text.split())
    paragraphs = [" ".join(part.split()) for part in (details or "").split("\n\n") if part.strip()]
    margin = " " * indent
    lines = textwrap.wrap('"""' + whole, _WIDTH - indent - 3)
    for paragraph in paragraphs:
        lines += ["", *textwrap.wrap(paragraph, _WIDTH - indent)]
    if len(lines) == 1:
        return f'{margin}{lines[0]}"""'.replace("\\", "\\\\")
    return "\n".join(f"{margin}{line}".rstrip() for line in [*lines, '"""']).replace("\\", "\\\\")


def ruff_format(texts: Sequence[str]) -> list[str]:
    """Return modules with sorted imports, and formatted as all code of this project."""
    ruff = str(Path(sys.executable).with_name("ruff"))
    formatted: list[str] = []
    for text in texts:
        for command in (["check", "--select=I", "--fix-only", "--quiet"], ["format"]):
            words = [ruff, *command, "--stdin-filename=client/groups/x.py", "-"]
            result = subprocess.run(words, input=text, capture_output=True, text=True, check=True)
            text = result.stdout  # noqa: PLW2901 # the second command goes on with it
        formatted.append(text)
    return formatted
