"""The command of the clock: it does what a game's options say about a deadline that has passed.

It checks the log first and appends nothing if there is nothing left to do, so that running it twice, late, or
in two processes at once appends once.
"""

import secrets as randomness
from collections.abc import Callable
from functools import partial
from typing import Final

from domain.chance import Chance
from domain.event import Event
from ledger import commands
from ledger.commands import is_due
from ledger.pending import PendingEvents
from replay.absent_player import action_for_absent_player
from service import clock
from service.clock import TrustedClock
from service.games.loader import CachedGame
from service.games.repository import GameRepository

SEED_BYTES: Final = 32


def _chance() -> Chance:
    """Return chance that nobody can foresee, unlike what derives from the log."""
    return Chance(randomness.token_bytes(SEED_BYTES))


class DeadlineCommands:
    """Ends turns whose deadline has passed. Thread-safe.

    Raises NotFound if there is no such game, and Unavailable if the store does not respond.
    """

    def __init__(
        self,
        repository: GameRepository,
        trusted_clock: TrustedClock,
        chance: Callable[[], Chance] = _chance,
    ) -> None:
        """`chance` returns the chance for a bot that plays the rest of a turn."""
        self._repository = repository
        self._trusted_clock = trusted_clock
        self._chance = chance

    def end_turn(self, game_id: str, turn: int) -> list[Event]:
        """End a turn if it is still under way and its deadline has passed by a reliable clock.

        By the game's options, it is forfeited, a bot plays the rest of it, its time begins anew, or the seat
        is removed or left vacant. A game that is deserted is abandoned with that. The turn of a vacant seat
        is ended at once. Returns the events that were appended.
        """
        if not self._trusted_clock.is_reliable():
            return []
        # Read before the events are dated, so that none of them is dated before the deadline.
        now = clock.format(self._trusted_clock.now())

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            game = cached.game
            if game.to_act is None or game.turn != turn or not is_due(game, now):
                return
            choose_action = partial(action_for_absent_player, chance=self._chance())
            commands.end_turn(pending, choose_action, lambda: self._repository.secret(game_id))

        return list(self._repository.execute(game_id, handler, at_head=True).events)
