"""Formats a comparison as text: the records, where they diverge, what was signed, and what that proves.

The last paragraph begins with the verdict: "continuation", "divergence" or "cannot be known".
"""

from collections.abc import Sequence
from typing import Final, TypeAlias, assert_never

from domain.event import Event
from domain.json_types import JsonObject
from replay.compare.comparison import Comparison
from replay.compare.histories import SIDES, Divergence, History, Side
from replay.compare.proofs import Proof
from replay.compare.statements import Statement
from replay.render.styles import BOLD, DIM, Styler
from replay.render.text_layout import clean, columns, wrap

_STYLES: Final = {"continuation": "green", "divergence": "bold red", "unknown": "yellow"}
_VERDICTS: Final = {
    "continuation": "continuation",
    "divergence": "divergence",
    "unknown": "cannot be known",
}
Labels: TypeAlias = tuple[str, str]
"""What the two records are called."""
_A_AND_B: Final[Labels] = ("A", "B")
_MOST_LISTED: Final = 10
"""Statements of one group, and faults of one file, that the page lists."""
_HASH_DIGITS: Final = 12


def comparison_page(
    comparison: Comparison, names: tuple[str, str], styler: Styler, width: int
) -> str:
    """Return the whole comparison in lines of about `width` columns, with a final line feed.

    `names` are the names of the two files.
    """
    lines: list[str] = []
    histories = (comparison.a, comparison.b)
    for label, name, history in zip(_A_AND_B, names, histories, strict=True):
        lines += _file_lines(label, name, history, styler)
    sections = {
        "where they diverge": _divergence_items(comparison),
        "signatures": _signature_items(comparison),
        "what this proves": conclusions(comparison),
    }
    for heading, items in sections.items():
        if items:
            lines += ["", styler(heading, BOLD)]
            lines += [line for item in items for line in _item_lines(item, width)]
    verdict, summary = _VERDICTS[comparison.verdict], f": {summary_text(comparison)}"
    first, *rest = wrap(clean(verdict + summary), width, columns)
    styled = styler(verdict, _STYLES[comparison.verdict]) + first.removeprefix(verdict)
    return "\n".join([*lines, "", styled, *rest]) + "\n"


def summary_text(comparison: Comparison, labels: Labels = _A_AND_B) -> str:
    """Return the relation of the two records in one sentence."""
    first, second = labels
    a, b = len(comparison.a.events), len(comparison.b.events)
    if comparison.denials:
        return "a signature in these files is about another history than their events"
    match comparison.relation:
        case "equal":
            return f"both records have the same {a} events"
        case "b_continues_a":
            return f"{second} continues {first}: it has the same {a} events, and {b - a} more"
        case "a_continues_b":
            return f"{first} continues {second}: it has the same {b} events, and {a - b} more"
        case "other_game":
            return "these are records of two different games, which say nothing about each other"
        case "receipts":
            return _receipts_text(comparison)
        case "unknown":
            return _unknown_text(comparison, labels)
        case "diverged":
            return _divergence_text(comparison, labels)
        case _:
            assert_never(comparison.relation)


def _receipts_text(comparison: Comparison) -> str:
    if comparison.undecided:
        last = max(statement.seq or 0 for statement in comparison.undecided)
        return (
            f"there is a receipt for event {last}, after the end of the record. A record that has this event"
            " decides it"
        )
    if not comparison.confirmed:
        return "no receipt is valid, so there is nothing to compare the record with"
    return f"all {comparison.confirmed} valid receipts are for events of the record"


def _unknown_text(comparison: Comparison, labels: Labels) -> str:
    for label, history in zip(labels, (comparison.a, comparison.b), strict=True):
        if not history.events:
            return f"no event of {label} can be read"
    for label, history in zip(labels, (comparison.a, comparison.b), strict=True):
        if history.is_cut:
            line = len(history.events) + 2
            return (
                f"the first {comparison.common} events are the same, but line {line} of {label} cannot be"
                " read, so nobody can know what came after it. An undamaged copy decides it"
            )
    return (
        f"the first {comparison.common} events are the same, but the longer record is no unbroken hash chain"
        " after them. A copy that its server signed decides it"
    )


def _divergence_text(comparison: Comparison, labels: Labels) -> str:
    divergence = comparison.divergence
    assert divergence is not None, "records that diverged have a divergence"
    after, seq = divergence.after, divergence.after + 1
    label, other = labels if divergence.side == "a" else labels[::-1]
    match divergence.kind:
        case "edited":
            return f"event {seq} of {label} was changed after it was sealed"
        case "missing":
            number = "event" if divergence.first == divergence.last else "events"
            span = _span(divergence)
            return f"{number} {span} of {other} {_are(divergence)} missing in {label}"
        case "moved":
            return f"from event {seq} on, the same events come in another order"
        case "rewritten":
            return f"event {seq} was rewritten"
        case "other_history":
            if after == 0:
                return "the records have no event in common"
            return f"after event {after}, these are two different histories of one game"
        case _:
            assert_never(divergence.kind)


def _span(divergence: Divergence) -> str:
    if divergence.first == divergence.last:
        return str(divergence.first)
    return f"{divergence.first} to {divergence.last}"


def _are(divergence: Divergence) -> str:
    return "is" if divergence.first == divergence.last else "are"


def meaning(divergence: Divergence) -> str:
    """Return what a divergence means, in a sentence or two."""
    match divergence.kind:
        case "edited":
            return (
                "Its hash does not match its content, so no program sealed it like this: somebody edited the"
                " file. Anybody can do that; it says nothing about the server."
            )
        case "missing":
            return "The later events are the same: some were removed from one record, or added to the other."
        case "moved":
            return "The order of events was changed in one of the records."
        case "rewritten":
            return "The records state different things about the same moment, so at most one of them is true."
        case "other_history":
            return "What one record contains from there on did not happen in the other."
        case _:
            assert_never(divergence.kind)


def _file_lines(label: str, name: str, history: History, styler: Styler) -> list[str]:
    header = history.record.header
    if history.has_only_receipts:
        receipts = f"{len(history.record.receipts)} receipts"
        return [f"{styler(f'{label}  {clean(name)}', BOLD)}  {receipts}"]
    parts = [f"game {history.game}, {len(history.events)} events" if history.events else "no game"]
    parts.append(f"signed by key {header['head']['key']}" if header else "header unreadable")
    if history.intact < len(history.events):
        parts.append(f"an unbroken hash chain up to event {history.intact} only")
    lines = [f"{styler(f'{label}  {clean(name)}', BOLD)}  {clean(', '.join(parts))}"]
    faults = [f"   line {fault.line}: {fault.why}" for fault in history.faults[:_MOST_LISTED]]
    return lines + [styler(clean(fault), DIM) for fault in faults]


def _divergence_items(comparison: Comparison) -> list[str]:
    divergence = comparison.divergence
    if divergence is None:
        return []
    after = divergence.after
    common = f"events 1 to {after} are the same" if after else "no event is the same"
    items = [common]
    for label, history in zip(_A_AND_B, (comparison.a, comparison.b), strict=True):
        event = history.events[after]
        items.append(f"{label}, event {event['seq']}: {_event_text(event)}")
    fields = _differing_fields(comparison.a.events[after], comparison.b.events[after])
    return [*items, f"They differ in {', '.join(fields)}. {meaning(divergence)}"]


def _event_text(event: Event) -> str:
    ((kind, actor),) = event["by"].items()
    return f"{event['at']}, {kind} {actor}, {event['type']}, hash {event['hash'][:_HASH_DIGITS]}…"


def _differing_fields(one: Event, other: Event) -> list[str]:
    first: JsonObject = {**one}
    second: JsonObject = {**other}
    names = sorted(first.keys() | second.keys())
    return [name for name in names if first.get(name) != second.get(name)]


def _signature_items(comparison: Comparison) -> list[str]:
    only_a, only_b = comparison.after_common
    denials = comparison.denials
    shared = [
        statement
        for statement in comparison.statements
        if not statement.fault and statement not in (*only_a, *only_b, *denials)
    ]
    groups = {
        "only A": only_a,
        "only B": only_b,
        "another history": denials,
        "the common events": shared,
    }
    items = []
    for label, statements in groups.items():
        texts = _statement_texts(statements, comparison)
        items += [f"{label}: {text}" for text in texts[:_MOST_LISTED]] + _rest(len(texts))
    invalid = [statement for statement in comparison.statements if statement.fault]
    items += [
        f"not valid: {_statement_name(statement)}, in {_place(statement)}: {statement.fault}"
        for statement in invalid[:_MOST_LISTED]
    ]
    return items + _rest(len(invalid))


def _statement_texts(statements: Sequence[Statement], comparison: Comparison) -> list[str]:
    """One text for each statement, and one for all receipts by one key in one record."""
    texts = []
    receipts: dict[tuple[Side, str], list[Statement]] = {}
    for statement in statements:
        if statement.kind == "receipt":
            receipts.setdefault((statement.side, statement.key), []).append(statement)
        else:
            name = _statement_name(statement)
            texts.append(f"{name}, {_key_text(statement, comparison)}, in {_place(statement)}")
    for (side, _), group in receipts.items():
        first, key = group[0], _key_text(group[0], comparison)
        if len(group) == 1:
            texts.append(f"{_statement_name(first)}, {key}, in {_place(first)}")
        else:
            last = max(statement.seq or 0 for statement in group)
            earliest = min(statement.seq or 0 for statement in group)
            span = f"events {earliest} to {last}"
            texts.append(
                f"{len(group)} receipts, for {span}, {key}, in {_A_AND_B[SIDES.index(side)]}"
            )
    return texts


def _key_text(statement: Statement, comparison: Comparison) -> str:
    if statement.kind == "action":
        return f"key {statement.key}"
    is_known = statement.public in comparison.trusted
    return f"key {statement.key} ({'known' if is_known else 'unknown'})"


def _rest(count: int) -> list[str]:
    return [f"and {count - _MOST_LISTED} more"] if count > _MOST_LISTED else []


def _place(statement: Statement, labels: Labels = _A_AND_B) -> str:
    label = labels[SIDES.index(statement.side)]
    return label if statement.line is None else f"line {statement.line} of {label}"


def _statement_name(statement: Statement) -> str:
    match statement.kind:
        case "head":
            return f"the head of a record, event {statement.seq}"
        case "receipt":
            return f"a receipt for event {statement.seq}"
        case "action":
            return (
                f"the action of event {statement.action_seq}, signed by player {statement.player} after"
                f" event {statement.seq}"
            )
        case _:
            assert_never(statement.kind)


def conclusions(comparison: Comparison, labels: Labels = _A_AND_B) -> list[str]:
    """Return what the signatures prove about a divergence, in sentences; [] if there is none."""
    if comparison.verdict != "divergence" or comparison.relation == "other_game":
        return []
    if comparison.proofs:
        return [_proof_text(proof, labels) for proof in comparison.proofs]
    return [_conclusion_without_proof(comparison, labels)]


def _conclusion_without_proof(comparison: Comparison, labels: Labels) -> str:
    if comparison.denials:
        return (
            "The signature is of a history that neither file contains. The record with that history, which"
            " its key must also have signed, would be a proof."
        )
    only_a, only_b = (_server_keys(statements) for statements in comparison.after_common)
    trusted_a, trusted_b = only_a & comparison.trusted, only_b & comparison.trusted
    if trusted_a and trusted_b:
        return (
            "Different keys that you know signed the two histories, and neither record lists both as keys of"
            " one server. If they belong to one server, this proves that it showed two histories."
        )
    a, b = labels
    for label, other, keys in ((a, b, trusted_a), (b, a, trusted_b)):
        if keys:
            return (
                f"A server whose key you know signed the events of {label}, and not those of {other}. It"
                f" answers for {label}. Nothing shows who made {other}: anybody could have."
            )
    if only_a or only_b:
        return (
            "Nothing is proven: what was signed was signed by keys that this machine does not know, and"
            " anybody can make a key. If you know whose key it is, accept it with `cartulary trust` or name"
            " it with --key."
        )
    return "Nothing is proven: neither file has a valid signature of the events that differ."


def _server_keys(statements: Sequence[Statement]) -> set[str]:
    return {statement.public for statement in statements if statement.kind != "action"}


def _proof_text(proof: Proof, labels: Labels) -> str:
    first, second = (
        f"{_statement_name(statement)} with the hash {statement.hash[:_HASH_DIGITS]}…"
        f" ({_place(statement, labels)})"
        for statement in (proof.first, proof.second)
    )
    if proof.player is not None:
        holder = f"player {proof.player}, whose key is {proof.key}: this player"
    elif proof.is_trusted:
        holder = f"the server that has the key {proof.key}: it"
    else:
        holder = f"the holder of key {proof.key}, whom this machine does not know: the holder"
    return (
        f"Proof against {holder} signed {first}, and also {second}. No single history has both. Anybody can"
        " check this with these two files and `cartulary compare`."
    )


def _item_lines(item: str, width: int) -> list[str]:
    first, *rest = wrap(clean(item), width - 4, columns)
    return [f"  {first}", *(f"    {line}" for line in rest)]
