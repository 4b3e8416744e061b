"""Creates the objects of `service.accounts`, and connects them."""

import redis

from service.accounts.accounts import Players
from service.accounts.erased import ErasedPlayers
from service.accounts.erasure import Erasure
from service.accounts.holidays import Holidays
from service.accounts.keys import PlayerKeys
from service.accounts.mutes import Mutes
from service.settings import Settings
from service.wall_clock import TrustedClock


class Accounts:
    """The objects of `service.accounts` for one process, as the settings describe them. Thread-safe."""

    def __init__(self, client: redis.Redis, settings: Settings, clock: TrustedClock) -> None:
        bounds = settings.bounds
        erased = ErasedPlayers(client, settings.data)
        self.players = Players(client, bounds, erased)
        self.keys = PlayerKeys(client, bounds)
        self.holidays = Holidays(client, clock, bounds)
        self.mutes = Mutes(client, bounds.max_mutes_per_player)
        self.erasure = Erasure(client, erased, self.players)
        self.erasure.register(self.mutes.delete_all_of)
        self.erasure.register(self.keys.delete)
        self.erasure.register(self.players.presence.forget)
