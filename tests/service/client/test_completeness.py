"""The client has a method for every operation of the OpenAPI document, by the requests that methods make."""

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import orjson
import pytest

from cartulary.client import Client, ClientError, Evidence
from client.groups.all import Groups
from client.methods import Group, Method
from domain.json_types import JsonObject
from service.http.client_generator import (
    BY_HAND,
    FOLDER,
    PAGE,
    ROOT,
    GeneratorError,
    Operation,
    document_of_code,
    generate,
    main,
    operations_of,
)

VALUES: Final = {str: "x", int: 1, bool: True, bytes: b"x"}
"""An argument of each type that parameters have; others get an empty object."""


@pytest.fixture(scope="module")
def document() -> JsonObject:
    return document_of_code()


def arguments_of(method: Callable[..., Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return arguments with which a method can be called: only those that it needs."""
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for parameter in inspect.signature(method).parameters.values():
        if parameter.default is not parameter.empty or parameter.kind is parameter.VAR_KEYWORD:
            continue
        value = VALUES.get(parameter.annotation, {})
        if parameter.kind is parameter.KEYWORD_ONLY:
            named[parameter.name] = value
        else:
            positional.append(value)
    return positional, named


def requests_of(client: Client, requests: list[httpx.Request], method: Any) -> httpx.Request:
    """Return the last request that a method makes to a server that knows nothing."""
    requests.clear()
    positional, named = arguments_of(method)
    with pytest.raises(ClientError):
        # A method that yields events makes its request when the first of them is asked for.
        list(method(*positional, **named))
    return requests[-1]


def methods_of(owner: object) -> Iterator[tuple[str, Any]]:
    """Yield the names and methods of a client or of a group of calls."""
    for kind in type(owner).__mro__:
        for name, value in vars(kind).items():
            if isinstance(value, Method) or name.startswith("stream"):
                yield name, getattr(owner, name)


def operation_of(document: JsonObject, request: httpx.Request) -> str:
    """Return the id of the operation that a request is for."""
    fitting: list[Operation] = [
        operation
        for operation in operations_of(document)
        if operation.method == request.method
        and re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", operation.path), request.url.path)
    ]
    assert fitting, (request.method, request.url.path)
    return min(fitting, key=lambda operation: operation.path.count("{")).id


@pytest.fixture(scope="module")
def reached(document: JsonObject) -> dict[str, str]:
    """The operations that methods reach, each with the name of the method: `clubs.create` or `join`."""
    requests: list[httpx.Request] = []

    def respond(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(404, json={})

    found: dict[str, str] = {}
    transport = httpx.MockTransport(respond)
    with Client("http://server.test", evidence=Evidence.none(), transport=transport) as client:
        owners: dict[str, object] = {"": client}
        for group in vars(Groups):
            if not group.startswith("_"):
                owners[f"{group}."] = getattr(client, group)
                assert isinstance(owners[f"{group}."], Group)
        for prefix, owner in owners.items():
            for name, method in methods_of(owner):
                operation = operation_of(document, requests_of(client, requests, method))
                found.setdefault(operation, prefix + name)
    return found


def test_the_client_lacks_no_operation(document: JsonObject, reached: dict[str, str]) -> None:
    operations = {operation.id for operation in operations_of(document)}
    assert len(operations) >= 200
    assert sorted(operations - reached.keys()) == []


def test_the_generator_leaves_out_what_is_written_by_hand(reached: dict[str, str]) -> None:
    assert {id for id, name in reached.items() if "." not in name} == BY_HAND


@pytest.fixture
def code(document: JsonObject, monkeypatch: pytest.MonkeyPatch) -> JsonObject:
    """The document from which the generator writes now. A test may change it."""
    copy: JsonObject = orjson.loads(orjson.dumps(document))
    monkeypatch.setattr("service.http.client_generator.document_of_code", lambda: copy)
    return copy


def test_the_files_are_as_the_generator_writes_them(
    code: JsonObject, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().out


@pytest.mark.nightly
def test_files_are_written_and_old_ones_removed(
    code: JsonObject, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    (tmp_path / FOLDER / "__init__.py").write_text("")
    (tmp_path / FOLDER / "chess.py").write_text("")
    table = "\n| group | methods |\n| --- | --- |\n| `chess` | `mate` |\n\nThe end.\n"
    (tmp_path / PAGE).write_text(table)
    assert main(["--check"], tmp_path) == 1
    assert main([], tmp_path) == 0
    assert main(["--check"], tmp_path) == 0
    names = {path.name for path in (tmp_path / FOLDER).iterdir()}
    assert names == {path.name for path in (ROOT / FOLDER).glob("*.py")}
    page = (tmp_path / PAGE).read_text()
    assert "| `webhooks` | `list`, `add`, `remove`, `test`, `enable` |\n\nThe end.\n" in page
    assert "chess" not in page

    capsys.readouterr()
    code["paths"]["/api/v1/clubs"]["get"]["summary"] = "List something else."
    assert main(["--check"], tmp_path) == 1
    assert capsys.readouterr().out == "client/groups/clubs.py differs: run `make client`\n"


def test_two_operations_with_one_method_are_refused(document: JsonObject) -> None:
    twin = {**document["paths"]["/api/v1/clubs"]["get"], "operationId": "list_club"}
    paths = {**document["paths"], "/api/v1/other-clubs": {"get": twin}}
    with pytest.raises(GeneratorError, match="are both list"):
        generate({**document, "paths": paths})


def test_a_result_that_cannot_be_read_is_refused(document: JsonObject) -> None:
    content = {"video/mp4": {"schema": {"type": "string"}}}
    twin = {
        **document["paths"]["/api/v1/clubs"]["get"],
        "operationId": "watch_clubs",
        "responses": {"200": {"description": "A film.", "content": content}},
    }
    with pytest.raises(GeneratorError, match=r"watch_clubs returns video/mp4"):
        generate({**document, "paths": {"/api/v1/clubs/film": {"get": twin}}})
