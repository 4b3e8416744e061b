"""The command of players that pauses the clock of a game by agreement."""

from ledger import clock_commands
from ledger.pending import PendingEvents
from service.games.access import require_seat, require_visible
from service.games.cache import CachedGame
from service.games.commands import AcceptedAction
from service.games.idempotency import idempotency_record
from service.games.repository import GameRepository
from service.keyring import Keyring


class PauseCommands:
    """Agreements to a pause. Thread-safe."""

    def __init__(self, repository: GameRepository, keyring: Keyring) -> None:
        self._repository = repository
        self._keyring = keyring

    def agree(
        self, game_id: str, player: str, *, agree: bool, idempotency_key: str | None = None
    ) -> AcceptedAction:
        """Agree to a pause, or withdraw the agreement.

        Raises NotFound, Forbidden (not a player of this game), NotNow (see `domain.pauses.agree`),
        IdempotencyConflict and Unavailable.
        """
        # A receipt must not be older than the publication of its key.
        self._keyring.publish_key()

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            require_visible(cached.game, player)
            clock_commands.agree_to_pause(pending, require_seat(cached.game, player), agree=agree)

        record = idempotency_record(player, idempotency_key, ["pause", agree])
        sign = self._keyring.receipt
        result = self._repository.execute(game_id, handler, record, sign=sign)
        return AcceptedAction(result.events, result.receipt or sign(result.events[0]))
