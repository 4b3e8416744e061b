"""The hint for a position: what a bot would do that knows only what the seat sees.

It follows from the position and the hash of the event that gave it, so anybody can compute it again from what
the player knows, and it tells the player nothing that was hidden.
"""

from hashlib import sha256
from typing import Any, Final

from domain.chance import Chance
from domain.game import Game

HINTING_BOT: Final = "sensible"


def hint_for(game: Game, seat: int) -> Any:
    """Return the action that the bot proposes to a seat whose turn it is."""
    position = game.position(seat)
    actions = game.rules.legal_actions(game.state, seat)
    chance = Chance(
        sha256(f"cartulary hint v1 {game.id} {game.position_seq} {seat}".encode()).digest()
    )
    return game.rules.BOTS[HINTING_BOT](position, actions, seat, chance)
