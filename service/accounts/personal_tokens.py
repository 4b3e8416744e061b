"""Personal tokens, with which programs act for a player, within the scopes of the token.

    cartulary:personal-token:SHA256     id of the player; it expires at the end of the token
    cartulary:personal-tokens:PLAYER    hash: SHA256 -> JSON {"name", "scopes", "created", "ends", "used"}

A token is a random string that begins with PREFIX, and only its hash is stored. Sessions (tokens.py) have
other keys, so that no version of the program mistakes a personal token for a session, which may do
everything.
"""

import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from hashlib import sha256
from itertools import compress
from typing import Any, Final, Literal, TypeAlias, get_args

import orjson
import redis
from redis.client import Pipeline

from domain.errors import Malformed
from domain.messages import Message, comma_list, message, plural_message
from service import wall_clock
from service.bounded_collections import store_if_fewer
from service.connection import to_text, unavailable_on_error, which_exist
from service.errors import NotFound, TooManyPersonalTokens
from service.stored_objects import decode_object, members_of

Scope: TypeAlias = Literal["read", "play", "chat", "webhooks"]
SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
PREFIX: Final = "cartulary_"
MAX_NAME_LENGTH: Final = 60
MAX_DAYS: Final = 366
ID_DIGITS: Final = 16
_DAY_MILLISECONDS: Final = 24 * 3600 * 1000


@dataclass(frozen=True, slots=True)
class PersonalToken:
    """A personal token of a player. `id` is the beginning of its hash; `used` is the hour of its last use."""

    digest: str
    name: str
    scopes: tuple[Scope, ...]
    created: str
    ends: str
    used: str | None = None
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def id(self) -> str:
        """The name of the token in addresses."""
        return self.digest[:ID_DIGITS]


class PersonalTokens:
    """The personal tokens of all players. Every method raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, max_tokens: int) -> None:
        """A player has at most `max_tokens`."""
        self._redis = client
        self._max_tokens = max_tokens

    def create(
        self, player_id: str, name: str, scopes: Collection[str], days: int
    ) -> tuple[PersonalToken, str]:
        """Return a new token of a player, which is valid for a number of days, and its secret string.

        Raises Malformed (naming every wrong field), TooManyPersonalTokens.
        """
        if faults := _faults(name, scopes, days):
            raise Malformed(faults)
        secret = PREFIX + secrets.token_urlsafe(32)
        now = wall_clock.now()
        token = PersonalToken(
            digest_of(secret),
            name.strip(),
            tuple(scope for scope in SCOPES if scope in scopes),
            wall_clock.format(now),
            wall_clock.format(now + timedelta(days=days)),
        )
        self.of(player_id)  # forgets those that have ended
        key = personal_tokens_key(player_id)
        digest_key = personal_digest_key(token.digest)
        with unavailable_on_error():
            # A token without an entry is not valid; an entry without a token is removed by `of`.
            self._redis.set(digest_key, player_id, px=days * _DAY_MILLISECONDS)
        is_stored = store_if_fewer(
            self._redis,
            key,
            self._max_tokens,
            lambda pipeline: pipeline.hlen(key),
            lambda pipeline: pipeline.hset(key, token.digest, _encode(token)),
        )
        if not is_stored:
            with unavailable_on_error():
                self._redis.delete(digest_key)
            raise TooManyPersonalTokens(
                plural_message(
                    "a player can have one personal token: revoke it first",
                    "a player can have at most {count} personal tokens: revoke one of them first",
                    count=self._max_tokens,
                )
            )
        return token, secret

    def of(self, player_id: str) -> list[PersonalToken]:
        """Return the valid personal tokens of a player, the oldest first."""
        with unavailable_on_error():
            stored: dict[Any, Any] = self._redis.hgetall(personal_tokens_key(player_id))
            tokens = [decode(to_text(digest), value) for digest, value in stored.items()]
            valid = self.valid([token.digest for token in tokens])
            ended = [token.digest for token in tokens if token.digest not in valid]
            if ended:
                self._redis.hdel(personal_tokens_key(player_id), *ended)
        remaining = [token for token in tokens if token.digest in valid]
        return sorted(remaining, key=lambda token: (token.created, token.digest))

    def valid(self, digests: Sequence[str]) -> set[str]:
        """Return the digests, of these, whose tokens are valid."""
        if not digests:
            return set()
        return {*compress(digests, which_exist(self._redis, map(personal_digest_key, digests)))}

    def find(self, player_id: str, token_id: str) -> PersonalToken:
        """Return a valid personal token of a player. Raises NotFound."""
        for token in self.of(player_id):
            if token.id == token_id:
                return token
        raise NotFound.with_message(
            "this player has no personal token {token}", token=token_id[:64]
        )

    def delete(self, player_id: str, digests: Iterable[str]) -> None:
        """Delete personal tokens of a player."""
        with unavailable_on_error():
            for digest in digests:
                self._redis.delete(personal_digest_key(digest))
                self._redis.hdel(personal_tokens_key(player_id), digest)

    def note_use(self, player_id: str, token: PersonalToken, hour: str) -> None:
        """Store the hour in which a token is used, unless it is stored already or the token was revoked."""
        if token.used == hour:
            return
        key = personal_tokens_key(player_id)

        def store(pipeline: Pipeline) -> None:
            exists = pipeline.hexists(key, token.digest)
            pipeline.multi()
            if exists:
                pipeline.hset(key, token.digest, _encode(replace(token, used=hour)))

        with unavailable_on_error():
            self._redis.transaction(store, key)


def digest_of(token: str) -> str:
    """Return the hash under which a token is stored."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def personal_tokens_key(player_id: str) -> str:
    """Return the key in Redis of the personal tokens of a player."""
    return f"cartulary:personal-tokens:{player_id}"


def personal_digest_key(digest: str) -> str:
    """Return the key in Redis of the personal token with this hash."""
    return f"cartulary:personal-token:{digest}"


def _faults(name: str, scopes: Collection[str], days: int) -> dict[str, Message]:
    faults = {}
    if not name.strip() or len(name) > MAX_NAME_LENGTH or not name.isprintable():
        faults["name"] = message("must have 1 to {max} printable characters", max=MAX_NAME_LENGTH)
    if not scopes or not set(scopes) <= set(SCOPES):
        faults["scopes"] = message("must be some of {scopes}", scopes=comma_list(SCOPES))
    if not 1 <= days <= MAX_DAYS:
        faults["days"] = message("must be from 1 to {max}", max=MAX_DAYS)
    return faults


def _encode(token: PersonalToken) -> bytes:
    fields = members_of(token)
    del fields["digest"]
    return orjson.dumps(fields)


def decode(digest: str, value: bytes | str) -> PersonalToken:
    """Return the personal token of an entry in the hash of its player."""
    fields = orjson.loads(value)
    return decode_object(
        PersonalToken, {**fields, "digest": digest, "scopes": tuple(fields["scopes"])}
    )
