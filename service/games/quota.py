"""The quota of games: in how many current games a player may have a place."""

from domain.messages import plural_message
from service.errors import TooManyGames
from service.listings import Listings


class GameQuota:
    """Allows each player a place in at most `maximum` games that are open or in progress. Thread-safe."""

    def __init__(self, listings: Listings, maximum: int) -> None:
        self._listings = listings
        self._maximum = maximum

    def refusal(self, player: str) -> TooManyGames | None:
        """Return the error for a player who may not take a place in another game, otherwise None.

        Costs one round trip. The listings contain a game only after the request that changes it, so a
        player with concurrent requests can exceed the quota by as many games. Raises Unavailable.
        """
        if self._listings.count_current_games(player) < self._maximum:
            return None
        return TooManyGames(
            plural_message(
                "a player can have a place in one game that is open or in progress",
                "a player can have a place in at most {count} games that are open or in progress",
                count=self._maximum,
            )
        )
