"""What players sign: that they hold the private key of a public key, and their actions.

Both are Ed25519 signatures of the canonical JSON of a statement, whose field `sign` names its kind, so that a
signature of one kind can never pass for another.
"""

from collections.abc import Mapping
from typing import Final

from domain.event import ActionSignature
from domain.json_types import JsonObject
from ledger.canonical import canonical, unhex
from ledger.keys import BadSignature, SigningKey, not_hex, verify

KEY_STATEMENT: Final = "cartulary key v1"
ACTION_STATEMENT: Final = "cartulary action v1"


def key_statement(player: str, public: str) -> JsonObject:
    """Return what the holder of a key signs to register its public key (hex) for a player."""
    return {"sign": KEY_STATEMENT, "player": player, "public": public}


def action_statement(game: str, head: str, action: Mapping[str, object]) -> JsonObject:
    """Return what a player signs to take an action, in the form in which the log stores it.

    `head` is the hash of the event after which the player saw the position.
    """
    return {"sign": ACTION_STATEMENT, "game": game, "head": head, "action": action}


def sign_action(
    key: SigningKey, game: str, head: str, action: Mapping[str, object]
) -> ActionSignature:
    """Return the signature of a player for an action; see `action_statement`."""
    signature = key.signature(canonical(action_statement(game, head, action)))
    return {"key": key.id, "head": head, "signature": signature}


def check_action(
    signature: ActionSignature, public: str, game: str, action: Mapping[str, object]
) -> None:
    """Check the signature of an action by the key with these public bytes (hex). Raises BadSignature."""
    statement = canonical(action_statement(game, signature["head"], action))
    try:
        public_bytes, signature_bytes = unhex(public), unhex(signature["signature"])
    except ValueError:
        raise BadSignature(not_hex()) from None
    verify(public_bytes, signature_bytes, statement)
