"""The calls that read the public statements of a server: its transparency log and its ratings.

Their results have the right form, and those about the log are bounded in size, but nothing is verified.
"""

from typing import Any, Final

from client.errors import InvalidResponse
from client.requests import Call, call, segment
from client.results import json_of, unexpected
from domain.errors import Unreadable
from domain.json_types import JsonObject
from ledger.envelope import is_hash
from ledger.transparency.merkle import MAX_PATH
from ledger.transparency.signed_note import SignedNote

PAGE_LEAVES: Final = 2_048
PAGE_GAMES: Final = 500
_MAX_EPOCHS: Final = 1_000


def checkpoint() -> Call[SignedNote]:
    """Return the latest checkpoint."""
    return call("GET", "/log/checkpoint", _note)


def consistency_path(first: int, second: int) -> Call[list[bytes]]:
    """Return the consistency path between two sizes of the log."""
    return call(
        "GET",
        "/log/proofs/consistency",
        lambda body: _hashes(body, "path", MAX_PATH),
        params={"from": first, "to": second},
    )


def leaf_hashes(after: int, count: int) -> Call[list[bytes]]:
    """Return the hashes of the leaves from leaf `after` on: at least one, and at most `count`."""

    def read(body: bytes) -> list[bytes]:
        if hashes := _hashes(body, "leaves", count):
            return hashes
        raise InvalidResponse.with_message(
            "the server does not show leaf {leaf} of its log", leaf=after
        )

    return call(
        "GET", "/log/leaves", read, params={"after": after, "limit": min(count, PAGE_LEAVES)}
    )


def epochs() -> Call[list[SignedNote]]:
    """Return the declarations of new epochs of the log."""
    return call(
        "GET",
        "/log/epochs",
        lambda body: [_note(str(note).encode()) for note in _entries(body, "epochs", _MAX_EPOCHS)],
    )


def ratings_statement(club: str | None = None) -> Call[JsonObject]:
    """Return the signed statement about the ratings of a server, or in a club of the player."""
    path = f"{_ratings_path(club)}/statement"
    return call("GET", path, lambda body: _object(body, "statement"))


def _ratings_path(club: str | None) -> str:
    return "/ratings" if club is None else f"/clubs/{segment(club)}/ratings"


def ratings_page(after: int, club: str | None = None) -> Call[list[Any]]:
    """Return at most PAGE_GAMES lines of the history after line `after`; none after the last line."""
    params = {"after": after, "limit": PAGE_GAMES}
    return call(
        "GET", f"{_ratings_path(club)}/games", lambda body: _entries(body, "games"), params=params
    )


def public_keys() -> Call[list[Any]]:
    """Return the public keys of the server, with all their fields."""
    return call("GET", "/keys", lambda body: _entries(body, "keys"))


def submit_cosignatures(note: SignedNote) -> Call[None]:
    """Submit the cosignatures of a checkpoint."""
    return call("POST", "/log/cosignatures", lambda _: None, body={"checkpoint": str(note)})


def _note(body: bytes) -> SignedNote:
    try:
        return SignedNote.parse(body)
    except Unreadable as error:
        raise InvalidResponse.with_message(
            "the server's checkpoint cannot be read: {reason}", reason=error.why
        ) from None


def _object(body: bytes, name: str) -> JsonObject:
    value = json_of(body)
    if not isinstance(value, dict):
        raise unexpected(name)
    return value


def _entries(body: bytes, field: str, limit: int | None = None) -> list[Any]:
    """Return the list in a field of a response. Raises InvalidResponse, also if it is longer than `limit`."""
    entries = _object(body, field).get(field)
    if not isinstance(entries, list) or (limit is not None and len(entries) > limit):
        raise unexpected(field)
    return entries


def _hashes(body: bytes, field: str, limit: int) -> list[bytes]:
    entries = _entries(body, field, limit)
    if not all(map(is_hash, entries)):
        raise unexpected(field)
    return [bytes.fromhex(entry) for entry in entries]
