"""Bounds the number of games in which a player has a place, as counted in the listings."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from domain.messages import plural_message
from service.errors import TooManyGames
from service.games.listings import Listings


class GameQuota:
    """Allows each player a place in at most `maximum` games that are open or in progress. Thread-safe."""

    def __init__(self, listings: Listings, maximum: int) -> None:
        self._listings = listings
        self._maximum = maximum

    def refusal(self, player: str) -> TooManyGames | None:
        """Return the error for a player who may not take a place in another game, otherwise None.

        This costs one round trip. Raises Unavailable.
        """
        has_room = self._listings.count_current_games(player) < self._maximum
        return None if has_room else self._too_many()

    @contextmanager
    def place(self, player: str, idempotency_key: str | None) -> Iterator[TooManyGames | None]:
        """Reserve a place for the block in which the player takes it, after which the listings have it.

        Yields the result of `refusal`, also counting the places that other requests are about to
        take. Requests with
        the same idempotency key take one place.
        """
        name = idempotency_key or secrets.token_hex(16)
        with self._listings.reserve_current_game(player, self._maximum, name) as has_room:
            yield None if has_room else self._too_many()

    def _too_many(self) -> TooManyGames:
        return TooManyGames(
            plural_message(
                "a player can have a place in one game that is open or in progress",
                "a player can have a place in at most {count} games that are open or in progress",
                count=self._maximum,
            )
        )
