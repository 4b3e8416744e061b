"""Accounts: players, their handles and passwords, and the tokens that authenticate their requests.

    cartulary:player:ID      hash: handle, password (argon2), created, and if given email, locale
    cartulary:handle:FOLDED  id of the player with that handle, which is case-insensitive
    cartulary:token:SHA256   id of the player whom the token authenticates; expires after TOKEN_DAYS

A player's id reveals nothing about the person, and it is all that the log of a game contains of
them. Passwords and tokens are stored as hashes only.
"""

import re
import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from threading import BoundedSemaphore, Lock
from typing import Final, cast

import redis
from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from cachetools import TTLCache
from redis.typing import EncodableT

from domain.errors import Malformed
from service import clock
from service.connection import to_text, unavailable_on_error
from service.errors import HandleTaken, NotFound, Unauthorised

TOKEN_DAYS: Final = 180
TOKEN_CACHE_TTL: Final = timedelta(seconds=5)
"""How long a process trusts a token without reading the store: it saves each action a round trip."""
MAX_CACHED_TOKENS: Final = 10_000
HANDLE_PATTERN: Final = re.compile(r"\w(?:[\w.-]{0,30}\w)?")
PASSWORD_LENGTHS: Final = (8, 1024)
"""The minimum and the maximum number of characters."""
EMAIL_PATTERN: Final = re.compile(r"[^\s@]+@[^\s@]+")
LOCALE_PATTERN: Final = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")

# The smallest setting that OWASP recommends: 19 MiB, two passes, one lane. At most two hashes are computed
# at a time, so that a burst of log-ins leaves memory and cores to the players.
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_HASHING: Final = BoundedSemaphore(2)
_UNUSED_HASH: Final = _HASHER.hash(secrets.token_urlsafe())
"""Verified if there is no such handle, so that the response time does not reveal it."""
_NOT_CACHED: Final = object()


@dataclass(frozen=True, slots=True)
class Player:
    """A player's account. `email` and `locale` are shown to nobody else."""

    id: str
    handle: str
    created: str
    email: str | None = field(default=None, repr=False)
    locale: str | None = None


class Players:
    """All accounts of a service. Thread-safe. Every method raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._token_owners: TTLCache[str, str | None] = TTLCache(
            MAX_CACHED_TOKENS,
            TOKEN_CACHE_TTL.total_seconds(),
            timer=lambda: clock.now().timestamp(),
        )
        """By key of a token, the id of its player; None for a token that was logged out here."""
        self._token_lock = Lock()

    def register(
        self, handle: str, password: str, email: str | None = None, locale: str | None = None
    ) -> tuple[Player, str]:
        """Create a player and a token. Raises Malformed (naming every wrong field), HandleTaken."""
        handle = unicodedata.normalize("NFC", handle)
        faults = _faults(handle, password, email, locale)
        if faults:
            raise Malformed(faults)
        handle_taken = HandleTaken(f"the handle {handle!r} is taken")
        with unavailable_on_error():
            if self._redis.exists(_handle_key(handle)):
                raise handle_taken
        player = Player(secrets.token_hex(8), handle, clock.format(clock.now()), email, locale)
        account: dict[EncodableT, EncodableT] = {
            "handle": handle,
            "password": _hash(password),
            "created": player.created,
        }
        if email is not None:
            account["email"] = email
        if locale is not None:
            account["locale"] = locale
        with unavailable_on_error():
            # The account is written before the handle that leads to it. A process that dies in between
            # leaves an account that nobody can reach, and the handle free.
            self._redis.hset(_player_key(player.id), mapping=account)
            if not self._redis.set(_handle_key(handle), player.id, nx=True):
                self._redis.delete(_player_key(player.id))
                raise handle_taken
        return player, self._create_token(player.id)

    def login(self, handle: str, password: str) -> str:
        """Return a new token. Raises Unauthorised, which does not reveal whether the handle exists."""
        player = self.by_handle(handle)
        stored = None
        if player is not None:
            with unavailable_on_error():
                stored = self._redis.hget(_player_key(player.id), "password")
        password_hash = _UNUSED_HASH if stored is None else to_text(stored)
        if not _is_password(password_hash, password) or player is None:
            raise Unauthorised("there is no player with this handle and password")
        if _HASHER.check_needs_rehash(password_hash):
            with unavailable_on_error():
                self._redis.hset(_player_key(player.id), "password", _hash(password))
        return self._create_token(player.id)

    def logout(self, token: str) -> None:
        """Revoke a token. Other processes may accept it for another TOKEN_CACHE_TTL."""
        key = _token_key(token)
        with unavailable_on_error():
            self._redis.delete(key)
        # Cached as revoked, not just dropped: another thread may have read the token before it was
        # deleted, and be about to cache it (`by_token`).
        with self._token_lock:
            self._token_owners[key] = None

    def by_token(self, token: str) -> str | None:
        """Return the id of the player whom a token authenticates; None if it is not valid.

        The store is read at most once per TOKEN_CACHE_TTL.
        """
        key = _token_key(token)
        with self._token_lock:
            cached = self._token_owners.get(key, _NOT_CACHED)
        if cached is not _NOT_CACHED:
            return cast("str | None", cached)
        with unavailable_on_error():
            stored = self._redis.get(key)
        if stored is None:
            return None
        with self._token_lock:
            return self._token_owners.setdefault(key, to_text(stored))

    def by_handle(self, handle: str) -> Player | None:
        """Return the player with a handle, in any case; None if there is none."""
        handle = unicodedata.normalize("NFC", handle)
        if not HANDLE_PATTERN.fullmatch(handle):
            return None
        with unavailable_on_error():
            player_id = self._redis.get(_handle_key(handle))
        return None if player_id is None else self.get([to_text(player_id)])[0]

    def get(self, ids: Sequence[str]) -> list[Player]:
        """Return the players with these ids, in this order. Raises NotFound for an unknown id."""
        fields = ("handle", "created", "email", "locale")
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for id in ids:
                pipeline.hmget(_player_key(id), fields)
            rows = pipeline.execute()
        players = []
        for id, row in zip(ids, rows, strict=True):
            handle, created, email, locale = (None if v is None else to_text(v) for v in row)
            if handle is None or created is None:
                raise NotFound(f"there is no player {id}")
            players.append(Player(id, handle, created, email, locale))
        return players

    def _create_token(self, player_id: str) -> str:
        token = secrets.token_urlsafe(32)
        with unavailable_on_error():
            self._redis.set(_token_key(token), player_id, ex=TOKEN_DAYS * 24 * 3600)
        return token


def _faults(handle: str, password: str, email: str | None, locale: str | None) -> dict[str, str]:
    faults = {}
    if not HANDLE_PATTERN.fullmatch(handle):
        faults["handle"] = (
            "must be 1 to 32 letters, digits, underscores, hyphens or full stops, and neither begin nor end"
            " with a hyphen or a full stop"
        )
    shortest, longest = PASSWORD_LENGTHS
    if not shortest <= len(password) <= longest:
        faults["password"] = f"must have {shortest} to {longest} characters"
    if email is not None and not (len(email) <= 254 and EMAIL_PATTERN.fullmatch(email)):
        faults["email"] = "must be an e-mail address"
    if locale is not None and not (len(locale) <= 35 and LOCALE_PATTERN.fullmatch(locale)):
        faults["locale"] = "must be a language tag such as en or fr-CH"
    return faults


def _hash(password: str) -> str:
    with _HASHING:
        return _HASHER.hash(_encoded(password))


def _is_password(password_hash: str, password: str) -> bool:
    with _HASHING:
        try:
            return _HASHER.verify(password_hash, _encoded(password))
        except VerifyMismatchError:
            return False


def _encoded(password: str) -> bytes:
    # JSON may contain a lone surrogate, which UTF-8 cannot encode.
    return password.encode("utf-8", "surrogatepass")


def _player_key(id: str) -> str:
    return f"cartulary:player:{id}"


def _handle_key(handle: str) -> str:
    return f"cartulary:handle:{handle.casefold()}"


def _token_key(token: str) -> str:
    return "cartulary:token:" + sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
