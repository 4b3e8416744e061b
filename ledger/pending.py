"""Pending events: the next events of one game, sealed in memory and not yet appended to a log.

What may happen is decided in `domain.lifecycle`, and how it is sealed in ledger/seal.py. A server
appends the pending events of one command in one step; a game that is played without a server may
consist of pending events only.
"""

import secrets as randomness
from collections.abc import Callable, Mapping

from domain.contract import DomainEvent
from domain.event import ActionSignature, By, Event
from domain.fold import EarlierGames
from domain.game import Game
from domain.json_types import JsonObject
from ledger.seal import SALT_BYTES, Sealed, seal


def random_salt() -> bytes:
    """Return fresh random bytes for the commitment to one secret."""
    return randomness.token_bytes(SALT_BYTES)


class PendingEvents:
    """The events that follow `base`, sealed one after the other. `base` itself is never changed."""

    def __init__(
        self,
        game_id: str,
        base: Game | None,
        *,
        timestamp: Callable[[], str],
        salt: Callable[[], bytes] = random_salt,
        load_earlier: Callable[[int], Game] | None = None,
    ) -> None:
        """Start without events. `base` is the game so far, None for a new game.

        `timestamp` returns the `at` of the next event, never earlier than that of the previous one.
        `salt` returns 32 fresh bytes for each secret. `load_earlier` returns the game after an event that is
        not pending, by seq.
        """
        self.game_id = game_id
        self.base = base
        self.sealed: list[Sealed] = []
        self._timestamp = timestamp
        self._salt = salt
        self._load_earlier = load_earlier
        self._earlier = EarlierGames(load=self.game_at)

    @property
    def game(self) -> Game:
        """The game after the last pending event. Raises LookupError for a game without events."""
        game = self.sealed[-1].game if self.sealed else self.base
        if game is None:
            raise LookupError(f"game {self.game_id} has no events yet")
        return game

    @property
    def next_at(self) -> str:
        """The timestamp of the next event, if it is added at once."""
        return self._timestamp()

    @property
    def events(self) -> tuple[Event, ...]:
        """The pending events, in order."""
        return tuple(sealed.event for sealed in self.sealed)

    @property
    def lines(self) -> tuple[bytes, ...]:
        """The canonical lines of the pending events, without line feeds."""
        return tuple(sealed.line for sealed in self.sealed)

    @property
    def openings(self) -> dict[int, dict[str, JsonObject]]:
        """The openings of the pending events' secrets, by seq and name."""
        return {sealed.event["seq"]: sealed.openings for sealed in self.sealed if sealed.openings}

    def game_at(self, seq: int) -> Game:
        """Return the game after event `seq`, pending or earlier.

        Raises LookupError if there is no such event, or if earlier games cannot be loaded.
        """
        first = 1 if self.base is None else self.base.seq + 1
        if 0 <= seq - first < len(self.sealed):
            return self.sealed[seq - first].game
        if self._load_earlier is None or not 1 <= seq < first:
            raise LookupError(f"event {seq} is not among the pending events")
        return self._load_earlier(seq)

    def add(
        self,
        event: DomainEvent,
        by: By,
        action: Mapping[str, object] | None = None,
        signature: ActionSignature | None = None,
        *,
        is_conditional: bool = False,
    ) -> Game:
        """Seal one more event, with the action that led to it and the player's signature for that action, if
        there are any, and return the game after it. `is_conditional` marks an action that was prepared.
        """
        sealed = seal(
            self.sealed[-1].game if self.sealed else self.base,
            event,
            game_id=self.game_id,
            by=by,
            action=action,
            at=self._timestamp(),
            salt=self._salt,
            earlier=self._earlier,
            signature=signature,
            is_conditional=is_conditional,
        )
        self.sealed.append(sealed)
        return sealed.game
