"""Checks the tree of the transparency log after a loss, truncates it before the first lost leaf, and stores
the entries of its leaves.
"""

from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from typing import Final

import orjson
import redis

from domain.errors import Unreadable
from ledger.transparency.checkpoint import Checkpoint, head_leaf_hash
from ledger.transparency.merkle import HASH_BYTES, MemoryTree
from ledger.transparency.signed_note import SignedNote
from service.connection import to_text, unavailable_on_error
from service.store.redis_event_store import RedisEventStore
from service.transparency.store import LogEntry, LoggedHead, TransparencyStore

_PAGE: Final = 1024
"""The number of leaves, or of events of a game, that are read at a time."""
_NO_LEAF: Final = bytes(HASH_BYTES)


def remove_lost_leaves(client: redis.Redis, store: TransparencyStore) -> int:
    """Truncate the log before the first lost or changed leaf, and return the number of removed leaves.

    The heads of games in the removed leaves, and damaged heads, are logged again, as new leaves.
    Raises Unavailable.
    """
    with unavailable_on_error():
        stored = store.stored_levels()
        leaves = list(takewhile(lambda leaf: leaf != _NO_LEAF, _hashes(stored.get(0, b""))))
        # The number of leaves may itself be lost.
        size = store.size() or len(leaves)
        leaves = leaves[:size]
        tree = MemoryTree()
        tree.append(leaves)
        kept = max(_sound_size(tree, stored), _confirmed_size(client, store, tree))
        levels = size.bit_length()
        is_sound = stored == {n: tree.level(n) for n in range(levels)}
        is_sound = is_sound and not store.has_nodes_above(levels - 1)
        if kept < size or size != store.size() or not is_sound:
            store.replace_tree(leaves[:kept])
        for game, text in client.hscan_iter(store.heads_key):
            if not _is_head_in(leaves[:kept], to_text(game), to_text(text)):
                client.hdel(store.heads_key, game)
    return size - kept


def index_entries(store: RedisEventStore, log: TransparencyStore) -> int:
    """Store the missing entries of leaves, and return their number.

    The logs of all games are read for this. It may run while games are played. Raises Unavailable.
    """
    size = log.size()
    missing: dict[bytes, list[int]] = {}
    for first in range(0, size, _PAGE):
        count = min(_PAGE, size - first)
        if indexes := log.missing_entries(first, count):
            hashes = log.leaf_hashes(first, count)
            for index in indexes:
                missing.setdefault(hashes[index - first], []).append(index)
    if not missing:
        return 0
    entries: dict[int, LogEntry | None] = {i: None for found in missing.values() for i in found}
    for game_id in store.game_ids():
        heads = [
            (index, seq)
            for seq, hash in _hashes_of_events(store, game_id)
            for index in missing.get(head_leaf_hash(game_id, seq, hash), ())
        ]
        covered = 0
        for index, seq in sorted(heads):
            entries[index] = LogEntry(game_id, covered + 1 if covered < seq else 1, seq)
            covered = seq
    log.put_entries(entries)
    return len(entries)


def _hashes_of_events(store: RedisEventStore, game_id: str) -> Iterator[tuple[int, str]]:
    """Yield the seq and the hash of each event of a game, up to the first damaged one."""
    after = 0
    with suppress(Unreadable, ValueError, KeyError):
        while lines := store.read(game_id, after, limit=_PAGE):
            for line in lines:
                event = orjson.loads(line)
                yield event["seq"], event["hash"]
            after += len(lines)


def _is_head_in(leaves: list[bytes], game: str, stored: str) -> bool:
    """Return whether a stored head of a game matches the leaf at its index."""
    try:
        head = LoggedHead.parse(stored)
    except Unreadable:
        return False
    leaf = head_leaf_hash(game, head.seq, head.hash)
    return 0 <= head.index < len(leaves) and leaves[head.index] == leaf


def _sound_size(tree: MemoryTree, stored: dict[int, bytes]) -> int:
    """Return the number of first leaves that match all of their stored nodes."""
    size = tree.size
    for level in range(1, tree.size.bit_length()):
        computed, kept = tree.level(level), stored.get(level, b"")
        if kept[: len(computed)] != computed:
            pairs = zip(_hashes(computed), _hashes(kept), strict=False)
            matching = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            size = min(size, matching << level)
    return size


def _confirmed_size(client: redis.Redis, store: TransparencyStore, tree: MemoryTree) -> int:
    """Return the size of the largest published checkpoint that has the root of the first leaves; else 0."""
    confirmed = 0
    for note in client.hvals(store.checkpoints_key):
        try:
            checkpoint = Checkpoint.of_note(SignedNote.parse(to_text(note)))
        except (Unreadable, UnicodeDecodeError):
            continue
        if (
            confirmed < checkpoint.size <= tree.size
            and tree.root(checkpoint.size) == checkpoint.root
        ):
            confirmed = checkpoint.size
    return confirmed


def _hashes(data: bytes) -> list[bytes]:
    end = len(data) - len(data) % HASH_BYTES
    return [data[at : at + HASH_BYTES] for at in range(0, end, HASH_BYTES)]
