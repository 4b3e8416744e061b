"""Checks responses of the web server against its OpenAPI document.

Every response in the HTTP tests goes through `Contract.check`: the document must describe its status and its
body, and it must have the headers that every response has.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import httpx
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.validators import extend
from openapi_schema_validator import OAS30Validator

from tests.support.pseudo_locale import LANGUAGE as PSEUDO_LANGUAGE
from tests.support.pseudo_locale import unmarked_words

Json = dict[str, Any]
UNDOCUMENTED = {"/api/v1/openapi.json", "/api/v1/docs"}


def any_of(validator: Any, members: list[Json], instance: Any, schema: Json) -> Iterator[Any]:
    """Check `anyOf`, but only against the members whose `type` can be that of the instance.

    There are dozens of event types: the error is about the right one, and checking is quick.
    """
    type = instance.get("type") if isinstance(instance, dict) else None
    candidates = [member for member in members if _can_have_type(validator, member, type)]
    if any(validator.evolve(schema=member).is_valid(instance) for member in candidates):
        return
    if not candidates:
        yield ValidationError(f"no member has the type {type!r}")
    for member in candidates:
        yield from validator.descend(instance, member)


def _can_have_type(validator: Any, member: Json, type: object) -> bool:
    if "$ref" in member:
        member = validator._resolver.lookup(member["$ref"]).contents
    types = member.get("properties", {}).get("type", {}).get("enum")
    return types is None or type in types


Validator: Any = extend(OAS30Validator, {"anyOf": any_of})  # type: ignore[no-untyped-call] # has no annotations


@dataclass
class Contract:
    """The OpenAPI document, and the responses checked so far: (operation, status)."""

    observer: ClassVar[Callable[[str, str, httpx.Response], None] | None] = None
    """Called with the operation, its path and the response after each check."""

    document: Json
    checked: set[tuple[str, int]] = field(default_factory=set)
    _validators: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._components = without_undocumented_fields(self.document["components"])

    def check(self, response: httpx.Response) -> None:
        """Check a response, and add it to `checked`."""
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["access-control-allow-origin"] == "*"
        assert re.fullmatch(r"[A-Za-z0-9._-]{1,64}", response.headers["x-request-id"])
        method, path = response.request.method, response.request.url.path
        template = self.path_template(path)
        operations = self.document["paths"].get(template, {})
        operation = operations.get("get" if method == "HEAD" else method.lower())
        if response.status_code >= 400:
            assert_problem(response)
        if operation is None:
            expected = {404, 413} if template is None else {405, 413}
            if method == "OPTIONS":
                expected.add(200)
            is_page = path in UNDOCUMENTED or path.startswith("/api/v1/docs/")
            assert is_page or response.status_code in expected, (method, path, response.text)
            return
        description = operation["responses"].get(str(response.status_code))
        assert description is not None, f"{method} {template} has no {response.status_code}"
        self.checked.add((operation_name(method, template or ""), response.status_code))
        if "$ref" in description:
            description = self._resolve(description["$ref"])
        where = f"{method} {template}"
        for media_type, content in description.get("content", {}).items():
            assert response.headers["content-type"].split(";")[0] == media_type, where
            if media_type.endswith("json") and "schema" in content and method != "HEAD":
                self.validate(response.json(), content["schema"], where)
        observer = Contract.observer
        if observer is not None:
            observer(operation["operationId"], template or "", response)

    def validate(self, value: Any, schema: Json, where: str) -> None:
        """Check a value against a schema of the document. A field that is not documented is an error."""
        key = json.dumps(schema, sort_keys=True)
        if key not in self._validators:
            self._validators[key] = Validator({"components": self._components, **schema})
        error = best_match(self._validators[key].iter_errors(value))
        assert error is None, f"{where}: {error.message} at {error.json_path}"

    def path_template(self, path: str) -> str | None:
        """Return the path in the document that matches the path of a URL."""
        for template in self.document["paths"]:
            if re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", template), path):
                return str(template)
        return None

    def operations(self) -> list[tuple[str, str, Json]]:
        """Return method, path and description of every operation in the document."""
        return [
            (method.upper(), path, operation)
            for path, operations in self.document["paths"].items()
            for method, operation in operations.items()
            if method in {"get", "post", "put", "patch", "delete"}
        ]

    def statuses(self) -> dict[str, set[int]]:
        """Return the statuses of every operation in the document, under its name in docs/http.md."""
        return {
            operation_name(method, path): {int(code) for code in operation["responses"]}
            for method, path, operation in self.operations()
        }

    def scope_refusals(self) -> set[tuple[str, int]]:
        """Return the operations, each with its status, that refuse nothing but tokens without a scope."""
        return {
            (operation_name(method, path), int(code))
            for method, path, operation in self.operations()
            for code, response in operation["responses"].items()
            if response.get("$ref", "").endswith("/INSUFFICIENT_SCOPE")
        }

    def _resolve(self, reference: str) -> Json:
        target: Json = self.document
        for part in reference.removeprefix("#/").split("/"):
            target = target[part]
        return target


def without_undocumented_fields(schema: Any) -> Any:
    """Return a schema that allows an object only the fields that it describes.

    The document itself allows others, so that adding a field breaks no client.
    """
    if isinstance(schema, list):
        return [without_undocumented_fields(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {name: without_undocumented_fields(value) for name, value in schema.items()}
    return strict | ({"additionalProperties": False} if "properties" in strict else {})


def operation_name(method: str, template: str) -> str:
    """Return the name of an operation as in docs/http.md: `GET /games/ID/events/N`."""
    path = (
        template.removeprefix("/api/v1")
        .replace("{game_id}", "ID")
        .replace("{seq}", "N")
        .replace("{number}", "N")
        .replace("{round}", "ROUND")
        .replace("{meeting}", "MEETING")
        .replace("{poll}", "POLL")
        .replace("{challenge}", "CHALLENGE")
        .replace("{holiday}", "HOLIDAY")
    )
    path = path.replace("{key}", "KEY").replace("{session}", "SESSION")
    path = path.replace("{handle}", "HANDLE").replace("{other}", "OTHER").replace("{feed}", "ID")
    path = path.replace("{webhook}", "WEBHOOK").replace("{subscription}", "ID")
    path = path.replace("{sandbox_id}", "ID").replace("{token}", "TOKEN")
    path = path.replace("{id}", "ID").replace("{game}", "GAME")
    path = path.replace("{delivery}", "DELIVERY").replace("{report}", "REPORT")
    path = path.replace("{system}", "SYSTEM").replace("{imported}", "ID").replace("{club}", "CLUB")
    path = path.replace("{tournament}", "TOURNAMENT")
    path = path.replace("{announcement}", "ANNOUNCEMENT")
    return f"{'GET' if method == 'HEAD' else method} {path}"


def assert_problem(response: httpx.Response) -> None:
    """Check that a response is a problem (RFC 9457) and reveals nothing of the code."""
    assert response.headers["content-type"] == "application/problem+json"
    if response.request.method == "HEAD":
        return
    body = response.json()
    assert body["status"] == response.status_code
    assert body["type"].startswith("urn:cartulary:problem:")
    assert body["title"]
    assert body["detail"]
    assert body["instance"] == f"urn:cartulary:request:{response.headers['x-request-id']}"
    assert "Traceback" not in response.text
    assert ".py" not in response.text
    if response.request.headers.get("accept-language") == PSEUDO_LANGUAGE:
        assert response.headers["content-language"] == PSEUDO_LANGUAGE
        texts = [
            body["title"],
            body["detail"],
            *(error["detail"] for error in body.get("errors", ())),
        ]
        assert unmarked_words(" ".join(texts)) == set(), texts
    if response.status_code in {429, 503}:
        assert int(response.headers["retry-after"]) >= 1
    if response.status_code == 401:
        assert response.headers["www-authenticate"].startswith("Bearer")
    if response.status_code == 405:
        assert response.headers["allow"]


def invalid_fields(response: httpx.Response) -> set[str]:
    """Return the fields that a problem names, which is one of an invalid request."""
    assert response.status_code == 400
    return {error["field"] for error in response.json()["errors"]}
