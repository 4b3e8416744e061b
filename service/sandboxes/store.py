"""The sandboxes of a service, stored in Redis until they have not been changed for some time.

    cartulary:sandbox:ID               the sandbox as JSON; expires
    cartulary:sandboxes:of:PLAYER      sorted set by time of expiry: ids of the player's sandboxes
    cartulary:sandboxes:from:NETWORK   the same for the network from which they were made

A sandbox contains no position: it names the event of a game with which it begins, what its maker may know of
that game, the seed, and the actions. So it is small, and it shows nothing of a game that its maker could not
see.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import orjson
import redis

from domain.messages import plural_message
from service import wall_clock
from service.bounded_collections import store_if_fewer
from service.bounds import Bounds
from service.connection import to_text, unavailable_on_error
from service.errors import NotFound, SandboxConflict, TooManySandboxes
from service.stored_objects import decode_object, members_of

ID_BYTES: Final = 18
"""Random bytes of an id, which nobody can guess."""


@dataclass(frozen=True, slots=True)
class StoredSandbox:
    """A sandbox that begins after event `seq` of a game, which has this hash.

    `maker` is a player and `network` where the player made it. `viewer` is the seat as which the maker knew
    the game; None for a game that had ended, of which everything is public. `seed` is hex. `steps` are as
    `SandboxStep.as_json` returns them. `expires` is the time until which it is kept. `stored` is the value
    from which it was read.
    """

    id: str
    maker: str
    network: str
    game: str
    seq: int
    hash: str
    viewer: int | None
    seed: str
    steps: tuple[Mapping[str, Any], ...] = ()
    expires: str = ""
    stored: bytes = field(default=b"", repr=False, compare=False)
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


class SandboxStore:
    """Stores sandboxes. Thread-safe. Every method raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, bounds: Bounds) -> None:
        self._redis = client
        self._bounds = bounds
        script = (Path(__file__).parent / "replace.lua").read_text(encoding="utf-8")
        self._replace = client.register_script(script)

    def add(self, sandbox: StoredSandbox) -> StoredSandbox:
        """Store a new sandbox and return it with its id.

        Raises TooManySandboxes if its maker, or the network, has as many as are allowed.
        """
        new = self._renewed(sandbox, id=secrets.token_urlsafe(ID_BYTES))
        expiry = self._expiry()
        for key, maximum in self._maxima(new.maker, new.network).items():
            is_listed = store_if_fewer(
                self._redis,
                key,
                maximum,
                partial(_count_unexpired, key=key),
                partial(_list_until, key=key, id=new.id, expiry=expiry, seconds=self._seconds),
            )
            if not is_listed:
                self.delete(new)
                raise _too_many(maximum)
        with unavailable_on_error():
            self._redis.set(_key(new.id), new.stored, ex=self._seconds)
        return new

    def require_room(self, maker: str, network: str) -> None:
        """Raise TooManySandboxes if a maker, or a network, has as many sandboxes as are allowed."""
        for key, maximum in self._maxima(maker, network).items():
            with unavailable_on_error():
                count = _count_unexpired(self._redis, key)
            if count >= maximum:
                raise _too_many(maximum)

    def _maxima(self, maker: str, network: str) -> Mapping[str, int]:
        """Return how many sandboxes a maker and a network can have, by the keys of their lists."""
        return {
            _of(maker): self._bounds.max_sandboxes_per_player,
            _from(network): self._bounds.max_sandboxes_per_network,
        }

    def get(self, sandbox_id: str) -> StoredSandbox:
        """Return a sandbox. Raises NotFound."""
        with unavailable_on_error():
            value = self._redis.get(_key(sandbox_id))
        if not isinstance(value, bytes):
            raise NotFound.with_message("there is no such sandbox, or it has expired")
        return _decode(value)

    def of_player(self, player: str) -> list[StoredSandbox]:
        """Return the sandboxes that a player has made, the one that expires last first."""
        with unavailable_on_error():
            ids: Any = self._redis.zrange(_of(player), 0, -1, desc=True)
            values: Any = self._redis.mget([_key(to_text(id)) for id in ids]) if ids else []
        return [_decode(value) for value in values if value is not None]

    def replace(self, old: StoredSandbox, steps: tuple[Mapping[str, Any], ...]) -> StoredSandbox:
        """Store a sandbox with other steps, and return it. It is kept for the whole time again.

        Raises SandboxConflict if it was changed since `old` was read, or is too large.
        """
        new = self._renewed(old, steps=steps)
        if len(new.stored) > self._bounds.max_sandbox_bytes:
            raise SandboxConflict.with_message(
                "the sandbox is too large: take actions back, or make another one"
            )
        with unavailable_on_error():
            args: list[bytes | int] = [old.stored, new.stored, self._seconds]
            if not self._replace(keys=[_key(old.id)], args=args):
                raise SandboxConflict.with_message(
                    "the sandbox was changed at the same moment: read it again"
                )
            self._list(new)
        return new

    def delete(self, sandbox: StoredSandbox) -> None:
        """Delete a sandbox."""
        with unavailable_on_error():
            self._redis.delete(_key(sandbox.id))
            for key in _lists(sandbox):
                self._redis.zrem(key, sandbox.id)

    def delete_all_of(self, player: str) -> None:
        """Delete all sandboxes that a player has made."""
        with unavailable_on_error():
            ids: Any = self._redis.zrange(_of(player), 0, -1)
            for sandbox_id in ids:
                try:
                    self.delete(self.get(to_text(sandbox_id)))
                except NotFound:
                    continue
            self._redis.delete(_of(player))

    @property
    def _seconds(self) -> int:
        return int(self._bounds.sandbox_seconds)

    def _renewed(self, sandbox: StoredSandbox, **changes: Any) -> StoredSandbox:
        """Return a sandbox with changes, kept for the whole time from now on."""
        expires = wall_clock.format(wall_clock.now() + timedelta(seconds=self._seconds))
        new = replace(sandbox, **changes, expires=expires)
        return replace(new, stored=_encode(new))

    def _list(self, sandbox: StoredSandbox) -> None:
        """Count a sandbox for its maker and network until it expires."""
        expiry = self._expiry()
        for key in _lists(sandbox):
            _list_until(self._redis, key, sandbox.id, expiry, self._seconds)

    def _expiry(self) -> float:
        """Return when a sandbox expires that is stored now, in seconds since 1970."""
        return wall_clock.now().timestamp() + self._seconds


def _count_unexpired(client: redis.Redis, key: str) -> int:
    """Return how many sandboxes of a list have not expired."""
    count: int = client.zcount(key, f"({wall_clock.now().timestamp()}", "+inf")
    return count


def _list_until(client: redis.Redis, key: str, id: str, expiry: float, seconds: int) -> None:
    """Write a sandbox into a list until it expires, and remove those from it that have expired."""
    client.zremrangebyscore(key, "-inf", wall_clock.now().timestamp())
    client.zadd(key, {id: expiry})
    client.expire(key, seconds)


def _too_many(maximum: int) -> TooManySandboxes:
    return TooManySandboxes(
        plural_message(
            "there is one sandbox already: delete it, or wait until it expires",
            "there are {count} sandboxes already: delete one, or wait until one expires",
            count=maximum,
        )
    )


def _key(sandbox_id: str) -> str:
    return f"cartulary:sandbox:{sandbox_id}"


def _of(player: str) -> str:
    return f"cartulary:sandboxes:of:{player}"


def _from(network: str) -> str:
    return f"cartulary:sandboxes:from:{network}"


def _lists(sandbox: StoredSandbox) -> tuple[str, str]:
    """The keys of the sorted sets by which the sandboxes of a player and of a network are counted."""
    return _of(sandbox.maker), _from(sandbox.network)


def _encode(sandbox: StoredSandbox) -> bytes:
    fields = members_of(sandbox)
    del fields["stored"]
    return orjson.dumps(fields)


def _decode(value: bytes) -> StoredSandbox:
    fields = orjson.loads(value)
    return decode_object(
        StoredSandbox, {**fields, "steps": tuple(fields["steps"]), "stored": value}
    )
