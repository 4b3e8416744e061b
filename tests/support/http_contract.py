"""The OpenAPI document held against what a server really answers.

Every answer that a test sees goes through `Contract.see`: it must be one that the document has for this
call, with no field too many and none too few, and the headers that every answer has.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import httpx

Json = dict[str, Any]
UNDESCRIBED = {"/api/v1/openapi.json", "/api/v1/docs", "/api/v1/docs/init.js"}


@dataclass
class Contract:
    """What the document promises, and which answers were seen."""

    document: Json
    seen: set[tuple[str, int]] = field(default_factory=set)

    def see(self, response: httpx.Response) -> None:
        """Check an answer, and remember that it was given."""
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["access-control-allow-origin"] == "*"
        assert re.fullmatch(r"[A-Za-z0-9._-]{1,64}", response.headers["x-request-id"])
        method, path = response.request.method, response.request.url.path
        template = self.template(path)
        operations = self.document["paths"].get(template, {})
        operation = operations.get("get" if method == "HEAD" else method.lower())
        if response.status_code >= 400:
            assert_problem(response)
        if operation is None:
            expected = {404, 413} if template is None else {405, 413}
            if method == "OPTIONS":
                expected.add(200)
            described = path in UNDESCRIBED or path.startswith("/api/v1/docs/")
            assert described or response.status_code in expected, (method, path, response.text)
            return
        promised = operation["responses"].get(str(response.status_code))
        assert promised is not None, f"{method} {template} does not promise {response.status_code}"
        self.seen.add((call(method, template or ""), response.status_code))
        if "$ref" in promised:
            promised = self._at(promised["$ref"])
        where = f"{method} {template}"
        for kind, content in promised.get("content", {}).items():
            if response.headers["content-type"].split(";")[0] != kind:
                assert (kind, response.status_code < 400) == ("application/json", True), where
            elif kind.endswith("json") and "schema" in content and method != "HEAD":
                self._conform(response.json(), content["schema"], where)

    def template(self, path: str) -> str | None:
        """The path of the document that an address belongs to."""
        for template in self.document["paths"]:
            if re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", template), path):
                return str(template)
        return None

    def promises(self) -> dict[str, set[int]]:
        """Which statuses each call of the document has."""
        return {
            call(method.upper(), path): {int(status) for status in operation["responses"]}
            for path, operations in self.document["paths"].items()
            for method, operation in operations.items()
            if method in {"get", "post", "delete"}
        }

    def _at(self, reference: str) -> Json:
        found: Json = self.document
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]
        return found

    def _conform(self, value: Any, schema: Json, where: str) -> None:
        if "$ref" in schema:
            schema = self._at(schema["$ref"])
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else [*kinds]
        if schema.get("nullable"):
            kinds.append("null")
        assert kinds in ([], ["null"]) or kind_of(value) in kinds, (
            f"{where} is {value!r}, not {kinds}"
        )
        if "properties" in schema and isinstance(value, dict):
            missing = set(schema.get("required", ())) - value.keys()
            assert not missing, f"{where} has no {missing}"
            # Of a position only the part is described that every game has.
            assert value.keys() <= schema["properties"].keys() or "phase" in value, (where, value)
            for name, inner in schema["properties"].items():
                if name in value:
                    self._conform(value[name], inner, f"{where}.{name}")
        if isinstance(value, list) and "items" in schema:
            for item in value:
                self._conform(item, schema["items"], f"{where}[]")


def call(method: str, template: str) -> str:
    """How the page on HTTP names a call: `GET /games/ID/events/N`."""
    path = template.removeprefix("/api/v1").replace("{game_id}", "ID").replace("{seq}", "N")
    return f"{'GET' if method == 'HEAD' else method} {path}"


def kind_of(value: Any) -> str:
    """JSON Schema's word for a value."""
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
    """It is a problem as RFC 9457 has it, and says nothing of our inside."""
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
