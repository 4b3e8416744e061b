"""The operations of administrators, each of which is recorded.

An operation on a game is an event of its log (`AdministratorDecided`). Every operation, even one that only
reads, is an entry of the administration log, which is written before the operation takes effect; an operation
that is refused leaves no entry.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final

from domain.errors import Malformed
from domain.event import Event
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import Message, Text, message
from domain.tournaments.tournament import Tournament, TournamentStatus
from ledger import commands
from ledger.pending import PendingEvents
from replay.language.renderer import english
from service import wall_clock
from service.accounts.account_reader import ADMIN
from service.accounts.accounts import Players
from service.accounts.erasure import Erasure
from service.administration.accounts import (
    AccountAdministration,
    AdministeredAccount,
    Role,
    reason_fault,
)
from service.administration.announcements import Announcement, Announcements
from service.administration.backups import Backups
from service.administration.finding import Finding
from service.administration.health import Health
from service.administration.log import AdministrationLog
from service.administration.work_overview import WorkOverview
from service.chat.comments import Comments
from service.chat.reports import ChatMessageReport, ChatMessageReports
from service.chat.tournament_posts import TournamentPosts
from service.clubs.clubs import Clubs
from service.clubs.model import Club
from service.clubs.wall import ClubWall
from service.errors import Forbidden, NotFound, OperationNotPossible
from service.games.commands import GameCommands
from service.games.game_cache import CachedGame
from service.games.listings import Listings, Page
from service.games.repository import GameRepository
from service.imports.imports import Imports
from service.keyring import Keyring
from service.notifications.deliveries import Deliveries
from service.notifications.delivery import Delivery
from service.ratings.ratings import RatingExclusions
from service.tournaments.tournaments import Tournaments

MAX_PAGE_SIZE: Final = 100
_CANCELLED: Final = message("an administrator has cancelled it")


@dataclass(eq=False, repr=False)
class Administration:
    """All operations of administrators. Thread-safe.

    `administrator` is the id of the administrator, or OPERATOR for the command line of the server. `reason`
    states why, for the administration log. Every method raises Unavailable if Redis does not respond;
    methods with a player raise NotFound if there is no such account, and methods with a game if there is no
    such game.
    """

    _accounts: AccountAdministration
    _log: AdministrationLog
    _players: Players
    _erasure: Erasure
    _repository: GameRepository
    _commands: GameCommands
    _listings: Listings
    _work: WorkOverview
    _deliveries: Deliveries
    _message_reports: ChatMessageReports
    _comments: Comments
    _wall: ClubWall
    _tournament_posts: TournamentPosts
    _announcements: Announcements
    _imports: Imports
    _clubs: Clubs
    _rating_exclusions: RatingExclusions
    _tournaments: Tournaments
    _health: Health
    _keyring: Keyring
    _backups: Backups

    def is_administrator(self, player: str) -> bool:
        """Return whether a player has the role of an administrator."""
        return self._accounts.is_administrator(player)

    def require_administrator(self, player: str) -> None:
        """Raise Forbidden unless a player has the role of an administrator."""
        if not self.is_administrator(player):
            raise Forbidden.with_message("only administrators may do this")

    def require_target(self, names: Mapping[str, str]) -> None:
        """Raise NotFound unless the objects named by the arguments of a URL exist: a player (`id`), a `game`,
        a `delivery`, a `report`, an `announcement`, an imported record (`imported`), a `club` or a
        `tournament`.
        """
        if "id" in names:
            self._accounts.get(names["id"])
        if "game" in names:
            self._repository.load(names["game"])
        if "delivery" in names:
            self.delivery(names["delivery"])
        if "report" in names:
            self._message_reports.get(names["report"])
        if "announcement" in names:
            self._announcements.get(names["announcement"])
        if "imported" in names:
            self._imports.get(names["imported"])
        if "club" in names:
            self._clubs.find(names["club"])
        if "tournament" in names:
            self._tournaments.load(names["tournament"])

    def search_players(
        self, administrator: str, prefix: str = "", after: str | None = None, limit: int = 50
    ) -> tuple[list[AdministeredAccount], str | None]:
        """Return a page of the accounts whose handles begin with `prefix`, and the next `after` or None."""
        page = self._accounts.page(prefix, after, min(limit, MAX_PAGE_SIZE))
        self._log.append(administrator, "search_players", {"handle": prefix})
        return page

    def player(self, administrator: str, player_id: str) -> AdministeredAccount:
        """Return an account."""
        account = self._accounts.get(player_id)
        self._log.append(administrator, "read_player", {"player": player_id})
        return account

    def search_games(
        self,
        administrator: str,
        statuses: Sequence[Any] = (),
        player: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page:
        """Return a page of all games, private ones included, newest first; see `Listings.page`.

        With `player`, only games in which that player has a place. Raises Malformed (the cursor).
        """
        limit = min(limit, MAX_PAGE_SIZE)
        page = self._listings.page_of_all(statuses, player, cursor, limit)
        details = {"player": player, "statuses": list(statuses)}
        self._log.append(administrator, "search_games", details)
        return page

    def game(self, administrator: str, game_id: str) -> Game:
        """Return a game, which may be private. Raises NotFound, Unreadable (it is damaged)."""
        game = self._repository.load(game_id).game
        self._log.append(administrator, "read_game", {"game": game_id})
        return game

    def reset_password(self, administrator: str, player_id: str, reason: str) -> str:
        """Give a player a new password, end all sessions, and return the password.

        Raises OperationNotPossible for an account without a password.
        """
        self._accounts.require_password(player_id)
        self._record(administrator, "reset_password", reason, player=player_id)
        return self._accounts.reset_password(player_id)

    def end_sessions(self, administrator: str, player_id: str, reason: str) -> None:
        """End all sessions of a player."""
        self._accounts.get(player_id)
        self._record(administrator, "end_sessions", reason, player=player_id)
        self._players.tokens.end_all(player_id)

    def suspend(self, administrator: str, player_id: str, reason: str) -> None:
        """Keep a player from logging in, and end all sessions; the player is shown the reason.

        The player's games continue, and their clocks run. Raises OperationNotPossible for an administrator.
        """
        self._require_no_administrator(player_id)
        self._record(administrator, "suspend", reason, player=player_id)
        self._accounts.suspend(player_id, reason)

    def end_suspension(self, administrator: str, player_id: str, reason: str) -> None:
        """Let a suspended player log in again."""
        self._accounts.get(player_id)
        self._record(administrator, "end_suspension", reason, player=player_id)
        self._accounts.end_suspension(player_id)

    def delete_player(self, administrator: str, player_id: str, reason: str) -> None:
        """Erase a player, as the player could. Raises OperationNotPossible for an administrator or a bot."""
        account = self._require_no_administrator(player_id)
        if account.player.bot is not None:
            raise OperationNotPossible.with_message("the account of a bot cannot be deleted")
        self._record(administrator, "delete_player", reason, player=player_id)
        self._erasure.erase_without_password(player_id)

    def set_role(self, administrator: str, player_id: str, role: Role | None, reason: str) -> None:
        """Replace the role of a player, or remove it (None).

        Raises OperationNotPossible for a guest or a bot.
        """
        if role is not None:
            self._accounts.require_password(player_id)
        else:
            self._accounts.get(player_id)
        operation = "revoke_role" if role is None else "grant_role"
        details = {} if role is None or role == ADMIN else {"role": role}
        self._record(administrator, operation, reason, player=player_id, **details)
        self._accounts.set_role(player_id, role)

    def remove_seat(
        self, administrator: str, game_id: str, seat: int, reason: str
    ) -> tuple[Event, ...]:
        """Remove a seat from a game in progress; return the appended events. Raises NotNow."""

        def add(pending: PendingEvents) -> None:
            secret = partial(self._repository.secret, game_id)
            commands.remove_seat(pending, administrator, seat, secret)

        return self._decide(administrator, "remove_seat", game_id, reason, add, seat=seat)

    def move_seat(
        self, administrator: str, game_id: str, seat: int, player_id: str, reason: str
    ) -> tuple[Event, ...]:
        """Give the seat of a person in a game in progress to another account; return the appended events.

        Raises OperationNotPossible (the account is suspended, or that of a bot), NotNow (not such a seat, or
        the player has or had a seat in the game, or is its arbiter), TooManyGames.
        """
        _require_reason(reason)
        account = self._accounts.get(player_id)
        if account.player.bot is not None:
            raise OperationNotPossible.with_message("this is the account of a bot")
        if account.suspended_at is not None:
            raise OperationNotPossible.with_message("this account is suspended")

        def add(pending: PendingEvents) -> None:
            self._commands.add_move(pending, administrator, seat, player_id)

        details = {"seat": seat, "player": player_id}
        return self._decide(administrator, "move_seat", game_id, reason, add, **details)

    def abandon(self, administrator: str, game_id: str, reason: str) -> tuple[Event, ...]:
        """End a game without a ranking; return the appended events. Raises NotNow if it is over."""

        def add(pending: PendingEvents) -> None:
            secret = partial(self._repository.secret, game_id)
            commands.abandon_game(pending, administrator, secret)

        return self._decide(administrator, "abandon", game_id, reason, add)

    def extend_deadline(
        self, administrator: str, game_id: str, seconds: int, reason: str
    ) -> tuple[Event, ...]:
        """Extend the deadline of the turn under way; return the appended event.

        Raises NotNow if there is no deadline, Malformed (`seconds`).
        """

        def add(pending: PendingEvents) -> None:
            commands.extend_deadline(pending, administrator, seconds)

        return self._decide(administrator, "extend_deadline", game_id, reason, add, seconds=seconds)

    def exclude_rating(self, administrator: str, game_id: str, reason: str) -> None:
        """Rule that a finished game does not count for the ratings, which are then derived without it.

        Everybody can read the reason. Raises OperationNotPossible (the game is private, not finished or not
        rated, it is excluded already, or there are too many exclusions).
        """
        _require_reason(reason)
        game = self._repository.load(game_id).game
        is_rated = game.options.get("rated") is True and game.status == "finished"
        if game.options["private"]:
            raise OperationNotPossible.with_message(
                "the list of excluded games has no private ones"
            )
        if not is_rated:
            raise OperationNotPossible.with_message("this is not a rated game that was finished")
        self._rating_exclusions.require_new(game_id)
        self._record(administrator, "exclude_rating", reason, game=game_id)
        self._rating_exclusions.add(game_id, reason)

    def include_rating(self, administrator: str, game_id: str, reason: str) -> None:
        """Let an excluded game count for the ratings again. Raises NotFound if it is not excluded."""
        _require_reason(reason)
        self._rating_exclusions.require(game_id)
        self._record(administrator, "include_rating", reason, game=game_id)
        self._rating_exclusions.remove(game_id)

    def resend_delivery(self, administrator: str, delivery_id: str, reason: str) -> Delivery:
        """Send a delivery that has ended again, and return it; the receiver recognises it by its id.

        Raises NotFound, and OperationNotPossible if it has not ended yet.
        """
        delivery = self.delivery(delivery_id)
        if not delivery.is_final:
            raise OperationNotPossible.with_message("the delivery has not ended: it will be sent")
        self._record(administrator, "resend_delivery", reason, delivery=delivery_id)
        return self._deliveries.resend(delivery_id, wall_clock.now()) or delivery

    def cancel_delivery(self, administrator: str, delivery_id: str, reason: str) -> Delivery:
        """Cancel a delivery that has not ended, and return it. An attempt that is under way may succeed.

        Raises NotFound, and OperationNotPossible if it has ended.
        """
        _require_reason(reason)
        delivery = self.delivery(delivery_id)
        if delivery.is_final:
            raise OperationNotPossible.with_message("the delivery has ended")
        self._record(administrator, "cancel_delivery", reason, delivery=delivery_id)
        self._deliveries.finish([delivery], "cancelled", wall_clock.now(), result=_CANCELLED)
        return self._deliveries.find(delivery_id) or delivery

    def delivery(self, delivery_id: str) -> Delivery:
        """Return a delivery. Raises NotFound."""
        delivery = self._deliveries.find(delivery_id)
        if delivery is None:
            raise NotFound.with_message(
                "there is no delivery {delivery}", delivery=delivery_id[:64]
            )
        return delivery

    def chat_message_reports(
        self, administrator: str, cursor: str | None = None, limit: int = 50
    ) -> tuple[list[ChatMessageReport], str | None]:
        """Return a page of the open reports of messages, and the next cursor. Raises Malformed (cursor)."""
        page = self._message_reports.page(cursor, min(limit, MAX_PAGE_SIZE))
        self._log.append(administrator, "read_reports", {})
        return page

    def close_message_report(self, administrator: str, report_id: str, reason: str) -> None:
        """Close a report of a message that was dealt with. Raises NotFound."""
        report = self._message_reports.get(report_id)
        details = {"report": report_id, "game": report.game, "message": report.number}
        self._record(administrator, "close_report", reason, **details)
        self._message_reports.close(report_id)

    def erase_reported_comment(self, administrator: str, report_id: str, reason: str) -> None:
        """Erase the comment or the post that a report is about, and close the report. Raises NotFound.

        Raises OperationNotPossible for a message: only its author can erase it.
        """
        report = self._message_reports.get(report_id)
        match report.of:
            case "comment":
                self.remove_comment(administrator, report.game, report.number, reason)
            case "post":
                self.remove_post(administrator, report.game, report.number, reason)
            case "tournament_post":
                self.remove_tournament_post(administrator, report.game, report.number, reason)
            case "message":
                raise OperationNotPossible.with_message("only its author can erase a message")
        self.close_message_report(administrator, report_id, reason)

    def remove_comment(self, administrator: str, game_id: str, number: int, reason: str) -> None:
        """Erase the text of a comment on a game. Raises NotFound."""
        self._comments.require(game_id, number)
        self._record(administrator, "remove_comment", reason, game=game_id, comment=number)
        self._comments.remove(game_id, number)

    def remove_post(self, administrator: str, club_id: str, number: int, reason: str) -> None:
        """Erase the text of a post on the wall of a club. Raises NotFound."""
        self._wall.require(club_id, number)
        self._record(administrator, "remove_post", reason, club=club_id, post=number)
        self._wall.remove_for_all(club_id, number)

    def remove_tournament_post(
        self, administrator: str, tournament_id: str, number: int, reason: str
    ) -> None:
        """Erase the text of a post in the conversation of a tournament. Raises NotFound."""
        self._tournament_posts.require(tournament_id, number)
        details = {"tournament": tournament_id, "post": number}
        self._record(administrator, "remove_tournament_post", reason, **details)
        self._tournament_posts.remove_for_all(tournament_id, number)

    def rename_club(self, administrator: str, club_id: str, name: str, reason: str) -> Club:
        """Give a club another name, and return it. Raises NotFound, Malformed (`name`), ClubNameTaken."""
        former = self._clubs.find(club_id).name
        _require_reason(reason)

        def record(name: str) -> None:
            details = {"club": club_id, "former": former, "name": name}
            self._record(administrator, "rename_club", reason, **details)

        return self._clubs.rename(club_id, name, record)

    def close_club(self, administrator: str, club_id: str, reason: str) -> None:
        """Delete a club; its games continue. Raises NotFound."""
        club = self._clubs.find(club_id)
        self._record(administrator, "close_club", reason, club=club_id, name=club.name)
        self._clubs.close_for_all(club_id)

    def search_tournaments(
        self,
        administrator: str,
        statuses: Sequence[TournamentStatus] = (),
        cursor: str | None = None,
        limit: int = 50,
    ) -> tuple[list[Tournament], str | None]:
        """Return a page of all tournaments, private ones included, newest first, and the next cursor.

        Raises Malformed (cursor).
        """
        page = self._tournaments.page_of_all(statuses, cursor, min(limit, MAX_PAGE_SIZE))
        self._log.append(administrator, "search_tournaments", {"statuses": list(statuses)})
        return page

    def tournament(self, administrator: str, tournament_id: str) -> Tournament:
        """Return a tournament, which may be private. Raises NotFound."""
        tournament = self._tournaments.load(tournament_id)
        self._log.append(administrator, "read_tournament", {"tournament": tournament_id})
        return tournament

    def cancel_tournament(self, administrator: str, tournament_id: str, reason: str) -> Tournament:
        """Cancel a tournament, and return it; its games continue. Raises NotFound, NotNow (over)."""
        _require_reason(reason)

        def record() -> None:
            self._record(administrator, "cancel_tournament", reason, tournament=tournament_id)

        return self._tournaments.cancel_by_administrator(tournament_id, administrator, record)

    def announce(
        self, administrator: str, texts: Mapping[str, object], ends: str, reason: str
    ) -> Announcement:
        """Show a text, given by language, to everybody until `ends`; return the announcement.

        Raises Malformed (`texts`, `ends`), and OperationNotPossible if there are too many.
        """
        announcement = self._announcements.create(texts, ends)
        details = {
            "announcement": announcement.id,
            "texts": announcement.texts,
            "ends": announcement.ends,
        }
        self._record(administrator, "announce", reason, **details)
        self._announcements.store(announcement)
        return announcement

    def withdraw_announcement(self, administrator: str, announcement_id: str, reason: str) -> None:
        """Withdraw an announcement before its end. Raises NotFound."""
        self._announcements.get(announcement_id)
        self._record(administrator, "withdraw_announcement", reason, announcement=announcement_id)
        self._announcements.withdraw(announcement_id)

    def delete_import(self, administrator: str, import_id: str, reason: str) -> None:
        """Delete an imported record. Raises NotFound."""
        imported = self._imports.get(import_id)
        details = {"import": import_id, "uploader": imported.uploader}
        self._record(administrator, "delete_import", reason, **details)
        self._imports.delete(imported)

    def work(self, administrator: str, render: Callable[[Message], str] = english) -> JsonObject:
        """Return the pending and the failed work of the service; see `WorkOverview.read`."""
        overview = self._work.read(render)
        self._log.append(administrator, "read_work", {})
        return overview

    def overview(self, administrator: str) -> list[tuple[Text, Finding]]:
        """Return what the checks of the service find, each with its subject; see `Health`."""
        self.note_reading(administrator, "read_overview")
        return list(self._health.findings())

    def note_reading(self, administrator: str, operation: str) -> None:
        """Record that an administrator reads something of the service that names nobody."""
        self._log.append(administrator, operation, {})

    def request_backup(self, administrator: str, reason: str, folder: str | None) -> None:
        """Have the scheduler make a backup now. Raises OperationNotPossible without a folder for backups."""
        if folder is None:
            raise OperationNotPossible.with_message(
                "set CARTULARY_BACKUP_FOLDER to the folder for backups"
            )
        self._record(administrator, "request_backup", reason)
        self._backups.request()

    def retire_key(self, administrator: str, key: str, reason: str) -> None:
        """Retire a signing key that another one has replaced. Raises NotFound.

        Raises OperationNotPossible for the key with which this process signs: it could not go on without.
        """
        if key not in {entry["key"] for entry in self._keyring.public_keys()}:
            raise NotFound.with_message(
                "this service has never published a key {key}", key=key[:64]
            )
        if key == self._keyring.signing_key.id:
            raise OperationNotPossible.with_message(
                "this process signs with the key: set CARTULARY_SIGNING_KEY to another file, and restart"
            )
        self._record(administrator, "retire_key", reason, key=key)
        self._keyring.retire(key)

    def log_page_before(
        self, administrator: str, before: int | None, limit: int
    ) -> list[JsonObject]:
        """Return the last entries before entry `before`, or the last ones, the newest first."""
        entries = self._log.page_before(before, min(limit, MAX_PAGE_SIZE))
        self._log.append(administrator, "read_log", {} if before is None else {"before": before})
        return entries

    def log_page(self, administrator: str, after: int, limit: int) -> list[JsonObject]:
        """Return entries after+1 … of the administration log, at most `limit`; reading is an entry too."""
        entries = self._log.page(after, min(limit, MAX_PAGE_SIZE))
        self._log.append(administrator, "read_log", {"after": after})
        return entries

    def first_log_fault(self) -> int | None:
        """Return the first entry that breaks the chain of the administration log; None if none does."""
        return self._log.first_fault()

    def _decide(
        self,
        administrator: str,
        operation: str,
        game_id: str,
        reason: str,
        add: Callable[[PendingEvents], None],
        **details: object,
    ) -> tuple[Event, ...]:
        """Append the events of a decision to a game."""
        _require_reason(reason)

        @cache
        def record() -> None:
            entry = {"game": game_id, "reason": reason, **details}
            self._log.append(administrator, operation, entry)

        def handler(_: CachedGame, pending: PendingEvents) -> None:
            add(pending)
            # The decision is recorded once it is possible. The handler may run again if others append in the
            # meantime.
            record()

        return self._repository.execute(game_id, handler, at_head=True).events

    def _record(self, administrator: str, operation: str, reason: str, **details: object) -> None:
        _require_reason(reason)
        self._log.append(administrator, operation, {**details, "reason": reason})

    def _require_no_administrator(self, player_id: str) -> AdministeredAccount:
        account = self._accounts.get(player_id)
        if account.role == ADMIN:
            raise OperationNotPossible.with_message(
                "this is an administrator: revoke the role before"
            )
        return account


def _require_reason(reason: str) -> None:
    if fault := reason_fault(reason):
        raise Malformed({"reason": fault})
