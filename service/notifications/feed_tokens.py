"""The secret addresses of a player's feeds: an Atom feed and a calendar.

    cartulary:feed:SHA256      id of the player to whom the feeds of this token belong
    cartulary:feeds:PLAYER     hash: SHA256 -> time of creation

Programs that read feeds cannot send a token in a header, so the address contains one. It gives access only to
the two feeds, and can be revoked separately. Only its hash is stored.
"""

import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import redis

from domain.messages import plural_message
from service import wall_clock
from service.accounts.account_reader import account_key
from service.bounded_collections import store_if_fewer
from service.connection import to_text, unavailable_on_error
from service.entered_text import trim_code
from service.errors import NotFound, TooManyFeeds

_FEED: Final = "cartulary:feed:"
_FEEDS: Final = "cartulary:feeds:"
_ID_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class Feed:
    """An address of feeds. `id` is the beginning of the hash of its token."""

    id: str
    created: str


class FeedTokens:
    """The feeds of all players. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, max_per_player: int) -> None:
        self._redis = client
        self._max_per_player = max_per_player

    def create(self, player: str) -> tuple[Feed, str]:
        """Create feeds of a player, and return them with their token. Raises TooManyFeeds."""
        token = secrets.token_urlsafe(32)
        digest = _digest(token)
        created = wall_clock.format(wall_clock.now())
        key = _FEEDS + player
        is_stored = store_if_fewer(
            self._redis,
            key,
            self._max_per_player,
            lambda pipeline: pipeline.hlen(key),
            lambda pipeline: pipeline.hset(key, digest, created),
        )
        if not is_stored:
            raise TooManyFeeds(
                plural_message(
                    "a player can have one address of feeds",
                    "a player can have at most {count} addresses of feeds",
                    count=self._max_per_player,
                )
            )
        with unavailable_on_error():
            # This key may be in another slot of a cluster. If this process dies in between, nobody has the
            # address, but it is listed and can be revoked.
            self._redis.set(_FEED + digest, player)
        return Feed(digest[:_ID_DIGITS], created), token

    def of(self, player: str) -> list[Feed]:
        """Return the feeds of a player, the oldest first."""
        with unavailable_on_error():
            stored = self._redis.hgetall(_FEEDS + player)
        feeds = (Feed(to_text(digest)[:_ID_DIGITS], to_text(at)) for digest, at in stored.items())
        return sorted(feeds, key=lambda feed: (feed.created, feed.id))

    def owner(self, token: str) -> str:
        """Return the id of the player to whom the feeds of a token belong. Raises NotFound."""
        with unavailable_on_error():
            player = self._redis.get(_FEED + _digest(token))
            if player is not None and self._redis.exists(account_key(to_text(player))):
                return to_text(player)
        raise NotFound.with_message("there is no such feed")

    def revoke(self, player: str, id: str) -> None:
        """Revoke feeds of a player. Raises NotFound."""
        with unavailable_on_error():
            digests = [to_text(digest) for digest in self._redis.hkeys(_FEEDS + player)]
            digest = next((digest for digest in digests if digest[:_ID_DIGITS] == id), None)
            if digest is None:
                raise NotFound.with_message("there is no such feed")
            # The address is deleted first: if this process dies in between, it is still listed and can be
            # revoked again.
            self._redis.delete(_FEED + digest)
            self._redis.hdel(_FEEDS + player, digest)

    def delete_all_of(self, player: str) -> None:
        """Revoke all feeds of a player."""
        for feed in self.of(player):
            self.revoke(player, feed.id)


def _digest(token: str) -> str:
    return sha256(trim_code(token).encode()).hexdigest()
