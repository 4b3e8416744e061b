"""The index of handles: finds players by handle, and handles that look like one that is taken.

    cartulary:handle:FOLDED      id of the player with that handle, which is case-insensitive
    cartulary:skeleton:SKELETON  id of a player whose handle has that skeleton, so that nobody can
                                 register one that looks like it
    cartulary:{handles:N}        sorted set of the folded handles of players who are not guests, in
                                 alphabetical order, in shards (service/store/shards.py)

The keys of a guest's handle expire.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Final

import redis

from service.accounts.erased import ErasedPlayers
from service.accounts.handles import fold_case, skeletons, spellings
from service.cluster import ClusterClient
from service.connection import text_or_none, to_text, unavailable_on_error
from service.errors import HandleTaken
from service.store.shards import Shards

HANDLES: Final = Shards("handles")
_SECONDS_TO_TAKE: Final = 60
_BATCH_SIZE: Final = 500

ReadHandles = Callable[[Sequence[str]], Sequence[str | None]]
"""Returns the handles of the players with these ids, in this order; None for an id without an account."""


class HandleIndex:
    """Finds players by their handles. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, erased: ErasedPlayers) -> None:
        self._redis = client
        self._erased = erased

    def ids(self, handles: Iterable[str]) -> dict[str, str]:
        """Return the ids of the players by handle, in any case. Handles that no player has are left out."""
        candidates = [(handle, text) for handle in handles for text in spellings(handle)]
        ids: dict[str, str] = {}
        if candidates:
            with unavailable_on_error():
                replies = self._redis.mget(_handle_key(text) for _, text in candidates)
            for (handle, _), id in zip(candidates, replies, strict=True):
                if id is not None:
                    ids.setdefault(handle, to_text(id))
        return ids

    def require_free(self, handle: str, player_id: str | None = None) -> None:
        """Raise HandleTaken if another player has the handle, or one that looks like it."""
        keys = _keys(handle)
        with unavailable_on_error():
            owners = [*map(text_or_none, self._redis.mget(keys))]
        is_taken, *is_similar = (owner not in (None, player_id) for owner in owners)
        if is_taken:
            raise HandleTaken.with_message("the handle {handle} is taken", handle=handle)
        if any(is_similar):
            raise HandleTaken.with_message(
                "the handle {handle} looks like the handle of another player", handle=handle
            )
        if self._erased.is_reserved(handle):
            raise HandleTaken.with_message(
                "the handle {handle} is taken, or looks like one that was", handle=handle
            )

    def take(self, handle: str, player_id: str, *, is_listed: bool = True) -> None:
        """Give a handle to a player. Raises HandleTaken if somebody has it, or one that looks like it.

        `is_listed` is True if `page` returns the handle.
        """
        keys = _keys(handle)
        with unavailable_on_error():
            if is_listed:
                # An entry without a player is removed when it is read.
                folded = fold_case(handle)
                self._redis.zadd(HANDLES.key(folded), {folded: 0})
            # In a cluster, the keys may be in several slots, which one command cannot write.
            is_one_slot = not isinstance(self._redis, ClusterClient)
            if is_one_slot and self._redis.msetnx(dict.fromkeys(keys, player_id)):
                return
        # The player may already have some of the keys, because of a handle that looks like this one.
        self.require_free(handle, player_id)
        with unavailable_on_error():
            # If a process dies before it has all keys, those that it has taken become free again.
            new = [
                key for key in keys if self._redis.set(key, player_id, nx=True, ex=_SECONDS_TO_TAKE)
            ]
            if any(
                owner is None or to_text(owner) != player_id for owner in self._redis.mget(keys)
            ):
                for key in new:
                    self._redis.delete(key)
                raise HandleTaken.with_message("the handle {handle} is taken", handle=handle)
            for key in keys:
                self._redis.persist(key)

    def page(self, prefix: str, after: str | None, limit: int) -> tuple[list[str], str | None]:
        """Return the ids of players whose handles begin with `prefix`, in any case, in alphabetical order.

        Reads at most `limit` handles. Also returns the value of `after` for the next page; None on the last.
        """
        folded = fold_case(prefix)
        start = f"[{folded}" if after is None else f"({after}"
        with unavailable_on_error():
            with self._redis.pipeline(transaction=False) as pipeline:
                for key in HANDLES.all:
                    pipeline.zrangebylex(key, start, f"[{folded}\U0010ffff", start=0, num=limit)
                members = {member for reply in pipeline.execute() for member in reply}
            # Redis orders members by their bytes.
            handles = [to_text(member) for member in sorted(members)[:limit]]
            ids = self._redis.mget([_handle_key(handle) for handle in handles]) if handles else []
            expired = [handle for handle, id in zip(handles, ids, strict=True) if id is None]
            if expired:
                self._remove(expired)
        next_after = handles[-1] if len(handles) == limit else None
        return [to_text(id) for id in ids if id is not None], next_after

    def expire(self, handle: str, seconds: int) -> None:
        """Free a handle when this time has passed."""
        with unavailable_on_error():
            for key in _keys(handle):
                self._redis.expire(key, seconds)

    def release(self, handle: str, player_id: str, kept: str | None = None) -> None:
        """Free a handle of a player, who keeps the handle `kept`, if any."""
        keys = {*map(_handle_key, spellings(handle)), *_keys(handle)}
        keys -= set() if kept is None else set(_keys(kept))
        with unavailable_on_error():
            owners = self._redis.mget(sorted(keys)) if keys else []
            for key, owner in zip(sorted(keys), owners, strict=True):
                if owner is not None and to_text(owner) == player_id:
                    self._redis.delete(key)
                    if key == _handle_key(fold_case(handle)):
                        self._remove([fold_case(handle)])

    def restore(self, handle: str, player_id: str, seconds: int | None) -> None:
        """Give a player the handle of their account again if it is free, for a time or for good."""
        with unavailable_on_error():
            self._redis.set(_handle_key(fold_case(handle)), player_id, nx=True, ex=seconds)

    def release_of_missing(self, has_account: Callable[[str], bool]) -> set[str]:
        """Free the handles and skeletons of players without an account, and return their ids."""
        missing: set[str] = set()
        for key in (_handle_key("*"), _skeleton_key("*")):
            with unavailable_on_error():
                for name in self._redis.scan_iter(key, count=_BATCH_SIZE):
                    owner = self._redis.get(name)
                    if owner is not None and not has_account(to_text(owner)):
                        self._redis.delete(name)
                        missing.add(to_text(owner))
        return missing

    def index_skeletons(self, read_handles: ReadHandles) -> None:
        """Store the skeletons and the order of all handles, also of those that earlier versions registered.

        If two old handles look alike, both stay valid.
        """
        with unavailable_on_error():
            keys = map(to_text, self._redis.scan_iter(_handle_key("*"), count=_BATCH_SIZE))
            while batch := list(islice(keys, _BATCH_SIZE)):
                replies = self._redis.mget(batch)
                owners = {
                    key: to_text(id)
                    for key, id in zip(batch, replies, strict=True)
                    if id is not None
                }
                self._index_skeletons_of(owners, read_handles(list(owners.values())))

    def _index_skeletons_of(self, owners: Mapping[str, str], handles: Sequence[str | None]) -> None:
        """Store the skeletons of handles. `owners` are the ids of their players, by key of the handle."""
        folded_handles = [key.removeprefix(_handle_key("")) for key in owners]
        with self._redis.pipeline(transaction=False) as pipeline:
            for folded, id, current_handle in zip(
                folded_handles, owners.values(), handles, strict=True
            ):
                # The handle of a deleted account is known only without upper case.
                handle = current_handle or folded
                for skeleton in skeletons(handle):
                    pipeline.setnx(_skeleton_key(skeleton), id)
                pipeline.zadd(HANDLES.key(folded), {folded: 0})
            pipeline.execute()
        self._redis.zrem(HANDLES.former, *folded_handles)

    def _remove(self, folded_handles: Iterable[str]) -> None:
        """Remove handles from the pages of `page`."""
        for handle in folded_handles:
            for key in (HANDLES.key(handle), HANDLES.former):
                self._redis.zrem(key, handle)


def _keys(handle: str) -> list[str]:
    """Return the keys in Redis of a handle, the first of which leads to its player."""
    return [_handle_key(fold_case(handle)), *map(_skeleton_key, sorted(skeletons(handle)))]


def _handle_key(folded_handle: str) -> str:
    return f"cartulary:handle:{folded_handle}"


def _skeleton_key(skeleton: str) -> str:
    return f"cartulary:skeleton:{skeleton}"
