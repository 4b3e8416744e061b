"""The decision about a pause by agreement: a player agrees to it, or no longer does.

The clock stops while all people in the game agree; `domain.clock.records` folds that. Bots are not asked. How
long a pause may be is decided by `ledger.turn_clock`.
"""

from typing import Final

from domain.clock.events import PauseAgreed
from domain.contract import DomainEvent
from domain.errors import NotNow, not_now
from domain.game import STATUS_MESSAGES, Game

MAX_CHANGES_PER_PLAYER: Final = 40
"""How often a player may agree to a pause or withdraw in one game."""


def agree(game: Game, seat: int, *, agree: bool, is_over: bool) -> DomainEvent:
    """`PauseAgreed`. `is_over` states that the current pause has been as long as a pause may be.

    Raises NotNow unless the game is in progress, with a clock, and a person at the seat; if the player
    agrees, or does not agree, already; and if the player has changed this as often as possible. After the
    longest pause, a player may agree anew, and so may the others.
    """
    if game.status != "playing":
        raise NotNow(None, STATUS_MESSAGES[game.status])
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
