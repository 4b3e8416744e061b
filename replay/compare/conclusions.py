"""The sentences on a comparison: the relation of two records, its meaning, and the proofs."""

from collections.abc import Sequence
from typing import Final, TypeAlias, assert_never

from domain.messages import Message, PlayerWithId, message, message_in, plural_message
from replay.compare.attestations import Attestation
from replay.compare.comparison import Comparison
from replay.compare.histories import SIDES, Divergence
from replay.compare.proofs import Proof

Labels: TypeAlias = tuple[Message, Message]
"""The labels of the two records in a sentence."""
A_AND_B: Final[Labels] = (
    message_in("record in a sentence", "A"),
    message_in("record in a sentence", "B"),
)
HASH_DIGITS: Final = 12
"""The number of digits of a hash that a sentence quotes."""


def summary(comparison: Comparison, labels: Labels = A_AND_B) -> Message:
    """Return the relation of the two records in one sentence."""
    first, second = labels
    a, b = len(comparison.a.events), len(comparison.b.events)
    if comparison.denials:
        return message("a signature in these files is about another history than their events")
    match comparison.relation:
        case "equal":
            return plural_message(
                "both records have the same event",
                "both records have the same {count} events",
                count=a,
            )
        case "b_continues_a":
            return _continuation(second, first, a, b - a)
        case "a_continues_b":
            return _continuation(first, second, b, a - b)
        case "other_game":
            return message(
                "these are records of two different games, which say nothing about each other"
            )
        case "receipts":
            return _about_receipts(comparison)
        case "unknown":
            return _unknown(comparison, labels)
        case "diverged":
            return _divergence(comparison, labels)
        case _:
            assert_never(comparison.relation)


def _continuation(longer: Message, shorter: Message, common: int, rest: int) -> Message:
    return plural_message(
        "{longer} continues {shorter}: it has the same {common} events, and {count} more",
        "{longer} continues {shorter}: it has the same {common} events, and {count} more",
        count=rest,
        longer=longer,
        shorter=shorter,
        common=common,
    )


def _about_receipts(comparison: Comparison) -> Message:
    if comparison.undecided:
        return message(
            "there is a receipt for event {seq}, after the end of the record. A record that has this event"
            " decides it",
            seq=max(attestation.seq or 0 for attestation in comparison.undecided),
        )
    if not comparison.confirmed:
        return message("no receipt is valid, so there is nothing to compare the record with")
    return plural_message(
        "the only valid receipt is for an event of the record",
        "all {count} valid receipts are for events of the record",
        count=comparison.confirmed,
    )


def _unknown(comparison: Comparison, labels: Labels) -> Message:
    for label, history in zip(labels, (comparison.a, comparison.b), strict=True):
        if not history.events:
            return message("no event of {record} can be read", record=label)
    for label, history in zip(labels, (comparison.a, comparison.b), strict=True):
        if history.is_cut:
            return plural_message(
                "the first event is the same, but line {line} of {record} cannot be read, so nobody can know"
                " what came after it. An undamaged copy decides it",
                "the first {count} events are the same, but line {line} of {record} cannot be read, so nobody"
                " can know what came after it. An undamaged copy decides it",
                count=comparison.common,
                line=len(history.events) + 2,
                record=label,
            )
    return plural_message(
        "the first event is the same, but the longer record is not an unbroken hash chain after it. A copy"
        " that its server signed decides it",
        "the first {count} events are the same, but the longer record is not an unbroken hash chain after"
        " them. A copy that its server signed decides it",
        count=comparison.common,
    )


def _divergence(comparison: Comparison, labels: Labels) -> Message:
    divergence = comparison.divergence
    assert divergence is not None, "records that diverged have a divergence"
    after, seq = divergence.after, divergence.after + 1
    label, other = labels if divergence.side == "a" else labels[::-1]
    match divergence.kind:
        case "edited":
            return message(
                "event {seq} of {record} was changed after it was sealed", seq=seq, record=label
            )
        case "missing":
            return missing_events(divergence.first or 0, divergence.last or 0, other, label)
        case "moved":
            return message("from event {seq} on, the same events come in another order", seq=seq)
        case "rewritten":
            return message("event {seq} was rewritten", seq=seq)
        case "other_history":
            if after == 0:
                return message("the records have no event in common")
            return message(
                "after event {seq}, these are two different histories of one game", seq=after
            )
        case _:
            assert_never(divergence.kind)


def missing_events(first: int, last: int, longer: Message, shorter: Message) -> Message:
    """Return the sentence that a record lacks the events from `first` to `last` of a longer one."""
    if first == last:
        return message(
            "event {seq} of {longer} is missing in {shorter}",
            seq=first,
            longer=longer,
            shorter=shorter,
        )
    return message(
        "events {first} to {last} of {longer} are missing in {shorter}",
        first=first,
        last=last,
        longer=longer,
        shorter=shorter,
    )


def meaning(divergence: Divergence) -> Message:
    """Return the meaning of a divergence, in a sentence or two."""
    match divergence.kind:
        case "edited":
            return message(
                "Its hash does not match its content, so no program sealed it like this: somebody edited the"
                " file. Anybody can do that; it says nothing about the server."
            )
        case "missing":
            return message(
                "The later events are the same: some were removed from one record, or added to the other."
            )
        case "moved":
            return message("The order of events was changed in one of the records.")
        case "rewritten":
            return message(
                "The records state different things about the same moment, so at most one of them is true."
            )
        case "other_history":
            return message("What one record contains from there on did not happen in the other.")
        case _:
            assert_never(divergence.kind)


def conclusions(comparison: Comparison, labels: Labels = A_AND_B) -> list[Message]:
    """Return the sentences on the proofs about a divergence; [] if there is none."""
    if comparison.verdict != "divergence" or comparison.relation == "other_game":
        return []
    if comparison.proofs:
        return [_proof(proof, labels) for proof in comparison.proofs]
    return [_conclusion_without_proof(comparison, labels)]


def _conclusion_without_proof(comparison: Comparison, labels: Labels) -> Message:
    if comparison.denials:
        return message(
            "The signature is of a history that neither file contains. The record with that history, which"
            " its key must also have signed, would be a proof."
        )
    only_a, only_b = (_server_keys(attestations) for attestations in comparison.after_common)
    trusted_a, trusted_b = only_a & comparison.trusted, only_b & comparison.trusted
    if trusted_a and trusted_b:
        return message(
            "Different keys that you know signed the two histories, and neither record lists both as keys of"
            " one server. If they belong to one server, this proves that it showed two histories."
        )
    a, b = labels
    for label, other, keys in ((a, b, trusted_a), (b, a, trusted_b)):
        if keys:
            return message(
                "A server whose key you know signed the events of {record}, and not those of {other}. It"
                " answers for {record}. Nothing shows who made {other}: anybody could have.",
                record=label,
                other=other,
            )
    if only_a or only_b:
        return message(
            "Nothing is proven: what was signed was signed by keys that this machine does not know, and"
            " anybody can make a key. If you know whose key it is, accept it with `cartulary trust` or name"
            " it with --key."
        )
    return message(
        "Nothing is proven: neither file has a valid signature of the events that differ."
    )


def _server_keys(attestations: Sequence[Attestation]) -> set[str]:
    return {attestation.public for attestation in attestations if attestation.kind != "action"}


def _proof(proof: Proof, labels: Labels) -> Message:
    first, second = (
        message(
            "{attestation} with the hash {hash}… ({place})",
            attestation=attestation_name(attestation),
            hash=attestation.hash[:HASH_DIGITS],
            place=place(attestation, labels),
        )
        for attestation in (proof.first, proof.second)
    )
    if proof.player is not None:
        return message(
            "Proof against {player}, whose key is {key}: this player signed {first}, and also {second}. No"
            " single history has both. Anybody can check this with these two files and `cartulary compare`.",
            player=PlayerWithId(proof.player),
            key=proof.key,
            first=first,
            second=second,
        )
    if proof.is_trusted:
        return message(
            "Proof against the server that has the key {key}: it signed {first}, and also {second}. No single"
            " history has both. Anybody can check this with these two files and `cartulary compare`.",
            key=proof.key,
            first=first,
            second=second,
        )
    return message(
        "Proof against the holder of key {key}, whom this machine does not know: the holder signed {first},"
        " and also {second}. No single history has both. Anybody can check this with these two files and"
        " `cartulary compare`.",
        key=proof.key,
        first=first,
        second=second,
    )


def place(attestation: Attestation, labels: Labels = A_AND_B) -> Message:
    """Return the place of an attestation: `in line 3 of A`."""
    label = labels[SIDES.index(attestation.side)]
    if attestation.line is None:
        return message("in {record}", record=label)
    return message("in line {line} of {record}", line=attestation.line, record=label)


def attestation_name(attestation: Attestation) -> Message:
    """Return the name of the signed object."""
    match attestation.kind:
        case "head":
            return message("the head of a record, event {seq}", seq=attestation.seq or 0)
        case "receipt":
            return message("a receipt for event {seq}", seq=attestation.seq or 0)
        case "action":
            return _action_name(attestation)
        case _:
            assert_never(attestation.kind)


def _action_name(attestation: Attestation) -> Message:
    event, signer = attestation.action_seq or 0, PlayerWithId(attestation.player or "")
    if attestation.player is None:
        return message("the action of event {event}, signed with an unknown key", event=event)
    if attestation.seq is None:
        return message(
            "the action of event {event}, signed by {player} after an event of neither record",
            event=event,
            player=signer,
        )
    return message(
        "the action of event {event}, signed by {player} after event {seq}",
        event=event,
        player=signer,
        seq=attestation.seq,
    )
