"""Audits mutated records: none is sound, except for the changes that docs/threats.md lists as undetectable.

A mutant is a record in which bytes, lines or values were changed, and then hashes, signatures, commitments or
outcomes repaired: by somebody who has the server's key, or by somebody who has not.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Final, NamedTuple, TypeAlias

from replay.audit import Report, TrustedKeys, audit
from tests.mutations import changes, repairs
from tests.mutations.changes import Lines
from tests.mutations.changes_of_people import PEOPLE
from tests.mutations.explanations import Unexplained, rows_of
from tests.mutations.subjects import SERVER_KEY, Subject, subjects
from tests.support.records import KEY, STRANGER, TRUSTED

Repair: TypeAlias = Callable[[Lines], Lines]


def _sealed(lines: Lines) -> Lines:
    return repairs.seal_again(lines, key=KEY)


def _sealed_with_receipts(lines: Lines) -> Lines:
    return repairs.issue_receipts_again(_sealed(lines), key=KEY)


REPAIRS: Final[Mapping[str, Repair]] = {
    "nothing": lambda lines: lines,
    "head": lambda lines: repairs.sign_head_again(lines, key=KEY),
    "hashes": lambda lines: repairs.seal_again(lines, key=KEY, with_states=False),
    "hashes and states": _sealed,
    "everything": _sealed_with_receipts,
    "commitments and everything": lambda lines: _sealed_with_receipts(repairs.commit_again(lines)),
    "outcomes and everything": lambda lines: _sealed_with_receipts(repairs.decide_again(lines)),
    "head by a stranger": lambda lines: repairs.sign_head_again(
        repairs.list_key(lines, key=STRANGER), key=STRANGER
    ),
    "everything by a stranger": lambda lines: repairs.issue_receipts_again(
        repairs.seal_again(repairs.list_key(lines, key=STRANGER), key=STRANGER), key=STRANGER
    ),
    "everything by a stranger under the server's key id": lambda lines: repairs.seal_again(
        repairs.list_key(lines, key=STRANGER, as_id=KEY.id), key=STRANGER
    ),
    "receipts by a stranger": lambda lines: repairs.issue_receipts_again(
        _sealed(lines), key=STRANGER
    ),
}
"""What is repaired after a change, by what the text says."""
BYTE_REPAIRS: Final = ("nothing", "nothing", "head", "everything")
"""Repairs after changes of bytes: most of those leave lines that nothing can repair."""
CHANGES: Final = {**changes.BYTES, **changes.LINES, **changes.VALUES, **changes.MEANINGS, **PEOPLE}


class Mutant(NamedTuple):
    """A changed record: which one it was, what was changed and what was repaired."""

    subject: Subject
    change: str
    repair: str
    data: bytes


def mutant(number: int) -> Mutant | None:
    """Return the mutant of this number, which determines everything about it; None if nothing changed."""
    chance = random.Random(f"mutant {number}")
    subject = chance.choice(subjects())
    change = chance.choice(list(CHANGES))
    lines = subject.data.splitlines()
    for _ in range(chance.choice([1, 1, 1, 2])):
        try:
            changed = CHANGES[change](lines, chance)
        except (ValueError, LookupError, TypeError):
            break  # an earlier change has left lines that are not those of a record
        if changed is None:
            break
        lines = changed
    repair = chance.choice(BYTE_REPAIRS if change in changes.BYTES else list(REPAIRS))
    try:
        lines = REPAIRS[repair](lines)
    except repairs.UNREPAIRABLE:
        repair = "nothing"
    data = b"\n".join(lines) + b"\n"
    return None if data == subject.data else Mutant(subject, change, repair, data)


def examine(number: int, counts: Counter[str]) -> str | None:
    """Audit the mutant of this number. Return what must not happen; None if all is well.

    `counts` gets the verdict, and for a sound mutant the rows of docs/threats.md that it belongs to.
    """
    mutated = mutant(number)
    if mutated is None:
        counts["not changed"] += 1
        return None
    subject, change, repair, data = mutated
    where = f"mutant {number} ({change} in {subject.name}, repaired: {repair})"
    try:
        # Half of the readers know no witness, and half of them name the server's key, which the others trust.
        witnesses = subject.witnesses if number % 2 else ()
        keys, trusted = ((SERVER_KEY,), TrustedKeys()) if number % 4 < 2 else ((), TRUSTED)
        report = audit(BytesIO(data), keys=keys, trusted=trusted, witnesses=witnesses)
    except Exception as error:  # noqa: BLE001 # a traceback of any kind is a failure
        return f"{where}: {type(error).__name__}: {error}"
    counts[report.verdict] += 1
    if not is_accepted(report, subject):
        return None
    try:
        rows = rows_of(subject, data)
    except Unexplained as unexplained:
        return f"{where} is sound: {unexplained}"
    counts.update(f"sound, {row}" for row in rows)
    return None


def is_accepted(report: Report, subject: Subject) -> bool:
    """Return whether a record is sound, or as sound as the record that was changed.

    If that one has draws which the server could have chosen, a mutant may have as many, and nothing else.
    """
    if not subject.has_unknown_draws:
        return report.is_sound
    return not report.findings and [unknown.check for unknown in report.unknowns] == ["chance"]


def failures_of(numbers: range) -> tuple[list[str], Counter[str]]:
    """Audit the mutants of these numbers; return what must not happen, and counts of the verdicts."""
    counts: Counter[str] = Counter()
    results = (examine(number, counts) for number in numbers)
    return [failure for failure in results if failure is not None], counts
