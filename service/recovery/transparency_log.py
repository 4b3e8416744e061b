"""Checking the tree of the transparency log after a loss, and cutting it off before the first lost leaf."""

from itertools import takewhile
from typing import Final

import redis

from domain.errors import Unreadable
from ledger.checkpoint import Checkpoint, head_leaf_hash
from ledger.merkle import HASH_BYTES, MemoryTree
from ledger.signed_note import SignedNote
from service.connection import to_text, unavailable_on_error
from service.transparency.store import LoggedHead, TransparencyStore

_NO_LEAF: Final = bytes(HASH_BYTES)


def remove_lost_leaves(client: redis.Redis, store: TransparencyStore) -> int:
    """Cut the log off before the first leaf that is lost or changed, and return how many are removed.

    The heads of games in the removed leaves, and those that are damaged, are logged again, as new leaves.
    Raises Unavailable.
    """
    with unavailable_on_error():
        size = store.size()
        stored = store.stored_levels()
        leaves = list(takewhile(lambda leaf: leaf != _NO_LEAF, _hashes(stored.get(0, b""))))[:size]
        tree = MemoryTree()
        tree.append(leaves)
        kept = max(_sound_size(tree, stored), _confirmed_size(client, store, tree))
        if kept < size or any(stored.get(n) != tree.level(n) for n in range(size.bit_length())):
            store.replace_tree(leaves[:kept])
        for game, text in client.hscan_iter(store.heads_key):
            if not _is_head_in(leaves[:kept], to_text(game), to_text(text)):
                client.hdel(store.heads_key, game)
    return size - kept


def _is_head_in(leaves: list[bytes], game: str, stored: str) -> bool:
    """Return whether a stored head of a game is the leaf that it says it is."""
    try:
        head = LoggedHead.parse(stored)
    except Unreadable:
        return False
    leaf = head_leaf_hash(game, head.seq, head.hash)
    return 0 <= head.index < len(leaves) and leaves[head.index] == leaf


def _sound_size(tree: MemoryTree, stored: dict[int, bytes]) -> int:
    """Return the number of first leaves all of whose stored nodes follow from them."""
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
