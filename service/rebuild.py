"""Make again from the logs what is only derived from them: the listings, and which games are live."""

from collections.abc import Iterator

from service.games import Games
from service.listings import Listings
from service.store.event_store import Log


def rebuild(log: Log, games: Games, listings: Listings) -> Iterator[str]:
    """Throw the listings away and list every game there is; their ids, each when it is done.

    May run while games are played: what changes meanwhile is listed by whoever changes it. Raises
    Unavailable; then it is to be run again.
    """
    listings.clear()
    for game in log.games():
        # What is noted of a game is found only where the game is among the live ones.
        log.expect(game)
        games.index(game)
        yield game
