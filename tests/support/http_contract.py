"""Checks responses of the web server against its OpenAPI document.

Every response in the HTTP tests goes through `Contract.check`: the document must describe its status and its
body, and it must have the headers that every response has.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import httpx

Json = dict[str, Any]
UNDOCUMENTED = {"/api/v1/openapi.json", "/api/v1/docs", "/api/v1/docs/init.js"}


@dataclass
class Contract:
    """The OpenAPI document, and the responses checked so far: (operation, status)."""

    document: Json
    checked: set[tuple[str, int]] = field(default_factory=set)

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
                self._check_value(response.json(), content["schema"], where)

    def path_template(self, path: str) -> str | None:
        """Return the path in the document that matches the path of a URL."""
        for template in self.document["paths"]:
            if re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", template), path):
                return str(template)
        return None

    def statuses(self) -> dict[str, set[int]]:
        """Return the statuses of every operation in the document."""
        return {
            operation_name(method.upper(), path): {int(code) for code in operation["responses"]}
            for path, operations in self.document["paths"].items()
            for method, operation in operations.items()
            if method in {"get", "post", "delete"}
        }

    def _resolve(self, reference: str) -> Json:
        target: Json = self.document
        for part in reference.removeprefix("#/").split("/"):
            target = target[part]
        return target

    def _check_value(self, value: Any, schema: Json, where: str) -> None:
        if "$ref" in schema:
            schema = self._resolve(schema["$ref"])
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else [*types]
        if schema.get("nullable"):
            types.append("null")
        assert types in ([], ["null"]) or json_type(value) in types, (
            f"{where} is {value!r}, not {types}"
        )
        if "properties" in schema and isinstance(value, dict):
            missing = set(schema.get("required", ())) - value.keys()
            assert not missing, f"{where} lacks {missing}"
            # The document describes only those fields of a position that all games share.
            assert value.keys() <= schema["properties"].keys() or "phase" in value, (where, value)
            for name, property_schema in schema["properties"].items():
                if name in value:
                    self._check_value(value[name], property_schema, f"{where}.{name}")
        if isinstance(value, list) and "items" in schema:
            for item in value:
                self._check_value(item, schema["items"], f"{where}[]")


def operation_name(method: str, template: str) -> str:
    """Return the name of an operation as in docs/http.md: `GET /games/ID/events/N`."""
    path = template.removeprefix("/api/v1").replace("{game_id}", "ID").replace("{seq}", "N")
    return f"{'GET' if method == 'HEAD' else method} {path}"


def json_type(value: Any) -> str:
    """Return the type of a value in the terms of JSON Schema."""
    match value:
        case bool():
            return "boolean"
        case int():
            return "integer"
        case str():
            return "string"
        case dict():
            return "object"
        case list():
            return "array"
        case _:
            return "null"


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
    if response.status_code in {429, 503}:
        assert int(response.headers["retry-after"]) >= 1
    if response.status_code == 401:
        assert response.headers["www-authenticate"].startswith("Bearer")
    if response.status_code == 405:
        assert response.headers["allow"]


def invalid_fields(response: httpx.Response) -> set[str]:
    """Return the fields that a problem names."""
    return {error["field"] for error in response.json()["errors"]}
