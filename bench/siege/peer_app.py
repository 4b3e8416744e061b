"""The WSGI application that granian serves in bench/siege/peers.py: it answers with two bytes."""

from collections.abc import Callable
from typing import Any


def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    """Answer any request."""
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return [b"ok"]
