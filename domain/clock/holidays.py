"""The decisions about the holidays of players in a game: announce one, and cancel it.

Each function looks at a game and returns the `DomainEvent` that follows, or raises Refused. How many holidays
a player may have, and how early they are to be announced, is decided for the account (`service/holidays`).
"""

from typing import Final

from domain.clock.events import HolidayAnnounced, HolidayCancelled
from domain.contract import DomainEvent
from domain.errors import NotNow, not_now
from domain.game import STATUS_MESSAGES, Game
from domain.json_types import Timestamp

MAX_HOLIDAYS_PER_PLAYER: Final = 200
"""Holidays of one player that a log may contain, cancelled ones included."""


def has_holidays(game: Game) -> bool:
    """Whether the clock of a game leaves out the holidays of the player whose turn it is."""
    return game.clock is not None and game.clock.get("holidays", False)


def announce(
    game: Game, player: str, since: Timestamp, until: Timestamp, at: Timestamp
) -> DomainEvent:
    """`HolidayAnnounced` at a time `at`. Raises NotNow unless the player, a person, is in a game whose clock
    has holidays, and the holiday is not over, not empty and no part of it is a holiday already.
    """
    _require_holidays(game, player)
    if until <= max(since, at):
        raise not_now("the holiday is over, or ends before it begins")
    own = [holiday for holiday in game.holidays if holiday.player == player]
    if any(since < holiday.ends and holiday.since < min(until, holiday.ends) for holiday in own):
        raise not_now("the player has a holiday in this time already")
    if len(own) >= MAX_HOLIDAYS_PER_PLAYER:
        raise not_now("a player can have {most} holidays in a game", most=MAX_HOLIDAYS_PER_PLAYER)
    data: HolidayAnnounced = {"player": player, "from": since, "to": until}
    return DomainEvent("HolidayAnnounced", data)


def cancel(game: Game, player: str, since: Timestamp, at: Timestamp) -> DomainEvent:
    """`HolidayCancelled` at a time `at`. Raises NotNow unless the player has a holiday that begins with
    `since` and is neither over nor cancelled.
    """
    _require_holidays(game, player)
    if not any(
        (holiday.player, holiday.since, holiday.cancelled_at) == (player, since, None)
        and at < holiday.until
        for holiday in game.holidays
    ):
        raise not_now("the player has no such holiday to cancel")
    data: HolidayCancelled = {"player": player, "from": since}
    return DomainEvent("HolidayCancelled", data)


def _require_holidays(game: Game, player: str) -> None:
    if not game.is_participant(player) or game.bot_of(player) is not None:
        raise not_now("only the people of a game have holidays in it")
    if game.has_ended:
        raise NotNow(None, STATUS_MESSAGES[game.status])
    if not has_holidays(game):
        raise not_now("the clock of this game has no holidays")
