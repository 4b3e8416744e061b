"""The payloads that players sign with their own keys: for keys, actions, statements, conditional actions.

A player signs the canonical JSON of a payload. Its field `sign` names its kind, so that a signature of one
kind can never pass for another. A payload that belongs to an event can be computed from the event alone.

A statement is any other event of a started game that a person causes, such as an answer to a takeback.

Conditional actions are signed when they are prepared. Nobody may learn the actions that were not played, so
the player signs the root of a Merkle tree of salted commitments. For each action that the player may take,
there is a commitment to the actions from the first expected one up to this one. An event that plays one of
them contains the salt and the inclusion path; the actions themselves are in the log.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from domain.conditional import KEEPING_EVENTS, Node, Tree, seat_of_action
from domain.event import ActionSignature, By, Event, PreparedSignature
from domain.game import Game
from domain.json_types import JsonObject
from ledger.canonical import canonical, digest, unhex
from ledger.keys import BadSignature, SigningKey, not_hex, verify
from ledger.statements import STATEMENTS, GiveRuling
from ledger.transparency.merkle import (
    BadProof,
    MemoryTree,
    leaf_hash,
    prove_inclusion,
    verify_inclusion,
)

KEY_PAYLOAD: Final = "cartulary key v1"
ACTION_PAYLOAD: Final = "cartulary action v1"
STATEMENT_PAYLOAD: Final = "cartulary statement v1"
PREPARED_PAYLOAD: Final = "cartulary conditional actions v1"

LEAST_LEAVES: Final = 256
"""The least number of leaves of the Merkle tree of conditional actions; it is doubled until all have a
place."""
MAX_EVENTS_BETWEEN: Final = 1000
"""The most events between the one after which actions are prepared and one that plays one of them."""

STATED_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    **{statement.EVENT: statement.signed_fields() for statement in STATEMENTS},
    "DisputeRuled": GiveRuling.signed_fields(),
    "SeatVacated": (),
    "SubstituteSeated": ("seat",),
}
"""By the type of a statement, the fields of its data that the person chooses; the server adds the others."""


def key_payload(player: str, public: str) -> JsonObject:
    """Return the payload that the holder of a key signs to register its public key (hex) for a player."""
    return {"sign": KEY_PAYLOAD, "player": player, "public": public}


def action_payload(game: str, head: str, action: Mapping[str, object]) -> JsonObject:
    """Return the payload that a player signs to take an action. The log stores the action in the same form.

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
    """Return the payload that a person signs to make the statement that becomes an event of this type.

    Of `data`, only the fields that the person chooses are signed. `secrets` are the commitments of the event,
    if it has any: a text is signed by the commitment to it, so that the signature holds after the text was
    erased. `head` is the hash of the last event that the person had seen.
    """
    stated = {name: data[name] for name in STATED_FIELDS[type] if name in data}
    payload = {"sign": STATEMENT_PAYLOAD, "game": game, "head": head, "type": type, "data": stated}
    return payload if secrets is None else {**payload, "secrets": dict(secrets)}


def prepared_payload(game: str, head: str, root: str) -> JsonObject:
    """Return the payload that a player signs to prepare actions after the event with the hash `head`."""
    return {"sign": PREPARED_PAYLOAD, "game": game, "head": head, "root": root}


def signed_payload(event: Event, head: str) -> JsonObject:
    """Return the payload that the signature of an event, an action or a statement, covers."""
    if event["action"] is not None:
        return action_payload(event["game"], head, event["action"])
    return statement_payload(
        event["game"], head, event["type"], event["data"], event.get("secrets")
    )


def can_be_signed(event: Event) -> bool:
    """Return whether an event is of a kind that a person can sign: an action or a statement."""
    return event["action"] is not None or event["type"] in STATED_FIELDS


class PreparedActions:
    """The commitments to the conditional actions of a seat, and the root that its player signs.

    `salt` is 32 random bytes, which only the player and the server may know.
    """

    def __init__(self, tree: Tree, seat: int, salt: bytes) -> None:
        lines = {_encode(steps): steps for steps in _own_lines(tree, seat)}
        size = LEAST_LEAVES
        while size < len(lines):
            size *= 2
        salts = [digest(canonical({"leaf": leaf, "salt": salt.hex()})) for leaf in range(size)]
        self._openings = {
            line: (salt, _leaf(salt, steps))
            for salt, (line, steps) in zip(salts, lines.items(), strict=False)
        }
        # The other leaves are random, so that nobody learns how many actions were prepared.
        leaves = [leaf for _, leaf in self._openings.values()] + salts[len(lines) :]
        self._leaves = sorted(leaves)
        self._merkle_tree = MemoryTree()
        self._merkle_tree.append([leaf_hash(bytes.fromhex(leaf)) for leaf in self._leaves])
        self.root = self._merkle_tree.root().hex()

    def proof(
        self, steps: Sequence[JsonObject], key: str, head: str, signature: str
    ) -> PreparedSignature:
        """Return the proof that the last of these steps was prepared, with the player's signature of the
        root. Raises KeyError unless it was.
        """
        salt, leaf = self._openings[_encode(steps)]
        index = self._leaves.index(leaf)
        path = prove_inclusion(self._merkle_tree, index, len(self._leaves))
        proof: PreparedSignature = {
            "key": key,
            "head": head,
            "root": self.root,
            "signature": signature,
            "index": index,
            "salt": salt,
            "path": [hash.hex() for hash in path],
        }
        outcomes = [step.get("outcome", {}) for step in steps[:-1]]
        if any(outcomes):
            proof["outcomes"] = outcomes
        return proof


def _own_lines(
    tree: Tree, seat: int, before: tuple[JsonObject, ...] = ()
) -> Iterator[tuple[JsonObject, ...]]:
    """Yield, for each action of the seat in a tree and in its order, the steps up to it."""
    for node in tree:
        if node.seat == seat:
            yield (*before, {"seat": node.seat, "action": node.action})
        yield from _own_lines(node.then, seat, (*before, step_of(node)))


def step_of(node: Node) -> JsonObject:
    """Return a node, without those after it, as JSON."""
    return replace(node, then=()).as_json()


def _encode(steps: Sequence[JsonObject]) -> bytes:
    return canonical(list(steps))


def _leaf(salt: str, steps: Sequence[JsonObject]) -> str:
    return digest(bytes.fromhex(salt) + _encode(steps))


def sign_prepared(
    key: SigningKey, game: str, head: str, prepared: PreparedActions
) -> ActionSignature:
    """Return the signature of a player for conditional actions that begin after the event with this hash."""
    return sign(key, prepared_payload(game, head, prepared.root))


def check_prepared(
    prepared: PreparedSignature, public: str, game: str, steps: Sequence[JsonObject]
) -> None:
    """Check that a public key (hex) has signed the last of these steps as prepared. Raises BadSignature."""
    path = [bytes.fromhex(hash) for hash in prepared["path"]]
    leaf = leaf_hash(bytes.fromhex(_leaf(prepared["salt"], steps)))
    try:
        verify_inclusion(
            leaf, prepared["index"], 1 << len(path), path, bytes.fromhex(prepared["root"])
        )
    except BadProof as bad:
        raise BadSignature(bad.message) from None
    head = prepared["head"]
    signature: ActionSignature = {
        "key": prepared["key"],
        "head": head,
        "signature": prepared["signature"],
    }
    check(signature, public, prepared_payload(game, head, prepared["root"]))


def steps_to(
    event: Event, events: Sequence[Event], prepared: PreparedSignature
) -> list[JsonObject] | int:
    """Return the steps of conditional actions that lead to an event with such a proof; or the seq of the
    first event that makes them void. `events` are those between the one after which they were prepared and
    this one.
    """
    if len(events) > MAX_EVENTS_BETWEEN:
        return events[MAX_EVENTS_BETWEEN]["seq"]
    outcomes = prepared.get("outcomes", [])
    steps: list[JsonObject] = []
    for other in events:
        if other["action"] is None and other["type"] in KEEPING_EVENTS:
            continue
        outcome = dict(outcomes[len(steps)]) if len(steps) < len(outcomes) else {}
        node = Node(seat_of_action(other) or 0, other["action"] or {}, outcome)
        if not node.matches(other):
            return other["seq"]
        steps.append(step_of(node))
    if outcomes and (len(outcomes) != len(steps) or not any(outcomes)):
        return event["seq"]
    return [*steps, {"seat": seat_of_action(event), "action": event["action"]}]


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
        raise BadSignature.with_message("it covers no event of this type")
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

    Actions that the clock causes have no author. `before` is the game before the event.
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
