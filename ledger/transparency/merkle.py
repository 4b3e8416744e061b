"""The Merkle tree of RFC 9162, section 2.1: hashes, roots, and proofs of inclusion and of consistency.

A node is named by its level (0: leaves) and its index within the level. Only nodes with a complete subtree
are stored: node (level, index) covers 2^level leaves, beginning with leaf index * 2^level, and never changes
once it exists. The functions that generate proofs determine which nodes they need, and read them in one call.

The functions that verify proofs raise BadProof, and read no nodes.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final, Protocol, TypeAlias

from domain.errors import CartularyError
from domain.messages import Message, message

Node: TypeAlias = tuple[int, int]
"""Level and index of a node with a complete subtree."""
Range: TypeAlias = tuple[int, int]
"""The leaves from the first number up to, but not including, the second."""

HASH_BYTES: Final = 32
EMPTY_ROOT: Final = sha256(b"").digest()
"""The root of a tree without leaves."""
MAX_SIZE: Final = 2**53 - 1
"""The most leaves that a tree may have, so that sizes are integers of canonical JSON."""
MAX_PATH: Final = 54
"""No proof of a tree with up to MAX_SIZE leaves has more hashes than this."""


class BadProof(CartularyError):
    """A proof that is not valid; `message` is the reason."""


class NodeReader(Protocol):
    """Reads the hashes of stored nodes."""

    def read_nodes(self, nodes: Sequence[Node]) -> list[bytes]:
        """Return the hashes of these nodes, in their order. All of them exist."""


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of a leaf with this entry."""
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node with these children."""
    return sha256(b"\x01" + left + right).digest()


def root(reader: NodeReader, size: int) -> bytes:
    """Return the root of the tree of the first `size` leaves."""
    (hash,) = _range_hashes(reader, [(0, size)])
    return hash


def prove_inclusion(reader: NodeReader, index: int, size: int) -> list[bytes]:
    """Return the inclusion path of leaf `index` in the tree of the first `size` leaves.

    Raises ValueError if the tree has no such leaf.
    """
    if not 0 <= index < size:
        raise ValueError(f"a tree of {size} leaves has no leaf {index}")
    return _range_hashes(reader, _inclusion_ranges(index, size))


def prove_consistency(reader: NodeReader, first: int, second: int) -> list[bytes]:
    """Return the consistency path from the tree of the first `first` leaves to that of the first `second`.

    It is empty if the sizes are equal. Raises ValueError unless 0 < first <= second.
    """
    if not 0 < first <= second:
        raise ValueError(f"there is no proof of consistency from {first} to {second} leaves")
    return _range_hashes(reader, _consistency_ranges(first, second))


def new_nodes(
    reader: NodeReader, size: int, leaf_hashes: Sequence[bytes]
) -> dict[int, tuple[int, list[bytes]]]:
    """Return the nodes that are created when leaves are appended to a tree of `size` leaves.

    The result has, by level, the index of the first new node and the hashes of the new nodes.
    """
    if not leaf_hashes:
        return {}
    end = size + len(leaf_hashes)
    # The first new parent has an old left child, the last node of its level, if the number of these is odd.
    levels = range(end.bit_length())
    odd_levels = [
        level
        for level in levels
        if (size >> level) & 1 and end >> (level + 1) > size >> (level + 1)
    ]
    old_hashes = reader.read_nodes([(level, (size >> level) - 1) for level in odd_levels])
    old_left = dict(zip(odd_levels, old_hashes, strict=True))
    nodes: dict[int, tuple[int, list[bytes]]] = {}
    hashes = list(leaf_hashes)
    for level in levels:
        if not hashes:
            break
        nodes[level] = (size >> level, hashes)
        children = [old_left[level], *hashes] if level in old_left else hashes
        pairs = zip(children[::2], children[1::2], strict=False)
        hashes = [node_hash(left, right) for left, right in pairs]
    return nodes


def verify_inclusion(
    hash: bytes, index: int, size: int, path: Sequence[bytes], expected_root: bytes
) -> None:
    """Check that leaf `index` of the tree with this size and root has this hash. Raises BadProof."""
    if not 0 <= index < size:
        raise BadProof.with_message(
            "a tree of {size} leaves has no leaf {index}", size=size, index=index
        )
    _check_hashes(path, hash, expected_root)
    too_long = message("the inclusion path is too long")
    too_short = message("the inclusion path is too short")
    for sibling, is_left in _siblings(path, index, size - 1, too_long, too_short):
        hash = node_hash(sibling, hash) if is_left else node_hash(hash, sibling)
    if hash != expected_root:
        raise BadProof.with_message("the inclusion path leads to another root")


def verify_consistency(
    first: int, second: int, first_root: bytes, second_root: bytes, path: Sequence[bytes]
) -> None:
    """Check that a tree of `second` leaves begins with the leaves of a tree of `first`. Raises BadProof.

    Every tree begins with an empty one, so `first` must be at least 1.
    """
    if not 0 < first <= second:
        raise BadProof.with_message(
            "there is no proof of consistency from {first} to {second} leaves",
            first=first,
            second=second,
        )
    _check_hashes(path)
    if first == second:
        if path:
            raise BadProof.with_message(
                "the consistency path between trees of equal size is not empty"
            )
        if first_root != second_root:
            raise BadProof.with_message("the trees have the same size and different roots")
        return
    hashes = list(path)
    if first & (first - 1) == 0:
        hashes.insert(0, first_root)
    if not hashes:
        raise BadProof.with_message("the consistency path is empty")
    position, last = first - 1, second - 1
    while position & 1:
        position >>= 1
        last >>= 1
    first_hash = second_hash = hashes[0]
    too_long = message("the consistency path is too long")
    too_short = message("the consistency path is too short")
    for sibling, is_left in _siblings(hashes[1:], position, last, too_long, too_short):
        if is_left:
            first_hash = node_hash(sibling, first_hash)
            second_hash = node_hash(sibling, second_hash)
        else:
            second_hash = node_hash(second_hash, sibling)
    if first_hash != first_root:
        raise BadProof.with_message("the consistency path leads to another first root")
    if second_hash != second_root:
        raise BadProof.with_message("the consistency path leads to another second root")


def _siblings(
    path: Sequence[bytes], position: int, last: int, too_long: Message, too_short: Message
) -> Iterator[tuple[bytes, bool]]:
    """Yield the hashes of a path, each with True if it is to the left of the node at `position`.

    The path leads from this node, on a level with the nodes up to `last`, to the root. Raises BadProof with
    one of the messages.
    """
    for sibling in path:
        if not last:
            raise BadProof(too_long)
        is_left = bool(position & 1) or position == last
        yield sibling, is_left
        while is_left and not position & 1 and position:
            position >>= 1
            last >>= 1
        position >>= 1
        last >>= 1
    if last:
        raise BadProof(too_short)


class MemoryTree:
    """A tree in memory, one array of hashes for each level; implements NodeReader."""

    def __init__(self) -> None:
        self._levels: list[bytearray] = []

    @property
    def size(self) -> int:
        """The number of leaves."""
        return len(self._levels[0]) // HASH_BYTES if self._levels else 0

    def level(self, level: int) -> bytes:
        """Return the concatenated hashes of the nodes of a level; empty bytes if it does not exist."""
        return bytes(self._levels[level]) if level < len(self._levels) else b""

    def append(self, leaf_hashes: Sequence[bytes]) -> None:
        """Append leaves with these hashes."""
        for level, (_, hashes) in new_nodes(self, self.size, leaf_hashes).items():
            if level == len(self._levels):
                self._levels.append(bytearray())
            self._levels[level] += b"".join(hashes)

    def read_nodes(self, nodes: Sequence[Node]) -> list[bytes]:
        """See `NodeReader.read_nodes`."""
        return [
            bytes(self._levels[level][index * HASH_BYTES : (index + 1) * HASH_BYTES])
            for level, index in nodes
        ]

    def root(self, size: int | None = None) -> bytes:
        """Return the root of the tree of the first `size` leaves (None: of all)."""
        return root(self, self.size if size is None else size)

    def root_with(self, leaf_hashes: Sequence[bytes]) -> bytes:
        """Return the root that the tree would have if these leaves were appended."""
        added = new_nodes(self, self.size, leaf_hashes)
        return root(_Overlay(self, added), self.size + len(leaf_hashes))


class _Overlay:
    """The nodes of a tree and, by level, further ones that are not stored."""

    def __init__(self, tree: NodeReader, added: dict[int, tuple[int, list[bytes]]]) -> None:
        self._tree = tree
        self._added = added

    def read_nodes(self, nodes: Sequence[Node]) -> list[bytes]:
        hashes = []
        for level, index in nodes:
            first, added = self._added.get(level, (index + 1, []))
            if index < first:
                hashes += self._tree.read_nodes([(level, index)])
            else:
                hashes.append(added[index - first])
        return hashes


def _check_hashes(path: Sequence[bytes], *others: bytes) -> None:
    if len(path) > MAX_PATH:
        raise BadProof.with_message("the path has more than {most} hashes", most=MAX_PATH)
    if any(len(hash) != HASH_BYTES for hash in (*path, *others)):
        raise BadProof.with_message(
            "the proof contains a hash that is not {length} bytes long", length=HASH_BYTES
        )


def _split(count: int) -> int:
    """Return the largest power of two that is smaller than `count`, which is at least 2."""
    return 1 << (count - 1).bit_length() - 1


def _inclusion_ranges(index: int, size: int) -> list[Range]:
    """Return the ranges whose hashes are the inclusion path (PATH of RFC 9162, 2.1.3.1)."""
    start, end = 0, size
    ranges = []
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            ranges.append((middle, end))
            end = middle
        else:
            ranges.append((start, middle))
            start = middle
    return ranges[::-1]


def _consistency_ranges(first: int, second: int) -> list[Range]:
    """Return the ranges whose hashes are the consistency path (SUBPROOF of RFC 9162, 2.1.4.1)."""
    start, end = 0, second
    ranges = []
    while end != first:
        middle = start + _split(end - start)
        if first <= middle:
            ranges.append((middle, end))
            end = middle
        else:
            ranges.append((start, middle))
            start = middle
    if start:
        ranges.append((start, end))
    return ranges[::-1]


def _complete_nodes(leaves: Range) -> Iterator[Node]:
    """Yield the nodes with complete subtrees that make up a range of a tree, from left to right."""
    start, end = leaves
    while start < end:
        level = (end - start).bit_length() - 1
        yield level, start >> level
        start += 1 << level


def _range_hashes(reader: NodeReader, ranges: Sequence[Range]) -> list[bytes]:
    """Return the hash of the subtree over each range, with one call of the reader."""
    nodes = [list(_complete_nodes(leaves)) for leaves in ranges]
    hashes = iter(reader.read_nodes([node for group in nodes for node in group]))
    results = []
    for group in nodes:
        *left, hash = [next(hashes) for _ in group] or [EMPTY_ROOT]
        for sibling in reversed(left):
            hash = node_hash(sibling, hash)
        results.append(hash)
    return results
