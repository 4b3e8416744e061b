"""Tokens, which authenticate the requests of players, and the sessions that they stand for.

    cartulary:token:SHA256   id of the player whom the token authenticates; expires after TOKEN_DAYS
    cartulary:sessions:ID    hash: SHA256 -> JSON {"created", "used", "client"}, the sessions of a player; and
                             `complete` if every valid token of the player has a session

A token is a random string, and only its hash is stored. Tokens that earlier versions created have no session
until they are used. When all sessions are ended, those tokens end as well: that is what `complete` is for.
"""

import secrets
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from threading import Lock
from typing import Final, cast

import orjson
import redis
from cachetools import LRUCache, TTLCache
from redis.client import Pipeline

from service import wall_clock
from service.accounts.personal_tokens import (
    ID_DIGITS,
    PREFIX,
    PersonalToken,
    PersonalTokens,
    Scope,
    decode,
    personal_digest_key,
    personal_tokens_key,
)
from service.connection import text_or_none, to_text, unavailable_on_error, which_exist
from service.errors import NotFound, Unauthorised

TOKEN_DAYS: Final = 180
TOKEN_CACHE_TTL: Final = timedelta(seconds=5)
"""How long a process trusts a token without reading the store: it saves each action a round trip."""
MAX_CACHED_TOKENS: Final = 10_000
MAX_CLIENT_LENGTH: Final = 100
TOKEN_SECONDS: Final = TOKEN_DAYS * 24 * 3600
_COMPLETE: Final = "complete"
_NOT_CACHED: Final = object()


@dataclass(frozen=True, slots=True)
class Session:
    """A valid token of a player. `id` is the beginning of its hash.

    `created` is None for a token of an earlier version. `last_used` is the hour of the last use, or `created`
    if that is later. `client` is how the program that logged in named itself, if it did.
    """

    id: str
    digest: str
    created: str | None
    last_used: str
    client: str | None


@dataclass(frozen=True, slots=True)
class TokenOwner:
    """The player whom a token authenticates: the id, and the locale and the time zone of the account."""

    id: str
    locale: str | None = None
    time_zone: str | None = None
    scopes: frozenset[Scope] | None = None
    """What a personal token allows; None for a session, which may do everything."""


class Tokens:
    """All tokens of a service. Thread-safe. Every method raises Unavailable if Redis does not respond.

    `account_key` returns the key of the account with an id. Tokens without an account are not valid. A player
    has at most `max_sessions`; another one ends the session that was unused for longest. `personal` are the
    personal tokens, which `owner` accepts as well.
    """

    def __init__(
        self,
        client: redis.Redis,
        account_key: Callable[[str], str],
        max_sessions: int,
        personal: PersonalTokens,
    ) -> None:
        self.personal = personal
        self._redis = client
        self._account_key = account_key
        self._max_sessions = max_sessions
        self._owners: TTLCache[str, TokenOwner | None] = TTLCache(
            MAX_CACHED_TOKENS,
            TOKEN_CACHE_TTL.total_seconds(),
            # A change of the time of day must not prolong the trust in a token. The function is looked up at
            # each call, so that tests can replace it.
            timer=lambda: time.monotonic(),  # noqa: PLW0108 # see above
        )
        """By key of a token, its player; None for a token that was revoked here."""
        self._endings: list[Callable[[str], object]] = []
        self._last_owners: LRUCache[str, TokenOwner] = LRUCache(MAX_CACHED_TOKENS)
        self._refused: LRUCache[str, bool] = LRUCache(MAX_CACHED_TOKENS)
        """Keys of tokens that were valid, and that were not, when they were looked up last.

        They are apart, so that any number of invalid tokens displaces no valid one.
        """
        self._lock = Lock()

    def create(self, player_id: str, client: str | None = None, *, is_first: bool = False) -> str:
        """Return a new token of a player. `is_first` states that the player has had no token before."""
        token = secrets.token_urlsafe(32)
        digest, sessions = _digest(token), sessions_key(player_id)
        now = wall_clock.now()
        session = {
            "created": wall_clock.format(now),
            "used": wall_clock.hour(),
            "client": None if client is None else client[:MAX_CLIENT_LENGTH],
        }
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            pipeline.set(_token_key(digest), player_id, ex=TOKEN_SECONDS)
            pipeline.hset(sessions, digest, orjson.dumps(session))
            if is_first:
                pipeline.hset(sessions, _COMPLETE, "1")
            pipeline.expire(sessions, TOKEN_SECONDS)
            pipeline.hlen(sessions)
            length = pipeline.execute()[-1]
        if length > self._max_sessions:
            idle = self.sessions(player_id)[self._max_sessions :]
            self._end(player_id, [entry.digest for entry in idle if entry.digest != digest])
        return token

    def sessions(self, player_id: str) -> list[Session]:
        """Return the sessions of a player, the one used last first."""
        with unavailable_on_error():
            stored = self._redis.hgetall(sessions_key(player_id))
            entries = {to_text(name): value for name, value in stored.items()}
            entries.pop(_COMPLETE, None)
            are_valid = which_exist(self._redis, map(_token_key, entries))
            expired = [d for d, is_valid in zip(entries, are_valid, strict=True) if not is_valid]
            if expired:
                self._redis.hdel(sessions_key(player_id), *expired)
        sessions = [
            _session(digest, value) for digest, value in entries.items() if digest not in expired
        ]
        return sorted(
            sessions, key=lambda session: (session.last_used, session.created or ""), reverse=True
        )

    def valid_sessions(self, player_id: str, digests: Collection[str]) -> set[str]:
        """Return those of some hashes of tokens that are of sessions of a player which have not ended."""
        if not digests:
            return set()
        ordered = sorted(digests)
        with unavailable_on_error():
            entries = self._redis.hmget(sessions_key(player_id), ordered)
            exist = which_exist(self._redis, map(_token_key, ordered))
        return {
            digest
            for digest, entry, exists in zip(ordered, entries, exist, strict=True)
            if exists and entry is not None
        }

    def register_ending(self, end: Callable[[str], object]) -> None:
        """Register a function that ends what belongs to no session when all sessions of a player are ended.

        Its argument is the id of the player. What belongs to a session asks `valid_sessions`.
        """
        self._endings.append(end)

    def end(self, player_id: str, session_id: str) -> None:
        """End a session of a player. Raises NotFound.

        Other processes may accept its token for another TOKEN_CACHE_TTL, as in the methods below.
        """
        digests = [s.digest for s in self.sessions(player_id) if s.id == session_id]
        if not digests:
            raise NotFound.with_message(
                "this player has no session {session}", session=session_id[:64]
            )
        self._end(player_id, digests)

    def end_all(self, player_id: str, except_token: str | None = None) -> None:
        """End all sessions of a player, with or without that of one token.

        Without one, nobody can use the account: personal tokens are revoked as well.
        """
        excepted_digest = None if except_token is None else _digest(except_token)
        with unavailable_on_error():
            # From now on, a token without a session is not valid. The session that stays needs one.
            self._redis.hset(sessions_key(player_id), _COMPLETE, "1")
        digests = [s.digest for s in self.sessions(player_id) if s.digest != excepted_digest]
        if digests:
            self._end(player_id, digests)
        if except_token is None:
            self.revoke_all_personal(player_id)
        for end in self._endings:
            end(player_id)

    def create_personal(
        self, player_id: str, session_token: str, name: str, scopes: Collection[str], days: int
    ) -> tuple[PersonalToken, str]:
        """Return a new personal token of a player, and its secret string; see `PersonalTokens.create`.

        It does not outlive a session that has ended: raises Unauthorised if that of `session_token` has,
        also in another process, or ends meanwhile.
        """
        token, secret = self.personal.create(player_id, name, scopes, days)
        # Whatever ends sessions does so before it revokes personal tokens.
        self.forget_owner(session_token)
        if self.owner(session_token) is None:
            self._revoke_personal(player_id, [token.digest])
            raise Unauthorised.with_message("the token is invalid or has expired")
        return token, secret

    def revoke_personal(self, player_id: str, token_id: str) -> None:
        """Revoke a personal token of a player. Raises NotFound.

        Other processes may accept it for another TOKEN_CACHE_TTL.
        """
        self._revoke_personal(player_id, [self.personal.find(player_id, token_id).digest])

    def revoke_all_personal(self, player_id: str) -> None:
        """Revoke all personal tokens of a player, like `revoke_personal`."""
        self._revoke_personal(player_id, [token.digest for token in self.personal.of(player_id)])

    def _revoke_personal(self, player_id: str, digests: Sequence[str]) -> None:
        self.personal.delete(player_id, digests)
        self._refuse_revoked([personal_digest_key(digest) for digest in digests])

    def revoke(self, token: str) -> None:
        """Revoke a token. Other processes may accept it for another TOKEN_CACHE_TTL."""
        digest = _digest(token)
        with unavailable_on_error():
            owner = self._redis.get(_token_key(digest))
        if owner is not None:
            self._end(to_text(owner), [digest])

    def last_owner(self, token: str) -> TokenOwner | None:
        """Return the player of a token that was valid when this process looked it up last; else None.

        Does not read the store, so it authenticates nobody: the token may have been revoked since.
        """
        with self._lock:
            return self._last_owners.get(token_key(token))

    def was_refused(self, token: str) -> bool:
        """Return whether a token was not valid when this process looked it up last.

        Does not read the store.
        """
        with self._lock:
            return token_key(token) in self._refused

    def owner(self, token: str) -> TokenOwner | None:
        """Return the player whom a token authenticates; None if it is not valid.

        The store is read at most once per TOKEN_CACHE_TTL, and written at most once per hour.
        """
        digest = _digest(token)
        is_personal = token.startswith(PREFIX)
        key = personal_digest_key(digest) if is_personal else _token_key(digest)
        with self._lock:
            cached = self._owners.get(key, _NOT_CACHED)
        if cached is not _NOT_CACHED:
            return cast("TokenOwner | None", cached)
        with unavailable_on_error():
            stored = self._redis.get(key)
            if stored is None:
                self._refuse(key)
                return None
            player_id = to_text(stored)
            with self._redis.pipeline(transaction=False) as pipeline:
                fields = ("created", "suspended_at", "locale", "time_zone")
                pipeline.hmget(self._account_key(player_id), *fields)
                if is_personal:
                    pipeline.hget(personal_tokens_key(player_id), digest)
                else:
                    pipeline.hmget(sessions_key(player_id), digest, _COMPLETE)
                (created, suspended_at, *settings), entry = pipeline.execute()
            scopes: frozenset[Scope] | None = None
            if is_personal:
                personal = None if entry is None else decode(digest, entry)
                if created is None or personal is None or suspended_at is not None:
                    self._refuse(key)
                    return None
                self.personal.note_use(player_id, personal, wall_clock.hour())
                scopes = frozenset(personal.scopes)
            else:
                session, is_complete = entry
                if created is None or (session is None and is_complete is not None):
                    self._refuse(key)
                    return None
                self._note_use(player_id, digest, session)
        locale, zone = map(text_or_none, settings)
        owner = TokenOwner(player_id, locale, zone, scopes)
        with self._lock:
            current = self._owners.setdefault(key, owner)
            if current is not None:
                self._last_owners[key] = current
            return current

    def forget_owner(self, token: str) -> None:
        """Have the account of a token's player read again. Other processes know it for TOKEN_CACHE_TTL."""
        with self._lock:
            self._owners.pop(token_key(token), None)

    def _refuse(self, key: str) -> None:
        """Remember that the token with this key is not valid."""
        with self._lock:
            self._last_owners.pop(key, None)
            self._refused[key] = True

    def _note_use(self, player_id: str, digest: str, stored: bytes | None) -> None:
        """Store the hour in which a token is used, unless it is stored already."""
        entry = {"created": None, "client": None} if stored is None else orjson.loads(stored)
        if entry.get("used") == wall_clock.hour():
            return
        with self._redis.pipeline(transaction=False) as pipeline:
            value = orjson.dumps({**entry, "used": wall_clock.hour()})
            pipeline.hset(sessions_key(player_id), digest, value)
            pipeline.expire(sessions_key(player_id), TOKEN_SECONDS)
            pipeline.execute()

    def _end(self, player_id: str, digests: Sequence[str]) -> None:
        pipeline: Pipeline
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for digest in digests:
                pipeline.delete(_token_key(digest))
            if digests:
                pipeline.hdel(sessions_key(player_id), *digests)
            pipeline.execute()
        self._refuse_revoked([_token_key(digest) for digest in digests])

    def _refuse_revoked(self, keys: Sequence[str]) -> None:
        """Refuse the tokens with these keys, which were deleted, from now on.

        They are cached as revoked, not just dropped: another thread may have read a token before it was
        deleted, and be about to cache it (`owner`).
        """
        with self._lock:
            for key in keys:
                self._owners[key] = None
        for key in keys:
            self._refuse(key)


def _session(digest: str, value: bytes | str) -> Session:
    entry = orjson.loads(value)
    created, used = entry["created"], entry["used"]
    # The hour of the first use has begun before the session.
    last_used = used if created is None else max(created, used)
    return Session(digest[:ID_DIGITS], digest, created, last_used, entry["client"])


def session_id(token: str) -> str:
    """Return the id of the session of a token."""
    return _digest(token)[:ID_DIGITS]


def token_key(token: str) -> str:
    """Return the key in Redis of a token. It reveals nothing about the token."""
    digest = _digest(token)
    return personal_digest_key(digest) if token.startswith(PREFIX) else _token_key(digest)


def sessions_key(player_id: str) -> str:
    """Return the key in Redis of the sessions of a player."""
    return f"cartulary:sessions:{player_id}"


def _token_key(digest: str) -> str:
    return f"cartulary:token:{digest}"


def _digest(token: str) -> str:
    # The same as in personal_tokens.py, which the path of an action need not pass through.
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
