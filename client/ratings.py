"""The calls that read the ratings of a server. What they return is not verified (replay/ratings_audit.py)."""

from typing import Any, Final

from client.calls import Call, call
from client.results import json_of, unexpected
from domain.json_types import JsonObject

PAGE_LINES: Final = 500


def statement() -> Call[JsonObject]:
    """Return the signed statement."""
    return call("GET", "/ratings/statement", lambda body: _object(body, "statement"))


def history_page(after: int) -> Call[list[Any]]:
    """Return the lines of the history after line `after`, at most PAGE_LINES; none after the last one."""
    params = {"after": after, "limit": PAGE_LINES}
    return call("GET", "/ratings/games", lambda body: _list(body, "games"), params=params)


def public_keys() -> Call[list[Any]]:
    """Return the public keys of the server."""
    return call("GET", "/keys", lambda body: _list(body, "keys"))


def _object(body: bytes, name: str) -> JsonObject:
    value = json_of(body)
    if not isinstance(value, dict):
        raise unexpected(name)
    return value


def _list(body: bytes, field: str) -> list[Any]:
    value = _object(body, field).get(field)
    if not isinstance(value, list):
        raise unexpected(field)
    return value
