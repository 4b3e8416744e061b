"""Merkle trees: the published vectors of RFC 6962 and RFC 9162, and every proof of small trees.

The leaves, roots and paths of `LEAVES` are the reference values that implementations of Certificate
Transparency share, as published in github.com/transparency-dev/merkle, testonly/constants.go and
reference_test.go; its testdata/ describes the changes to a proof that `changed_proofs` makes.
"""

from collections.abc import Iterator
from hashlib import sha256

import pytest

from ledger.transparency.merkle import (
    EMPTY_ROOT,
    MAX_PATH,
    BadProof,
    MemoryTree,
    leaf_hash,
    prove_consistency,
    prove_inclusion,
    verify_consistency,
    verify_inclusion,
)
from tests.support.faults import raises

LEAVES = [
    *("", "00", "10", "2021", "3031", "40414243", "5051525354555657"),
    "606162636465666768696a6b6c6d6e6f",
]
LEAF_HASHES = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
    "0298d122906dcfc10892cb53a73992fc5b9f493ea4c9badb27b791b4127a7fe7",
    "07506a85fd9dd2f120eb694f86011e5bb4662e5c415a62917033d4a9624487e7",
    "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    "4271a26be0d8a84f0bd54c8c302e7cb3a3b5d1fa6780a40bcce2873477dab658",
    "b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f",
    "46f6ffadd3d06a09ff3c5860d2755c8b9819db7df44251788c7d8e3180de8eb1",
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""By number of leaves."""

_NODE_10 = "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"
_NODE_11 = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e"
_NODE_12 = "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a"
_NODE_13 = "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0"
_NODE_20 = "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"
_NODE_21 = "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"

INCLUSION_PATHS: list[tuple[int, int, list[str]]] = [
    (0, 1, []),
    (0, 2, [LEAF_HASHES[1]]),
    (1, 2, [LEAF_HASHES[0]]),
    (2, 3, [_NODE_10]),
    (1, 5, [LEAF_HASHES[0], _NODE_11, LEAF_HASHES[4]]),
    (0, 8, [LEAF_HASHES[1], _NODE_11, _NODE_21]),
    (5, 8, [LEAF_HASHES[4], _NODE_13, _NODE_20]),
]
"""Index, size and path."""
CONSISTENCY_PATHS: list[tuple[int, int, list[str]]] = [
    (1, 1, []),
    (1, 8, [LEAF_HASHES[1], _NODE_11, _NODE_21]),
    (2, 5, [_NODE_11, LEAF_HASHES[4]]),
    (6, 8, [_NODE_12, _NODE_13, _NODE_20]),
]
"""First size, second size and path."""


def tree_of(hashes: list[bytes]) -> MemoryTree:
    tree = MemoryTree()
    tree.append(hashes)
    return tree


def reference_tree() -> MemoryTree:
    return tree_of([leaf_hash(bytes.fromhex(leaf)) for leaf in LEAVES])


def numbered_tree(size: int) -> MemoryTree:
    return tree_of([leaf_hash(b"%d" % number) for number in range(size)])


def changed_paths(path: list[bytes], *roots: bytes) -> Iterator[list[bytes]]:
    """Yield the changes of a path that the published vectors make, none of which leaves it valid."""
    garbage = sha256(b"garbage").digest()
    for hash in (garbage, *roots):
        yield [hash, *path]
        yield [*path, hash]
    if path:
        yield []
        yield path[:-1]
        yield path[1:]
        yield [*path[:-1], b""]
        yield [*path[:-1], path[-1][:-1]]
    for place, hash in enumerate(path):
        yield [*path[:place], bytes([hash[0] ^ 16]) + hash[1:], *path[place + 1 :]]
        yield [*path[:place], garbage, *path[place:]]


def test_leaves_and_roots_have_the_published_hashes() -> None:
    tree = reference_tree()
    assert [hash.hex() for hash in tree.read_nodes([(0, n) for n in range(8)])] == LEAF_HASHES
    assert [tree.root(size).hex() for size in range(9)] == ROOTS
    assert MemoryTree().root() == EMPTY_ROOT


@pytest.mark.parametrize(("index", "size", "path"), INCLUSION_PATHS)
def test_inclusion_paths_are_the_published_ones(index: int, size: int, path: list[str]) -> None:
    proven = prove_inclusion(reference_tree(), index, size)
    assert [hash.hex() for hash in proven] == path
    verify_inclusion(
        bytes.fromhex(LEAF_HASHES[index]), index, size, proven, bytes.fromhex(ROOTS[size])
    )


@pytest.mark.parametrize(("first", "second", "path"), CONSISTENCY_PATHS)
def test_consistency_paths_are_the_published_ones(first: int, second: int, path: list[str]) -> None:
    proven = prove_consistency(reference_tree(), first, second)
    assert [hash.hex() for hash in proven] == path
    roots = (bytes.fromhex(ROOTS[first]), bytes.fromhex(ROOTS[second]))
    verify_consistency(first, second, *roots, proven)


@pytest.mark.parametrize(("index", "size", "path"), INCLUSION_PATHS)
def test_a_changed_inclusion_proof_is_refused(index: int, size: int, path: list[str]) -> None:
    hash, root = bytes.fromhex(LEAF_HASHES[index]), bytes.fromhex(ROOTS[size])
    hashes = [bytes.fromhex(text) for text in path]
    other = sha256(b"other").digest()
    changes = [
        (hash, index + 1, size, hashes, root),
        (hash, index - 1, size, hashes, root),
        (hash, index ^ 2, size, hashes, root),
        (hash, index, size * 2, hashes, root),
        (hash, index, size // 2, hashes, root),
        (other, index, size, hashes, root),
        (hash, index, size, hashes, other),
        (hash, index, size, hashes, b""),
        (hash, index, size, hashes, EMPTY_ROOT),
        *((hash, index, size, changed, root) for changed in changed_paths(hashes, root)),
    ]
    for change in changes:
        with pytest.raises(BadProof):
            verify_inclusion(*change)


@pytest.mark.parametrize(("first", "second", "path"), CONSISTENCY_PATHS)
def test_a_changed_consistency_proof_is_refused(first: int, second: int, path: list[str]) -> None:
    roots = bytes.fromhex(ROOTS[first]), bytes.fromhex(ROOTS[second])
    hashes = [bytes.fromhex(text) for text in path]
    other = sha256(b"other").digest()
    changes = [
        (first + 1, second, *roots, hashes),
        (first - 1, second, *roots, hashes),
        (first ^ 2, second, *roots, hashes),
        (first, second * 2, *roots, hashes),
        (first, second // 2, *roots, hashes),
        (first, second, other, roots[1], hashes),
        (first, second, roots[0], other, hashes),
        *((first, second, *roots, changed) for changed in changed_paths(hashes, *roots)),
        (first, second + (first == second), roots[1], roots[0], hashes),
    ]
    for change in changes:
        with pytest.raises(BadProof):
            verify_consistency(*change)


def test_empty_trees_and_sizes_in_the_wrong_order_prove_nothing() -> None:
    for first, second in [(0, 0), (0, 1), (2, 1), (1, 0)]:
        with pytest.raises(BadProof):
            verify_consistency(first, second, EMPTY_ROOT, EMPTY_ROOT, [])
        with pytest.raises(ValueError, match="no proof"):
            prove_consistency(numbered_tree(3), first, second)
    with pytest.raises(BadProof):
        verify_inclusion(b"", 0, 1, [], b"")
    with pytest.raises(ValueError, match="no leaf"):
        prove_inclusion(numbered_tree(3), 3, 3)


def test_a_path_of_any_length_is_refused_quickly() -> None:
    with raises(BadProof, match=str(MAX_PATH)):
        verify_inclusion(EMPTY_ROOT, 0, 2, [EMPTY_ROOT] * 100_000, EMPTY_ROOT)


def test_every_proof_of_small_trees_verifies() -> None:
    tree = numbered_tree(24)
    roots = [tree.root(size) for size in range(25)]
    for size in range(1, 25):
        for index in range(size):
            (hash,) = tree.read_nodes([(0, index)])
            verify_inclusion(hash, index, size, prove_inclusion(tree, index, size), roots[size])
        for first in range(1, size + 1):
            path = prove_consistency(tree, first, size)
            verify_consistency(first, size, roots[first], roots[size], path)


def test_appending_in_parts_gives_the_same_tree() -> None:
    hashes = [leaf_hash(b"%d" % number) for number in range(40)]
    for size in range(41):
        tree = tree_of(hashes[:size])
        tree.append(hashes[size : size + 3])
        tree.append(hashes[size + 3 :])
        assert tree.size == 40
        assert tree.root() == tree_of(hashes).root()
