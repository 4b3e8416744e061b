"""The check against the receipts and nonces that a player's programs have kept of a game.

A server can write into the log that a player has sent some nonce. Only a program that kept the real nonce can
contradict it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from domain.json_types import JsonObject
from domain.messages import Message, message, plural_message
from ledger.record import Record
from replay.audit.findings import Check


@dataclass(frozen=True, slots=True)
class KeptEvidence:
    """The evidence of one game: receipts, and nonces as `{"game", "seq", "nonce", "commitment"}`.

    Event `seq` or an earlier one has the nonce. `commitment` is the one that the program saw before it sent
    the nonce, or None. `fault` is the reason why some of it cannot be read.
    """

    receipts: Sequence[JsonObject] = ()
    nonces: Sequence[JsonObject] = ()
    fault: Message | None = None


NO_EVIDENCE: Final = KeptEvidence()

EvidenceSource: TypeAlias = Callable[[str], KeptEvidence]
"""Returns the kept evidence of the game with an id."""


def nothing_kept(_game: str) -> KeptEvidence:
    """Return no evidence, of any game."""
    return NO_EVIDENCE


def note_kept_receipts(check: Check, evidence: KeptEvidence) -> None:
    """Note the number of receipts that the player's programs have kept, and whether some cannot be read."""
    if evidence.receipts:
        check.note(
            plural_message(
                "{count} of these receipts was kept by your programs.",
                "{count} of these receipts were kept by your programs.",
                count=len(evidence.receipts),
            )
        )
    if evidence.fault is not None:
        check.add_unknown(
            message(
                "what the evidence that your programs have kept shows: {reason}",
                reason=evidence.fault,
            ),
            message("The file decides it, once it can be read."),
            topic="copy",
        )


def check_nonces(check: Check, record: Record, nonces: Sequence[JsonObject]) -> None:
    """Check that the record has the nonces that the player's programs sent, and the commitments that they had
    seen before. Nonces that were sent after the record was written are left out.
    """
    created = record.events[0]
    for entry in nonces:
        seq, commitment = entry["seq"], entry["commitment"]
        if seq > len(record.events):
            continue
        event = next(
            (
                event
                for event in record.events[:seq]
                if event["data"].get("nonce") == entry["nonce"].lower()
            ),
            None,
        )
        if event is None:
            check.add_at_event(
                seq,
                message(
                    "your program had sent the nonce {nonce} by then, and no event has it",
                    nonce=entry["nonce"],
                ),
                message("The server has replaced your nonce, so it may have chosen the draws."),
                basis="own",
            )
        elif commitment is None:
            check.note(message("The nonce is the one that your program sent."), seq=event["seq"])
        elif commitment == created["data"].get("commitment"):
            check.note(
                message(
                    "The nonce is the one that your program sent, after it had seen the commitment."
                ),
                seq=event["seq"],
            )
        else:
            check.add_at_event(
                1,
                message(
                    "the commitment is not the one that your program saw before it sent the nonce of event"
                    " {seq}",
                    seq=event["seq"],
                ),
                message("The server has replaced its secret, so it may have chosen the draws."),
                basis="own",
            )
