"""Announces and cancels holidays of players: in their accounts, and in the logs of their current games.

A log records the holidays of its players if the clock of the game has holidays. A player who takes a place
brings their holidays along (`bring_holidays`). A change is appended to each current game of the player.

If a process dies in between, or a player announces a holiday while joining a game, some of the logs lack the
change. The account notes that until all logs have it, and a sweep of the scheduler completes it.
"""

import logging
from collections.abc import Sequence
from datetime import date

from domain.clock.decisions import has_holidays
from domain.errors import NotNow, Unreadable
from domain.messages import message
from ledger import commands
from ledger.pending import PendingEvents
from ledger.time_zones import UTC_NAME
from service.accounts.accounts import Players
from service.accounts.holidays import AccountHoliday, Holidays
from service.errors import NotFound, Unauthorised, log_text
from service.games.listings import Listings
from service.games.loader import CachedGame
from service.games.repository import GameRepository

log = logging.getLogger(__name__)


class HolidayRegistry:
    """The holidays of all players, in accounts and logs. Thread-safe; every method raises Unavailable."""

    def __init__(
        self, holidays: Holidays, players: Players, repository: GameRepository, listings: Listings
    ) -> None:
        self._holidays = holidays
        self._players = players
        self._repository = repository
        self._listings = listings

    def announce(self, player: str, first_day: date, last_day: date) -> AccountHoliday:
        """Announce a holiday of whole days in the time zone of the account.

        Raises what `Holidays.announce` raises, and Unauthorised if the account has been deleted.
        """
        (account,) = self._players.get([player])
        if account is None:
            raise Unauthorised(message("the account of this token has been deleted"))
        zone = account.time_zone or UTC_NAME
        holiday = self._holidays.announce(player, zone, first_day, last_day)
        self.complete(player)
        return holiday

    def cancel(self, player: str, id: str) -> AccountHoliday:
        """Cancel a holiday, or end one that has begun. Idempotent. Raises NotFound."""
        holiday = self._holidays.cancel(player, id)
        self.complete(player)
        return holiday

    def complete(self, player: str | None = None) -> None:
        """Complete the logs of a player whose holidays may be missing in them; None: of all such players."""
        for id, changes in self._holidays.to_record(player).items():
            self._record(id)
            self._holidays.mark_recorded(id, changes)

    def _record(self, player: str) -> None:
        """Record the holidays of a player in each of their current games; a damaged game is left out."""
        for game_id in self._listings.current_games(player):

            def handler(cached: CachedGame, pending: PendingEvents) -> None:
                record_holidays(pending, player, self._holidays.current(player))

            try:
                self._repository.execute(game_id, handler, at_head=True)
            except (NotFound, Unreadable) as error:
                log.warning("game %s lacks a change of holidays: %s", game_id, log_text(error))


def bring_holidays(pending: PendingEvents, player: str, holidays: Holidays) -> None:
    """Record the holidays of a player who has just taken a place, if the clock of the game has holidays.

    A holiday that is announced at the same time is left to the next sweep.
    """
    if has_holidays(pending.game):
        record_holidays(pending, player, holidays.current(player))
        holidays.require_recording(player)


def record_holidays(
    pending: PendingEvents, player: str, holidays: Sequence[AccountHoliday]
) -> None:
    """Let the log of a game record exactly these holidays of a player among those that are not over.

    Does nothing if it does already, if its clock has no holidays, if the game has ended, or if the player has
    no place in it.
    """
    game, at = pending.game, pending.next_at
    if not has_holidays(game) or game.has_ended or not game.is_participant(player):
        return
    announced = {holiday.since for holiday in holidays}
    recorded = {
        holiday.since
        for holiday in game.holidays
        if holiday.player == player and holiday.cancelled_at is None and at < holiday.until
    }
    for since in sorted(recorded - announced):
        commands.cancel_holiday(pending, player, since)
    for holiday in holidays:
        if holiday.since not in recorded and at < holiday.until:
            try:
                commands.announce_holiday(pending, player, holiday.since, holiday.until)
            except NotNow as refusal:
                # The log has as many holidays of the player as it may have.
                log.warning("game %s records no more holidays: %s", game.id, log_text(refusal))
