"""Checkpoints of a transparency log (C2SP tlog-checkpoint), and declarations of its new epochs.

A checkpoint is the origin, size and root of the log's tree:

    cartulary-1f2e3d4c5b6a7988
    42
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

This is the text of a signed note. The entries of the log are the heads of games, as canonical JSON of game,
seq and hash.

The declaration of a new epoch states, signed, that the log has lost entries:

    cartulary-epoch/1
    games.example.org/log/epoch-1f2e3d4c
    games.example.org/log
    120 CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
    104 sRUZpN2pPzzkaHOVqOOWwWpq1hIovmcbhcVbkGbVYIU=
    2026-11-22T21:36:02.000Z

The lines are the format, the origin of the new epoch, that of the old one, the size and the root of the last
checkpoint of the old epoch that the server knows, those of the first entries that both epochs have in
common, and the time. This is the text of a signed note. The key of the old epoch signs it under the name of
the old origin. Its second line is no number, so it is never a checkpoint.
"""

import binascii
from base64 import b64encode
from dataclasses import dataclass
from typing import Final

from domain.errors import Unreadable
from ledger.canonical import canonical
from ledger.transparency.merkle import EMPTY_ROOT, HASH_BYTES, MAX_SIZE, leaf_hash
from ledger.transparency.signed_note import SignedNote, check_name

_MAX_EXTENSIONS: Final = 16


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The size and the root of the tree of the log with this origin."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()
    """Further lines of the note, which are kept but not interpreted."""

    @property
    def text(self) -> str:
        """The text of the note, which ends with a line feed."""
        root = b64encode(self.root).decode("ascii")
        return "".join(
            f"{line}\n" for line in (self.origin, str(self.size), root, *self.extensions)
        )

    @classmethod
    def parse(cls, text: str) -> "Checkpoint":
        """Return the checkpoint in the text of a note. Raises Unreadable."""
        lines = text.removesuffix("\n").split("\n")
        if len(lines) < 3 or not text.endswith("\n"):
            raise Unreadable.with_message(
                "a checkpoint has at least three lines: origin, size and root"
            )
        origin, size, encoded_root, *extensions = lines
        check_origin(origin)
        if not (size.isascii() and size.isdigit() and (size == "0" or size[0] != "0")):
            raise Unreadable.with_message("the size of the checkpoint is not a decimal number")
        if len(size) > 16 or int(size) > MAX_SIZE:
            raise Unreadable.with_message(
                "the size of the checkpoint is over {most}", most=MAX_SIZE
            )
        if len(extensions) > _MAX_EXTENSIONS or not all(extensions):
            raise Unreadable.with_message(
                "a checkpoint has at most {most} extension lines, none empty", most=_MAX_EXTENSIONS
            )
        root = _root_hash(encoded_root)
        if size == "0" and root != EMPTY_ROOT:
            raise Unreadable.with_message(
                "the checkpoint of an empty log has the root of another tree"
            )
        return cls(origin, int(size), root, tuple(extensions))

    @classmethod
    def of_note(cls, note: SignedNote) -> "Checkpoint":
        """Return the checkpoint in a note; its signatures are not checked. Raises Unreadable."""
        return cls.parse(note.text)


def check_origin(origin: str) -> None:
    """Raise Unreadable unless a text can be an origin, which is also the name of the key of its log."""
    check_name(origin)
    if not origin.isascii() or not origin.isprintable() or origin.startswith("{"):
        raise Unreadable.with_message(
            "an origin has printable ASCII characters only, and does not begin with a brace"
        )


def head_leaf_hash(game_id: str, seq: int, hash: str) -> bytes:
    """Return the hash of the leaf for the head of a game: the event with this seq and hash."""
    return leaf_hash(canonical({"game": game_id, "hash": hash, "seq": seq}))


def _root_hash(encoded: str) -> bytes:
    try:
        root = binascii.a2b_base64(encoded, strict_mode=True)
    except (binascii.Error, ValueError):
        root = b""
    if len(root) != HASH_BYTES or b64encode(root).decode("ascii") != encoded:
        raise Unreadable.with_message("the root of the checkpoint is not 32 bytes in base64")
    return root


FORMAT: Final = "cartulary-epoch/1"


@dataclass(frozen=True, slots=True)
class EpochDeclaration:
    """The declaration of a new epoch: the last checkpoint of the old one, and the entries that are kept."""

    last: Checkpoint
    start: Checkpoint
    at: str

    @property
    def text(self) -> str:
        """The text of the note."""
        trees = (
            f"{tree.size} {b64encode(tree.root).decode('ascii')}"
            for tree in (self.last, self.start)
        )
        lines = (FORMAT, self.start.origin, self.last.origin, *trees, self.at)
        return "".join(f"{line}\n" for line in lines)

    @classmethod
    def of_note(cls, note: SignedNote) -> "EpochDeclaration":
        """Return the declaration in a note; its signatures are not checked. Raises Unreadable."""
        lines = note.text.removesuffix("\n").split("\n")
        try:
            format, origin, former_origin, last, start, at = lines
            last_size, last_root = last.split(" ")
            start_size, start_root = start.split(" ")
        except ValueError:
            raise _unreadable() from None
        if format != FORMAT:
            raise _unreadable()
        check_origin(origin)
        check_origin(former_origin)
        return cls(
            Checkpoint.parse(f"{former_origin}\n{last_size}\n{last_root}\n"),
            Checkpoint.parse(f"{origin}\n{start_size}\n{start_root}\n"),
            at,
        )


def epochs_from(origin: str, notes: list[SignedNote]) -> list[EpochDeclaration]:
    """Return the epochs that follow the one with this origin, in order. Raises Unreadable."""
    epochs = []
    for declaration in map(EpochDeclaration.of_note, notes):
        if declaration.last.origin == origin:
            epochs.append(declaration)
            origin = declaration.start.origin
    return epochs


def _unreadable() -> Unreadable:
    return Unreadable.with_message(
        "the note is not a declaration in the format {format}", format=FORMAT
    )
