"""Follows a server: each new checkpoint must be consistent with the last, and is then kept and cosigned."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import client.witness.calls as log
from client.calls import server_keys
from client.clients import Client
from client.errors import UNAVAILABLE, ClientError, InvalidResponse
from client.witness.calls import PAGE_LEAVES
from client.witness.folder import Pages, WitnessFolder, no_progress
from client.witness.split_view import SplitView, find_split, unproven
from domain.errors import CartularyError, Unreadable
from domain.messages import Message, Text, comma_list, message, plural_message
from ledger.keys import BadSignature
from ledger.transparency.checkpoint import Checkpoint, EpochDeclaration
from ledger.transparency.merkle import BadProof, MemoryTree, verify_consistency
from ledger.transparency.signed_note import (
    COSIGNATURE,
    ED25519,
    NoteKey,
    SignedNote,
    UntrustedNote,
    cosign_text,
    note_key,
)

MAX_LEAVES: Final = 50_000_000
"""The most entries of a log: their hashes take 1.6 GB, and a server cannot fill more of the disk."""


class LogBroken(CartularyError):
    """The server has shown something that cannot be part of a log that only grows.

    `evidence` is the file with the evidence; `is_proof` is True if anybody can check it without the server.
    """

    def __init__(self, why: Text, evidence: Path | None = None, *, is_proof: bool = False) -> None:
        super().__init__(why)
        self.evidence = evidence
        self.is_proof = is_proof


class EpochBegun(CartularyError):
    """The server has declared a new epoch of its log after a restore, and signed that entries are lost."""


class KeyChanged(CartularyError):
    """The checkpoint is signed by a key other than the one that this witness knows."""


@dataclass(frozen=True, slots=True)
class Observation:
    """A checkpoint of the server, and the number of entries that are new in it.

    `is_older` is True if the checkpoint is older than the last one, and consistent with it.
    """

    checkpoint: Checkpoint
    new_entries: int
    is_older: bool = False
    pinned: NoteKey | None = None
    """The key of the server, if it was seen for the first time."""


class Follower:
    """Follows one server with one folder. `now` returns the time in seconds since 1970."""

    def __init__(
        self,
        client: Client,
        folder: WitnessFolder,
        *,
        now: Callable[[], float],
        format_time: Callable[[float], str],
        name: str = "",
        pages: Pages = no_progress,
    ) -> None:
        """`name` is the name of the witness's key; `pages` iterates over pages of leaves."""
        self._client = client
        self._folder = folder
        self._now = now
        self._format_time = format_time
        self._key = folder.witness_key()
        self._name = name or f"witness-{self._key.id}"
        self._pages = pages

    @property
    def cosigning_key(self) -> NoteKey:
        """The key whose cosignatures the server must list."""
        return note_key(self._name, self._key, COSIGNATURE)

    def accept_key(self, text: str) -> None:
        """Use this key of the server from now on: a note key, or the public key in hex.

        Raises Unreadable if the text is not a key, and the errors of `observe`.
        """
        if "+" in text:
            key = NoteKey.parse(text)
            if key.type != ED25519:
                raise Unreadable.with_message("this is the key of a witness, not of a log")
        else:
            try:
                public = bytes.fromhex(text)
            except ValueError:
                public = b""
            if len(public) != 32:
                raise Unreadable.with_message(
                    "a key of the server is a note key, or 32 bytes in hex"
                )
            pinned_key = self._folder.server_key
            name = (
                Checkpoint.of_note(self._client.run(log.checkpoint())).origin
                if pinned_key is None
                else pinned_key.name
            )
            key = NoteKey(name, ED25519, public)
        if key != self._folder.server_key:
            self._folder.pin(key)

    def observe(self) -> Observation:
        """Get the latest checkpoint, check it, and add it to the copy, cosigned.

        Raises LogBroken, EpochBegun, KeyChanged, and the errors of the client.
        """
        note = self._client.run(log.checkpoint())
        try:
            checkpoint = Checkpoint.of_note(note)
        except Unreadable as error:
            raise InvalidResponse.with_message(
                "the server's checkpoint cannot be read: {reason}", reason=error.why
            ) from None
        key = self._folder.server_key
        pinned = None
        if key is None:
            key = pinned = self._find_key(note, checkpoint)
            self._folder.pin(key)
        self._check_signature(note, checkpoint, key)
        last = self._folder.last
        if last is None:
            self._keep(note, checkpoint, key, [])
            return Observation(checkpoint, checkpoint.size, pinned=pinned)
        if checkpoint.size <= last.checkpoint.size:
            self._check_known(note, checkpoint, key)
            is_older = checkpoint.size < last.checkpoint.size
            return Observation(checkpoint, 0, is_older)
        path = self._consistency_path(note, checkpoint, last.note, key)
        self._keep(note, checkpoint, key, path)
        return Observation(checkpoint, checkpoint.size - last.checkpoint.size)

    def submit(self) -> None:
        """Submit the cosignature of the last checkpoint. Raises the errors of the client."""
        if self._folder.last is not None:
            self._client.run(log.submit_cosignatures(self._folder.last.note))

    def _find_key(self, note: SignedNote, checkpoint: Checkpoint) -> NoteKey:
        """Return the key, among those that the server publishes, that signed a checkpoint.

        If several keys signed it, this is the key that will sign the next checkpoints: the last one that is
        not retired.
        """
        published = self._client.run(server_keys()).keys
        for server_key in sorted(
            published, key=lambda key: (key.until is None, key.since or ""), reverse=True
        ):
            key = NoteKey(checkpoint.origin, ED25519, bytes.fromhex(server_key.public))
            try:
                note.check_signed_by(key)
            except UntrustedNote:
                continue
            except BadSignature as bad:
                raise InvalidResponse.with_message(
                    "the server's checkpoint is not valid: {reason}", reason=bad.message
                ) from None
            return key
        raise InvalidResponse.with_message(
            "the checkpoint is signed by none of the keys that the server publishes"
        )

    def _check_signature(self, note: SignedNote, checkpoint: Checkpoint, key: NoteKey) -> None:
        if checkpoint.origin != key.name:
            self._check_epochs(key)
            raise KeyChanged.with_message(
                "the server now serves the log {origin}, and this folder is about the log {followed}. If"
                " the operator has begun a new log, ask why, and follow it with another folder",
                origin=checkpoint.origin,
                followed=key.name,
            )
        try:
            note.check_signed_by(key)
        except UntrustedNote:
            raise KeyChanged(_key_change(note, key)) from None
        except BadSignature as bad:
            raise LogBroken.with_message(
                "the checkpoint has a signature that is not valid: {reason}", reason=bad.message
            ) from None

    def _check_epochs(self, key: NoteKey) -> None:
        """Raise EpochBegun if the server has declared the end of the log that this folder copies.

        The declaration is saved in the folder. Raises LogBroken if the new epoch does not begin with entries
        of this log.
        """
        try:
            notes = self._client.run(log.epochs())
            epochs = [(EpochDeclaration.of_note(note), note) for note in notes]
        except UNAVAILABLE:
            raise
        except (ClientError, Unreadable):
            return
        for epoch, note in epochs:
            if epoch.last.origin != key.name:
                continue
            try:
                note.check_signed_by(key)
            except (UntrustedNote, BadSignature):
                continue
            raise self._epoch_begun(epoch, note)

    def _epoch_begun(self, epoch: EpochDeclaration, note: SignedNote) -> CartularyError:
        tree, size = self._folder.tree, epoch.start.size
        path = self._folder.keep(
            f"epoch-{epoch.start.origin.rpartition('-')[2]}.note", str(note).encode()
        )
        if size <= tree.size and tree.root(size) != epoch.start.root:
            return LogBroken.with_message(
                "the server has declared a new epoch of its log, {origin}, which does not begin with the"
                " entries that this witness has seen: the declaration is in {file}",
                origin=epoch.start.origin,
                file=str(path),
            )
        return EpochBegun(
            plural_message(
                "the server has declared a new epoch of its log after a restore, at {time}: {origin}. {count}"
                " entry that this witness has seen is lost. The declaration is in {file}. Ask the operator"
                " why, and follow the new epoch with another folder (--dir)",
                "the server has declared a new epoch of its log after a restore, at {time}: {origin}. {count}"
                " entries that this witness has seen are lost. The declaration is in {file}. Ask the operator"
                " why, and follow the new epoch with another folder (--dir)",
                count=max(0, tree.size - size),
                time=epoch.at,
                origin=epoch.start.origin,
                file=str(path),
            )
        )

    def _check_known(self, note: SignedNote, checkpoint: Checkpoint, key: NoteKey) -> None:
        last = self._folder.checkpoints[-1]
        split = find_split(key, note, last.note, self._folder.tree)
        if split is not None:
            raise self._broken(
                split,
                plural_message(
                    "the new checkpoint has another root for {count} entry",
                    "the new checkpoint has another root for {count} entries",
                    count=checkpoint.size,
                ),
            )

    def _consistency_path(
        self, note: SignedNote, checkpoint: Checkpoint, last: SignedNote, key: NoteKey
    ) -> list[bytes]:
        before = Checkpoint.of_note(last)
        if not before.size:
            return []
        try:
            path = self._client.run(log.consistency_path(before.size, checkpoint.size))
            verify_consistency(before.size, checkpoint.size, before.root, checkpoint.root, path)
        except UNAVAILABLE:
            raise
        except ClientError as error:
            why = error.message_with_status
        except BadProof as error:
            why = error.message
        else:
            return path
        raise self._find_contradiction(note, checkpoint, last, key, why)

    def _find_contradiction(
        self, note: SignedNote, checkpoint: Checkpoint, last: SignedNote, key: NoteKey, why: Text
    ) -> LogBroken:
        """Return the error for a checkpoint that the server does not prove consistent with the last one.

        It is a proof if the leaves that the server shows now are those of the checkpoint.
        """
        tree = MemoryTree()
        try:
            for hashes in self._leaves(0, checkpoint.size):
                tree.append(hashes)
        except UNAVAILABLE:
            raise
        except ClientError:
            return self._broken(unproven(key, [last, note]), why)
        split = find_split(key, last, note, tree) if tree.root() == checkpoint.root else None
        return self._broken(split or unproven(key, [last, note]), why)

    def _keep(
        self, note: SignedNote, checkpoint: Checkpoint, key: NoteKey, path: list[bytes]
    ) -> None:
        """Copy the new leaves of a checkpoint, check that they lead to its root, and keep it, cosigned."""
        size = self._folder.tree.size
        hashes = [hash for page in self._leaves(size, checkpoint.size) for hash in page]
        if self._folder.tree.root_with(hashes) != checkpoint.root:
            last = self._folder.last
            why = message(
                "the entries that the server lists are not those of the checkpoint that it has signed"
            )
            if last is None:
                raise LogBroken(why)
            raise self._broken(unproven(key, [last.note, note]), why)
        seconds = self._now()
        line = cosign_text(note.text, self._name, self._key, int(seconds))
        cosigned = note.with_signatures([line])
        self._folder.append(cosigned, path, hashes, self._format_time(seconds))

    def _leaves(self, start: int, end: int) -> Iterator[list[bytes]]:
        if end > MAX_LEAVES:
            raise InvalidResponse.with_message(
                "the log has more than {limit} entries, too many to copy", limit=MAX_LEAVES
            )
        starts = range(start, end, PAGE_LEAVES)
        for first in self._pages(starts, len(starts)):
            position, stop = first, min(end, first + PAGE_LEAVES)
            while position < stop:
                hashes = self._client.run(log.leaf_hashes(position, stop - position))
                position += len(hashes)
                yield hashes

    def _broken(self, split: SplitView, why: Text) -> LogBroken:
        is_proof = split.prefix_root is not None
        size = Checkpoint.of_note(split.second).size
        name = f"split-view-{size}.json" if is_proof else f"unproven-{size}.json"
        path = self._folder.save(name, split.encode())
        if is_proof:
            sentence = message("the server has shown two logs: {reason}", reason=why)
        else:
            sentence = message("the server does not prove its log: {reason}", reason=why)
        return LogBroken(sentence, path, is_proof=is_proof)


def _key_change(note: SignedNote, key: NoteKey) -> Message:
    ids = [line.key_id.hex() for line in note.signatures if line.name == key.name]
    if not ids:
        return message(
            "the server's key has changed: the checkpoint is signed by no key of the log, and this witness"
            " knows the key {key}. If the operator confirms the new key, pass it with --key",
            key=key.id.hex(),
        )
    return message(
        "the server's key has changed: the checkpoint is signed by the key {signers}, and this witness knows"
        " the key {key}. If the operator confirms the new key, pass it with --key",
        signers=comma_list(ids),
        key=key.id.hex(),
    )
