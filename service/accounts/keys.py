"""The public keys of players, with which they sign their actions.

    cartulary:player-keys:ID          hash: id of a key -> JSON {"key", "public", "from", "until"}
    cartulary:player-key-names:ID     hash: id of a key -> the name that the player has given to it
    cartulary:player-key-uses:ID      hash: id of a key -> the hour in which it last signed something

A revoked key keeps its entry, so that it cannot be registered again. These entries are the list that a
player sees. Whether an action may be signed with a key depends on the log of the game, which records when
the key was added and revoked (service/games/registries.py).
"""

from collections.abc import Sequence
from threading import Lock
from typing import Final

import orjson
import redis
from cachetools import LRUCache
from redis.client import Pipeline

from domain.errors import Malformed
from domain.json_types import JsonObject
from domain.messages import Instant, message, plural_message
from ledger.canonical import canonical
from ledger.keys import BadSignature, check_public_key, key_id, verify
from ledger.player_signatures import key_payload
from service import wall_clock
from service.bounded_collections import store_if_fewer
from service.bounds import Bounds
from service.connection import text_or_none, unavailable_on_error
from service.errors import InvalidPlayerSignature, KeyNotUsable, NotFound

MAX_NAME_LENGTH: Final = 60
"""The most characters of the name of a key."""
_MAX_CACHED_USES: Final = 10_000


class PlayerKeys:
    """The keys of all players of a service. Thread-safe.

    Every method raises Unavailable if Redis does not respond.
    """

    def __init__(self, client: redis.Redis, bounds: Bounds) -> None:
        self._redis = client
        self._max_keys = bounds.max_keys_per_player
        self._max_revoked = bounds.max_revoked_keys_per_player
        self._uses: LRUCache[tuple[str, str], str] = LRUCache(_MAX_CACHED_USES)
        """The hour of the last use that this process has stored, by player and key."""
        self._lock = Lock()

    def of(self, player: str) -> list[JsonObject]:
        """Return the entries of a player's keys, the oldest first."""
        return self.of_each([player])[0]

    def of_each(self, players: Sequence[str]) -> list[list[JsonObject]]:
        """Return the entries of the keys of several players, in this order, in one round trip."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for player in players:
                pipeline.hvals(keys_key(player))
            replies = pipeline.execute()
        return [
            sorted(map(orjson.loads, entries), key=lambda entry: (entry["from"], entry["key"]))
            for entries in replies
        ]

    def valid_keys(self, player: str) -> dict[str, str]:
        """Return the public keys of a player that are not revoked, by id, the oldest first."""
        return {entry["key"]: entry["public"] for entry in self.of(player) if not entry["until"]}

    def is_revoked(self, player: str, key: str) -> bool:
        """Return whether the player has revoked a key, or never registered it."""
        with unavailable_on_error():
            entry = self._redis.hget(keys_key(player), key)
        return entry is None or orjson.loads(entry)["until"] is not None

    def described(self, player: str) -> list[JsonObject]:
        """Return the entries of a player's keys, the oldest first, as only the player sees them.

        They also have `name`, which is None for a key without one, and `last_used`, the hour in which the key
        last signed something, or None.
        """
        entries = self.of(player)
        ids = [entry["key"] for entry in entries]
        if not ids:
            return []
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            pipeline.hmget(_names_key(player), ids)
            pipeline.hmget(_uses_key(player), ids)
            names, uses = (map(text_or_none, values) for values in pipeline.execute())
        return [
            {**entry, "name": name, "last_used": used}
            for entry, name, used in zip(entries, names, uses, strict=True)
        ]

    def rename(self, player: str, key: str, name: str | None) -> None:
        """Give a key a name, or none. Raises NotFound (the player never registered it), Malformed."""
        _check_name(name)
        if all(entry["key"] != key for entry in self.of(player)):
            raise _no_key(key)
        with unavailable_on_error():
            if name:
                self._redis.hset(_names_key(player), key, name)
            else:
                self._redis.hdel(_names_key(player), key)

    def note_use(self, player: str, key: str) -> None:
        """Store the hour in which a key signs something. A process does so once in an hour for each key."""
        hour = wall_clock.hour()
        with self._lock:
            if self._uses.get((player, key)) == hour:
                return
            self._uses[player, key] = hour
        with unavailable_on_error():
            self._redis.hset(_uses_key(player), key, hour)

    def delete(self, player: str) -> None:
        """Delete the entries of all keys of a player, with their names and uses."""
        with unavailable_on_error():
            self._redis.delete(keys_key(player), _names_key(player), _uses_key(player))

    def add(self, player: str, public: bytes, proof: bytes, name: str | None = None) -> JsonObject:
        """Register a key, unless that was done before, and return its entry. A new key gets the name, if any.

        `proof` is the key's signature of `key_payload` (ledger/player_signatures.py). Raises Malformed (the
        public key is not a valid one, or the name), KeyNotUsable (the key was revoked, or the player has too
        many), and InvalidPlayerSignature (the proof).
        """
        _check_name(name)
        try:
            check_public_key(public)
        except BadSignature as fault:
            raise Malformed(
                {"public": message("is not a valid Ed25519 key: {reason}", reason=fault.message)}
            ) from None
        entries = {entry["key"]: entry for entry in self.of(player)}
        id = key_id(public)
        entry = entries.get(id)
        if entry is not None and entry["until"]:
            raise KeyNotUsable.with_message(
                "key {key} was revoked on {time}: register another one",
                key=id,
                time=Instant(entry["until"]),
            )
        if entry is None:
            self._require_room([*entries.values()])
        payload = canonical(key_payload(player, public.hex()))
        try:
            verify(public, proof, payload)
        except BadSignature as fault:
            raise InvalidPlayerSignature.with_message(
                "{reason}: the proof must be the signature of {payload} by this key",
                reason=fault.message,
                payload=payload.decode(),
            ) from None
        if entry is None:
            entry = {
                "key": id,
                "public": public.hex(),
                "from": wall_clock.format(wall_clock.now()),
                "until": None,
            }
            self._store(player, entry)
            if name:
                with unavailable_on_error():
                    self._redis.hsetnx(_names_key(player), id, name)
        return entry

    def _store(self, player: str, entry: JsonObject) -> None:
        """Store the entry of a new key, unless another request has stored it. Raises KeyNotUsable."""
        key, encoded = keys_key(player), canonical(entry)

        def count(pipeline: Pipeline) -> int:
            entries = [*map(orjson.loads, pipeline.hvals(key))]
            if any(other["key"] == entry["key"] for other in entries):
                return 0
            self._require_room(entries)
            return sum(other["until"] is None for other in entries)

        store_if_fewer(
            self._redis,
            key,
            self._max_keys,
            count,
            lambda pipeline: pipeline.hsetnx(key, entry["key"], encoded),
        )

    def _require_room(self, entries: Sequence[JsonObject]) -> None:
        """Raise KeyNotUsable if a player with these entries cannot register another key."""
        revoked = sum(entry["until"] is not None for entry in entries)
        if len(entries) - revoked >= self._max_keys:
            raise KeyNotUsable(
                plural_message(
                    "a player can have one key: revoke it first",
                    "a player can have at most {count} keys: revoke one of them first",
                    count=self._max_keys,
                )
            )
        if revoked >= self._max_revoked:
            raise KeyNotUsable(
                plural_message(
                    "a player can register no more keys after a revoked one",
                    "a player can register no more keys after {count} revoked ones",
                    count=revoked,
                )
            )

    def revoke(self, player: str, key: str) -> None:
        """Revoke a key, unless that was done before. Raises NotFound if the player never registered it."""
        for entry in self.of(player):
            if entry["key"] == key:
                if entry["until"] is None:
                    entry["until"] = wall_clock.format(wall_clock.now())
                    with unavailable_on_error():
                        self._redis.hset(keys_key(player), key, canonical(entry))
                return
        raise _no_key(key)


def _check_name(name: str | None) -> None:
    """Raise Malformed unless a text can be the name of a key."""
    if name is not None and (len(name) > MAX_NAME_LENGTH or not name.isprintable()):
        fault = message("must have at most {count} printable characters", count=MAX_NAME_LENGTH)
        raise Malformed({"name": fault})


def _no_key(key: str) -> NotFound:
    return NotFound.with_message("this player has no key {key}", key=key[:64])


def _names_key(player: str) -> str:
    return f"cartulary:player-key-names:{player}"


def _uses_key(player: str) -> str:
    return f"cartulary:player-key-uses:{player}"


def keys_key(player: str) -> str:
    """Return the key in Redis of the public keys of a player."""
    return f"cartulary:player-keys:{player}"
