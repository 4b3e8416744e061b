"""The last messages of a game, as its page shows them to its players and its arbiter."""

from typing import Final

from domain.game import Game
from service.chat.messages import MessagePage
from service.games.access import is_correspondent
from service.http.context import service

LATEST_MESSAGES: Final = 3


def conversation(game: Game, player: str | None) -> MessagePage | None:
    """Return the last messages of a game; None for a viewer who may not read them."""
    if player is None or not is_correspondent(game, player):
        return None
    return service().messages.latest(game.id, player, limit=LATEST_MESSAGES)
