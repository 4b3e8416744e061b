"""The OpenAPI document has an example of each request and response, which its schemas allow."""

from collections.abc import Iterator

import pytest

from service.http.examples import VALUES
from tests.support.http_contract import Contract, Json

BINARY = {"image/png", "multipart/form-data", "application/octet-stream"}


def bodies(contract: Contract) -> Iterator[tuple[str, str, Json]]:
    """Yield each body of a request, and of a response that is no error: where it is, its type and content."""
    for path, operations in contract.document["paths"].items():
        for method, operation in operations.items():
            if not isinstance(operation, dict):
                continue
            where = f"{method.upper()} {path}"
            replies = operation["responses"].items()
            found = [(f"{where} {s}", reply) for s, reply in replies if s.startswith("2")]
            for place, body in ((where, operation.get("requestBody", {})), *found):
                for type, content in body.get("content", {}).items():
                    yield place, type, content


def test_every_body_has_an_example_that_its_schema_allows(contract: Contract) -> None:
    seen = 0
    for where, type, content in bodies(contract):
        if type in BINARY:
            continue
        assert "example" in content, (where, type)
        if type == "application/json":
            contract.validate(content["example"], content["schema"], where)
            seen += 1
    assert seen > 150


def test_an_example_of_another_type_would_be_noticed(contract: Contract) -> None:
    where, _, content = next(body for body in bodies(contract) if body[0].endswith("/players"))
    with pytest.raises(AssertionError):
        contract.validate({**content["example"], "handle": 1}, content["schema"], where)


def test_every_value_is_used(contract: Contract) -> None:
    shown = str([content.get("example") for _, _, content in bodies(contract)])
    assert [name for name in VALUES if f"'{name}': {VALUES[name]!r}" not in shown] == []
