"""The check of the proof in a header that the transparency log of the server contains a head of the game."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

from domain.errors import CartularyError, Unreadable
from domain.json_types import JsonObject
from domain.messages import Instant, Message, comma_list, message, plural_message
from ledger.canonical import format_timestamp, unhex
from ledger.envelope import is_hash
from ledger.keys import BadSignature
from ledger.record import Record
from ledger.transparency.checkpoint import Checkpoint, head_leaf_hash
from ledger.transparency.merkle import MAX_PATH, MAX_SIZE, verify_inclusion
from ledger.transparency.signed_note import ED25519, NoteKey, SignedNote
from replay.audit.findings import Check
from replay.audit.trusted_keys import NO_TRUSTED_KEYS, TrustedKeys
from replay.history.event_values import quoted

_FIELDS: Final = {"checkpoint", "game", "seq", "hash", "index", "path"}
_CHANGED: Final = message("The proof was changed, or was never one of this log.")
_LATEST_TIMESTAMP: Final = 253402300799
"""The last second of the year 9999."""


class _Fault(CartularyError):
    """A fault of a proof, and its meaning."""

    def __init__(self, problem: Message, meaning: Message = _CHANGED) -> None:
        super().__init__(problem)
        self.problem = problem
        self.meaning = meaning


def check_inclusion(
    record: Record, witnesses: Sequence[NoteKey] = (), trusted: TrustedKeys = NO_TRUSTED_KEYS
) -> Check:
    """Check the proof of inclusion in the header, and the cosignatures of these witnesses.

    If the header or the keys that are `trusted` name a transparency log of the server, the proof must cover
    the last event of the record; otherwise it is unknown whether everybody was shown this history. A record
    of a server without a log makes no claim, so the check then holds and notes what a proof would add.
    """
    check = Check("inclusion")
    if not record.header:
        return check
    known_log = _known_log(record, trusted)
    inclusion = record.header.get("inclusion")
    if inclusion is None:
        if record.header.get("log", known_log) is None:
            without_proof = message(
                "There is no proof that the server's transparency log contains this game. With one, a witness"
                " could confirm that the server has shown this history to everybody."
            )
            check.note(without_proof)
        else:
            question = message(
                "whether the server has shown this history to everybody: it publishes a log of all games, and"
                " the record has no proof that this history is in it"
            )
            evidence = message(
                "A record that is downloaded again has the proof, unless the server withholds it. A receipt,"
                " or an older copy of the record, shows whether the server has signed another history."
            )
            check.add_unknown(question, evidence, line=1)
        _leave_witnesses_open(check, witnesses)
        return check
    check.count = 1
    try:
        note = _check(record, inclusion)
    except _Fault as fault:
        check.add(fault.problem, fault.meaning, line=1)
        return check
    _check_cosignatures(check, note, witnesses)
    _check_coverage(check, record, Checkpoint.of_note(note).origin, known_log)
    return check


def _known_log(record: Record, trusted: TrustedKeys) -> str | None:
    """Return the log that the reader knows as that of the server whose key has signed the head, if any."""
    signer = record.header["head"]["key"]
    publics = [entry["public"] for entry in record.header["keys"] if entry["key"] == signer]
    key = trusted.find(publics[0]) if publics else None
    return None if key is None else key.log


def _check_coverage(check: Check, record: Record, origin: str, known_log: str | None) -> None:
    """Check that a valid proof is for the last event, and for the known log, if there is one."""
    log = record.header.get("log")
    if log is not None and origin != log:
        check.add(
            message(
                "the proof of inclusion is of the log {origin}, and the header names the log {log}",
                origin=origin,
                log=log,
            ),
            _CHANGED,
            line=1,
        )
        return
    if known_log is not None and origin != known_log:
        check.add_unknown(
            message(
                "whether the log {origin}, which contains this history, continues the log {known_log}, which"
                " this machine knows as that of the server",
                origin=origin,
                known_log=known_log,
            ),
            message(
                "A witness that has followed both logs decides it. After a restore, the server publishes why"
                " its log has a new name."
            ),
            line=1,
        )
    seq, last = record.header["inclusion"]["seq"], len(record.events)
    if seq < last and (log is not None or known_log is not None):
        check.add_unknown(
            plural_message(
                "whether the server has shown the last event to everybody: the proof that its log contains"
                " this history ends with event {seq}",
                "whether the server has shown the last {count} events to everybody: the proof that its log"
                " contains this history ends with event {seq}",
                count=last - seq,
                seq=seq,
            ),
            message(
                "A record that is downloaded again proves more, unless the server withholds it."
            ),
            line=1,
            seq=seq,
        )


def _check(record: Record, inclusion: object) -> SignedNote:
    if not isinstance(inclusion, dict) or inclusion.keys() != _FIELDS:
        raise _Fault(message("the proof of inclusion does not have the fields of its format"))
    seq, hash, index = inclusion["seq"], inclusion["hash"], inclusion["index"]
    path = inclusion["path"]
    is_formed = (
        type(seq) is int
        and isinstance(hash, str)
        and is_hash(hash)
        and type(index) is int
        and 0 <= index < MAX_SIZE
        and isinstance(path, list)
        and len(path) <= MAX_PATH
        and all(map(is_hash, path))
        and isinstance(inclusion["checkpoint"], str)
    )
    if not is_formed:
        raise _Fault(message("the proof of inclusion has a field of the wrong type"))
    game: object = inclusion["game"]
    if game != record.events[0]["game"]:
        raise _Fault(
            message("the proof of inclusion is for another game, {game}", game=quoted(game))
        )
    if not 1 <= seq <= len(record.events):
        raise _Fault(
            message("the server has logged event {seq}, which is not in the record", seq=seq),
            message(
                "The record has been cut off, or the server has shown another history to its witnesses."
            ),
        )
    if record.events[seq - 1]["hash"] != hash:
        raise _Fault(
            message(
                "the server has logged another event {seq} of this game than the one in the record",
                seq=seq,
            ),
            message("The server has shown another history to its witnesses than in this record."),
        )
    note, checkpoint = _signed_checkpoint(record, inclusion)
    try:
        leaf = head_leaf_hash(str(game), seq, hash)
        verify_inclusion(leaf, index, checkpoint.size, list(map(unhex, path)), checkpoint.root)
    except CartularyError as error:
        raise _Fault(
            message("the proof does not lead to the checkpoint: {reason}", reason=error.message)
        ) from None
    return note


def _signed_checkpoint(record: Record, inclusion: JsonObject) -> tuple[SignedNote, Checkpoint]:
    """Return the checkpoint of a proof, signed by one of the keys in the header. Raises _Fault."""
    try:
        note = SignedNote.parse(inclusion["checkpoint"])
        checkpoint = Checkpoint.of_note(note)
    except Unreadable as error:
        raise _Fault(message("the checkpoint cannot be read: {reason}", reason=error.why)) from None
    keys = []
    for entry in record.header["keys"]:
        with suppress(ValueError):
            keys.append(NoteKey(checkpoint.origin, ED25519, unhex(entry["public"])))
    try:
        if not note.verified_keys(keys):
            raise _Fault(
                message("the checkpoint is signed by none of the keys that the record lists")
            )
    except BadSignature as bad:
        raise _Fault(
            message("the signature of the checkpoint is not valid: {reason}", reason=bad.message)
        ) from None
    return note, checkpoint


def _check_cosignatures(check: Check, note: SignedNote, witnesses: Sequence[NoteKey]) -> None:
    """Check the cosignatures of these witnesses, and note those of other witnesses."""
    verified: dict[NoteKey, int] = {}
    for witness in witnesses:
        try:
            for key, line in note.verified_keys([witness]).items():
                verified[key] = line.timestamp
        except BadSignature as bad:
            check.add(
                message("a cosignature is not valid: {reason}", reason=bad.message),
                message("The cosignature was changed, or was never made by this witness."),
                line=1,
            )
            return
    for key, timestamp in verified.items():
        check.note(
            message(
                "The witness {witness} confirms that the head was in the log on {time}.",
                witness=key.name,
                time=_time(timestamp),
            )
        )
    _leave_witnesses_open(check, [key for key in witnesses if key not in verified])
    origin = Checkpoint.of_note(note).origin
    verified_ids = {(key.name, key.id) for key in verified}
    others = sorted(
        {
            line.name
            for line in note.signatures
            if line.name != origin and (line.name, line.key_id) not in verified_ids
        }
    )
    if others:
        check.note(
            message(
                "The checkpoint has cosignatures that were not checked: {witnesses}. Pass the keys of"
                " witnesses that you trust with --witness.",
                witnesses=comma_list(others),
            )
        )
    elif not verified:
        check.note(
            message("No witness has cosigned the checkpoint: it rests on the word of the server.")
        )


def _leave_witnesses_open(check: Check, witnesses: Sequence[NoteKey]) -> None:
    for witness in witnesses:
        check.add_unknown(
            message("whether the witness {witness} saw this history", witness=witness.name),
            message(
                "A record that is downloaded after the witness has cosigned a checkpoint decides it."
            ),
            line=1,
            topic="witness",
        )


def _time(timestamp: int) -> Instant:
    at = datetime.fromtimestamp(min(timestamp, _LATEST_TIMESTAMP), UTC)
    return Instant(format_timestamp(at))
