"""Where the parts of the service are put together; nowhere else is one part told which others there are."""

from dataclasses import dataclass

import redis

from service.connection import connect
from service.games import Games
from service.games.cache import GameCache
from service.keyring import Keyring
from service.listings import Listings
from service.players import Players
from service.settings import Settings
from service.store.event_store import Log
from service.store.redis_event_store import RedisEventStore


@dataclass(frozen=True, slots=True)
class Service:
    """All parts of a service, for one process. Safe for threads; nothing connects before it is used."""

    settings: Settings
    redis: redis.Redis
    log: Log
    games: Games
    players: Players
    listings: Listings
    keyring: Keyring


def build(settings: Settings, *, makes_keys: bool = True) -> Service:
    """The service that these settings describe. `makes_keys`: see `Keyring`."""
    client = connect(settings.redis_url)
    log = RedisEventStore(client)
    listings = Listings(client)
    keyring = Keyring(client, settings.signing_key, makes_keys=makes_keys)
    games = Games(log, GameCache(settings.cache_games), keyring, listings)
    return Service(settings, client, log, games, Players(client), listings, keyring)
