"""Checks the signatures of players before the events that contain them are appended.

The keys are those that the log has registered for the player (service/games/registries.py), so that an audit
of the record makes the same check. The audit is replay/audit/player_signatures.py.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

from domain.conditional import Tree, tree_after
from domain.contract import STATEMENT
from domain.errors import Malformed, Refused
from domain.event import ActionSignature, Event
from domain.game import Game
from domain.json_types import JsonObject
from domain.lifecycle import can_bring_keys
from domain.messages import message
from ledger import commands
from ledger.canonical import canonical
from ledger.keys import BadSignature
from ledger.pending import PendingEvents
from ledger.player_signatures import (
    PreparedActions,
    author,
    check,
    prepared_payload,
    signed_payload,
)
from service.accounts.keys import PlayerKeys
from service.errors import InvalidPlayerSignature, KeyNotUsable, ServiceError
from service.games.access import stale
from service.games.game_cache import CachedGame
from service.games.loader import GameLoader
from service.games.repository import Handler


@dataclass(frozen=True, slots=True)
class PlayerSignature:
    """The signature of a player for an action or a statement, and the id of the key, both in hex.

    The player had seen event `expected_seq` when signing; None if the request contains that elsewhere. `salt`
    (hex) is that of the commitment to the text of a statement.
    """

    key: str
    signature: str
    expected_seq: int | None = None
    salt: str | None = None

    def seen_at(self, seq: int) -> "PlayerSignature":
        """Return the signature with `expected_seq` set to `seq`."""
        return replace(self, expected_seq=seq)

    def as_request(self) -> list[object]:
        """Return the values that are compared if an idempotency key is used again."""
        return [self.key, self.signature, *([] if self.salt is None else [self.salt])]


class PlayerSignatures:
    """Checks the signatures of players. Thread-safe; raises Unavailable if the store does not respond."""

    def __init__(self, loader: GameLoader, player_keys: PlayerKeys) -> None:
        self._loader = loader
        self._player_keys = player_keys

    def signed(
        self,
        player: str,
        handler: Handler,
        request: Sequence[object],
        signature: PlayerSignature | None,
        *,
        is_action: bool = False,
    ) -> tuple[Handler, Sequence[object]]:
        """Return a handler that seals the first event of `handler` with a signature of the player, and the
        request including the signature, for comparison. Without a signature, both are returned unchanged.

        Refusals by `handler` come first. The player must have signed after the last event of play and, for a
        statement, after the last statement of the same player: otherwise the signature could be used again.
        The new handler raises Stale, KeyNotUsable (not a key of the player in this game), Malformed (a text
        without a salt, or a salt without a text), InvalidPlayerSignature.
        """
        if signature is None:
            return handler, request

        def sealed_with_signature(cached: CachedGame, pending: PendingEvents) -> None:
            try:
                public = self._prepare(pending, cached.game, player, signature, is_action=is_action)
            except (Refused, ServiceError):
                handler(cached, pending)
                raise
            handler(cached, pending)
            _check(pending, public, signature)
            self._player_keys.note_use(player, signature.key)

        return sealed_with_signature, [*request, signature.as_request()]

    def _prepare(
        self,
        pending: PendingEvents,
        game: Game,
        player: str,
        signature: PlayerSignature,
        *,
        is_action: bool,
    ) -> str:
        """Have the next event sealed with the signature, and return the public key, which is then in the log.

        The key of a person without a seat is registered first, as the keys of players are when they join.
        """
        key = signature.key

        def is_over(event: Event) -> bool:
            return not is_action and author(event, game) == player

        head = self._head(game, signature, is_over)
        public = game.keys.get(player, {}).get(key)
        if public is None and can_bring_keys(game, player):
            public = self._player_keys.valid_keys(player).get(key)
            if public is not None:
                commands.add_key(pending, player, key, public)
        public = self._require_key(player, key, public)
        sealed: ActionSignature = {"key": key, "head": head, "signature": signature.signature}
        salt = None if signature.salt is None else bytes.fromhex(signature.salt)
        pending.sign_next(sealed, salt)
        return public

    def check_tree(self, game: Game, player: str, tree: Tree, signature: PlayerSignature) -> str:
        """Check the signature of conditional actions; return the hash of the event after which they begin.

        Raises Stale (an event since then would make them void), KeyNotUsable, Malformed (without a salt),
        InvalidPlayerSignature.
        """
        seat = game.seat_of(player)
        assert seat is not None, "only a player prepares actions"
        if signature.salt is None:
            raise Malformed({"signature.salt": message("is missing")})
        head = self._head(game, signature, lambda event: tree_after(tree, event) != tree)
        public = self._require_key(
            player, signature.key, game.keys.get(player, {}).get(signature.key)
        )
        actions = PreparedActions(tree, seat, bytes.fromhex(signature.salt))
        payload = prepared_payload(game.id, head, actions.root)
        signed: ActionSignature = {
            "key": signature.key,
            "head": head,
            "signature": signature.signature,
        }
        _require_valid(signed, public, payload)
        return head

    def _require_key(self, player: str, key: str, public: str | None) -> str:
        """Return the public key, which is None if the log does not have it. Raises KeyNotUsable."""
        # While a revocation is being appended to the logs, only the account is certain to have it.
        if public is None or self._player_keys.is_revoked(player, key):
            raise KeyNotUsable.with_message(
                "key {key} is not a key of this player in this game", key=key
            )
        return public

    def _head(
        self, game: Game, signature: PlayerSignature, is_over: Callable[[Event], bool]
    ) -> str:
        """Return the hash of the event that the player had seen when signing.

        Raises Stale if play has continued since, or if `is_over` returns true for an event since.
        """
        seq = signature.expected_seq or 0
        if seq == game.seq:
            return game.hash
        if not game.position_seq <= seq < game.seq:
            raise stale(seq, game)
        seen, *later = self._loader.event_range(game.id, seq - 1, game.seq)
        if any(map(is_over, later)):
            raise stale(seq, game)
        return seen["hash"]


def _check(pending: PendingEvents, public: str, signature: PlayerSignature) -> None:
    """Check the signature of a pending event. Raises Malformed, InvalidPlayerSignature."""
    event = next(event for event in pending.events if "signature" in event)
    has_text = STATEMENT in event.get("secrets", ())
    if has_text != (signature.salt is not None):
        fault = message("is missing") if has_text else message("is not known")
        raise Malformed({"signature.salt": fault})
    sealed = event["signature"]
    _require_valid(sealed, public, signed_payload(event, sealed["head"]))


def _require_valid(signature: ActionSignature, public: str, payload: JsonObject) -> None:
    """Check the signature of a payload by a public key (hex). Raises InvalidPlayerSignature."""
    try:
        check(signature, public, payload)
    except BadSignature as fault:
        raise InvalidPlayerSignature.with_message(
            "{reason}: what key {key} must sign is {payload}",
            reason=fault.message,
            key=signature["key"],
            payload=canonical(payload).decode(),
        ) from None


class RequestOptions(TypedDict, total=False):
    """Optional parts of the request of a player: an idempotency key, and a signature."""

    idempotency_key: str | None
    signature: PlayerSignature | None
