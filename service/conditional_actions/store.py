"""The trees of conditional actions in Redis, beside the logs of their games.

    cartulary:{GAME}:conditional        hash: id of a player -> the player's tree as JSON
    cartulary:{GAME}:conditional-void   hash: id of a player -> why the player's last tree is void, as JSON

Nobody but the player may learn that a tree exists. Both hashes are companions of the logs: each append to a
game with a tree sets the outbox entry `conditional`, and the end of the game deletes them.
"""

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import orjson
import redis

from domain.conditional import Branches, read_branches
from service.connection import to_text, unavailable_on_error
from service.store.event_store import Companion
from service.store.redis_event_store import game_key

log = logging.getLogger(__name__)

CONDITIONAL: Final = "conditional"
CONDITIONAL_VOID: Final = "conditional-void"
COMPANIONS: Final = (Companion(CONDITIONAL, CONDITIONAL), Companion(CONDITIONAL_VOID))

VoidReason: TypeAlias = Literal["event", "refused"]


@dataclass(frozen=True, slots=True)
class StoredTree:
    """The conditional actions of a player: the branches that may come after event `seq`, which has this hash.

    `stored` is the value from which it was read.
    """

    seat: int
    seq: int
    hash: str
    branches: Branches
    stored: bytes = field(default=b"", repr=False, compare=False)

    def encoded(self) -> bytes:
        """Return the tree as it is stored."""
        fields = {
            "seat": self.seat,
            "seq": self.seq,
            "hash": self.hash,
            "branches": [branch.as_json() for branch in self.branches],
        }
        return orjson.dumps(fields)


@dataclass(frozen=True, slots=True)
class VoidTree:
    """Why the last tree of a player is void: since event `seq`, another event than the ones expected
    (`event`); or after event `seq`, the rules refused the prepared action (`refused`), by this clause.
    """

    seq: int
    reason: VoidReason
    clause: str | None = None
    action: dict[str, Any] | None = None


class TreeStore:
    """Stores trees. Thread-safe. Every method raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        folder = Path(__file__).parent
        self._put = client.register_script((folder / "put.lua").read_text(encoding="utf-8"))
        self._replace = client.register_script((folder / "replace.lua").read_text(encoding="utf-8"))

    def get(self, game_id: str, player: str) -> StoredTree | None:
        """Return the tree of a player; None if there is none, or it is damaged."""
        with unavailable_on_error():
            value = self._redis.hget(_trees(game_id), player)
        return None if value is None else _decoded(game_id, _bytes(value))

    def all_of(self, game_id: str) -> dict[str, StoredTree]:
        """Return the trees of a game by the ids of their players, without damaged ones."""
        with unavailable_on_error():
            values = self._redis.hgetall(_trees(game_id))
        trees = {
            to_text(player): _decoded(game_id, _bytes(value)) for player, value in values.items()
        }
        return {player: tree for player, tree in trees.items() if tree is not None}

    def exists(self, game_id: str) -> bool:
        """Return whether any player of a game has a tree."""
        with unavailable_on_error():
            return bool(self._redis.exists(_trees(game_id)))

    def void_tree(self, game_id: str, player: str) -> VoidTree | None:
        """Return why the last tree of a player is void; None if it is not, there was none, or the
        reason is damaged.
        """
        with unavailable_on_error():
            value = self._redis.hget(_notes(game_id), player)
        if value is None:
            return None
        try:
            return VoidTree(**orjson.loads(value))
        except (TypeError, ValueError):
            _log_damage(game_id)
            return None

    def put(self, game_id: str, player: str, tree: StoredTree) -> bool:
        """Store the tree of a player; return False if the game has another head than `tree.seq`."""
        keys = [game_key(game_id, "log"), _trees(game_id), _notes(game_id)]
        with unavailable_on_error():
            return bool(self._put(keys=keys, args=[tree.seq, player, tree.encoded()]))

    def advance(self, game_id: str, player: str, old: StoredTree, new: StoredTree | None) -> bool:
        """Replace a tree by what is left of it; return False if the player has changed it."""
        return self._replaced(game_id, player, old, b"" if new is None else new.encoded(), b"")

    def make_void(self, game_id: str, player: str, old: StoredTree, note: VoidTree) -> bool:
        """Replace a tree by a note on why it is void; return False if the player has changed it."""
        fields = {name: getattr(note, name) for name in VoidTree.__slots__}
        return self._replaced(game_id, player, old, b"", orjson.dumps(fields))

    def delete(self, player: str, *game_ids: str) -> None:
        """Delete the trees of a player in these games, and the notes on earlier ones, if there are any."""
        with unavailable_on_error(), self._redis.pipeline() as pipeline:
            for game_id in game_ids:
                pipeline.hdel(_trees(game_id), player)
                pipeline.hdel(_notes(game_id), player)
            pipeline.execute()

    def _replaced(
        self, game_id: str, player: str, old: StoredTree, new: bytes, note: bytes
    ) -> bool:
        keys = [_trees(game_id), _notes(game_id)]
        with unavailable_on_error():
            return bool(self._replace(keys=keys, args=[player, old.stored, new, note]))


def _trees(game_id: str) -> str:
    return game_key(game_id, CONDITIONAL)


def _notes(game_id: str) -> str:
    return game_key(game_id, CONDITIONAL_VOID)


def _bytes(value: bytes | str) -> bytes:
    return value.encode() if isinstance(value, str) else value


def _decoded(game_id: str, value: bytes) -> StoredTree | None:
    try:
        fields = orjson.loads(value)
        branches = read_branches(fields["branches"])
        return StoredTree(fields["seat"], fields["seq"], fields["hash"], branches, value)
    except (AttributeError, LookupError, TypeError, ValueError):
        _log_damage(game_id)
        return None


def _log_damage(game_id: str) -> None:
    """Log that something of a game is damaged; the game goes on as if it were not there."""
    log.error("stored conditional actions of game %s cannot be read", game_id)
