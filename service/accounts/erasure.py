"""Erasure: a player leaves the server for good, and no data that identifies them stays.

Every part of the service registers how it deletes its data about a player: holidays, keys, games, sandboxes,
conditional actions, notifications, and texts in disputes and chats. The logs of games stay as they are. They
contain the player's id, which can no longer be resolved, and public keys.

An erasure that has begun is always completed: the id is first added to the list of erased players, and the
account is deleted last. The scheduler repeats erasures that may be incomplete, and every process repeats
those of accounts that a restored backup has brought back.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

import redis

from service.accounts.accounts import Players
from service.accounts.erased import ErasedPlayers
from service.accounts.tokens import TOKEN_CACHE_TTL
from service.connection import unavailable_on_error

log = logging.getLogger(__name__)

Search: TypeAlias = Callable[[Sequence[str]], Iterable[str]]
"""Returns the players, of these, of whom there is data."""

SECONDS_TO_SETTLE: Final = 2 * TOKEN_CACHE_TTL.total_seconds()
"""The time after which no request with a token of an erased player can still be under way."""
SECONDS_BETWEEN_REWRITES: Final = 3600
_REWRITE_DUE: Final = "cartulary:rewrite-due"
_REWRITTEN: Final = "cartulary:rewritten"
_IN_PROGRESS: Final = "in progress"
"""A part of the error of Redis if the file is already being rewritten."""


class Erasure:
    """Erases players. Thread-safe. Every method raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, erased: ErasedPlayers, players: Players) -> None:
        self._redis = client
        self._erased = erased
        self._players = players
        self._deletions: list[Callable[[str], object]] = []
        self._searches: list[tuple[Search, Callable[[str], object]]] = []

    def register(self, delete: Callable[[str], object], find: Search | None = None) -> None:
        """Register a function that deletes the data of a player, whose id is its argument. It is idempotent.

        Functions are called in the order of their registration. `find` takes ids of erased players, and
        returns those whose data exists again because a backup was restored.
        """
        self._deletions.append(delete)
        if find is not None:
            self._searches.append((find, delete))

    def erase(self, player: str, password: str | None) -> None:
        """Erase a player who repeats their password; a guest has none.

        Raises Malformed (no password), Forbidden, TooManyRequests.
        """
        self._players.require_password_of_owner(player, password)
        self.erase_without_password(player)

    def erase_without_password(self, player: str) -> None:
        """Erase a player without their password, after the decision of an administrator."""
        self._erased.add(player)
        self._complete(player)

    def resume(self) -> None:
        """Complete interrupted erasures, and repeat those during which the player may have acted."""
        for player in self._erased.unfinished(SECONDS_TO_SETTLE):
            self._complete(player)
            self._erased.finish(player)
            with unavailable_on_error():
                self._redis.set(_REWRITE_DUE, "1")

    def repeat_after_restore(self) -> None:
        """Call `repeat` if data may have been restored; otherwise read nothing about players."""
        if self._erased.has_lost_players():
            self.repeat()

    def repeat(self, *, is_thorough: bool = False) -> int:
        """Erase again the erased players whose accounts exist again, and return their number.

        With `is_thorough`, texts of erased players are also searched for in every game.
        """
        erased = self._erased.synchronize()
        restored = self._players.with_account(erased)
        for player in restored:
            log.warning("player %s was erased, and is erased again", player)
            self._erased.begin_again(player)
            self._complete(player)
        if is_thorough and erased:
            for find, delete in self._searches:
                for player in find(sorted(erased)):
                    delete(player)
        return len(restored)

    def compact(self) -> None:
        """Make Redis rewrite its append-only file if it may contain erased data, at most once an hour."""
        with unavailable_on_error():
            if not self._redis.exists(_REWRITE_DUE):
                return
            if not self._redis.set(_REWRITTEN, "1", nx=True, ex=SECONDS_BETWEEN_REWRITES):
                return
            self._redis.delete(_REWRITE_DUE)
            try:
                if self._redis.info("persistence").get("aof_enabled"):
                    self._redis.bgrewriteaof()
            except redis.ResponseError as error:
                log.warning("the append-only file is not rewritten after an erasure: %s", error)
                if _IN_PROGRESS in str(error):
                    # The other rewrite may have begun before the erasure, so another one is needed.
                    self._redis.set(_REWRITE_DUE, "1")
                    self._redis.delete(_REWRITTEN)

    def _complete(self, player: str) -> None:
        """Erase all remaining data of a player. Idempotent."""
        self._players.close_account(player)
        for delete in self._deletions:
            delete(player)
        self._players.delete_account(player)
