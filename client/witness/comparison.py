"""Compares what a server has shown to two parties: all checkpoints must be of the same log.

A party is the folder of a witness, or a file with checkpoints: a signed note, what a browser has seen, or a
record whose header contains a proof of inclusion.
"""

from bisect import bisect_left
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from client.witness.folder import Pages, WitnessFolder, no_progress
from client.witness.split_view import NoSplitView, SplitView, find_split
from domain.errors import CartularyError, Unreadable
from domain.json_types import JsonObject
from domain.messages import Message, plural_message
from ledger.canonical import decode, unhex
from ledger.files.os_errors import cannot_read
from ledger.keys import BadSignature
from ledger.record_schema import check_header
from ledger.transparency.checkpoint import Checkpoint, EpochDeclaration
from ledger.transparency.merkle import MemoryTree
from ledger.transparency.signed_note import ED25519, NoteKey, SignedNote
from replay.compare.witness_files import SUFFIX, WitnessFile

_MAX_HEADER: Final = 1 << 20


class NotComparable(CartularyError):
    """The two parties have no key and no log in common."""


@dataclass(frozen=True, slots=True)
class View:
    """What a server has shown to one party.

    `keys` are the keys that the party knows, empty for a plain checkpoint. `tree` has the leaves of the
    largest checkpoint, if the party has a copy of the log.
    """

    name: str
    keys: tuple[NoteKey, ...]
    notes: tuple[SignedNote, ...]
    tree: MemoryTree = field(default_factory=MemoryTree)
    epochs: tuple[SignedNote, ...] = ()
    """The declarations of new epochs that the party has kept."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How many checkpoints were compared, how many could not be, and the proof of two logs, if any."""

    compared: int
    undecided: int
    split: SplitView | None


class _Signed(NamedTuple):
    """A checkpoint that the key has signed."""

    checkpoint: Checkpoint
    note: SignedNote


def read_view(path: Path, pages: Pages = no_progress) -> View:
    """Return the view of the party whose folder or file this is. Raises Unreadable."""
    if path.is_dir():
        folder = WitnessFolder.read(path, pages)
        if not folder.checkpoints:
            raise Unreadable.with_message(
                "the folder {folder} contains no checkpoints", folder=str(path)
            )
        notes = tuple(kept.note for kept in folder.checkpoints)
        return View(
            str(path), tuple(folder.server_keys), notes, folder.tree, tuple(folder.epochs())
        )
    try:
        if path.suffix == SUFFIX:
            return view_of_file(WitnessFile.parse(path.read_bytes()), str(path))
        with path.open("rb") as file:
            first_line = file.readline(_MAX_HEADER)
            rest = file.read(_MAX_HEADER)
    except OSError as error:
        raise Unreadable(cannot_read(path, error)) from None
    if first_line.startswith(b"{"):
        return _view_of_record(path, first_line)
    return View(str(path), (), (SignedNote.parse(first_line + rest),))


def compare(first: View, second: View) -> Comparison:
    """Compare what a server has shown to two parties. Raises NotComparable."""
    key, of_first, of_second = _signed_by_common_key(first, second)
    compared = undecided = 0
    for tree, own, other_tree, others in (
        (first.tree, of_first, second.tree, of_second),
        (second.tree, of_second, first.tree, of_first),
    ):
        sizes = [signed.checkpoint.size for signed in own]
        for other in others:
            covering = bisect_left(sizes, other.checkpoint.size)
            if covering == len(own):
                continue
            if tree.size < sizes[covering] <= other_tree.size:
                # The larger checkpoint is compared with the copy of the other party.
                continue
            is_known, split = _contradiction(key, other, own[covering], tree)
            if split is not None:
                return Comparison(compared, undecided, split)
            compared += is_known
            undecided += not is_known
    return Comparison(compared, undecided, None)


def split_in(file: WitnessFile) -> SplitView | None:
    """Return the proof in a browser's file that the server has shown two logs; None if there is none.

    With its last checkpoint, such a file has the root of the first entries of that log.
    """
    notes = [SignedNote.parse(note) for note in file.checkpoints]
    if len(notes) < 2:
        return None
    first, last = Checkpoint.of_note(notes[0]), Checkpoint.of_note(notes[-1])
    prefix: bytes = last.root
    path: tuple[bytes, ...] = ()
    if first.size != last.size:
        proof = file.consistency
        if proof is None or (proof["from"], proof["to"]) != (first.size, last.size):
            return None
        prefix, path = unhex(proof["root"]), tuple(map(unhex, proof["path"]))
    for key in _keys_of(first.origin, file.keys):
        split = SplitView(key, notes[0], notes[-1], prefix, path)
        with suppress(NoSplitView):
            split.check()
            return split
    return None


def view_of_file(file: WitnessFile, name: str) -> View:
    """Return what a server has shown to a browser. Raises Unreadable."""
    notes = tuple(map(SignedNote.parse, file.checkpoints))
    if not notes:
        raise Unreadable.with_message("{file} contains no checkpoint", file=name)
    origins = dict.fromkeys(Checkpoint.of_note(note).origin for note in notes)
    keys = tuple(key for origin in origins for key in _keys_of(origin, file.keys))
    return View(name, keys, notes)


def _keys_of(origin: str, entries: Sequence[JsonObject]) -> list[NoteKey]:
    """Return the keys in a server's list as keys of its log. Entries that are not keys are left out."""
    keys = []
    for entry in entries:
        with suppress(ValueError):
            keys.append(NoteKey(origin, ED25519, bytes.fromhex(entry["public"])))
    return keys


def _contradiction(
    key: NoteKey, smaller: _Signed, larger: _Signed, tree: MemoryTree
) -> tuple[bool, SplitView | None]:
    """Return whether two checkpoints can be compared, and the proof if they contradict each other.

    `tree` is the copy of the log of the party with the larger checkpoint.
    """
    first, second = smaller.checkpoint, larger.checkpoint
    if first.size == second.size:
        if first.root == second.root:
            return True, None
        return True, SplitView(key, smaller.note, larger.note, second.root)
    if not first.size:
        return True, None
    if tree.size < second.size:
        return False, None
    return True, find_split(key, smaller.note, larger.note, tree)


def _signed_by_common_key(
    first: View, second: View
) -> tuple[NoteKey, list[_Signed], list[_Signed]]:
    """Return a key that has signed checkpoints of both parties, and these checkpoints, sorted by size."""
    for key in dict.fromkeys((*first.keys, *second.keys)):
        of_first, of_second = _signed_by(key, first), _signed_by(key, second)
        if of_first and of_second:
            return key, of_first, of_second
    _check_epochs(first, second)
    raise NotComparable.with_message(
        "{first} and {second} have no checkpoints that the same key has signed for the same log",
        first=first.name,
        second=second.name,
    )


def _check_epochs(first: View, second: View) -> None:
    """Raise NotComparable with the reason if a server has declared that one log is an epoch after the other.

    The key of the old epoch must have signed the declaration.
    """
    for old, new in ((first, second), (second, first)):
        origins = {Checkpoint.of_note(note).origin for note in new.notes}
        for note in (*old.epochs, *new.epochs):
            epoch = EpochDeclaration.of_note(note)
            if epoch.start.origin not in origins:
                continue
            for key in old.keys:
                try:
                    is_signed = key.name == epoch.last.origin and bool(note.verified_keys([key]))
                except BadSignature:
                    is_signed = False
                if is_signed:
                    raise NotComparable(_two_epochs(old, new, epoch))


def _two_epochs(old: View, new: View, epoch: EpochDeclaration) -> Message:
    size = max(epoch.last.size, *(Checkpoint.of_note(note).size for note in old.notes))
    return plural_message(
        "{new} is about a new epoch of the log of {old}, which the server declared after a restore, at"
        " {time}: {count} entry was lost",
        "{new} is about a new epoch of the log of {old}, which the server declared after a restore, at"
        " {time}: {count} entries were lost",
        count=max(0, size - epoch.start.size),
        new=new.name,
        old=old.name,
        time=epoch.at,
    )


def _signed_by(key: NoteKey, view: View) -> list[_Signed]:
    """Return the checkpoints of a party that a key has signed for its log, sorted by size."""
    checkpoints = []
    for note in view.notes:
        try:
            is_signed = bool(note.verified_keys([key]))
        except BadSignature:
            continue
        checkpoint = Checkpoint.of_note(note)
        if is_signed and checkpoint.origin == key.name:
            checkpoints.append(_Signed(checkpoint, note))
    return sorted(checkpoints, key=lambda signed: signed.checkpoint.size)


def _view_of_record(path: Path, header_line: bytes) -> View:
    value = decode(header_line.removesuffix(b"\n"))
    if not isinstance(value, dict):
        raise Unreadable.with_message("{file} is not a record", file=str(path))
    header = check_header(value)
    inclusion = header.get("inclusion")
    if not isinstance(inclusion, dict) or not isinstance(inclusion.get("checkpoint"), str):
        raise Unreadable.with_message(
            "the header of {file} contains no proof of inclusion", file=str(path)
        )
    note = SignedNote.parse(inclusion["checkpoint"])
    origin = Checkpoint.of_note(note).origin
    return View(str(path), tuple(_keys_of(origin, header["keys"])), (note,))
