"""The commands with which players leave their seats to substitutes, and take vacant seats; and what moves a
seat to another account.
"""

from dataclasses import dataclass
from functools import partial

from domain.game import Game
from domain.messages import message
from ledger import commands
from ledger.pending import PendingEvents
from service.accounts.account_reader import AccountReader
from service.accounts.holidays import Holidays
from service.accounts.keys import PlayerKeys
from service.errors import NotFound
from service.games.access import require_ratable
from service.games.listings import GameQuota
from service.games.loader import CachedGame
from service.games.player_signatures import PlayerSignature, PlayerSignatures
from service.games.registries import bring_holidays
from service.games.repository import GameRepository
from service.games.requirements import Requirements


@dataclass(eq=False, repr=False)
class SubstituteCommands:
    """All commands on vacant seats. Thread-safe.

    Every command raises NotFound if there is no such game or the player may not see it, Unavailable if the
    store does not respond, IdempotencyConflict if the key was used for another request, and for a signature
    what `PlayerSignatures.signed` raises.
    """

    _repository: GameRepository
    _signatures: PlayerSignatures
    _quota: GameQuota
    _accounts: AccountReader
    _player_keys: PlayerKeys
    _holidays: Holidays
    _requirements: Requirements

    def leave_seat(
        self,
        game_id: str,
        player: str,
        idempotency_key: str | None = None,
        signature: PlayerSignature | None = None,
    ) -> Game:
        """Leave the player's seat vacant, and return the game, which is abandoned if nobody is left in it.

        Raises Forbidden (no seat), NotNow (no substitutes, not in play, or out of the game).
        """

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            seat = self._repository.access.require_seat(cached.game, player)
            secret = partial(self._repository.secret, game_id)
            commands.leave_seat(pending, seat, {"seat": seat}, secret)

        signed, request = self._signatures.signed(player, handler, ["leave seat"], signature)
        return self._repository.change(game_id, player, signed, idempotency_key, request)

    def take_seat(
        self,
        game_id: str,
        player: str,
        seat: int,
        idempotency_key: str | None = None,
        signature: PlayerSignature | None = None,
    ) -> Game:
        """Give a vacant seat to the player, and return the game.

        Raises NotFound (also if there is no such seat), NotNow (the seat is not vacant, or the player has or
        had a seat in the game, is its arbiter, or is a guest and the game is rated), Forbidden (requirements
        that the player does not meet), TooManyGames.
        """
        refusal = self._quota.refusal(player)
        keys = self._player_keys.valid_keys(player)

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            self._repository.access.require_visible(cached.game, player)
            if seat >= cached.game.seats:
                raise NotFound(message("game {game} has no seat {seat}", game=game_id, seat=seat))
            require_ratable(cached.game, player, self._accounts)
            if seat in cached.game.open_seats() and not cached.game.has_joined(player):
                self._requirements.require_member(cached.game, player)
                self._requirements.require(cached.game, player)
            commands.seat_substitute(pending, seat, player, keys)
            bring_holidays(pending, player, self._holidays)
            if refusal is not None:
                raise refusal

        signed, request = self._signatures.signed(player, handler, ["substitute", seat], signature)
        return self._repository.change(game_id, player, signed, idempotency_key, request)

    def add_move(self, pending: PendingEvents, administrator: str, seat: int, player: str) -> None:
        """Add the decision of an administrator to give the seat of a person to another player, and the move.

        Raises NotNow (`domain.administration.move_seat`), TooManyGames.
        """
        keys = self._player_keys.valid_keys(player)
        commands.move_seat(pending, administrator, seat, player, keys)
        bring_holidays(pending, player, self._holidays)
        refusal = self._quota.refusal(player)
        if refusal is not None:
            raise refusal
