"""Answers: JSON made straight from what the service says, without a schema in between.

The schemas in schemas/ describe these answers in the OpenAPI document; the tests hold the two together.
"""

from collections.abc import Mapping
from typing import Any

import orjson
from flask import Response


def answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON answer."""
    return Response(orjson.dumps(value), status, headers, content_type="application/json")


def nothing() -> Response:
    """204: done, and there is nothing to say."""
    return Response(status=204)
