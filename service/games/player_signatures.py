"""Actions that players sign: the signature is checked before the event that contains it is appended.

It is checked with the keys that the log has registered for the player (service/games/key_registry.py), so
that an audit of the record checks the same. The audit is replay/audit/player_signatures.py.
"""

from dataclasses import dataclass
from typing import Any

from domain.event import ActionSignature
from domain.game import Game
from domain.messages import message
from ledger import commands
from ledger.canonical import canonical
from ledger.keys import BadSignature
from ledger.pending import PendingEvents
from ledger.player_signatures import action_payload, check_action
from service.accounts.keys import PlayerKeys
from service.errors import InvalidPlayerSignature, KeyNotUsable
from service.games.access import stale
from service.games.loader import GameLoader


@dataclass(frozen=True, slots=True)
class PlayerSignature:
    """The signature of a player for an action, and the id of the key, both in hex."""

    key: str
    signature: str


class SignedActions:
    """Checks the signatures of actions. Thread-safe; raises Unavailable if the store does not respond."""

    def __init__(self, loader: GameLoader, player_keys: PlayerKeys) -> None:
        self._loader = loader
        self._player_keys = player_keys

    def act(
        self,
        pending: PendingEvents,
        game: Game,
        seat: int,
        action: Any,
        expected_seq: int,
        signature: PlayerSignature,
    ) -> None:
        """Let a seat take a parsed action that its player has signed; add the event to `pending`.

        Unlike an unsigned action, it is stale even if the position has changed back since: otherwise a
        signature for an earlier moment could be used again. Raises Stale, NotNow, KeyNotUsable, Refused,
        InvalidPlayerSignature.
        """
        if expected_seq < game.position_seq:
            raise stale(expected_seq, game)
        player = game.participants[seat]
        public = game.keys.get(player, {}).get(signature.key)
        # While a revocation is being appended to the logs, only the account has it for certain.
        if public is None or self._player_keys.is_revoked(player, signature.key):
            raise KeyNotUsable(
                message("key {key} is not a key of this player in this game", key=signature.key)
            )
        head = self._hash_of(game, expected_seq)
        action_signature: ActionSignature = {
            "key": signature.key,
            "head": head,
            "signature": signature.signature,
        }
        commands.act(pending, seat, action, action_signature)
        action_json = game.rules.action_to_json(action)
        try:
            check_action(action_signature, public, game.id, action_json)
        except BadSignature as fault:
            payload = canonical(action_payload(game.id, head, action_json)).decode()
            raise InvalidPlayerSignature(
                message(
                    "{reason}: what key {key} must sign is {payload}",
                    reason=fault.message,
                    key=signature.key,
                    payload=payload,
                )
            ) from None

    def _hash_of(self, game: Game, seq: int) -> str:
        if seq == game.seq:
            return game.hash
        (event,) = self._loader.event_range(game.id, seq - 1, seq)
        return event["hash"]
