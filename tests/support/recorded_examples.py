"""A plugin of pytest that takes the examples of the OpenAPI document from the exchanges of a run of tests.

`pytest -p tests.support.recorded_examples tests/service` writes service/http/examples.json: of each operation
one successful exchange. An example that still fits the document stays as it is, so a run of the tests of a
new operation adds its example and changes no other one; with `--all-examples`, all are taken anew.

What differs between any two runs, or is secret, is replaced (tests/support/example_values.py). Lists are cut.
"""

import json
import re
from pathlib import Path
from typing import Any, Final

import httpx
import orjson
import pytest

from service.http.client_generator import Operation, document_of_code, operations_of
from service.http.examples import FILE
from tests.support.example_values import redacted
from tests.support.http_contract import Contract, Json

MAX_LIST: Final = 2
"""Elements that are kept of a list."""
MAX_BYTES: Final = 3_000
"""Bytes of an exchange; a longer one is only taken if there is no shorter one."""
MAX_TEXT: Final = 600
"""Characters of a body that is not JSON."""
OUTPUT: Final = "examples"
_best: dict[str, Json] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option by which all examples are taken anew."""
    parser.addoption("--all-examples", action="store_true", help="take all examples anew")


def pytest_configure(config: pytest.Config) -> None:
    """Look at every exchange."""
    Contract.observer = observe


def observe(operation: str, template: str, response: httpx.Response) -> None:
    """Take an exchange as the example of its operation if it is better than the one so far."""
    if not response.is_success or response.request.method == "HEAD":
        return
    exchange = exchange_of(template, response)
    if exchange is not None and (
        operation not in _best or quality(exchange) > quality(_best[operation])
    ):
        _best[operation] = exchange


def exchange_of(template: str, response: httpx.Response) -> Json | None:
    """Return what an example says of an exchange; None for one that is of no use to readers."""
    request = response.request
    exchange: Json = {
        "request": f"{request.method} {request.url.raw_path.decode()}",
        "status": response.status_code,
    }
    if request.headers.get("content-type", "") == "application/json" and request.content:
        # The server leaves these out of what people have copied, and tests send them.
        entered = re.sub(r'(?<=":")[ @]|\u200b|\u00a0|\\r\\n', "", request.content.decode())
        exchange["body"] = orjson.loads(entered)
    kind = response.headers.get("content-type", "").split(";")[0]
    if not response.content:
        pass
    elif kind == "application/json":
        exchange["response"] = cut(response.json())
    elif kind == "text/event-stream" or kind.startswith("image/png"):
        pass
    else:
        exchange["response"] = response.text[:MAX_TEXT]
    text = json.dumps(exchange, ensure_ascii=False)
    if "<script" in text or any(
        ord(character) >= 0x180 and character != "\u2014" for character in text
    ):
        # Tests also send what nobody would send.
        return None
    result: Json = redacted(exchange)
    return result


def cut(value: Any) -> Any:
    """Return JSON with the first elements of each list."""
    if isinstance(value, list):
        return [cut(item) for item in value[:MAX_LIST]]
    if isinstance(value, dict):
        return {name: cut(item) for name, item in value.items()}
    return value


def quality(exchange: Json) -> tuple[bool, int, int, str]:
    """Return what is greater for a better example: one that is short, has more fields, and is shorter."""
    text = json.dumps(exchange, sort_keys=True)
    return len(text) <= MAX_BYTES, len(filled(exchange)), -len(text), text


def filled(value: Any, path: str = "") -> set[str]:
    """Return the paths of the fields that have a value."""
    if isinstance(value, list):
        return {name for item in value for name in filled(item, f"{path}[]")}
    if isinstance(value, dict):
        return {name for key, item in value.items() for name in filled(item, f"{path}.{key}")}
    return set() if value in (None, "", False) else {path}


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what a process of pytest-xdist has seen."""
    take(getattr(node, "workeroutput", {}).get(OUTPUT, {}))


def take(found: dict[str, Json]) -> None:
    """Keep the better example of each operation."""
    for operation, exchange in found.items():
        if operation not in _best or quality(exchange) > quality(_best[operation]):
            _best[operation] = exchange


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send what this process has seen, or write the file."""
    config = session.config
    if hasattr(config, "workeroutput"):
        config.workeroutput[OUTPUT] = _best
        return
    write(FILE, is_anew=bool(config.getoption("--all-examples")))


def fits(contract: Contract, operation: Operation, exchange: Json) -> bool:
    """Return whether the document allows an exchange as an example of an operation."""
    method, _, target = exchange["request"].partition(" ")
    replies = operation.description["responses"]
    reply = replies.get(str(exchange["status"]))
    path = target.partition("?")[0]
    if reply is None or method != operation.method:
        return False
    if contract.path_template(path) != operation.path:
        return False
    kinds = reply.get("content", {})
    schema = kinds.get("application/json", {}).get("schema")
    try:
        if "body" in exchange:
            contract.validate(exchange["body"], operation.bodies["application/json"], "a request")
        if schema is not None:
            contract.validate(exchange["response"], schema, "a response")
    except (AssertionError, KeyError):
        return False
    return schema is not None or isinstance(exchange.get("response", ""), str)


def write(path: Path, *, is_anew: bool) -> None:
    """Write the examples: those of the file that still fit, and otherwise the best ones of this run."""
    document = document_of_code()
    contract = Contract(document)
    old = {} if is_anew or not path.exists() else json.loads(path.read_text())
    examples = {}
    for operation in operations_of(document):
        candidates = [old.get(operation.id), _best.get(operation.id)]
        fitting = [c for c in candidates if c is not None and fits(contract, operation, c)]
        if fitting:
            examples[operation.id] = fitting[0]
    lines = [
        f"{json.dumps(name)}: {json.dumps(examples[name], sort_keys=True)}"
        for name in sorted(examples)
    ]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Name the operations that have no example."""
    if not hasattr(config, "workeroutput"):
        present = json.loads(FILE.read_text())
        for operation in operations_of(document_of_code()):
            if operation.id not in present:
                terminalreporter.line(f"no example of {operation.id}", red=True)
