"""The bounds of the resources that a visitor can use, so that nobody can take them from others.

Each is a setting, `CARTULARY_` and its name in capitals; docs/bounds.md explains them in one table. Where a
bound is per visitor, a visitor is the player of a valid token, and otherwise a network: an IPv4 address or an
IPv6 /64.
"""

from dataclasses import dataclass, field
from typing import Any


def _bound(default: float, minimum: float = 1) -> Any:
    """Return the field of a bound; an int for a whole number, a float for seconds."""
    return field(default=default, metadata={"minimum": minimum, "maximum": None})


@dataclass(frozen=True, slots=True)
class Bounds:
    """All bounds of a service. The bounds on connections, requests and streams apply to each web process."""

    max_connections: int = _bound(10_000)
    max_connections_per_address: int = _bound(512)
    max_new_connections_per_address: int = _bound(600)
    """Connections that one address may open in a burst, after it has opened few for a while."""
    new_connections_per_second: int = _bound(100)
    """Connections that the address may open in a second after the burst."""
    header_seconds: float = _bound(10.0, 0.1)
    """Time for the first byte of a request and the rest of its head."""
    keep_alive_seconds: float = _bound(75.0, 0.1)
    """Time for which a connection stays open after a response."""
    body_seconds: float = _bound(20.0, 0.1)
    send_seconds: float = _bound(20.0, 0.1)
    """Time for which a client may stop reading a response."""
    max_header_bytes: int = _bound(16 * 1024, 1024)
    max_unsent_bytes_per_address: int = _bound(16 * 1024 * 1024, 64 * 1024)
    """Bytes of responses that wait in memory for clients at one address to read them."""

    request_threads: int = _bound(4)
    account_threads: int = _bound(2)
    """Threads for registering and logging in, apart from those of other requests."""
    max_waiting: int = _bound(512)
    """Requests that wait for a thread."""
    max_waiting_per_visitor: int = _bound(128)
    max_wait_seconds: float = _bound(2.0, 0.1)
    """Time after which a request that still waits for a thread is refused."""
    request_seconds: float = _bound(15.0, 0.1)
    """Time after which a request is refused, even if it is still being handled."""

    picture_threads: int = _bound(2)
    """Pictures that are drawn at the same time, apart from other requests."""
    max_waiting_pictures: int = _bound(32)
    """Requests for pictures that wait for one of these threads."""
    picture_seconds: float = _bound(10.0, 0.1)
    """Time for drawing a picture."""
    cached_picture_bytes: int = _bound(32 * 1024 * 1024, 1)

    archive_reads: int = _bound(2)
    """Archived games that a process reads from their store at the same time."""
    archive_seconds: float = _bound(5.0, 0.1)
    """Time for an operation of that store."""
    cached_archive_bytes: int = _bound(16 * 1024 * 1024, 1)

    max_audits: int = _bound(1)
    """Audits that a process makes at the same time for pages, apart from other requests."""
    audit_seconds: float = _bound(10.0, 0.1)
    """Time of the processor for an audit."""
    max_audited_events: int = _bound(2_000)
    """Events of the longest game that is audited."""

    max_analyses_per_player: int = _bound(3)
    """Analyses that one player has requested and that are not complete."""
    max_waiting_analyses: int = _bound(200)
    """Analyses of all players that are not complete."""
    max_analysed_events: int = _bound(2_000)
    """Events of the longest game that is analysed."""
    analysis_seconds: float = _bound(30 * 24 * 3600.0, 1.0)
    """Time for which an analysis is kept after it was read last."""
    puzzle_seconds_per_day: float = _bound(1_800.0, 0.0)
    """Time of the processor that the search for puzzles takes on a day, analyses of its games included."""
    max_puzzles_per_day: int = _bound(3)
    """Puzzles that are made on a day."""
    max_puzzles: int = _bound(1_000)
    """Puzzles that are kept."""

    max_studies_per_player: int = _bound(50)
    """Studies that one player has made, and again as many that others let them write in."""
    max_studies_per_game: int = _bound(100)
    """Studies that are listed on the page of a game."""
    max_study_authors: int = _bound(8)
    """Players who write in one study beside the one who has made it."""
    max_study_entries: int = _bound(300)
    """Notes and variations of one study."""
    max_study_bytes: int = _bound(256 * 1024, 32 * 1024)
    """Size of a stored study."""

    max_import_bytes: int = _bound(2 * 1024 * 1024, 64 * 1024)
    """Size of a game record that a player uploads."""
    max_uploads: int = _bound(8)
    """Uploads that are received or handled at the same time, of one network a quarter."""
    max_imports_per_player: int = _bound(50)
    """Imported records of one player."""
    max_imports: int = _bound(10_000)
    """Imported records of all players."""

    max_streams: int = _bound(5_000)
    max_streams_per_visitor: int = _bound(100)
    record_page_bytes: int = _bound(64 * 1024, 1024)

    cached_prefixes: int = _bound(2_000)
    """Earlier states of games in the cache of a process."""
    prefix_interval: int = _bound(256)
    """Events between two of these states, which are the most that a read of a cached game folds."""

    page_events: int = _bound(5_000)
    """Events that are folded for a page of a list of games."""
    max_filtered_events: int = _bound(2_000)
    """Events that are examined for a page of a filtered log."""
    max_explained_events: int = _bound(200)
    """The same, if the filter asks for clauses, which takes a state of the game for each event."""
    max_replayed_events: int = _bound(5_000)
    """Events of the longest game whose events are indexed, and whose scores are charted."""
    min_seconds_per_turn: int = _bound(1)
    """Seconds that the clock of a new game must leave for each turn."""
    max_games_per_player: int = _bound(200)
    """Games that are open or in progress in which a player has a place."""
    max_invitations: int = _bound(32)
    """Invitations to one game."""
    max_message_characters: int = _bound(1_000)
    """Characters of a message in a game, of a private note, and of the reason for reporting a message."""
    max_messages_per_player: int = _bound(500)
    """Messages of one player in one game, erased ones included."""
    max_comments_per_game: int = _bound(500)
    """Comments on one game that is over, erased ones included."""
    max_comments_per_player: int = _bound(20)
    """Comments of one player on one game, erased ones included."""
    max_notes_per_player: int = _bound(2_000)
    """Private notes of one player on events of games."""
    max_open_reports: int = _bound(10_000)
    """Reports of messages with which no administrator has dealt."""
    max_reports_per_player: int = _bound(20)
    """Such reports by one player."""
    max_mutes_per_player: int = _bound(500)
    """Players whom one player has muted."""
    max_clubs_per_player: int = _bound(50)
    """Clubs of which one player is a member or asks to become one, and as many invitations to clubs."""
    max_club_requests_per_player: int = _bound(10)
    """Clubs that one player asks to join."""
    max_members_per_club: int = _bound(500)
    max_candidates_per_club: int = _bound(100)
    """Players who are invited to one club, and as many who ask to join it."""
    max_meetings_per_club: int = _bound(100)
    """Meetings on the agenda of a club, with those of the last 30 days."""
    max_posts_per_club: int = _bound(1_000)
    """Posts on the wall of a club; when there is another one, the first is deleted."""
    max_posts_per_member: int = _bound(200)
    """Those of them by one member."""
    max_posts_per_tournament: int = _bound(1_000)
    """Posts in the conversation of a tournament; when there is another one, the first is deleted."""
    max_tournament_posts_per_player: int = _bound(200)
    """Those of them by one player."""
    max_statement_characters: int = _bound(2_000)
    """Characters of a statement in a dispute."""
    max_keys_per_player: int = _bound(8)
    """Keys of one player that are registered and not revoked."""
    max_revoked_keys_per_player: int = _bound(100)
    holiday_days: int = _bound(30)
    """Days of holidays of one player in a calendar year."""
    holiday_notice_hours: int = _bound(24)
    """Hours before its beginning at which a holiday is announced at the latest."""
    max_holidays_per_year: int = _bound(40)
    """Holidays that one player announces in a calendar year, cancelled ones included."""
    max_sandboxes_per_player: int = _bound(20)
    max_sandboxes_per_network: int = _bound(200)
    sandbox_seconds: float = _bound(7 * 24 * 3600.0, 1.0)
    """Time for which a sandbox is kept after its last change."""
    max_sandbox_actions: int = _bound(500)
    max_sandbox_bytes: int = _bound(64 * 1024, 1024)
    """Size of a stored sandbox."""
    max_bot_actions: int = _bound(50)
    """Actions that bots take in a sandbox with one request."""
    max_conditional_actions: int = _bound(200)
    """Conditional actions that a player prepares for a game, conditions included."""
    max_conditional_width: int = _bound(50)
    """Conditional actions that are alternatives of each other."""
    max_conditional_depth: int = _bound(50)
    """Conditional actions that follow one another."""
    max_conditional_bytes: int = _bound(32 * 1024, 1024)
    """Stored size of the conditional actions of a player in a game."""
    max_deliveries_per_game: int = _bound(1_000)
    """Stored deliveries of notifications about one game."""
    max_deliveries_per_player: int = _bound(1_000)
    """Stored deliveries of notifications to one player."""
    max_feeds_per_player: int = _bound(10)
    """Addresses of feeds of one player."""
    max_waiting_deliveries: int = _bound(100_000)
    """Deliveries of all players that wait for an attempt."""
    max_sessions_per_player: int = _bound(100)
    """Tokens of one player that are valid."""
    max_personal_tokens_per_player: int = _bound(20)
    """Personal tokens of one player that are valid."""
    hashing_threads: int = _bound(1)
    """Passwords that a process hashes at the same time."""
    max_waiting_passwords: int = _bound(8)
    """Passwords that wait to be hashed."""
    max_password_guesses: int = _bound(10)
    """Wrong passwords for one account: from all unknown places together, and from each known one."""
    password_guess_seconds: float = _bound(3600.0, 1.0)
    """The period in which wrong passwords are counted."""

    max_confirmations_per_player: int = _bound(5)
    """Confirmation mails that one player can request in a day."""
    max_confirmations_per_address: int = _bound(3)
    max_confirmations_per_network: int = _bound(30)
    confirmation_seconds: float = _bound(2 * 24 * 3600.0, 1.0)
    """Time for which the link in a confirmation mail is valid."""
    max_password_resets_per_player: int = _bound(10)
    """Mails with a link for a new password to one player in a day."""
    max_password_resets_per_network: int = _bound(30)
    """Requests for these mails from one network in a day."""
    password_reset_seconds: float = _bound(3600.0, 1.0)
    """Time for which such a link is valid."""
    max_webhooks_per_player: int = _bound(5)
    max_webhook_failures: int = _bound(20)
    """Failed attempts in a row after which a webhook is disabled."""
    webhook_senders: int = _bound(24)
    """Requests that a worker sends at the same time to webhooks whose last request has succeeded, and as many
    to the others; the same for push services."""
    webhook_seconds: float = _bound(10.0, 0.1)
    """Time for a request to a webhook or a push service."""
    max_push_subscriptions_per_player: int = _bound(10)
    max_bounces: int = _bound(3)
    """Mails that bounce before an address is disabled."""
    reply_seconds: float = _bound(30 * 24 * 3600.0, 1.0)
    """Time for which a mail can be answered with an action."""
    max_replies_per_player: int = _bound(120)
    """Answers of one player in an hour that are handled; later ones wait at the mail server."""
    max_reply_bytes: int = _bound(1024 * 1024, 1024)
    mail_senders: int = _bound(4)
    """Mails that a worker sends at the same time."""
    mail_seconds: float = _bound(15.0, 0.1)
    """Time for delivering a mail to the mail server."""

    checkpoint_seconds: float = _bound(1.0, 0.01)
    """Age of a checkpoint of the transparency log at which a new one is signed."""

    max_clock_jump_seconds: float = _bound(5.0, 0.1)
    """Most that the clock may deviate from the monotonic clock, and from that of Redis."""
    clock_hold_seconds: float = _bound(3600.0, 0.1)
    """Time after a jump of the clock for which it must be steady before it is trusted again."""
