"""The check of a record against an older one: it must have the same events, and may have more."""

from collections.abc import Sequence

from replay.audit.findings import Check
from replay.audit.trusted_keys import TrustedKeys
from replay.compare.comparison import compare_histories
from replay.compare.histories import History
from replay.compare.report import conclusions, meaning, summary_text

LABELS = ("the older record", "this record")


def check_against(
    older: History, history: History, trusted: TrustedKeys, keys: Sequence[str]
) -> Check:
    """Check that a record is equal to an older one, or a continuation of it.

    The reader knows the keys that are `trusted`, and these public `keys` (hex).
    """
    check = Check("against", "events that the older record has too")
    public_keys = [*keys, *(key.public for key in trusted.keys)]
    comparison = compare_histories(older, history, trusted=public_keys)
    check.count = comparison.common
    summary = summary_text(comparison, LABELS)
    seq = comparison.common + 1
    if comparison.verdict == "unknown":
        check.add_unknown(
            f"whether this record continues the older one: {summary}",
            "An undamaged copy of both records decides it.",
        )
    elif comparison.verdict == "divergence":
        explanation = [] if comparison.divergence is None else [meaning(comparison.divergence)]
        proven = " ".join([*explanation, *conclusions(comparison, LABELS)])
        check.add(
            summary,
            proven or "It says nothing about this one.",
            line=None if comparison.divergence is None else seq + 1,
            seq=None if comparison.divergence is None else seq,
        )
    elif comparison.relation == "a_continues_b":
        check.add(
            f"events {seq} to {len(older.events)} of the older record are missing in this record",
            "They were shown before, and have been left out since.",
            line=seq + 1,
            seq=seq,
        )
    return check
