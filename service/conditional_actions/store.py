"""The conditional actions of players in Redis, beside the logs of their games.

    cartulary:{GAME}:conditional        hash: id of a player -> the player's conditional actions as JSON
    cartulary:{GAME}:conditional-void   hash: id of a player -> the reason why the player's last ones are
    void, as JSON

Nobody but the player may learn whether there are any. Both hashes are companions of the logs: each append to
a game with conditional actions sets the outbox entry `conditional`, and the end of the game deletes them.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import orjson
import redis

from domain.conditional import Tree, read_tree
from service.connection import to_text, unavailable_on_error
from service.store.event_store import Companion
from service.store.redis_event_store import game_key
from service.stored_objects import decode_object, members_of

log = logging.getLogger(__name__)

CONDITIONAL: Final = "conditional"
CONDITIONAL_VOID: Final = "conditional-void"
COMPANIONS: Final = (Companion(CONDITIONAL, CONDITIONAL), Companion(CONDITIONAL_VOID))

VoidReason: TypeAlias = Literal["event", "refused"]


@dataclass(frozen=True, slots=True)
class SignedTree:
    """A tree as signed by its player, which begins after event `seq` with the hash `head`.

    `key` is the id of the key; the id, the signature and the salt of the commitments are in hex.
    """

    key: str
    signature: str
    salt: str
    seq: int
    head: str
    tree: Tree
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def as_json(self) -> dict[str, Any]:
        """Return all fields as JSON."""
        tree = [node.as_json() for node in self.tree]
        return {**members_of(replace(self, tree=())), "tree": tree}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "SignedTree":
        """Return what `as_json` returned as JSON."""
        return decode_object(cls, {**fields, "tree": read_tree(fields["tree"])})


@dataclass(frozen=True, slots=True)
class StoredConditionalActions:
    """The conditional actions of a player: the tree that begins after event `seq`, which has this hash.

    `signed` is the signed tree, if the player has signed it. `value` is the stored value from which they were
    read.
    """

    seat: int
    seq: int
    hash: str
    branches: Tree
    signed: SignedTree | None = None
    value: bytes = field(default=b"", repr=False, compare=False)
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def decode(cls, value: bytes) -> "StoredConditionalActions":
        """Return the conditional actions in a stored value.

        Raises AttributeError, LookupError, TypeError or ValueError if it is damaged.
        """
        fields = orjson.loads(value)
        branches = read_tree(fields["branches"])
        signed = SignedTree.from_json(fields["signed"]) if "signed" in fields else None
        read = {**fields, "branches": branches, "signed": signed, "value": value}
        return decode_object(cls, read)

    def encoded(self) -> bytes:
        """Return the value to be stored."""
        fields = members_of(replace(self, branches=(), signed=None))
        for name in ("value", "signed"):
            del fields[name]
        fields["branches"] = [node.as_json() for node in self.branches]
        if self.signed is not None:
            fields["signed"] = self.signed.as_json()
        return orjson.dumps(fields)


@dataclass(frozen=True, slots=True)
class VoidConditionalActions:
    """Why the last conditional actions of a player are void: since event `seq`, another event than
    the ones expected (`event`); or after event `seq`, the rules refused the action (`refused`), by this
    clause.
    """

    seq: int
    reason: VoidReason
    clause: str | None = None
    action: dict[str, Any] | None = None
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


class ConditionalActionStore:
    """Stores conditional actions. Thread-safe. Every method raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        folder = Path(__file__).parent
        self._put = client.register_script((folder / "put.lua").read_text(encoding="utf-8"))
        self._replace = client.register_script((folder / "replace.lua").read_text(encoding="utf-8"))

    def get(self, game_id: str, player: str) -> StoredConditionalActions | None:
        """Return the conditional actions of a player; None if there are none, or they are damaged."""
        with unavailable_on_error():
            value = self._redis.hget(_actions_key(game_id), player)
        return None if value is None else _decode(game_id, _bytes(value))

    def all_of(self, game_id: str) -> dict[str, StoredConditionalActions]:
        """Return the conditional actions in a game by player, without damaged ones."""
        with unavailable_on_error():
            values = self._redis.hgetall(_actions_key(game_id))
        all_stored = {
            to_text(player): _decode(game_id, _bytes(value)) for player, value in values.items()
        }
        return {player: stored for player, stored in all_stored.items() if stored is not None}

    def exists(self, game_id: str) -> bool:
        """Return whether any player of a game has conditional actions."""
        with unavailable_on_error():
            return bool(self._redis.exists(_actions_key(game_id)))

    def void_actions(self, game_id: str, player: str) -> VoidConditionalActions | None:
        """Return the reason why the last conditional actions of a player are void; None if they are not, if
        there were none, or if the reason is damaged.
        """
        with unavailable_on_error():
            value = self._redis.hget(_void_key(game_id), player)
        if value is None:
            return None
        try:
            return decode_object(VoidConditionalActions, value)
        except (TypeError, ValueError):
            _log_damage(game_id)
            return None

    def put(self, game_id: str, player: str, stored: StoredConditionalActions) -> bool:
        """Store the conditional actions of a player; return False if the game has another head than `seq`."""
        keys = [game_key(game_id, "log"), _actions_key(game_id), _void_key(game_id)]
        with unavailable_on_error():
            return bool(self._put(keys=keys, args=[stored.seq, player, stored.encoded()]))

    def advance(
        self,
        game_id: str,
        player: str,
        old: StoredConditionalActions,
        new: StoredConditionalActions | None,
    ) -> bool:
        """Replace actions by the rest of them; return False if the player has changed them."""
        return self._replaced(game_id, player, old, b"" if new is None else new.encoded(), b"")

    def make_void(
        self, game_id: str, player: str, old: StoredConditionalActions, note: VoidConditionalActions
    ) -> bool:
        """Replace actions by a note on why they are void; return False if the player has changed them."""
        return self._replaced(game_id, player, old, b"", orjson.dumps(members_of(note)))

    def delete(self, player: str, *game_ids: str) -> None:
        """Delete the conditional actions of a player in these games, and the notes on earlier ones."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for game_id in game_ids:
                pipeline.hdel(_actions_key(game_id), player)
                pipeline.hdel(_void_key(game_id), player)
            pipeline.execute()

    def _replaced(
        self, game_id: str, player: str, old: StoredConditionalActions, new: bytes, note: bytes
    ) -> bool:
        keys = [_actions_key(game_id), _void_key(game_id)]
        with unavailable_on_error():
            return bool(self._replace(keys=keys, args=[player, old.value, new, note]))


def _actions_key(game_id: str) -> str:
    return game_key(game_id, CONDITIONAL)


def _void_key(game_id: str) -> str:
    return game_key(game_id, CONDITIONAL_VOID)


def _bytes(value: bytes | str) -> bytes:
    return value.encode() if isinstance(value, str) else value


def _decode(game_id: str, value: bytes) -> StoredConditionalActions | None:
    try:
        return StoredConditionalActions.decode(value)
    except (AttributeError, LookupError, TypeError, ValueError):
        _log_damage(game_id)
        return None


def _log_damage(game_id: str) -> None:
    """Log that conditional actions in a game are damaged; they are ignored."""
    log.error("stored conditional actions of game %s cannot be read", game_id)
