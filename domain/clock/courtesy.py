"""The decision to give the player whose turn it is more time, as a courtesy of another player.

The deadline of the turn moves by it; `ledger.turn_clock` counts the time.
"""

from typing import Final

from domain.clock.events import TimeGiven
from domain.contract import DomainEvent
from domain.errors import Malformed, NotNow, not_now
from domain.game import STATUS_MESSAGES, Game
from domain.messages import message

MAX_COURTESY: Final = 7 * 24 * 3600
"""The most seconds by which players and administrators together may have extended a turn with a courtesy."""
MAX_COURTESIES_PER_PLAYER: Final = 20
"""How often a player may give time in one game."""


def give_time(game: Game, seat: int, to: int, seconds: int) -> DomainEvent:
    """`TimeGiven`: the player at `seat` adds seconds to the time of the turn under way, that of seat `to`.

    Raises NotNow unless the game is in progress, with a clock, it is the turn of `to`, and both seats are
    those of people who are still in the game; also if the player has given time as often as possible. Raises
    Malformed unless the turn is extended by at least a second, and by at most MAX_COURTESY in all.
    """
    if game.status != "playing":
        raise NotNow(None, STATUS_MESSAGES[game.status])
    if game.clock is None:
        raise not_now("the game has no clock")
    receiver = game.to_act
    if receiver is None or receiver != to:
        raise not_now("it is the turn of another player, or of nobody")
    people = game.seats_of_people()
    if seat == receiver or seat not in people or receiver not in people:
        raise not_now("players who are still in the game give time to each other")
    if game.courtesies.get(game.players[seat], 0) >= MAX_COURTESIES_PER_PLAYER:
        raise not_now(
            "a player can give time {most} times in a game", most=MAX_COURTESIES_PER_PLAYER
        )
    left = MAX_COURTESY - game.turn_extension
    if left < 1:
        raise not_now("this turn cannot be extended any more")
    if type(seconds) is not int or not 1 <= seconds <= left:
        fault = message("must be a whole number of seconds, 1 to {most}", most=left)
        raise Malformed({"seconds": fault})
    data: TimeGiven = {"seat": seat, "to": receiver, "seconds": seconds}
    return DomainEvent("TimeGiven", data)
