"""What an audit returns: checks with findings, unknowns and notes, and the report of them all.

Each check has a verdict: it holds, it is broken (there are findings), or it cannot be known from the record
(there are unknowns, each with the evidence that would decide it). The names of the JSON fields are public
interface (docs/verifying.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from domain.json_types import JsonObject

Name: TypeAlias = Literal[
    "form",
    "head",
    "chain",
    "state",
    "secrets",
    "chance",
    "decisions",
    "signatures",
    "receipts",
    "inclusion",
    "against",
]
NAMES: Final[tuple[Name, ...]] = (
    "form",
    "head",
    "chain",
    "state",
    "secrets",
    "chance",
    "decisions",
    "signatures",
    "receipts",
    "inclusion",
    "against",
)
"""The names of all checks in their order; `against` is made only if there is an older record."""
Kind: TypeAlias = Literal["wrong", "today"]
"""`wrong`: the record contradicts itself or what was signed. `today`: it contradicts the rules as they are
now, because either the rules were corrected since or the record was made up.
"""


Verdict: TypeAlias = Literal["holds", "broken", "unknown"]
"""The verdict of one check."""
Outcome: TypeAlias = Literal["sound", "broken", "unknown"]
"""The verdict of a whole record: `sound` only if every check holds."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault in a record: the problem and its meaning, a sentence each.

    `line` counts the lines of the file from 1; `line` and `seq` are None where there is no such place.
    """

    check: Name
    line: int | None
    seq: int | None
    problem: str
    meaning: str
    kind: Kind = "wrong"

    def as_json(self) -> JsonObject:
        """Return all fields as a JSON object."""
        return {
            "check": self.check,
            "kind": self.kind,
            "line": self.line,
            "seq": self.seq,
            "what": self.problem,
            "means": self.meaning,
        }

    @property
    def location(self) -> str:
        """The line and the event, in words."""
        return _location(self.line, self.seq)


@dataclass(frozen=True, slots=True)
class Unknown:
    """A question that the record leaves open, and the evidence that would decide it.

    `problem` is a clause that can follow "cannot be known:", such as "whether the draws were fair".
    `evidence` is a sentence. `line` and `seq` are None where the question is not about one place.
    """

    check: Name
    line: int | None
    seq: int | None
    problem: str
    evidence: str

    def as_json(self) -> JsonObject:
        """Return all fields as a JSON object."""
        return {
            "check": self.check,
            "line": self.line,
            "seq": self.seq,
            "what": self.problem,
            "evidence": self.evidence,
        }

    @property
    def location(self) -> str:
        """The line and the event, in words; empty if the question is not about one place."""
        return _location(self.line, self.seq)


@dataclass(frozen=True, slots=True)
class Note:
    """Information for the reader that changes no verdict, such as that an action was late."""

    check: Name
    seq: int | None
    text: str

    def as_json(self) -> JsonObject:
        """Return all fields as a JSON object."""
        return {"check": self.check, "seq": self.seq, "what": self.text}


@dataclass(slots=True)
class Check:
    """One check: how many items it examined, and what it found, left open and noted.

    `unit` says what is counted, such as "events hashed again".
    """

    name: Name
    unit: str
    count: int = 0
    findings: list[Finding] = field(default_factory=list)
    unknowns: list[Unknown] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    @property
    def verdict(self) -> Verdict:
        """`broken` if anything was found, else `unknown` if anything is left open, else `holds`."""
        if self.findings:
            return "broken"
        return "unknown" if self.unknowns else "holds"

    def add(
        self,
        problem: str,
        meaning: str,
        *,
        line: int | None,
        seq: int | None = None,
        kind: Kind = "wrong",
    ) -> None:
        """Add a finding."""
        self.findings.append(Finding(self.name, line, seq, problem, meaning, kind))

    def add_at_event(self, seq: int, problem: str, meaning: str, kind: Kind = "wrong") -> None:
        """Add a finding about event `seq`, which is in line `seq` + 1."""
        self.add(problem, meaning, line=seq + 1, seq=seq, kind=kind)

    def add_unknown(
        self, problem: str, evidence: str, *, line: int | None = None, seq: int | None = None
    ) -> None:
        """Add a question that the record leaves open: `problem` is a clause that can follow "cannot be
        known:", `evidence` a sentence about what would decide it.
        """
        self.unknowns.append(Unknown(self.name, line, seq, problem, evidence))

    def note(self, text: str, *, seq: int | None = None) -> None:
        """Add information that changes no verdict; `text` is a sentence."""
        self.notes.append(Note(self.name, seq, text))

    def as_json(self) -> JsonObject:
        """Return everything but the findings, unknowns and notes as a JSON object."""
        return {
            "name": self.name,
            "verdict": self.verdict,
            "passed": not self.findings,
            "looked_at": self.count,
            "of": self.unit,
            "left_out": "; ".join(unknown.problem for unknown in self.unknowns) or None,
            "found": len(self.findings),
        }


@dataclass(frozen=True, slots=True)
class Report:
    """All checks of one record. `summary` describes the record by the fields `game`, `rules`, `seats`,
    `events`, `status` and `signed_by`, as far as they can be read.
    """

    summary: dict[str, Any]
    checks: Sequence[Check]
    is_quick: bool = False
    """Whether only the checks of a quick audit were made."""

    @property
    def findings(self) -> list[Finding]:
        """All findings in the order of the file; those of one line in the order of the checks."""
        findings = [finding for check in self.checks for finding in check.findings]
        return sorted(
            findings,
            key=lambda finding: (
                finding.line is None,
                finding.line or 0,
                NAMES.index(finding.check),
            ),
        )

    @property
    def first(self) -> Finding | None:
        """The first finding; None if there is none."""
        return next(iter(self.findings), None)

    @property
    def unknowns(self) -> list[Unknown]:
        """All open questions in the order of the checks."""
        return [unknown for check in self.checks for unknown in check.unknowns]

    @property
    def notes(self) -> list[Note]:
        """All notes in the order of the checks."""
        return [note for check in self.checks for note in check.notes]

    @property
    def verdict(self) -> Outcome:
        """`broken` if any check is, else `unknown` if any check is, else `sound`."""
        verdicts = {check.verdict for check in self.checks}
        if "broken" in verdicts:
            return "broken"
        return "unknown" if "unknown" in verdicts else "sound"

    @property
    def is_sound(self) -> bool:
        """Whether every check holds."""
        return self.verdict == "sound"

    @property
    def is_broken(self) -> bool:
        """Whether any check is broken."""
        return self.verdict == "broken"

    def as_json(self) -> JsonObject:
        """Return the whole report as a JSON object."""
        return {
            **self.summary,
            "quick": self.is_quick,
            "verdict": self.verdict,
            "sound": self.is_sound,
            "first": self.first.as_json() if self.first else None,
            "checks": [check.as_json() for check in self.checks],
            "findings": [finding.as_json() for finding in self.findings],
            "unknowns": [unknown.as_json() for unknown in self.unknowns],
            "notes": [note.as_json() for note in self.notes],
        }


def _location(line: int | None, seq: int | None) -> str:
    parts = [] if line is None else [f"line {line}"]
    return ", ".join(parts + ([] if seq is None else [f"event {seq}"]))
