"""Idempotency records: which request was made under an idempotency key."""

import json
from hashlib import sha256
from typing import Final

from service.store.event_store import IdempotencyRecord

_REQUEST_ENCODER: Final = json.JSONEncoder(sort_keys=True)


def idempotency_record(player: str, key: str | None, request: object) -> IdempotencyRecord | None:
    """Return the record for a player's idempotency key (None: no key) and request (decoded JSON)."""
    if key is None:
        return None
    # Not canonical JSON: even a malformed request with huge numbers or lone surrogates has a digest.
    body = _REQUEST_ENCODER.encode(request)
    return IdempotencyRecord(f"{player}/{_digest(key.encode())}", _digest(body.encode()))


def game_id_of(record: IdempotencyRecord) -> str:
    """Return the id of the game that a request with an idempotency key creates: always the same one."""
    return sha256(record.name.encode()).hexdigest()[:16]


def _digest(value: bytes) -> str:
    return sha256(value).hexdigest()[:32]
