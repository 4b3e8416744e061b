"""The parts of the accounts, and how they are connected."""

from dataclasses import dataclass

import redis

from service.accounts.accounts import Players
from service.accounts.erased import ErasedPlayers
from service.accounts.erasure import Erasure
from service.accounts.holidays import Holidays
from service.accounts.keys import PlayerKeys
from service.accounts.mutes import Mutes
from service.clock import TrustedClock
from service.settings import Settings


@dataclass(frozen=True, slots=True)
class Accounts:
    """All parts of the accounts, for one process. Thread-safe."""

    players: Players
    keys: PlayerKeys
    holidays: Holidays
    mutes: Mutes
    erasure: Erasure


def build_accounts(client: redis.Redis, settings: Settings, clock: TrustedClock) -> Accounts:
    """Return the accounts that these settings describe."""
    bounds = settings.bounds
    erased = ErasedPlayers(client, settings.data)
    players = Players(client, bounds, erased)
    keys = PlayerKeys(client, bounds)
    mutes = Mutes(client, bounds.max_mutes_per_player)
    erasure = Erasure(client, erased, players)
    erasure.register(mutes.delete_all_of)
    erasure.register(keys.delete)
    return Accounts(players, keys, Holidays(client, clock, bounds), mutes, erasure)
