"""Declarations of new epochs of a transparency log: signed statements that the log has lost entries.

    cartulary-epoch/1
    games.example.org/log/epoch-1f2e3d4c
    games.example.org/log
    120 CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
    104 sRUZpN2pPzzkaHOVqOOWwWpq1hIovmcbhcVbkGbVYIU=
    2026-11-22T21:36:02.000Z

The lines are the format, the origin of the new epoch, that of the old one, the size and the root of the last
checkpoint of the old epoch that the server knows, those of the first entries that both epochs have in common,
and the time. This is the text of a signed note. The key of the old epoch signs it under the name of the old
origin. Its second line is no number, so it is never a checkpoint.
"""

from base64 import b64encode
from dataclasses import dataclass
from typing import Final

from domain.errors import Unreadable
from domain.messages import message
from ledger.checkpoint import Checkpoint, check_origin
from ledger.signed_note import SignedNote

FORMAT: Final = "cartulary-epoch/1"


@dataclass(frozen=True, slots=True)
class EpochDeclaration:
    """What a server declares: the last checkpoint of the old epoch, and the entries that it keeps."""

    last: Checkpoint
    start: Checkpoint
    at: str

    @property
    def lost_entries(self) -> int:
        """How many entries of the last checkpoint the new epoch does not keep."""
        return max(0, self.last.size - self.start.size)

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
    return Unreadable(
        message("the note is not a declaration in the format {format}", format=FORMAT)
    )
