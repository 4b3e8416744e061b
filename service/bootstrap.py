"""Creates the objects of the service, and connects them."""

from dataclasses import dataclass
from datetime import timedelta

import redis

from service.accounts.parts import Accounts
from service.administration.accounts import AccountAdministration
from service.administration.administration import Administration
from service.administration.announcements import Announcements
from service.administration.backups import Backups
from service.administration.health import Health
from service.administration.log import AdministrationLog
from service.administration.work_overview import WorkOverview
from service.analyses.analyses import Analyses
from service.analyses.store import AnalysisStore
from service.audits.audits import Audits
from service.chat.chat import Chat
from service.chat.comments import Comments, comment_texts
from service.chat.read_marks import ReadMarks
from service.chat.reports import ChatMessageReports
from service.chat.store import ChatMessageStore
from service.chat.tournament_posts import TournamentPosts, tournament_texts
from service.clubs.agenda import ClubAgenda
from service.clubs.challenges import ClubChallenges
from service.clubs.clubs import Clubs
from service.clubs.notices import ClubNotices
from service.clubs.polls import ClubPolls
from service.clubs.wall import ClubWall, wall_texts
from service.clubs.webhooks import ClubWebhooks
from service.cluster import ClusterClient
from service.conditional_actions.conditional_actions import ConditionalActions
from service.conditional_actions.store import COMPANIONS, ConditionalActionStore
from service.connection import connect
from service.games.listings import Listings
from service.games.parts import Games
from service.imports.imports import Imports
from service.imports.store import ImportStore
from service.keyring import Keyring
from service.notifications.deliveries import Deliveries
from service.notifications.parts import Notifications, build_notifications
from service.operation.process_reports import ProcessReports
from service.operation.tracing import Tracing
from service.pictures.png import PngPictures
from service.puzzles.puzzles import Puzzles
from service.puzzles.search import PuzzleSearch
from service.puzzles.store import PuzzleStore
from service.readiness import Readiness
from service.replication import Replication
from service.sandboxes.sandboxes import Sandboxes
from service.sandboxes.store import SandboxStore
from service.settings import Settings
from service.store.archive import Archive
from service.store.archive_schedule import ArchiveSchedule
from service.store.archiving_event_store import ArchivingEventStore
from service.store.damaged_games import DamagedGames
from service.store.object_store import ObjectStore
from service.store.redis_event_store import RedisEventStore
from service.studies.store import StudyStore
from service.studies.studies import Studies
from service.tournaments.club_matches import ClubMatches
from service.tournaments.parts import TournamentParts
from service.transparency.parts import Transparency, build_transparency
from service.wall_clock import TrustedClock


@dataclass(frozen=True, slots=True)
class Service:
    """The objects of a service, for one process. Thread-safe; connects when it is first used."""

    settings: Settings
    redis: redis.Redis
    replication: Replication
    clock: TrustedClock
    keyring: Keyring
    store: RedisEventStore
    archive: Archive
    accounts: Accounts
    clubs: Clubs
    club_notices: ClubNotices
    club_agenda: ClubAgenda
    club_polls: ClubPolls
    club_challenges: ClubChallenges
    club_matches: ClubMatches
    club_wall: ClubWall
    tournament_posts: TournamentPosts
    club_webhooks: ClubWebhooks
    transparency: Transparency
    games: Games
    tournaments: TournamentParts
    notifications: Notifications
    chat: Chat
    comments: Comments
    chat_message_reports: ChatMessageReports
    sandboxes: Sandboxes
    studies: Studies
    imports: Imports
    conditional_actions: ConditionalActions
    conditional_action_store: ConditionalActionStore
    administration: Administration
    health: Health
    backups: Backups
    announcements: Announcements
    analyses: Analyses
    puzzles: Puzzles
    audits: Audits
    pictures: PngPictures
    damaged_games: DamagedGames
    process_reports: ProcessReports
    readiness: Readiness


def build(settings: Settings, *, read_only: bool = False) -> Service:
    """Return the service that these settings describe; for `read_only` see `Keyring`."""
    bounds = settings.bounds
    client = connect(settings.redis_url)
    keyring = Keyring(client, settings.signing_key, read_only=read_only, origin=settings.origin)
    objects = ObjectStore(settings.archive, bounds.archive_seconds)
    archive = Archive(
        client, objects, ArchiveSchedule(client, settings.archive_after_days), keyring, bounds
    )
    replication = Replication(client, settings.wait_replicas)
    store = ArchivingEventStore(client, archive, COMPANIONS, wait_replicas=settings.wait_replicas)
    clock = TrustedClock(
        client, max_jump=bounds.max_clock_jump_seconds, hold=bounds.clock_hold_seconds
    )
    accounts = Accounts(client, settings, clock)
    transparency = build_transparency(
        client, settings, store, keyring, replication, read_only=read_only
    )
    is_cluster = isinstance(client, ClusterClient)
    deliveries = Deliveries(client, bounds, replication, is_sharded=is_cluster)
    listings = Listings(client, is_sharded=is_cluster)
    conditional_action_store = ConditionalActionStore(client)
    # This is registered before the games, because it searches games that the player has not left yet.
    accounts.erasure.register(
        lambda player: conditional_action_store.delete(player, *listings.current_games(player))
    )
    damaged_games = DamagedGames(client)
    clubs = Clubs(client, bounds, accounts.players, accounts.mutes)
    accounts.erasure.register(clubs.erase)
    games = Games(
        client,
        settings,
        store,
        clock,
        keyring,
        listings,
        accounts,
        clubs,
        transparency,
        deliveries.shown_to,
        damaged_games,
    )
    tournaments = TournamentParts(
        client, settings, store, clock, keyring, replication, accounts, transparency, games, clubs
    )
    notifications = build_notifications(
        client, settings, clock, accounts, games, tournaments.tournaments, deliveries
    )
    club_webhooks = ClubWebhooks(clubs, notifications.webhooks, deliveries)
    clubs.register_deletion(club_webhooks.delete_all_of)
    reports = ChatMessageReports(client, bounds.max_open_reports, bounds.max_reports_per_player)
    chat = Chat(
        accounts.mutes,
        reports,
        bounds.max_message_characters,
        games.repository,
        ChatMessageStore(client, archive, bounds.max_messages_per_player),
        notifications.notifier,
        ReadMarks(client, archive),
    )
    accounts.erasure.register(chat.erase_all_of, chat.authors)
    comments = Comments(
        accounts.mutes,
        reports,
        bounds.max_message_characters,
        games.repository,
        comment_texts(client, bounds.max_comments_per_game, bounds.max_comments_per_player),
        accounts.players,
    )
    accounts.erasure.register(comments.erase_all_of, comments.authors)
    club_wall = ClubWall(
        accounts.mutes,
        reports,
        bounds.max_message_characters,
        wall_texts(client, bounds.max_posts_per_club, bounds.max_posts_per_member),
        clubs,
    )
    accounts.erasure.register(club_wall.erase_all_of, club_wall.authors)
    club_agenda = ClubAgenda(client, clubs, bounds.max_meetings_per_club)
    club_polls = ClubPolls(client, clubs, club_agenda)
    accounts.erasure.register(club_polls.erase_all_of)
    club_notices = ClubNotices(
        clubs, accounts.mutes, notifications.preferences, notifications.mail.account_notices
    )
    club_challenges = ClubChallenges(client, clubs)
    club_matches = ClubMatches(
        clubs, club_challenges, club_notices, tournaments.tournaments, tournaments.changes
    )
    tournament_posts = TournamentPosts(
        accounts.mutes,
        reports,
        bounds.max_message_characters,
        tournament_texts(
            client, bounds.max_posts_per_tournament, bounds.max_tournament_posts_per_player
        ),
        tournaments.tournaments,
    )
    accounts.erasure.register(tournament_posts.erase_all_of, tournament_posts.authors)
    sandboxes = Sandboxes(games.repository, games.for_viewers, SandboxStore(client, bounds), bounds)
    accounts.erasure.register(sandboxes.delete_all_of)
    studies = Studies(
        games.repository, accounts.players, accounts.mutes, StudyStore(client, bounds), bounds
    )
    accounts.erasure.register(studies.erase_all_of, studies.writers)
    analyses = Analyses(games.queries, AnalysisStore(client, bounds), bounds)
    accounts.erasure.register(analyses.store.forget_player)
    puzzle_store = PuzzleStore(client, bounds)
    accounts.erasure.register(puzzle_store.forget_player)
    puzzle_search = PuzzleSearch(games.queries, listings, analyses, puzzle_store, bounds)
    audits = Audits(bounds)
    imports = Imports(
        ImportStore(client, objects, bounds),
        audits,
        accounts.players,
        keyring,
        transparency.proofs.log_name,
        bounds,
    )
    accounts.erasure.register(imports.delete_all_of)
    process_reports = ProcessReports(
        client, settings.report_seconds, receives_replies=settings.reply_address is not None
    )
    announcements = Announcements(client)
    work = WorkOverview(process_reports, damaged_games, deliveries)
    backups = Backups(client, timedelta(hours=settings.backup_hours))
    health = Health(
        client,
        settings,
        process_reports,
        work,
        damaged_games,
        deliveries,
        games.projections,
        reports,
        backups,
    )
    return Service(
        settings=settings,
        redis=client,
        replication=replication,
        clock=clock,
        keyring=keyring,
        store=store,
        archive=archive,
        accounts=accounts,
        clubs=clubs,
        club_notices=club_notices,
        club_challenges=club_challenges,
        club_matches=club_matches,
        club_agenda=club_agenda,
        club_polls=club_polls,
        club_wall=club_wall,
        tournament_posts=tournament_posts,
        club_webhooks=club_webhooks,
        transparency=transparency,
        games=games,
        tournaments=tournaments,
        notifications=notifications,
        chat=chat,
        comments=comments,
        chat_message_reports=reports,
        sandboxes=sandboxes,
        studies=studies,
        imports=imports,
        conditional_actions=ConditionalActions(
            games.repository, games.for_viewers, conditional_action_store, games.signatures, bounds
        ),
        conditional_action_store=conditional_action_store,
        administration=Administration(
            AccountAdministration(client, accounts.players),
            AdministrationLog(client),
            accounts.players,
            accounts.erasure,
            games.repository,
            games.commands,
            listings,
            work,
            deliveries,
            reports,
            comments,
            club_wall,
            tournament_posts,
            announcements,
            imports,
            clubs,
            games.rating_exclusions,
            tournaments.tournaments,
            health,
            keyring,
            backups,
        ),
        health=health,
        backups=backups,
        announcements=announcements,
        analyses=analyses,
        puzzles=Puzzles(games.queries, puzzle_store, puzzle_search),
        audits=audits,
        pictures=PngPictures(bounds),
        damaged_games=damaged_games,
        process_reports=process_reports,
        readiness=Readiness(settings, keyring),
    )


def trace_appends(service: Service, tracing: Tracing) -> None:
    """Make spans for decisions, and for the appends within them."""
    tracing.trace(service.games.repository, "execute", "decide")
    tracing.trace(service.store, "append", "append")
