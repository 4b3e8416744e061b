"""The check of a record against an older one: it must have the same events, and may have more."""

from collections.abc import Sequence
from functools import reduce
from typing import Final

from domain.messages import Message, message
from replay.audit.findings import Check
from replay.audit.trusted_keys import TrustedKeys
from replay.compare.comparison import compare_histories
from replay.compare.conclusions import Labels, conclusions, meaning, missing_events, summary
from replay.compare.histories import History

LABELS: Final[Labels] = (message("the older record"), message("this record"))


def check_against(
    older: History, history: History, trusted: TrustedKeys, keys: Sequence[str]
) -> Check:
    """Check that a record is equal to an older one, or a continuation of it.

    The reader knows the keys that are `trusted`, and these public `keys` (hex).
    """
    check = Check("against")
    public_keys = [*keys, *(key.public for key in trusted.keys)]
    comparison = compare_histories(older, history, trusted=public_keys)
    check.count = comparison.common
    seq = comparison.common + 1
    if comparison.verdict == "unknown":
        check.add_unknown(
            message(
                "whether this record continues the older one: {reason}",
                reason=summary(comparison, LABELS),
            ),
            message("An undamaged copy of both records decides it."),
        )
    elif comparison.verdict == "divergence":
        explanation = [] if comparison.divergence is None else [meaning(comparison.divergence)]
        sentences = [*explanation, *conclusions(comparison, LABELS)]
        is_proven = any(proof.is_trusted and proof.player is None for proof in comparison.proofs)
        check.add(
            summary(comparison, LABELS),
            reduce(_join, sentences) if sentences else message("It says nothing about this one."),
            line=None if comparison.divergence is None else seq + 1,
            seq=None if comparison.divergence is None else seq,
            basis="receipt" if is_proven else "unsigned",
        )
    elif comparison.relation == "a_continues_b":
        check.add(
            missing_events(seq, len(older.events), *LABELS),
            message("They were shown before, and have been left out since."),
            line=seq + 1,
            seq=seq,
            basis="unsigned",
        )
    return check


def _join(one: Message, other: Message) -> Message:
    return message("{sentence} {next_sentence}", sentence=one, next_sentence=other)
