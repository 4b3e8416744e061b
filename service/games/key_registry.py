"""Registers and revokes the keys of players: in their accounts, and in the logs of their current games.

The log of a game records the keys with which its players may sign, so that the record alone shows whether a
signature is one of the player's. A player who takes a place brings their keys along (ledger/commands.py).
A change of keys is appended to the game of each place that the player has; how many these are is bounded
(service/games/listings.py).

If a process dies in between, some of the logs lack the change. Repeating the request completes it. A key that
is revoked in the account signs nothing from then on, whatever the logs contain.
"""

import logging

from domain.errors import Unreadable
from domain.json_types import JsonObject
from ledger import commands
from ledger.pending import PendingEvents
from service.accounts.keys import PlayerKeys
from service.errors import NotFound, log_text
from service.games.listings import Listings
from service.games.loader import CachedGame
from service.games.repository import GameRepository, Handler

log = logging.getLogger(__name__)


class KeyRegistry:
    """The keys of all players, in accounts and logs. Thread-safe; every method raises Unavailable."""

    def __init__(self, keys: PlayerKeys, repository: GameRepository, listings: Listings) -> None:
        self._keys = keys
        self._repository = repository
        self._listings = listings

    def add(self, player: str, public: bytes, proof: bytes, name: str | None = None) -> JsonObject:
        """Register a key and return its entry. Idempotent; see `PlayerKeys.add` for the errors."""
        entry = self._keys.add(player, public, proof, name)
        key, public_hex = entry["key"], entry["public"]

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            if key not in cached.game.keys.get(player, {}):
                commands.add_key(pending, player, key, public_hex)

        self._in_current_games(player, handler)
        return entry

    def revoke(self, player: str, key: str) -> None:
        """Revoke a key. Idempotent. Raises NotFound if the player never registered it."""
        self._keys.revoke(player, key)

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            if cached.game.keys.get(player, {}).get(key) is not None:
                commands.revoke_key(pending, player, key)

        self._in_current_games(player, handler)

    def _in_current_games(self, player: str, handler: Handler) -> None:
        """Run a handler on each current game in which a player has a place; a damaged game is left out."""
        for game_id in self._listings.current_games(player):
            try:
                self._repository.execute(game_id, _unless_left(player, handler), at_head=True)
            except (NotFound, Unreadable) as error:
                log.error("a change of keys is missing in game %s: %s", game_id, log_text(error))  # noqa: TRY400 # a traceback would add nothing


def _unless_left(player: str, handler: Handler) -> Handler:
    """Return a handler that does nothing in a game that has ended, or that the player has left."""

    def conditional(cached: CachedGame, pending: PendingEvents) -> None:
        if cached.game.is_participant(player) and not cached.game.has_ended:
            handler(cached, pending)

    return conditional
