"""Commands for agreements to a pause, and for time that players give each other."""

from typing import Unpack

from ledger import commands
from ledger.pending import PendingEvents
from service.games.game_cache import CachedGame
from service.games.player_signatures import RequestOptions, SignedCommands
from service.games.repository import AcceptedAction


class PauseCommands(SignedCommands):
    """Agreements to a pause, and time that players give each other. Thread-safe.

    Every command raises NotFound, IdempotencyConflict, Unavailable, and what `PlayerSignatures.signed` does.
    """

    def agree(
        self, game_id: str, player: str, *, agree: bool, **options: Unpack[RequestOptions]
    ) -> AcceptedAction:
        """Agree to a pause, or withdraw the agreement.

        Raises Forbidden (not a player of this game), and NotNow (see
        `domain.clock.decisions.agree_to_pause`).
        """

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            seat = self._repository.access.require_seat(cached.game, player)
            commands.agree_to_pause(pending, seat, agree=agree)

        request = ["pause", agree]
        return self._accept(game_id, player, handler, request, **options)

    def give_time(
        self, game_id: str, player: str, *, to: int, seconds: int, **options: Unpack[RequestOptions]
    ) -> AcceptedAction:
        """Give the player at seat `to`, whose turn it is, so many seconds more.

        Raises Forbidden (not a player of this game), NotNow and Malformed (see
        `domain.clock.decisions.give_time`).
        """

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            seat = self._repository.access.require_seat(cached.game, player)
            commands.give_time(pending, seat, to, seconds)

        request = ["give-time", to, seconds]
        return self._accept(game_id, player, handler, request, **options)
