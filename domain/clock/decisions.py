"""The decisions of players about the clock of a game: holidays, pauses by agreement, and more time for
others.

Each function looks at a game and returns the `DomainEvent` that follows, or raises Refused. How many holidays
a player may have, and how early they are to be announced, is decided for the account (`service/holidays`);
`ledger.clock.turn_clock` counts the time, and decides how long a pause may be.
"""

from typing import Final

from domain.clock.events import HolidayAnnounced, HolidayCancelled, PauseAgreed, TimeGiven
from domain.contract import DomainEvent
from domain.errors import Malformed, not_now
from domain.game import Game, require_not_ended, require_playing
from domain.json_types import Timestamp
from domain.messages import message

MAX_HOLIDAYS_PER_PLAYER: Final = 200
"""Holidays of one player that a log may contain, cancelled ones included."""
MAX_CHANGES_PER_PLAYER: Final = 40
"""How often a player may agree to a pause or withdraw in one game."""
MAX_TURN_EXTENSION: Final = 7 * 24 * 3600
"""The most seconds by which a turn may be extended in all, by players and administrators, when a player
extends it.
"""
MAX_EXTENSIONS_PER_PLAYER: Final = 20
"""How often a player may give time in one game."""


def has_holidays(game: Game) -> bool:
    """Whether the clock of a game leaves out the holidays of the player whose turn it is."""
    return game.clock is not None and game.clock.get("holidays", False)


def announce_holiday(
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


def cancel_holiday(game: Game, player: str, since: Timestamp, at: Timestamp) -> DomainEvent:
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
    require_not_ended(game)
    if not has_holidays(game):
        raise not_now("the clock of this game has no holidays")


def agree_to_pause(game: Game, seat: int, *, agree: bool, is_over: bool) -> DomainEvent:
    """`PauseAgreed`: the player at a seat agrees to a pause, or no longer does. The clock stops while all
    people in the game agree, which `domain.clock.history` folds; bots are not asked. `is_over` states that
    the current pause has been as long as a pause may be.

    Raises NotNow unless the game is in progress, with a clock, and a person at the seat; if the player
    agrees, or does not agree, already; and if the player has changed this as often as possible. After the
    longest pause, a player may agree to another one, and so may the others.
    """
    require_playing(game)
    if game.clock is None:
        raise not_now("the game has no clock that a pause could stop")
    if seat not in game.seats_of_people():
        raise not_now("only people who are still in the game agree on a pause")
    player = game.players[seat]
    has_agreed = player in game.pauses.agreed_by
    if agree and has_agreed and not is_over:
        raise not_now("this player agrees to a pause already")
    if not agree and not has_agreed:
        raise not_now("this player does not agree to a pause")
    if agree and game.pauses.changes.get(player, 0) >= MAX_CHANGES_PER_PLAYER:
        raise not_now(
            "a player can agree to a pause or withdraw {most} times in a game",
            most=MAX_CHANGES_PER_PLAYER,
        )
    data: PauseAgreed = {"seat": seat, "agree": agree}
    return DomainEvent("PauseAgreed", data)


def give_time(game: Game, seat: int, to: int, seconds: int) -> DomainEvent:
    """`TimeGiven`: the player at `seat` adds seconds to the time of the turn under way, that of seat `to`.

    Raises NotNow unless the game is in progress, with a clock, it is the turn of `to`, and both seats are
    those of people who are still in the game; also if the player has given time as often as possible. Raises
    Malformed unless the turn is extended by at least a second, and by at most MAX_TURN_EXTENSION in all.
    """
    require_playing(game)
    if game.clock is None:
        raise not_now("the game has no clock")
    receiver = game.to_act
    if receiver is None or receiver != to:
        raise not_now("it is the turn of another player, or of nobody")
    people = game.seats_of_people()
    if seat == receiver or seat not in people or receiver not in people:
        raise not_now("players who are still in the game give time to each other")
    if game.extensions_given.get(game.players[seat], 0) >= MAX_EXTENSIONS_PER_PLAYER:
        raise not_now(
            "a player can give time {most} times in a game", most=MAX_EXTENSIONS_PER_PLAYER
        )
    left = MAX_TURN_EXTENSION - game.turn_extension
    if left < 1:
        raise not_now("this turn cannot be extended further")
    if type(seconds) is not int or not 1 <= seconds <= left:
        fault = message("must be a whole number of seconds, 1 to {most}", most=left)
        raise Malformed({"seconds": fault})
    data: TimeGiven = {"seat": seat, "to": receiver, "seconds": seconds}
    return DomainEvent("TimeGiven", data)
