"""Checkpoints of a transparency log (C2SP tlog-checkpoint): the origin, size and root of its tree.

    cartulary-1f2e3d4c5b6a7988
    42
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

This is the text of a signed note. The entries of the log are the heads of games, as canonical JSON of game,
seq and hash.
"""

import binascii
from base64 import b64encode
from dataclasses import dataclass
from typing import Final

from domain.errors import Unreadable
from domain.messages import message
from ledger.canonical import canonical
from ledger.merkle import EMPTY_ROOT, HASH_BYTES, MAX_SIZE, leaf_hash
from ledger.signed_note import SignedNote, check_name

_MAX_EXTENSIONS: Final = 16


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The size and the root of the tree of the log with this origin."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()
    """Further lines, which the log does not define and which mean nothing here."""

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
            raise Unreadable(
                message("a checkpoint has at least three lines: origin, size and root")
            )
        origin, size, encoded_root, *extensions = lines
        check_origin(origin)
        if not (size.isascii() and size.isdigit() and (size == "0" or size[0] != "0")):
            raise Unreadable(message("the size of the checkpoint is not a decimal number"))
        if len(size) > 16 or int(size) > MAX_SIZE:
            raise Unreadable(message("the size of the checkpoint is over {most}", most=MAX_SIZE))
        if len(extensions) > _MAX_EXTENSIONS or not all(extensions):
            raise Unreadable(
                message(
                    "a checkpoint has at most {most} extension lines, none empty",
                    most=_MAX_EXTENSIONS,
                )
            )
        root = _root_hash(encoded_root)
        if size == "0" and root != EMPTY_ROOT:
            raise Unreadable(message("the checkpoint of an empty log has the root of another tree"))
        return cls(origin, int(size), root, tuple(extensions))

    @classmethod
    def of_note(cls, note: SignedNote) -> "Checkpoint":
        """Return the checkpoint in a note; its signatures are not checked. Raises Unreadable."""
        return cls.parse(note.text)


def check_origin(origin: str) -> None:
    """Raise Unreadable unless a text can be an origin, which is also the name of the key of its log."""
    check_name(origin)
    if not origin.isascii() or not origin.isprintable() or origin.startswith("{"):
        raise Unreadable(
            message(
                "an origin has printable ASCII characters only, and does not begin with a brace"
            )
        )


def head_leaf_hash(game_id: str, seq: int, hash: str) -> bytes:
    """Return the hash of the leaf for the head of a game: the event with this seq and hash."""
    return leaf_hash(canonical({"game": game_id, "hash": hash, "seq": seq}))


def _root_hash(encoded: str) -> bytes:
    """Return the root of a checkpoint. Raises Unreadable."""
    try:
        root = binascii.a2b_base64(encoded, strict_mode=True)
    except (binascii.Error, ValueError):
        root = b""
    if len(root) != HASH_BYTES or b64encode(root).decode("ascii") != encoded:
        raise Unreadable(message("the root of the checkpoint is not 32 bytes in base64"))
    return root
