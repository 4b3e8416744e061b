"""The OpenAPI document: what every operation states, and the schemas made of static types."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from domain.json_types import Length, Pattern, Range
from domain.registry import EXPANSIONS, RULES
from service.http.schemas.type_schemas import Components
from tests.support.http_contract import Contract


def operations(contract: Contract) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (method.upper(), path, operation)
        for path, methods in contract.document["paths"].items()
        for method, operation in methods.items()
        if method in {"get", "post", "put", "delete"}
    ]


def test_every_operation_has_a_unique_id_and_a_summary(contract: Contract) -> None:
    ids = [operation["operationId"] for _, _, operation in operations(contract)]
    assert len(set(ids)) == len(ids) >= 20
    assert all(operation["summary"].endswith(".") for _, _, operation in operations(contract))


def test_every_operation_states_whether_it_takes_a_token(contract: Contract) -> None:
    security = {path: operation["security"] for method, path, operation in operations(contract)}
    for path in ("position", "record", "stream", "events", "events/{seq}"):
        assert security["/api/v1/games/{game_id}/" + path] == [{}, {"token": []}]
    assert security["/api/v1/games/{game_id}/legal-actions"] == [{"token": []}]
    assert security["/healthz"] == []


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("/api/v1/games/{game_id}/record", "application/jsonl"),
        ("/api/v1/games/{game_id}/stream", "text/event-stream"),
        ("/metrics", "text/plain"),
    ],
)
def test_a_response_that_is_not_json_has_its_media_type(
    contract: Contract, path: str, media_type: str
) -> None:
    assert [*contract.document["paths"][path]["get"]["responses"]["200"]["content"]] == [media_type]


def test_every_rule_system_has_its_schemas(contract: Contract) -> None:
    schemas = contract.document["components"]["schemas"]
    names = [name.capitalize() for name in (*RULES, *(option for _, option in EXPANSIONS))]
    for name in names:
        for kind in ("Action", "Event", "Position", "Standing", "Options"):
            assert name + kind in schemas
    for name, rules in RULES.items():
        position = schemas[name.capitalize() + "Position"]
        assert {"phase", "round", "to_act", "players"} <= position["properties"].keys()
        assert len(schemas[name.capitalize() + "Event"]["anyOf"]) >= len(rules.EVENTS)


def test_no_component_is_left_over_from_the_library(contract: Contract) -> None:
    assert "PaginationMetadata" not in contract.document["components"]["schemas"]


def test_descriptions_name_no_file_of_the_source(contract: Contract) -> None:
    def descriptions(node: Any) -> list[str]:
        if isinstance(node, list):
            return [text for item in node for text in descriptions(item)]
        if not isinstance(node, dict):
            return []
        own = [
            text for text in (node.get("description"), node.get("summary")) if isinstance(text, str)
        ]
        return own + [text for item in node.values() for text in descriptions(item)]

    texts = descriptions(contract.document)
    assert len(texts) > 100
    assert not [text for text in texts if ".py" in text or "domain." in text]


class Inner(TypedDict):
    """A part."""

    name: str


class Outer(TypedDict):
    """A whole."""

    count: Annotated[int, Range(1, 9), "How many."]
    kind: Literal["a", "b"]
    part: Inner | None
    parts: Annotated[list[Inner], Length(1)]
    code: NotRequired[Annotated[str, Pattern("[0-9]+")]]
    number: int | None


def test_a_component_is_named_without_json(contract: Contract) -> None:
    names = contract.document["components"]["schemas"].keys()
    assert "Resign" in names
    assert not [name for name in names if name.endswith("Json")]


def test_a_typed_dict_becomes_a_component() -> None:
    components = Components()
    reference = components.schema_of(Outer)
    assert components.schemas[reference["$ref"].rpartition("/")[2]] == {
        "type": "object",
        "description": "A whole.",
        "required": ["count", "kind", "number", "part", "parts"],
        "properties": {
            "count": {"type": "integer", "minimum": 1, "maximum": 9, "description": "How many."},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "part": {"anyOf": [components.schema_of(Inner), {"nullable": True, "enum": [None]}]},
            "parts": {"type": "array", "items": components.schema_of(Inner), "minItems": 1},
            "code": {"type": "string", "pattern": "^[0-9]+$"},
            "number": {"type": "integer", "nullable": True},
        },
    }


@pytest.mark.parametrize("type", [bytes, set[int], tuple[int, str], Literal[1, "a"]])
def test_a_type_without_json_has_no_schema(type: object) -> None:
    with pytest.raises(TypeError):
        Components().schema_of(type)
