"""The proof that a server signed two checkpoints which cannot both be of one log that only grew.

A smaller checkpoint states the root of the first entries of the log. A consistency proof shows that the log
of the larger one begins with other entries. Both checkpoints are signed by the server, so anybody can check
the proof, with only the file that contains it (docs/witnessing.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from domain.errors import CartularyError, Unreadable
from domain.json_types import JsonObject
from ledger.canonical import canonical, decode, unhex
from ledger.keys import BadSignature
from ledger.transparency.checkpoint import Checkpoint
from ledger.transparency.merkle import (
    HASH_BYTES,
    BadProof,
    MemoryTree,
    prove_consistency,
    verify_consistency,
)
from ledger.transparency.signed_note import NoteKey, SignedNote, UntrustedNote

FORMAT: Final = "cartulary-split-view/1"
MAX_FILE_BYTES: Final = 1 << 20
_FIELDS: Final = {"format", "key", "first", "second", "prefix_root", "path"}


class NoSplitView(CartularyError):
    """The proof in a file is not valid."""


@dataclass(frozen=True, slots=True)
class SplitView:
    """Two checkpoints signed by `key`, the smaller one first.

    `prefix_root` is the root of as many entries as the smaller one has, in the log of the larger one; `path`
    is the consistency path from there to the larger one. `prefix_root` is None where the server does not show
    the entries: then the file only shows that it has signed both checkpoints.
    """

    key: NoteKey
    first: SignedNote
    second: SignedNote
    prefix_root: bytes | None
    path: tuple[bytes, ...] = ()

    def encode(self) -> bytes:
        """Return the contents of the file."""
        document: JsonObject = {
            "format": FORMAT,
            "key": str(self.key),
            "first": str(self.first),
            "second": str(self.second),
            "prefix_root": None if self.prefix_root is None else self.prefix_root.hex(),
            "path": [hash.hex() for hash in self.path],
        }
        return canonical(document) + b"\n"

    @classmethod
    def parse(cls, data: bytes) -> "SplitView":
        """Return the proof in the contents of a file; its validity is not checked. Raises Unreadable."""
        if len(data) > MAX_FILE_BYTES:
            raise Unreadable.with_message(
                "the file has more than {limit} bytes", limit=MAX_FILE_BYTES
            )
        document = decode(data.removesuffix(b"\n"))
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise Unreadable.with_message(
                "the file is not a proof in the format {format}", format=FORMAT
            )
        texts = [document.get(name) for name in ("key", "first", "second")]
        path, prefix_root = document.get("path"), document.get("prefix_root")
        if document.keys() != _FIELDS or not isinstance(path, list):
            raise Unreadable.with_message("the proof does not have the fields of its format")
        if not all(isinstance(text, str) for text in texts):
            raise Unreadable.with_message("the proof has fields of the wrong type")
        key, first, second = map(str, texts)
        try:
            hashes = tuple(unhex(hash) for hash in path)
            root = None if prefix_root is None else unhex(prefix_root)
        except ValueError:
            raise Unreadable.with_message("a hash of the proof is not lowercase hex") from None
        return cls(
            NoteKey.parse(key), SignedNote.parse(first), SignedNote.parse(second), root, hashes
        )

    def check(self) -> bool:
        """Return whether the two checkpoints are proven to contradict each other.

        Raises NoSplitView if the file does not show two checkpoints that this key signed, or if they do not
        contradict each other in the way that the file claims.
        """
        try:
            for note in (self.first, self.second):
                note.check_signed_by(self.key)
            first, second = Checkpoint.of_note(self.first), Checkpoint.of_note(self.second)
        except (BadSignature, UntrustedNote, Unreadable) as error:
            raise NoSplitView.with_message(
                "a checkpoint of the proof is not valid: {reason}", reason=error.message
            ) from None
        if not first.origin == second.origin == self.key.name:
            raise NoSplitView.with_message("the checkpoints are not of the log that the key signs")
        if first.size > second.size:
            raise NoSplitView.with_message("the larger checkpoint comes first")
        if self.prefix_root is None:
            return False
        if len(self.prefix_root) != HASH_BYTES or self.prefix_root == first.root:
            raise NoSplitView.with_message("the checkpoints do not contradict each other")
        try:
            verify_consistency(first.size, second.size, self.prefix_root, second.root, self.path)
        except BadProof as bad:
            raise NoSplitView.with_message(
                "the larger checkpoint has another beginning: {reason}", reason=bad.message
            ) from None
        return True


def find_split(
    key: NoteKey, smaller: SignedNote, larger: SignedNote, tree: MemoryTree
) -> SplitView | None:
    """Return the proof that two checkpoints contradict each other; None if they do not.

    `tree` has the entries of the larger checkpoint, or begins with them.
    """
    first, second = Checkpoint.of_note(smaller), Checkpoint.of_note(larger)
    prefix_root = tree.root(first.size)
    if prefix_root == first.root:
        return None
    path = prove_consistency(tree, first.size, second.size)
    return SplitView(key, smaller, larger, prefix_root, tuple(path))


def unproven(key: NoteKey, notes: Sequence[SignedNote]) -> SplitView:
    """Return a file with two checkpoints that the server did not prove to be of the same log."""
    first, second = sorted(notes, key=lambda note: Checkpoint.of_note(note).size)
    return SplitView(key, first, second, None)
