"""What templates/open_graph.html needs: the names of the players of a game, and absolute addresses."""

from flask import request

from domain.game import Game
from domain.messages import Listing, PlayerWithId, comma_list


def player_list(game: Game) -> Listing:
    """Return the names of the players of a game, by seat or in the order of joining."""
    return comma_list(PlayerWithId(player) for player in game.participants)


def absolute_url(path: str) -> str:
    """Return the address of a path of this server, as the visitor addresses it."""
    return request.host_url.rstrip("/") + path
