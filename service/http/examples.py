"""Examples of requests and responses in the OpenAPI document: exchanges of the tests.

examples.json has them by operation: the request line and the body of the request, the status and the body of
the response (tests/support/recorded_examples.py). Binary bodies have no example.
"""

from pathlib import Path
from typing import Final

import orjson

from domain.json_types import JsonObject

FILE: Final = Path(__file__).with_name("examples.json")


def add_examples(document: JsonObject) -> None:
    """Add the example of each operation to a document: to the body of its request, and to that of a response.

    `x-example` of an operation has the request line and the status.
    """
    examples: JsonObject = orjson.loads(FILE.read_bytes())
    for path in document["paths"].values():
        for operation in path.values():
            if isinstance(operation, dict) and operation["operationId"] in examples:
                _add(operation, examples[operation["operationId"]])


def _add(operation: JsonObject, example: JsonObject) -> None:
    operation["x-example"] = {name: example[name] for name in ("request", "status")}
    replies = {str(status): reply for status, reply in operation["responses"].items()}
    bodies = {
        "body": operation.get("requestBody", {}),
        "response": replies.get(str(example["status"]), {}),
    }
    for name, body in bodies.items():
        for content in body.get("content", {}).values():
            if name in example:
                content["example"] = example[name]
