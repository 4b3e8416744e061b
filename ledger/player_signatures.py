"""What players sign with their own keys: keys, actions, statements and conditional actions.

A player signs the canonical JSON of a payload. Its field `sign` names its kind, so that a signature of one
kind can never pass for another. A payload that belongs to an event can be computed from the event alone.

A statement is any other event of a started game that a person causes, such as an answer to a takeback.
"""

from collections.abc import Mapping
from typing import Any, Final

from domain.event import ActionSignature, By, Event
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import message
from ledger.canonical import canonical, unhex
from ledger.keys import BadSignature, SigningKey, not_hex, verify

KEY_PAYLOAD: Final = "cartulary key v1"
ACTION_PAYLOAD: Final = "cartulary action v1"
STATEMENT_PAYLOAD: Final = "cartulary statement v1"

STATED_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "TakebackRequested": ("nonce",),
    "TakebackAnswered": ("request", "agree", "nonce"),
    "DisputeOpened": ("about", "nonce"),
    "DisputeAnswered": ("dispute", "nonce"),
    "DisputeWithdrawn": ("dispute", "nonce"),
    "RulingProposed": ("dispute", "ruling", "nonce"),
    "DisputeRuled": ("dispute", "ruling", "nonce"),
    "PauseAgreed": ("agree",),
    "SeatVacated": (),
    "SubstituteSeated": ("seat",),
}
"""By the type of a statement, the fields of its data that the person decides; the server adds the others."""


def key_payload(player: str, public: str) -> JsonObject:
    """Return what the holder of a key signs to register its public key (hex) for a player."""
    return {"sign": KEY_PAYLOAD, "player": player, "public": public}


def action_payload(game: str, head: str, action: Mapping[str, object]) -> JsonObject:
    """Return what a player signs to take an action, in the form in which the log stores it.

    `head` is the hash of the event after which the player saw the position.
    """
    return {"sign": ACTION_PAYLOAD, "game": game, "head": head, "action": action}


def statement_payload(
    game: str,
    head: str,
    type: str,
    data: Mapping[str, Any],
    secrets: Mapping[str, str] | None = None,
) -> JsonObject:
    """Return what a person signs to make the statement that becomes an event of this type.

    Of `data`, only the fields that the person decides are signed. `secrets` are the commitments of the event,
    if it has any: a text is signed by the commitment to it, so that the signature holds after the text was
    erased. `head` is the hash of the last event that the person had seen.
    """
    stated = {name: data[name] for name in STATED_FIELDS[type] if name in data}
    payload = {"sign": STATEMENT_PAYLOAD, "game": game, "head": head, "type": type, "data": stated}
    return payload if secrets is None else {**payload, "secrets": dict(secrets)}


def signed_payload(event: Event, head: str) -> JsonObject:
    """Return what the signature of an event covers, an action or a statement."""
    if event["action"] is not None:
        return action_payload(event["game"], head, event["action"])
    return statement_payload(
        event["game"], head, event["type"], event["data"], event.get("secrets")
    )


def can_be_signed(event: Event) -> bool:
    """Return whether an event is of a kind that a person can sign: an action or a statement."""
    return event["action"] is not None or event["type"] in STATED_FIELDS


def sign_action(
    key: SigningKey, game: str, head: str, action: Mapping[str, object]
) -> ActionSignature:
    """Return the signature of a player for an action; see `action_payload`."""
    return sign(key, action_payload(game, head, action))


def sign(key: SigningKey, payload: JsonObject) -> ActionSignature:
    """Return the signature of a payload with a `head`, in the form in which events have it."""
    return {"key": key.id, "head": payload["head"], "signature": key.signature(canonical(payload))}


def check_action(
    signature: ActionSignature, public: str, game: str, action: Mapping[str, object]
) -> None:
    """Check the signature of an action by the key with these public bytes (hex). Raises BadSignature."""
    check(signature, public, action_payload(game, signature["head"], action))


def check_event(event: Event, signature: ActionSignature, public: str) -> None:
    """Check the signature of an event, which must be an action or a statement. Raises BadSignature."""
    if not can_be_signed(event):
        raise BadSignature(message("it covers no event of this type"))
    check(signature, public, signed_payload(event, signature["head"]))


def check(signature: ActionSignature, public: str, payload: JsonObject) -> None:
    """Check the signature of a payload by the key with these public bytes (hex). Raises BadSignature."""
    try:
        public_bytes, signature_bytes = unhex(public), unhex(signature["signature"])
    except ValueError:
        raise BadSignature(not_hex()) from None
    verify(public_bytes, signature_bytes, canonical(payload))


def author(event: Event, before: Game | None) -> str | None:
    """Return the id of the person whose action or statement an event is; None if it is neither.

    An action of the clock is no person's. `before` is the game before the event.
    """
    if not can_be_signed(event):
        return None
    by: By = event["by"]
    if "seat" in by:
        seat = by["seat"]
        return before.players[seat] if before is not None and seat < len(before.players) else None
    if "player" in by:
        return by["player"] if event["type"] == "SubstituteSeated" else None
    arbiter = event["data"].get("arbiter") if event["type"] == "DisputeRuled" else None
    return arbiter if isinstance(arbiter, str) else None
