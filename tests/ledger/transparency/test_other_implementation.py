"""Merkle proofs and checkpoints agree both ways with tlog-scales, another implementation of the standards."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tlog_scales.backend import LocalBackend
from tlog_scales.reader import TilesReader
from tlog_scales.signing import PlainEd25519Signer, Vkey, VkeySet
from tlog_scales.tlog import Checkpoint as TheirCheckpoint
from tlog_scales.tlog import ConsistencyProof, InclusionProof
from tlog_scales.writer import TilesWriter

from ledger.keys import SigningKey
from ledger.transparency.checkpoint import Checkpoint
from ledger.transparency.merkle import (
    MemoryTree,
    leaf_hash,
    prove_consistency,
    prove_inclusion,
    verify_consistency,
    verify_inclusion,
)
from ledger.transparency.signed_note import (
    COSIGNATURE,
    NoteKey,
    SignedNote,
    cosign_text,
    note_key,
    sign_text,
)

SEED = bytes(range(32))
KEY = SigningKey.from_seed(SEED)
ORIGIN = "example.com/log"
SIZE = 300
"""More than one tile of their log."""
SIZES = [1, 2, 7, 8, 127, 255, 256, 257, 299, 300]


@pytest.fixture(scope="module")
def their_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiles") / "log"
    writer = TilesWriter.create(folder, ORIGIN)
    for number in range(SIZE):
        writer.add_leaf(b"%d" % number)
    writer.commit([PlainEd25519Signer(ORIGIN, SEED)])
    return folder


@pytest.fixture(scope="module")
def our_tree() -> MemoryTree:
    tree = MemoryTree()
    tree.append([leaf_hash(b"%d" % number) for number in range(SIZE)])
    return tree


def reader(folder: Path) -> TilesReader:
    their_reader = TilesReader(LocalBackend(folder))
    their_reader.set_size(SIZE)
    return their_reader


def pairs() -> Iterator[tuple[int, int]]:
    return ((first, second) for second in SIZES for first in SIZES if first <= second)


def test_our_proofs_hold_for_them(our_tree: MemoryTree) -> None:
    for first, second in pairs():
        root = our_tree.root(second)
        index = first - 1
        path = prove_inclusion(our_tree, index, second)
        InclusionProof(index, second, path).check(leaf_hash(b"%d" % index), root)
        consistency = prove_consistency(our_tree, first, second)
        ConsistencyProof(first, second, consistency).check(our_tree.root(first), root)


def test_their_proofs_hold_for_us(their_log: Path, our_tree: MemoryTree) -> None:
    theirs = reader(their_log)
    for first, second in pairs():
        root = theirs.mth(0, second)
        assert root == our_tree.root(second)
        index = first - 1
        path = theirs.get_inclusion_proof(index, second).node_hashes
        verify_inclusion(leaf_hash(b"%d" % index), index, second, path, root)
        consistency = theirs.get_consistency_proof(first, second).node_hashes
        verify_consistency(first, second, theirs.mth(0, first), root, consistency)


def test_their_checkpoint_holds_for_us(their_log: Path, our_tree: MemoryTree) -> None:
    note = SignedNote.parse((their_log / "checkpoint").read_bytes())
    vkey = PlainEd25519Signer(ORIGIN, SEED).vkey.serialize()  # type: ignore[no-untyped-call] # not annotated
    note.check_signed_by(NoteKey.parse(vkey))
    assert Checkpoint.of_note(note) == Checkpoint(ORIGIN, SIZE, our_tree.root())


def test_our_checkpoint_and_cosignature_hold_for_them(our_tree: MemoryTree) -> None:
    text = Checkpoint(ORIGIN, SIZE, our_tree.root()).text
    cosignature = cosign_text(text, "example.com/witness", KEY, 1_700_000_000)
    note = SignedNote(text, (sign_text(text, ORIGIN, KEY), cosignature))
    keys = [note_key(ORIGIN, KEY), note_key("example.com/witness", KEY, COSIGNATURE)]
    theirs = TheirCheckpoint.from_text(str(note))
    assert (theirs.origin, theirs.size, theirs.root_hash) == (ORIGIN, SIZE, our_tree.root())
    vkeys = [Vkey.from_string(str(key)) for key in keys]
    verified = VkeySet(*vkeys).verify(theirs.signatures, theirs)
    assert {vkey.name for vkey, _ in verified} == {ORIGIN, "example.com/witness"}
    assert theirs.serialize() == str(note)
