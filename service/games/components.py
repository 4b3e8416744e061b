"""The parts of the games, and how they are connected."""

from dataclasses import dataclass

import redis

from service.accounts.accounts import BotPlayers
from service.accounts.components import Accounts
from service.clock import TrustedClock
from service.clubs.clubs import Clubs
from service.games.access import GameAccess
from service.games.commands import GameCommands
from service.games.deadline_commands import DeadlineCommands
from service.games.dispute_commands import DisputeCommands, PauseCommands
from service.games.erasure import GameErasure
from service.games.event_feed import EventFeed
from service.games.event_queries import DeliveriesAbout, EventQueries
from service.games.exports import GameExports
from service.games.game_for_viewer import GamesForViewers
from service.games.holiday_registry import HolidayRegistry
from service.games.invitation_commands import InvitationCommands
from service.games.invitations import Invitations, ReceivedInvitations
from service.games.key_registry import KeyRegistry
from service.games.lessons import Lessons
from service.games.listings import GameQuota, Listings
from service.games.loader import GameCache
from service.games.lobby import Lobby
from service.games.lost_events import LostEvents
from service.games.player_signatures import PlayerSignatures
from service.games.player_statistics import PlayersProjection, Statistics
from service.games.private_notes import PrivateNotes
from service.games.profiles import Profiles
from service.games.projections import Projections
from service.games.queries import GameQueries
from service.games.rating_exclusions import RatingExclusions
from service.games.ratings import Ratings, RatingsProjection
from service.games.recaps import Recaps
from service.games.receipts import PlayerReceipts
from service.games.rematches import Rematches
from service.games.replays import Replays
from service.games.repository import GameRepository
from service.games.requirements import Requirements
from service.games.statistics import GameCounts, PublicStatistics
from service.games.substitute_commands import SubstituteCommands
from service.games.thumbnails import Thumbnails
from service.keyring import Keyring
from service.settings import Settings
from service.store.event_store import EventStore
from service.transparency.components import Transparency


@dataclass(frozen=True, slots=True)
class Games:
    """All parts of the games, for one process. Thread-safe."""

    repository: GameRepository
    listings: Listings
    commands: GameCommands
    signatures: PlayerSignatures
    lobby: Lobby
    rematches: Rematches
    invitation_commands: InvitationCommands
    invitations: Invitations
    received_invitations: ReceivedInvitations
    disputes: DisputeCommands
    pauses: PauseCommands
    deadlines: DeadlineCommands
    substitutes: SubstituteCommands
    holiday_registry: HolidayRegistry
    key_registry: KeyRegistry
    queries: GameQueries
    private_notes: PrivateNotes
    exports: GameExports
    events: EventQueries
    event_feed: EventFeed
    projections: Projections
    statistics: Statistics
    public_statistics: PublicStatistics
    ratings: Ratings
    rating_exclusions: RatingExclusions
    requirements: Requirements
    profiles: Profiles
    replays: Replays
    recaps: Recaps
    thumbnails: Thumbnails
    lessons: Lessons
    receipts: PlayerReceipts
    lost_events: LostEvents
    for_viewers: GamesForViewers


def build_games(
    client: redis.Redis,
    settings: Settings,
    store: EventStore,
    clock: TrustedClock,
    keyring: Keyring,
    listings: Listings,
    accounts: Accounts,
    clubs: Clubs,
    transparency: Transparency,
    deliveries_about: DeliveriesAbout,
) -> Games:
    """Return the games that these settings describe."""
    bounds, players = settings.bounds, accounts.players
    cache = GameCache(
        settings.cache_games,
        max_prefixes=bounds.cached_prefixes,
        prefix_interval=bounds.prefix_interval,
    )
    lost_events = LostEvents(client)
    repository = GameRepository(
        store, cache, listings, clock, keyring, lost_events.report, GameAccess(clubs)
    )
    quota = GameQuota(listings, bounds.max_games_per_player)
    invitations = Invitations(client, repository)
    signatures = PlayerSignatures(repository, accounts.keys)
    event_feed = EventFeed(transparency.log, store)
    rating_exclusions = RatingExclusions(client)
    projections = Projections(
        client,
        event_feed,
        [GameCounts(), PlayersProjection(), RatingsProjection(rating_exclusions)],
    )
    statistics = Statistics(projections)
    ratings = Ratings(projections, players, transparency, keyring)
    requirements = Requirements(statistics, ratings, clubs)
    commands = GameCommands(
        repository,
        keyring,
        quota,
        signatures,
        accounts.keys,
        players,
        BotPlayers(players),
        invitations,
        accounts.holidays,
        requirements,
        clubs,
        bounds.min_seconds_per_turn,
    )
    invitation_commands = InvitationCommands(repository, clubs, bounds.max_invitations)
    queries = GameQueries(
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
    private_notes = PrivateNotes(
        client, repository, bounds.max_message_characters, bounds.max_notes_per_player
    )
    accounts.erasure.register(private_notes.delete_all_of)
    erasure = GameErasure(repository, store, listings)
    accounts.erasure.register(erasure.delete_all_of, erasure.authors)
    return Games(
        repository=repository,
        listings=listings,
        commands=commands,
        signatures=signatures,
        lobby=Lobby(commands, invitation_commands, players, clubs, settings),
        rematches=Rematches(repository, commands, players, clubs, client),
        invitation_commands=invitation_commands,
        invitations=invitations,
        received_invitations=ReceivedInvitations(listings, queries, accounts.mutes),
        disputes=DisputeCommands(repository, signatures, bounds.max_statement_characters),
        pauses=PauseCommands(repository, signatures),
        deadlines=DeadlineCommands(repository, clock),
        substitutes=SubstituteCommands(
            repository, signatures, quota, players, accounts.keys, accounts.holidays, requirements
        ),
        holiday_registry=HolidayRegistry(accounts.holidays, players, repository, listings),
        key_registry=KeyRegistry(accounts.keys, repository, listings),
        queries=queries,
        private_notes=private_notes,
        exports=GameExports(queries, listings, private_notes),
        events=EventQueries(repository, store, deliveries_about, bounds),
        event_feed=event_feed,
        projections=projections,
        statistics=statistics,
        public_statistics=PublicStatistics(projections, listings),
        ratings=ratings,
        rating_exclusions=rating_exclusions,
        requirements=requirements,
        profiles=Profiles(players, statistics, listings, queries, clubs),
        replays=Replays(repository, bounds),
        recaps=Recaps(repository),
        thumbnails=Thumbnails(client, repository),
        lessons=Lessons(repository, players, bounds),
        receipts=PlayerReceipts(store, listings, keyring, bounds.page_events),
        lost_events=lost_events,
        for_viewers=GamesForViewers(repository, store),
    )
