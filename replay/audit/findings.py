"""What an audit returns: checks, the findings of each, and the report of them all.

The names of the JSON fields are public interface (docs/verifying.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from domain.json_types import JsonObject

Name: TypeAlias = Literal[
    "form", "head", "chain", "state", "secrets", "chance", "decisions", "receipts"
]
NAMES: Final[tuple[Name, ...]] = (
    "form",
    "head",
    "chain",
    "state",
    "secrets",
    "chance",
    "decisions",
    "receipts",
)
Kind: TypeAlias = Literal["wrong", "today"]
"""`wrong`: the record contradicts itself or what was signed. `today`: it contradicts the rules as they are
now, because either the rules were corrected since or the record was made up.
"""


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
        line = [] if self.line is None else [f"line {self.line}"]
        return ", ".join(line + ([] if self.seq is None else [f"event {self.seq}"]))


@dataclass(slots=True)
class Check:
    """One check: how many items it examined, and its findings.

    `unit` says what is counted, such as "events hashed again". `gap` says what could not be checked and why;
    it is empty if everything could.
    """

    name: Name
    unit: str
    count: int = 0
    gap: str = ""
    findings: list[Finding] = field(default_factory=list)

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

    def as_json(self) -> JsonObject:
        """Return everything but the findings as a JSON object."""
        return {
            "name": self.name,
            "passed": not self.findings,
            "looked_at": self.count,
            "of": self.unit,
            "left_out": self.gap or None,
            "found": len(self.findings),
        }


@dataclass(frozen=True, slots=True)
class Report:
    """All checks of one record. `summary` describes the record by the fields `game`, `rules`, `seats`,
    `events`, `status` and `signed_by`, as far as they can be read.
    """

    summary: dict[str, Any]
    checks: Sequence[Check]

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
    def is_sound(self) -> bool:
        """Whether there are no findings."""
        return not any(check.findings for check in self.checks)

    def as_json(self) -> JsonObject:
        """Return the whole report as a JSON object."""
        return {
            **self.summary,
            "sound": self.is_sound,
            "first": self.first.as_json() if self.first else None,
            "checks": [check.as_json() for check in self.checks],
            "findings": [finding.as_json() for finding in self.findings],
        }
