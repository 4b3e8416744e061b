"""Creates the objects of `service.games`, and connects them."""

import redis

from replay.language.renderer import english
from service.accounts.accounts import BotPlayers
from service.accounts.parts import Accounts
from service.clubs.clubs import Clubs
from service.explorer.explorer import Explorer
from service.explorer.projection import ExplorerProjection
from service.games.access import GameAccess
from service.games.commands import GameCommands
from service.games.erasure import GameErasure
from service.games.event_queries import DeliveriesAbout, EventQueries
from service.games.exports import GameExports
from service.games.game_cache import GameCache
from service.games.invitations import InvitationCommands, Invitations, ReceivedInvitations
from service.games.lessons import Lessons
from service.games.listings import Listings
from service.games.lobby import Lobby
from service.games.lost_events import LostEvents
from service.games.people import People
from service.games.player_signatures import PlayerSignatures
from service.games.player_statistics import PlayersProjection, Statistics
from service.games.private_notes import PrivateNotes
from service.games.profiles import Profiles
from service.games.queries import GameQueries
from service.games.quota import GameQuota
from service.games.recaps import Recaps
from service.games.receipts import PlayerReceipts
from service.games.registries import HolidayRegistry, KeyRegistry
from service.games.rematches import Rematches
from service.games.replays import Replays
from service.games.repository import GameRepository
from service.games.requirements import Requirements
from service.games.statements import StatementCommands
from service.games.statistics import GameCounts, PublicStatistics
from service.games.thumbnails import Thumbnails
from service.games.visibility import GamesForViewers
from service.keyring import Keyring
from service.projections.event_feed import EventFeed, is_rated_in_club
from service.projections.projections import Projections
from service.ratings.club_ratings import ClubRatings, ClubRatingsProjection
from service.ratings.ratings import RatingExclusions, Ratings, RatingsProjection
from service.settings import Settings
from service.store.damaged_games import DamagedGames
from service.store.redis_event_store import RedisEventStore
from service.transparency.parts import Transparency
from service.wall_clock import TrustedClock


class Games:
    """The objects of `service.games` for one process, as the settings describe them. Thread-safe."""

    def __init__(
        self,
        client: redis.Redis,
        settings: Settings,
        store: RedisEventStore,
        clock: TrustedClock,
        keyring: Keyring,
        listings: Listings,
        accounts: Accounts,
        clubs: Clubs,
        transparency: Transparency,
        deliveries_about: DeliveriesAbout,
        damaged_games: DamagedGames,
    ) -> None:
        bounds, players = settings.bounds, accounts.players
        cache = GameCache(
            settings.cache_games,
            max_snapshots=bounds.cached_prefixes,
            snapshot_interval=bounds.prefix_interval,
        )
        quota = GameQuota(listings, bounds.max_games_per_player)
        self.listings = listings
        self.lost_events = LostEvents(client)
        self.repository = repository = GameRepository(
            store,
            cache,
            listings,
            clock,
            keyring,
            self.lost_events.report,
            GameAccess(clubs.is_member),
            lambda damage: damaged_games.report_event(
                damage.game_id, damage.event, english(damage.fault)
            ),
        )
        self.for_viewers = GamesForViewers(repository, store)
        self.signatures = PlayerSignatures(repository, accounts.keys)
        self.event_feed = EventFeed(transparency.log, store)
        self.rating_exclusions = RatingExclusions(client)
        self.projections = Projections(
            client,
            self.event_feed,
            [
                GameCounts(),
                PlayersProjection(),
                RatingsProjection(self.rating_exclusions),
                ClubRatingsProjection(self.rating_exclusions),
                ExplorerProjection(),
            ],
            {ClubRatingsProjection.name: EventFeed(transparency.log, store, is_rated_in_club)},
        )
        self.statistics = Statistics(self.projections)
        self.public_statistics = PublicStatistics(self.projections, listings)
        self.explorer = Explorer(self.projections, self.event_feed)
        self.ratings = Ratings(self.projections, players, transparency, keyring)
        self.club_ratings = ClubRatings(self.projections, clubs, players, transparency, keyring)
        self.requirements = Requirements(self.statistics, self.ratings, clubs)
        self.invitations = Invitations(client, repository)
        self.invitation_commands = InvitationCommands(repository, clubs, bounds.max_invitations)
        self.commands = GameCommands(
            repository,
            keyring,
            quota,
            self.signatures,
            accounts.keys,
            players,
            BotPlayers(players),
            self.invitations,
            accounts.holidays,
            self.requirements,
            clubs,
            clock,
            bounds.min_seconds_per_turn,
        )
        self.people = People(client, repository, players.presence)
        self.lobby = Lobby(self.commands, self.invitation_commands, players, clubs, settings)
        self.rematches = Rematches(repository, self.commands, players, clubs, client)
        self.statements = StatementCommands(
            repository, self.signatures, bounds.max_statement_characters
        )
        self.holiday_registry = HolidayRegistry(accounts.holidays, players, repository, listings)
        self.key_registry = KeyRegistry(accounts.keys, repository, listings)
        self.queries = GameQueries(
            repository,
            store,
            listings,
            keyring,
            players,
            accounts.keys,
            transparency.proofs,
            bounds.record_page_bytes,
            bounds.page_events,
        )
        self.received_invitations = ReceivedInvitations(listings, self.queries, accounts.mutes)
        self.events = EventQueries(repository, store, deliveries_about, bounds)
        self.profiles = Profiles(players, self.statistics, listings, self.queries, clubs)
        self.replays = Replays(repository, bounds)
        self.recaps = Recaps(repository)
        self.thumbnails = Thumbnails(client, repository)
        self.lessons = Lessons(repository, players, bounds)
        self.receipts = PlayerReceipts(store, listings, keyring, bounds.page_events)
        self.private_notes = PrivateNotes(
            client, repository, bounds.max_message_characters, bounds.max_notes_per_player
        )
        self.exports = GameExports(self.queries, listings, self.private_notes)
        accounts.erasure.register(self.private_notes.delete_all_of)
        erasure = GameErasure(repository, store, listings)
        accounts.erasure.register(erasure.delete_all_of, erasure.authors)
