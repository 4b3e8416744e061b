"""The parts of the tournaments, and how they are connected."""

from dataclasses import dataclass

import redis

from service.accounts.components import Accounts
from service.clock import TrustedClock
from service.clubs.clubs import Clubs
from service.games.components import Games
from service.keyring import Keyring
from service.replication import Replication
from service.settings import Settings
from service.store.event_store import EventStore
from service.tournaments.games import TournamentGames
from service.tournaments.store import TournamentStore
from service.tournaments.tournaments import Tournaments
from service.tournaments.work import TournamentWork
from service.transparency.components import Transparency


@dataclass(frozen=True, slots=True)
class TournamentParts:
    """All parts of the tournaments, for one process. Thread-safe."""

    tournaments: Tournaments
    work: TournamentWork
    store: TournamentStore


def build_tournaments(
    client: redis.Redis,
    settings: Settings,
    event_store: EventStore,
    clock: TrustedClock,
    keyring: Keyring,
    replication: Replication,
    accounts: Accounts,
    transparency: Transparency,
    games: Games,
    clubs: Clubs,
) -> TournamentParts:
    """Return the tournaments that these settings describe."""
    store = TournamentStore(client, replication)
    tournaments = Tournaments(
        store,
        clock,
        keyring,
        accounts.players,
        games.requirements,
        transparency.proofs,
        settings.bounds.min_seconds_per_turn,
        clubs,
    )
    accounts.erasure.register(tournaments.withdraw_everywhere)
    creator = TournamentGames(games.repository, keyring, accounts.keys, accounts.holidays)
    work = TournamentWork(
        tournaments, store, event_store, games.repository, creator, clock, transparency.log
    )
    return TournamentParts(tournaments, work, store)
