"""Registers keys and holidays of players: in their accounts, and in the logs of their current games.

The log of a game records the keys with which its players may sign, so that the record alone shows whether a
signature is one of the player's, and their holidays, if the clock of the game has holidays. When a player
takes a place, their keys (ledger/commands.py) and their holidays (`bring_holidays`) are recorded. A change is
appended to each game in which the player has a place; their number is bounded (service/games/listings.py).

If a process dies in between, some of the logs lack the change. Repeating the request completes a change of
keys. A key that is revoked in the account cannot sign from then on, whatever the logs contain. Holidays may
also be missing because a player announces one while joining a game. The account is marked until all logs have
them, and a sweep of the scheduler completes them.
"""

import logging
from collections.abc import Sequence
from datetime import date
from functools import partial

from domain.clock.decisions import has_holidays
from domain.errors import NotNow
from domain.json_types import JsonObject
from ledger import commands
from ledger.clock.time_zones import UTC_NAME
from ledger.pending import PendingEvents
from service.accounts.accounts import Players
from service.accounts.holidays import AccountHoliday, Holidays
from service.accounts.keys import PlayerKeys
from service.errors import Unauthorised, log_text
from service.games.game_cache import CachedGame
from service.games.listings import Listings
from service.games.repository import GameRepository, Handler

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

        Raises the errors of `Holidays.announce`, and Unauthorised if the account has been deleted.
        """
        (account,) = self._players.get([player])
        if account is None:
            raise Unauthorised.with_message("the account of this token has been deleted")
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
        """Record missing holidays of a player in the logs; None stands for all players who may have any."""
        for id, changes in self._holidays.to_record(player).items():
            self._record(id)
            self._holidays.mark_recorded(id, changes)

    def _record(self, player: str) -> None:
        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            record_holidays(pending, player, self._holidays.current(player))

        self._repository.execute_each(
            self._listings.current_games(player),
            handler,
            partial(log.warning, "game %s lacks a change of holidays: %s"),
        )


def bring_holidays(pending: PendingEvents, player: str, holidays: Holidays) -> None:
    """Record the holidays of a player who has just taken a place, if the clock of the game has holidays.

    If a holiday is announced at the same time, the next sweep records it.
    """
    if has_holidays(pending.game):
        record_holidays(pending, player, holidays.current(player))
        holidays.require_recording(player)


def record_holidays(
    pending: PendingEvents, player: str, holidays: Sequence[AccountHoliday]
) -> None:
    """Make the holidays of a player in a log, apart from past ones, equal to these.

    Does nothing if they are equal, if the clock has no holidays, if the game has ended, or if the player has
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
                # The log has the most holidays of the player that it may have.
                log.warning("game %s records no more holidays: %s", game.id, log_text(refusal))


class KeyRegistry:
    """The keys of all players, in accounts and logs. Thread-safe; every method raises Unavailable."""

    def __init__(self, keys: PlayerKeys, repository: GameRepository, listings: Listings) -> None:
        self._keys = keys
        self._repository = repository
        self._listings = listings

    def add(self, player: str, public: bytes, proof: bytes, name: str | None = None) -> JsonObject:
        """Register a key and return its entry. Idempotent; see `PlayerKeys.add` for the errors."""
        entry = self._keys.add(player, public, proof, name)
        key, public_hex = entry["key"], entry["public"]

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            if key not in cached.game.keys.get(player, {}):
                commands.add_key(pending, player, key, public_hex)

        self._in_current_games(player, handler)
        return entry

    def revoke(self, player: str, key: str) -> None:
        """Revoke a key. Idempotent. Raises NotFound if the player never registered it."""
        self._keys.revoke(player, key)

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            if cached.game.keys.get(player, {}).get(key) is not None:
                commands.revoke_key(pending, player, key)

        self._in_current_games(player, handler)

    def _in_current_games(self, player: str, handler: Handler) -> None:
        """Run a handler on the current games of a player, except those that they have just left."""

        def conditional(cached: CachedGame, pending: PendingEvents) -> None:
            if cached.game.is_participant(player) and not cached.game.has_ended:
                handler(cached, pending)

        self._repository.execute_each(
            self._listings.current_games(player),
            conditional,
            partial(log.error, "a change of keys is missing in game %s: %s"),
        )
