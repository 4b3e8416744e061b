"""A witness for tests: its key, its cosignatures, and proofs of inclusion in a log that it follows."""

from typing import Any, Final

from domain.json_types import JsonObject
from ledger.keys import SigningKey
from ledger.transparency.checkpoint import Checkpoint, head_leaf_hash
from ledger.transparency.merkle import MemoryTree, leaf_hash, prove_inclusion
from ledger.transparency.signed_note import (
    COSIGNATURE,
    SignedNote,
    cosign_text,
    note_key,
    sign_text,
)
from tests.support.records import KEY, Table

WITNESS_KEY: Final = SigningKey.from_seed(b"w" * 32)
WITNESS_NAME: Final = "test-witness"
WITNESS: Final = note_key(WITNESS_NAME, WITNESS_KEY, COSIGNATURE)
ORIGIN: Final = "log.test"
"""The name of the log."""


def cosigned(note: SignedNote, timestamp: int = 1_700_000_000) -> SignedNote:
    """Return a checkpoint with the cosignature of the test's witness."""
    line = cosign_text(note.text, WITNESS_NAME, WITNESS_KEY, timestamp)
    return note.with_signatures([line])


def inclusion_of(table: Table, *, key: Any = KEY, is_cosigned: bool = True) -> JsonObject:
    """Return the proof that a log with six other entries contains the head of a game."""
    game = table.game
    tree = MemoryTree()
    tree.append([leaf_hash(b"%d" % number) for number in range(3)])
    tree.append([head_leaf_hash(game.id, game.seq, game.hash)])
    tree.append([leaf_hash(b"%d" % number) for number in range(3)])
    text = Checkpoint(ORIGIN, tree.size, tree.root()).text
    note = SignedNote(text, (sign_text(text, ORIGIN, key),))
    return {
        "checkpoint": str(cosigned(note) if is_cosigned else note),
        "game": game.id,
        "seq": game.seq,
        "hash": game.hash,
        "index": 3,
        "path": [hash.hex() for hash in prove_inclusion(tree, 3, tree.size)],
    }
