"""The commands of invitations by handle: inviting, declining and revoking. Accepting one is joining the game.

They append the events, and take an optional idempotency key, like the commands in service/games/commands.py.
"""

from domain.errors import NotNow
from domain.game import Game
from domain.messages import message, plural_message
from ledger import commands
from ledger.pending import PendingEvents
from service.errors import Forbidden
from service.games.access import require_visible
from service.games.loader import CachedGame
from service.games.repository import GameRepository


class InvitationCommands:
    """Invites players to games that have not started. Thread-safe.

    Every command returns the game after it. It raises NotFound if there is no such game or the player may not
    see it; NotNow if the game does not accept it as it stands; Unavailable if the store does not respond; and
    IdempotencyConflict if the key was used for another request.
    """

    def __init__(self, repository: GameRepository, max_invitations: int) -> None:
        self._repository = repository
        self._max_invitations = max_invitations

    def invite(
        self, game_id: str, player: str, invited: str, idempotency_key: str | None = None
    ) -> Game:
        """Have the creator of a game invite another person, who has an account.

        Raises Forbidden (not the creator), NotNow (also for too many invitations).
        """

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            _require_creator(cached.game, player)
            commands.invite(pending, invited)
            if cached.game.invitations >= self._max_invitations:
                raise NotNow(
                    None,
                    plural_message(
                        "only one player can be invited to a game",
                        "at most {count} players can be invited to a game",
                        count=self._max_invitations,
                    ),
                )

        return self._repository.change(
            game_id, player, handler, idempotency_key, ["invite", invited]
        )

    def revoke(
        self, game_id: str, player: str, invited: str, idempotency_key: str | None = None
    ) -> Game:
        """Have the creator of a game withdraw an invitation. Raises Forbidden (not the creator), NotNow."""

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            _require_creator(cached.game, player)
            commands.revoke(pending, invited)

        return self._repository.change(
            game_id, player, handler, idempotency_key, ["revoke", invited]
        )

    def decline(self, game_id: str, player: str, idempotency_key: str | None = None) -> Game:
        """Have an invited player decline; does nothing if they have declined before. Raises NotNow."""

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            require_visible(cached.game, player)
            if player not in cached.game.declined:
                commands.decline(pending, player)

        return self._repository.change(game_id, player, handler, idempotency_key, ["decline"])


def _require_creator(game: Game, player: str) -> None:
    require_visible(game, player)
    if player != game.creator:
        raise Forbidden(message("only the creator of a game invites players by their handles"))
