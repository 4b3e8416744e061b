"""Creates the objects of `service.tournaments`, and connects them."""

import redis

from service.accounts.parts import Accounts
from service.clubs.clubs import Clubs
from service.games.parts import Games
from service.keyring import Keyring
from service.replication import Replication
from service.settings import Settings
from service.store.redis_event_store import RedisEventStore
from service.tournaments.breaks import ArenaBreaks
from service.tournaments.changes import TournamentChanges
from service.tournaments.progress import TournamentGames, TournamentProgress
from service.tournaments.store import TournamentStore
from service.tournaments.teams import TournamentTeams
from service.tournaments.tournaments import Tournaments
from service.transparency.head_log import HeadLog
from service.transparency.parts import Transparency
from service.wall_clock import TrustedClock


class TournamentParts:
    """The objects of `service.tournaments` for one process, as the settings describe them. Thread-safe."""

    def __init__(
        self,
        client: redis.Redis,
        settings: Settings,
        event_store: RedisEventStore,
        clock: TrustedClock,
        keyring: Keyring,
        replication: Replication,
        accounts: Accounts,
        transparency: Transparency,
        games: Games,
        clubs: Clubs,
    ) -> None:
        self.store = TournamentStore(client, replication)
        self.tournaments = Tournaments(
            self.store,
            clock,
            keyring,
            accounts.players,
            games.requirements,
            transparency.proofs,
            settings.bounds.min_seconds_per_turn,
            clubs,
        )
        self.changes = TournamentChanges(
            self.tournaments, games.repository, accounts.players, clubs
        )
        self.teams = TournamentTeams(self.tournaments, accounts.players, clubs)
        self.breaks = ArenaBreaks(self.tournaments)
        accounts.erasure.register(self.tournaments.withdraw_everywhere)
        creator = TournamentGames(games.repository, keyring, accounts.keys, accounts.holidays)
        self.progress = TournamentProgress(
            self.tournaments,
            self.store,
            event_store,
            games.repository,
            creator,
            clock,
            HeadLog(self.store, transparency.log),
            games.ratings,
        )
