"""Signs and publishes checkpoints of the transparency log, and collects the cosignatures of witnesses.

A checkpoint is signed on request: at most one in CARTULARY_CHECKPOINT_SECONDS, and only if the tree continues
every tree that this machine has signed before. Otherwise nothing is signed, since witnesses would rightly see
a second history. After a restore, the log continues under a new origin, as a new epoch that begins with a
signed declaration.
"""

import logging
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from domain.errors import Malformed, Unreadable
from domain.messages import message
from ledger.keys import BadSignature
from ledger.transparency.checkpoint import Checkpoint, EpochDeclaration, epochs_from
from ledger.transparency.merkle import root
from ledger.transparency.signed_note import ED25519, NoteKey, SignedNote
from service import wall_clock
from service.errors import Conflict, Forbidden, Unavailable
from service.keyring import Keyring
from service.replication import Replication
from service.transparency.last_signed import LastSigned
from service.transparency.restores import Restores
from service.transparency.store import TransparencyStore

log = logging.getLogger(__name__)

MAX_ATTEMPTS: Final = 20
"""The number of attempts to add a cosignature while others are added."""

SECONDS_TO_REPAIR: Final = 600
"""The time until a client may retry, if a person has to repair the log before a checkpoint can be signed."""


class LogIncomplete(Unavailable):
    """The transparency log lacks leaves of a checkpoint that this server has signed, or has others."""


class CheckpointNotKept(Conflict):
    """The server has not published this checkpoint, or no longer keeps it."""


@dataclass(eq=False, repr=False)
class Checkpoints:
    """The checkpoints of a service. Thread-safe.

    Its methods raise Unavailable if Redis does not respond, and LogIncomplete if no checkpoint can be signed
    and none that is published suffices.
    """

    _store: TransparencyStore
    _keyring: Keyring
    _last_signed: LastSigned
    _restores: Restores
    _configured_origin: str
    """Empty for the one that derives from the first key."""
    _witnesses: Sequence[NoteKey]
    _seconds: float
    """Age of a checkpoint from which on it is replaced."""
    _read_only: bool
    """Whether to sign and store nothing."""
    _replication: Replication
    """Waits for replicas to have the leaves that a checkpoint covers before it is signed."""
    _checked: Checkpoint | None = None
    """The last checkpoint that was found to continue those that this machine signed or served before."""
    _first_origin: str | None = None

    @property
    def origin(self) -> str:
        """The origin of the current epoch, which is also the name of the key that signs its checkpoints."""
        return self._current_origin(self.epochs())

    def epochs(self) -> list[SignedNote]:
        """Return the declarations of new epochs, in order."""
        return self._store.epochs()

    def _current_origin(self, epochs: list[SignedNote]) -> str:
        if self._first_origin is None:
            origin = self._configured_origin or self._store.origin()
            if origin is None and not self._read_only:
                self._store.set_origin(f"cartulary-{self._keyring.signing_key.id}")
                origin = self._store.origin()
            if origin is None:
                raise Unavailable.with_message("the transparency log has no origin yet")
            self._first_origin = origin
        declared = epochs_from(self._first_origin, epochs)
        return declared[-1].start.origin if declared else self._first_origin

    def latest(self, at_least: int = 0) -> SignedNote:
        """Return the latest checkpoint with its cosignatures; sign a new one first if it is time.

        The checkpoint covers at least `at_least` leaves, which must be in the log.
        """
        self._begin_epoch_if_restored()
        note, is_fresh = self._store.latest_checkpoint()
        if note is not None and self._is_valid(note):
            size = Checkpoint.of_note(note).size
            if size >= at_least and (is_fresh or size == self._store.size()):
                self._remember(note)
                return note
        return self._sign(note)

    def covering(self, index: int) -> SignedNote:
        """Return a checkpoint that covers leaf `index`: the latest cosigned one if it does, or the latest."""
        self._begin_epoch_if_restored()
        note = self._store.cosigned_checkpoint()
        if note is not None and self._is_valid(note) and Checkpoint.of_note(note).size > index:
            return note
        return self.latest(at_least=index + 1)

    def add_cosignatures(self, text: str) -> SignedNote:
        """Add the cosignatures of a note to the published checkpoint that it contains, and return that.

        Only cosignatures of the witnesses in the settings are added; each replaces an earlier one of the same
        witness. Raises Malformed, Forbidden (no cosignature by such a witness) and CheckpointNotKept.
        """
        try:
            note = SignedNote.parse(text)
            checkpoint = Checkpoint.of_note(note)
            cosignatures = note.verified_keys(self._witnesses)
        except (Unreadable, BadSignature) as error:
            raise Malformed({"checkpoint": error.message}) from None
        if not cosignatures:
            raise Forbidden.with_message(
                "there is no cosignature by a witness that this server lists"
            )
        self._examine_submitted(note, checkpoint)
        for _ in range(MAX_ATTEMPTS):
            published = self._store.checkpoint(checkpoint.size)
            if published is None or published.text != note.text:
                raise CheckpointNotKept.with_message(
                    "this is none of the checkpoints that the server has published recently"
                )
            merged = published.with_signatures(list(cosignatures.values()))
            if merged == published or self._store.replace_checkpoint(
                checkpoint.size, str(published), str(merged)
            ):
                return merged
        raise Unavailable(
            message("too many witnesses cosign this checkpoint at the same time"), retry_after=1
        )

    def _begin_epoch_if_restored(self) -> None:
        """Declare a new epoch if the data was restored, unless no checkpoint was ever signed."""
        if self._read_only or not self._restores.needs_attention:
            return
        with self._last_signed.locked():
            self._restores.examine_folder()
            if not self._restores.is_marked:
                return
            epochs = self.epochs()
            origin = self._current_origin(epochs)
            last = self._last_checkpoint(origin)
            if last is not None:
                self._declare_epoch(last)
            self._restores.unmark()

    def _last_checkpoint(self, origin: str) -> Checkpoint | None:
        """Return the last checkpoint of the epoch with this origin that is known; None if there is none."""
        signed = self._last_signed.read()
        if signed is not None and signed.origin == origin:
            return signed
        note, _ = self._store.latest_checkpoint()
        return Checkpoint.of_note(note) if note is not None and self._is_own(note) else None

    def _declare_epoch(self, last: Checkpoint) -> None:
        """Declare a new epoch after a last checkpoint, with an origin that was never used before."""
        origin = f"{self._first_origin}/epoch-{secrets.token_hex(4)}"
        size = self._common_size(last)
        start = Checkpoint(origin, size, root(self._store, size))
        declaration = EpochDeclaration(last, start, wall_clock.format(wall_clock.now()))
        note = SignedNote(declaration.text, ())
        note = note.with_signatures([self._keyring.sign_note(note.text, last.origin)])
        self._store.add_epoch(str(note))
        log.critical(
            "the data was restored: the transparency log %s ends with %d entries, and the new epoch %s begins"
            " with %d; docs/witnessing.md explains what to do",
            last.origin,
            last.size,
            origin,
            size,
        )

    def _common_size(self, last: Checkpoint) -> int:
        """Return the number of first entries that the tree has in common with an epoch, from its checkpoints.

        The tree may have lost entries, and got other ones since.
        """
        checkpoints = [last]
        for stored in self._store.checkpoints():
            with suppress(Unreadable):
                checkpoint = Checkpoint.of_note(SignedNote.parse(stored))
                if checkpoint.origin == last.origin:
                    checkpoints.append(checkpoint)
        size = self._store.size()
        return max(
            (
                checkpoint.size
                for checkpoint in checkpoints
                if checkpoint.size <= size and root(self._store, checkpoint.size) == checkpoint.root
            ),
            default=0,
        )

    def _examine_submitted(self, note: SignedNote, checkpoint: Checkpoint) -> None:
        """Mark a restore if a witness submits a checkpoint of this server that the tree does not continue."""
        try:
            is_ours = self._is_own(note) and note.verified_keys(
                [self._keyring.note_key(self.origin)]
            )
        except BadSignature:
            return
        size = self._store.size()
        if is_ours and (
            checkpoint.size > size or root(self._store, checkpoint.size) != checkpoint.root
        ):
            log.critical(
                "a witness has seen checkpoint %d of the transparency log %s, which the log does not contain",
                checkpoint.size,
                checkpoint.origin,
            )
            with self._last_signed.locked():
                self._restores.mark()

    def _is_own(self, note: SignedNote) -> bool:
        """Return whether a stored note has the origin and a signature line of this server."""
        key = self._keyring.note_key(self.origin)
        return note.text.startswith(f"{self.origin}\n") and any(
            (line.name, line.key_id) == (key.name, key.id) for line in note.signatures
        )

    def _is_valid(self, note: SignedNote) -> bool:
        """Return whether a stored note has a signature of the current key, and none of a retired key."""
        if not self._is_own(note):
            return False
        # Usually there is one signature of the server, and no list of keys to read.
        has_others = sum(line.name == self.origin for line in note.signatures) > 1
        return self._read_only or not has_others or self._without_retired(note) == note

    def _without_retired(self, note: SignedNote) -> SignedNote:
        """Return a note without the signatures of retired keys of this server."""
        keys = (
            NoteKey(self.origin, ED25519, bytes.fromhex(entry["public"]))
            for entry in self._keyring.public_keys()
            if entry["until"] is not None
        )
        retired = {(key.name, key.id) for key in keys}
        remaining = (line for line in note.signatures if (line.name, line.key_id) not in retired)
        return SignedNote(note.text, tuple(remaining))

    def _sign(self, latest: SignedNote | None) -> SignedNote:
        """Sign and publish a checkpoint of the whole tree.

        It keeps the signatures of an equal `latest`, except those of retired keys, which a new witness would
        accept as the server's.
        """
        if self._read_only:
            raise Unavailable.with_message("a service that is only read signs no checkpoint")
        with self._last_signed.locked():
            epochs = self.epochs()
            origin = self._current_origin(epochs)
            size = self._store.size()
            checkpoint = Checkpoint(origin, size, root(self._store, size))
            self._check_continues(checkpoint)
            self._replication.wait()
            # A failover in the meantime may have lost leaves.
            self._check_begins_with(checkpoint, self._store.size())
            self._checked = checkpoint
            note = SignedNote(checkpoint.text, ())
            if latest is not None and latest.text == note.text:
                note = self._without_retired(latest)
            note = note.with_signatures([self._keyring.sign_note(note.text, origin)])
            self._last_signed.write(note)
            if not self._store.publish(origin, size, str(note), self._seconds, len(epochs)):
                raise Unavailable(
                    message("another process has begun a new epoch of the transparency log"),
                    retry_after=1,
                )
        return note

    def _remember(self, note: SignedNote) -> None:
        """Check a checkpoint that another process has signed, and keep it as if this one had signed it."""
        checkpoint = Checkpoint.of_note(note)
        if self._read_only or checkpoint == self._checked:
            return
        with self._last_signed.locked():
            size = self._store.size()
            self._check_continues(Checkpoint(self.origin, size, root(self._store, size)))
            self._check_begins_with(checkpoint, size)
            last = self._last_signed.read()
            if last is None or last.origin != checkpoint.origin or last.size < checkpoint.size:
                self._last_signed.write(note)
            self._checked = checkpoint

    def _check_continues(self, checkpoint: Checkpoint) -> None:
        """Raise LogIncomplete unless the tree of a checkpoint begins with the last one that was signed."""
        last = self._last_signed.read()
        if last is not None and last.origin == checkpoint.origin:
            self._check_begins_with(last, checkpoint.size)

    def _check_begins_with(self, earlier: Checkpoint, size: int) -> None:
        """Raise LogIncomplete unless the tree of `size` leaves begins with that of an earlier checkpoint."""
        if earlier.size > size or root(self._store, earlier.size) != earlier.root:
            log.critical(
                "the transparency log %s has lost leaves: checkpoint %s was signed, and the tree of %s leaves"
                " does not continue it; docs/witnessing.md explains what to do",
                earlier.origin,
                earlier.size,
                size,
            )
            raise LogIncomplete(
                message("the transparency log has lost entries that were published"),
                retry_after=SECONDS_TO_REPAIR,
            )
