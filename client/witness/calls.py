"""The calls of the transparency log. What they return is bounded and well-formed, but not verified."""

from typing import Any, Final

from client.calls import Call, call
from client.errors import InvalidResponse
from client.results import json_of, unexpected
from domain.errors import Unreadable
from domain.messages import message
from ledger.envelope import is_hash
from ledger.merkle import MAX_PATH
from ledger.signed_note import SignedNote

PAGE_LEAVES: Final = 2_048
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
    """Return the hashes of at least one and at most `count` leaves from leaf `after` on."""

    def read(body: bytes) -> list[bytes]:
        if hashes := _hashes(body, "leaves", count):
            return hashes
        raise InvalidResponse(
            message("the server does not show leaf {leaf} of its log", leaf=after)
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


def submit_cosignatures(note: SignedNote) -> Call[None]:
    """Submit the cosignatures of a checkpoint."""
    return call("POST", "/log/cosignatures", lambda _: None, body={"checkpoint": str(note)})


def _note(body: bytes) -> SignedNote:
    try:
        return SignedNote.parse(body)
    except Unreadable as error:
        raise InvalidResponse(
            message("the server's checkpoint cannot be read: {reason}", reason=error.why)
        ) from None


def _entries(body: bytes, field: str, limit: int) -> list[Any]:
    """Return the list in a field of a response. Raises InvalidResponse, as for one that is too long."""
    value = json_of(body)
    entries = value.get(field) if isinstance(value, dict) else None
    if not isinstance(entries, list) or len(entries) > limit:
        raise unexpected(field)
    return entries


def _hashes(body: bytes, field: str, limit: int) -> list[bytes]:
    entries = _entries(body, field, limit)
    if not all(map(is_hash, entries)):
        raise unexpected(field)
    return [bytes.fromhex(entry) for entry in entries]
