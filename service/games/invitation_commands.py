"""The commands of invitations by handle: inviting, declining and revoking. Accepting one is joining the game.

They append the events, and take an optional idempotency key, like the commands in service/games/commands.py.
"""

from domain.errors import NotNow
from domain.game import Game
from domain.messages import message, plural_message
from ledger import commands
from ledger.pending import PendingEvents
from service.clubs.clubs import Clubs
from service.errors import Forbidden
from service.games.loader import CachedGame
from service.games.repository import GameRepository


class InvitationCommands:
    """Invites players to games that have not started. Thread-safe.

    Every command returns the game after it. It raises NotFound if there is no such game or the player may not
    see it; NotNow if the game does not accept it as it stands; Unavailable if the store does not respond; and
    IdempotencyConflict if the key was used for another request.
    """

    def __init__(self, repository: GameRepository, clubs: Clubs, max_invitations: int) -> None:
        self._repository = repository
        self._clubs = clubs
        self._max_invitations = max_invitations

    def invite(
        self, game_id: str, player: str, invited: str, idempotency_key: str | None = None
    ) -> Game:
        """Have the creator of a game invite another person, who has an account.

        Raises Forbidden (not the creator, or one of them is not a member of the club of the game), NotNow
        (also for too many invitations).
        """

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            self._require_creator(cached.game, player)
            club = cached.game.options.get("club")
            if club is not None:
                # A creator who has left the club does not learn who its members are.
                if not self._clubs.is_member(club, player):
                    raise Forbidden(message("only the members of its club can join this game"))
                if not self._clubs.is_member(club, invited):
                    raise Forbidden(message("this player is not a member of the club of the game"))
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
            self._require_creator(cached.game, player)
            commands.revoke(pending, invited)

        return self._repository.change(
            game_id, player, handler, idempotency_key, ["revoke", invited]
        )

    def decline(self, game_id: str, player: str, idempotency_key: str | None = None) -> Game:
        """Have an invited player decline; does nothing if they have declined before. Raises NotNow."""

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            self._repository.access.require_visible(cached.game, player)
            if player not in cached.game.declined:
                commands.decline(pending, player)

        return self._repository.change(game_id, player, handler, idempotency_key, ["decline"])

    def _require_creator(self, game: Game, player: str) -> None:
        self._repository.access.require_visible(game, player)
        if player != game.creator:
            raise Forbidden(message("only the creator of a game invites players by their handles"))
