"""Who may see a game, and who may act in it."""

from domain.game import Game
from service.errors import Forbidden, NotFound


def game_not_found(game_id: str) -> NotFound:
    """Return the error for a game that does not exist or that the viewer may not see.

    Both cases have the same message, so that a private game cannot be detected.
    """
    return NotFound(f"there is no game {game_id[:64]}")


def can_see(game: Game, player: str | None) -> bool:
    """Return whether a player (None: a viewer without a token) may see the game.

    A private game is visible to its players and to those invited to it.
    """
    if not game.options["private"]:
        return True
    return player is not None and (game.has_joined(player) or player in game.invited)


def require_visible(game: Game, player: str | None) -> None:
    """Raise NotFound if this player may not see the game."""
    if not can_see(game, player):
        raise game_not_found(game.id)


def require_seat(game: Game, player: str) -> int:
    """Return the player's seat; before the start, the index of the player's place.

    Raises Forbidden for a player who is not in the game.
    """
    seat = game.seat_of(player)
    if seat is not None:
        return seat
    for index, place in enumerate(game.places):
        if place.player == player:
            return index
    raise Forbidden("this is not a player of the game")
