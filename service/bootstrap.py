"""Where the parts of the service are created and connected to each other."""

from dataclasses import dataclass
from urllib.parse import urlsplit

import redis

from ledger.signed_note import NoteKey
from service.accounts.accounts import Players
from service.accounts.bots import BotPlayers
from service.accounts.erased import ErasedPlayers
from service.accounts.erasure import Erasure
from service.accounts.holidays import Holidays
from service.accounts.keys import PlayerKeys
from service.accounts.mutes import Mutes
from service.administration.accounts import AccountAdministration
from service.administration.administration import Administration
from service.administration.announcements import Announcements
from service.administration.log import AdministrationLog
from service.administration.work import WorkOverview
from service.audits.audits import Audits
from service.chat.chat import Chat
from service.chat.reports import ChatMessageReports
from service.chat.store import ChatMessageStore
from service.clock import TrustedClock
from service.conditional_actions.conditional_actions import ConditionalActions
from service.conditional_actions.store import COMPANIONS, ConditionalActionStore
from service.connection import connect
from service.email_address import parse_sender
from service.games.commands import GameCommands
from service.games.deadline_commands import DeadlineCommands
from service.games.dispute_commands import DisputeCommands, PauseCommands
from service.games.erasure import GameErasure
from service.games.event_queries import EventQueries
from service.games.game_for_viewer import GamesForViewers
from service.games.holiday_registry import HolidayRegistry
from service.games.invitation_commands import InvitationCommands
from service.games.invitations import Invitations, ReceivedInvitations
from service.games.key_registry import KeyRegistry
from service.games.lessons import Lessons
from service.games.listings import GameQuota, Listings
from service.games.loader import GameCache
from service.games.lobby import Lobby
from service.games.queries import GameQueries
from service.games.receipts import PlayerReceipts
from service.games.rematches import Rematches
from service.games.replays import Replays
from service.games.repository import GameRepository
from service.games.substitute_commands import SubstituteCommands
from service.keyring import Keyring
from service.notifications.deliveries import Deliveries
from service.notifications.endpoints import EndpointRegistry
from service.notifications.feed_tokens import FeedTokens
from service.notifications.feeds import Feeds
from service.notifications.mail.mail import Mail, build_mail
from service.notifications.notifications import Notifications
from service.notifications.preferences import PreferenceStore
from service.notifications.webhooks.push_subscriptions import PushSubscriptions
from service.notifications.webhooks.receivers import Receivers
from service.notifications.webhooks.vapid_key import VapidKey
from service.notifications.webhooks.webhooks import Webhooks
from service.operation.data_folder import VAPID_KEY
from service.operation.process_reports import ProcessReports
from service.pictures.png import PngPictures
from service.readiness import Readiness
from service.sandboxes.sandboxes import Sandboxes
from service.sandboxes.store import SandboxStore
from service.settings import Settings
from service.store.damaged_games import DamagedGames
from service.store.event_store import EventStore
from service.store.redis_event_store import RedisEventStore
from service.transparency.checkpoints import Checkpoints
from service.transparency.head_log import HeadLog
from service.transparency.last_signed import LastSigned
from service.transparency.proofs import Proofs
from service.transparency.restores import Restores
from service.transparency.store import TransparencyStore


@dataclass(frozen=True, slots=True)
class Service:
    """All parts of a service, for one process. Thread-safe; connects when it is first used."""

    settings: Settings
    redis: redis.Redis
    store: EventStore
    repository: GameRepository
    commands: GameCommands
    disputes: DisputeCommands
    deadlines: DeadlineCommands
    substitutes: SubstituteCommands
    queries: GameQueries
    events: EventQueries
    replays: Replays
    lessons: Lessons
    pictures: PngPictures
    players: Players
    player_keys: PlayerKeys
    erasure: Erasure
    administration: Administration
    key_registry: KeyRegistry
    listings: Listings
    keyring: Keyring
    damaged_games: DamagedGames
    process_reports: ProcessReports
    deliveries: Deliveries
    preferences: PreferenceStore
    endpoints: EndpointRegistry
    notifications: Notifications
    feed_tokens: FeedTokens
    feeds: Feeds
    head_log: HeadLog
    checkpoints: Checkpoints
    proofs: Proofs
    clock: TrustedClock
    readiness: Readiness
    receipts: PlayerReceipts
    invitations: Invitations
    holidays: Holidays
    holiday_registry: HolidayRegistry
    pauses: PauseCommands
    invitation_commands: InvitationCommands
    lobby: Lobby
    received_invitations: ReceivedInvitations
    rematches: Rematches
    mutes: Mutes
    chat: Chat
    chat_message_reports: ChatMessageReports
    announcements: Announcements
    sandboxes: Sandboxes
    conditional_actions: ConditionalActions
    conditional_action_store: ConditionalActionStore
    audits: Audits
    mail: Mail
    receivers: Receivers
    webhooks: Webhooks
    push_subscriptions: PushSubscriptions
    vapid_key: VapidKey


def build(settings: Settings, *, read_only: bool = False) -> Service:
    """Return the service that these settings describe; for `read_only` see `Keyring`."""
    client = connect(settings.redis_url)
    store = RedisEventStore(client, COMPANIONS)
    listings = Listings(client)
    keyring = Keyring(client, settings.signing_key, read_only=read_only, origin=settings.origin)
    cache = GameCache(
        settings.cache_games,
        max_prefixes=settings.bounds.cached_prefixes,
        prefix_interval=settings.bounds.prefix_interval,
    )
    clock = TrustedClock(
        client,
        max_jump=settings.bounds.max_clock_jump_seconds,
        hold=settings.bounds.clock_hold_seconds,
    )
    repository = GameRepository(store, cache, listings, clock, keyring)
    deliveries = Deliveries(client, settings.bounds)
    erased = ErasedPlayers(client, settings.data)
    players = Players(client, settings.bounds, erased)
    player_keys = PlayerKeys(client, settings.bounds)
    preferences = PreferenceStore(client)
    endpoints = EndpointRegistry()
    feed_tokens = FeedTokens(client, settings.bounds.max_feeds_per_player)
    receivers = Receivers(settings.webhook_networks)
    webhooks = Webhooks(client, settings.bounds, receivers, deliveries.breakers)
    endpoints.add(webhooks)
    push_subscriptions = PushSubscriptions(client, settings.bounds, receivers)
    endpoints.add(push_subscriptions)
    quota = GameQuota(listings, settings.bounds.max_games_per_player)
    transparency_store = TransparencyStore(client)
    checkpoints = Checkpoints(
        transparency_store,
        keyring,
        LastSigned(settings.signing_key),
        Restores(client, settings.data, is_embedded=settings.is_embedded),
        origin=settings.origin,
        witnesses=[NoteKey.parse(key) for key in settings.witnesses],
        seconds=settings.bounds.checkpoint_seconds,
        read_only=read_only,
    )
    games_for_viewers = GamesForViewers(repository, store)
    sandboxes = Sandboxes(
        repository, games_for_viewers, SandboxStore(client, settings.bounds), settings.bounds
    )
    conditional_action_store = ConditionalActionStore(client)
    proofs = Proofs(transparency_store, checkpoints, store)
    invitations = Invitations(client, repository)
    holidays = Holidays(client, clock, settings.bounds)
    substitutes = SubstituteCommands(repository, quota, player_keys, holidays)
    bounds = settings.bounds
    mutes = Mutes(client, bounds.max_mutes_per_player)
    notifications = Notifications(
        players,
        deliveries,
        preferences,
        endpoints,
        clock,
        ("log",) if settings.webhook_url is None else ("log", "operator_webhook"),
    )
    reports = ChatMessageReports(client, bounds.max_open_reports, bounds.max_reports_per_player)
    announcements = Announcements(client)
    chat = Chat(
        repository,
        ChatMessageStore(client, bounds.max_messages_per_player),
        reports,
        mutes,
        notifications,
        bounds.max_message_characters,
    )
    commands = GameCommands(
        repository,
        keyring,
        clock,
        quota,
        player_keys,
        BotPlayers(players),
        invitations,
        holidays,
        settings.bounds.min_seconds_per_turn,
    )
    queries = GameQueries(
        repository,
        store,
        listings,
        keyring,
        players,
        player_keys,
        proofs,
        settings.bounds.record_page_bytes,
        settings.bounds.page_events,
    )
    damaged_games = DamagedGames(client)
    process_reports = ProcessReports(client, settings.report_seconds)
    invitation_commands = InvitationCommands(repository, settings.bounds.max_invitations)
    erasure = Erasure(client, erased, players)
    erasure.register(
        lambda player: conditional_action_store.delete(player, *listings.current_games(player))
    )
    game_erasure = GameErasure(repository, store, listings)
    erasure.register(game_erasure.delete_all_of, game_erasure.authors)
    erasure.register(mutes.delete_all_of)
    erasure.register(chat.erase_all_of, chat.authors)
    erasure.register(sandboxes.delete_all_of)
    erasure.register(deliveries.delete_all_of)
    erasure.register(preferences.delete)
    erasure.register(feed_tokens.delete_all_of)
    erasure.register(webhooks.delete_all_of)
    erasure.register(push_subscriptions.delete_all_of)
    erasure.register(player_keys.delete)
    return Service(
        settings=settings,
        redis=client,
        store=store,
        repository=repository,
        commands=commands,
        deadlines=DeadlineCommands(repository, clock),
        substitutes=substitutes,
        disputes=DisputeCommands(repository, settings.bounds.max_statement_characters),
        queries=queries,
        events=EventQueries(repository, store, players, deliveries.shown_to, settings.bounds),
        replays=Replays(repository, settings.bounds),
        lessons=Lessons(repository, settings.bounds),
        pictures=PngPictures(settings.bounds),
        players=players,
        player_keys=player_keys,
        erasure=erasure,
        administration=Administration(
            AccountAdministration(client, players),
            AdministrationLog(client),
            players,
            erasure,
            repository,
            substitutes,
            listings,
            WorkOverview(process_reports, damaged_games, deliveries),
            deliveries,
            reports,
            announcements,
        ),
        announcements=announcements,
        key_registry=KeyRegistry(player_keys, repository, listings),
        listings=listings,
        keyring=keyring,
        damaged_games=damaged_games,
        process_reports=process_reports,
        deliveries=deliveries,
        preferences=preferences,
        endpoints=endpoints,
        notifications=notifications,
        feed_tokens=feed_tokens,
        feeds=Feeds(queries, listings, players, settings.public_url),
        head_log=HeadLog(store, transparency_store),
        checkpoints=checkpoints,
        proofs=proofs,
        clock=clock,
        readiness=Readiness(settings, keyring),
        sandboxes=sandboxes,
        conditional_actions=ConditionalActions(
            repository, games_for_viewers, conditional_action_store, settings.bounds
        ),
        conditional_action_store=conditional_action_store,
        invitations=invitations,
        holidays=holidays,
        holiday_registry=HolidayRegistry(holidays, players, repository, listings),
        pauses=PauseCommands(repository),
        invitation_commands=invitation_commands,
        lobby=Lobby(commands, invitation_commands, players, settings),
        received_invitations=ReceivedInvitations(listings, queries, mutes),
        rematches=Rematches(repository, commands, players),
        mutes=mutes,
        chat=chat,
        chat_message_reports=reports,
        audits=Audits(settings.bounds),
        receivers=receivers,
        webhooks=webhooks,
        push_subscriptions=push_subscriptions,
        vapid_key=VapidKey(settings.data / VAPID_KEY, _contact(settings)),
        mail=build_mail(client, settings, players, deliveries, endpoints),
        receipts=PlayerReceipts(store, listings, keyring, settings.bounds.page_events),
    )


def _contact(settings: Settings) -> str:
    """Return the address of the operator for the operators of push services."""
    if settings.mail_from is not None:
        return f"mailto:{parse_sender(settings.mail_from).addr_spec}"
    return f"mailto:webmaster@{urlsplit(settings.public_url).hostname}"
