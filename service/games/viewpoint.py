"""The viewpoint of somebody who looks at a game: which of its secrets they see, at any of its events.

While a game is in progress, a player sees what their seat may see, and everybody else what a spectator may
see. After its end everybody sees everything, and may look at it as any seat saw it then.
"""

from dataclasses import dataclass

from domain.contract import STATEMENT, secret_owner
from domain.errors import Malformed
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import message
from service.errors import Forbidden


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """What is seen of a game: everything, or else what `seat` may see (None: a spectator)."""

    seat: int | None
    sees_everything: bool

    def may_see(self, secret: str) -> bool:
        """Return whether the secret of this name is shown."""
        if self.sees_everything or secret == STATEMENT:
            return True
        return self.seat is not None and self.seat == secret_owner(secret)

    def position(self, game: Game) -> JsonObject | None:
        """Return the position of the game after one of its events; None before the start."""
        position: JsonObject | None = game.position(self.seat, ended=self.sees_everything)
        return position

    def sees_as(self, game: Game, seat: int) -> bool:
        """Return whether everything that this seat saw of the game at this event is shown.

        The game must have started.
        """
        if self.sees_everything or seat == self.seat or game.has_ended:
            return True
        rules, state = game.rules, game.state
        return bool(rules.position(state, seat) == rules.position(state, self.seat))


def viewpoint_of(head: Game, player: str | None, seat: int | None = None) -> Viewpoint:
    """Return from which viewpoint a player (None: a viewer without a token) looks at a game.

    `head` is the game at its head, which the player must be allowed to see. With `seat`, they look at it as
    this seat saw it during the game. Raises Malformed if there is no such seat, and Forbidden if the game has
    not ended and it is not the seat of the player.
    """
    own = None if player is None else head.seat_of(player)
    if seat is None:
        return Viewpoint(own, head.has_ended)
    if not head.players or not 0 <= seat < head.seats:
        raise Malformed({"as": message("must be the number of a seat of this game")})
    if seat != own and not head.has_ended:
        raise Forbidden(message("what another player sees is shown only after the end of the game"))
    return Viewpoint(seat, sees_everything=False)
