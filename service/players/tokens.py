"""Tokens: random strings that authenticate the requests of a player, stored as hashes only.

cartulary:token:SHA256   id of the player whom the token authenticates; expires after TOKEN_DAYS
"""

import secrets
import time
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256
from threading import Lock
from typing import Final, cast

import redis
from cachetools import TTLCache

from service.connection import to_text, unavailable_on_error

TOKEN_DAYS: Final = 180
TOKEN_CACHE_TTL: Final = timedelta(seconds=5)
"""How long a process trusts a token without reading the store: it saves each action a round trip."""
MAX_CACHED_TOKENS: Final = 10_000
_NOT_CACHED: Final = object()


class Tokens:
    """All tokens of a service. Thread-safe. Every method raises Unavailable if Redis does not respond.

    `has_account` returns whether there is an account with an id. Tokens of a deleted account are not valid.
    """

    def __init__(self, client: redis.Redis, has_account: Callable[[str], bool]) -> None:
        self._redis = client
        self._has_account = has_account
        self._owners: TTLCache[str, str | None] = TTLCache(
            MAX_CACHED_TOKENS,
            TOKEN_CACHE_TTL.total_seconds(),
            # A change of the time of day must not prolong the trust in a token. The function is looked up at
            # each call, so that tests can replace it.
            timer=lambda: time.monotonic(),  # noqa: PLW0108 # see above
        )
        """By key of a token, the id of its player; None for a token that was revoked here."""
        self._lock = Lock()

    def create(self, player_id: str) -> str:
        """Return a new token of a player."""
        token = secrets.token_urlsafe(32)
        with unavailable_on_error():
            self._redis.set(token_key(token), player_id, ex=TOKEN_DAYS * 24 * 3600)
        return token

    def revoke(self, token: str) -> None:
        """Revoke a token. Other processes may accept it for another TOKEN_CACHE_TTL."""
        key = token_key(token)
        with unavailable_on_error():
            self._redis.delete(key)
        # Cached as revoked, not just dropped: another thread may have read the token before it was
        # deleted, and be about to cache it (`owner`).
        with self._lock:
            self._owners[key] = None

    def cached_owner(self, token: str) -> str | None:
        """Return the id of the player of a token that was looked up lately; else None.

        Does not read the store.
        """
        with self._lock:
            return self._owners.get(token_key(token))

    def owner(self, token: str) -> str | None:
        """Return the id of the player whom a token authenticates; None if it is not valid.

        The store is read at most once per TOKEN_CACHE_TTL.
        """
        key = token_key(token)
        with self._lock:
            cached = self._owners.get(key, _NOT_CACHED)
        if cached is not _NOT_CACHED:
            return cast("str | None", cached)
        with unavailable_on_error():
            stored = self._redis.get(key)
        if stored is None or not self._has_account(to_text(stored)):
            return None
        with self._lock:
            return self._owners.setdefault(key, to_text(stored))


def token_key(token: str) -> str:
    """Return the key in Redis of a token. It reveals nothing about the token."""
    return "cartulary:token:" + sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
