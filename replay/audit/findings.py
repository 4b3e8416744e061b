"""What an audit has to say: findings, checks and the report of them all."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from domain.contract import Json

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
"""`wrong`: the record contradicts itself or what was signed. `today`: the rules as they are now say
otherwise, which a mended rule explains as well as a made-up record.
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be: `what`, and what it `means`, a sentence each.

    `line` of the file (from 1) and `seq` of the event, where there are such.
    """

    check: Name
    line: int | None
    seq: int | None
    what: str
    means: str
    kind: Kind = "wrong"

    def as_json(self) -> Json:
        """All fields."""
        return {
            "check": self.check,
            "kind": self.kind,
            "line": self.line,
            "seq": self.seq,
            "what": self.what,
            "means": self.means,
        }

    @property
    def place(self) -> str:
        """Where it is, in words."""
        line = [] if self.line is None else [f"line {self.line}"]
        return ", ".join(line + ([] if self.seq is None else [f"event {self.seq}"]))


@dataclass(slots=True)
class Check:
    """One of the checks: how many things of which sort it looked at, and what it found.

    `left_out` says what it could not look at and why, or is empty.
    """

    name: Name
    sort: str
    looked_at: int = 0
    left_out: str = ""
    findings: list[Finding] = field(default_factory=list)

    def finds(
        self,
        what: str,
        means: str,
        *,
        line: int | None,
        seq: int | None = None,
        kind: Kind = "wrong",
    ) -> None:
        """Note something that is not as it should be."""
        self.findings.append(Finding(self.name, line, seq, what, means, kind))

    def finds_at(self, seq: int, what: str, means: str, kind: Kind = "wrong") -> None:
        """Note something about an event."""
        self.finds(what, means, line=seq + 1, seq=seq, kind=kind)

    @property
    def is_passed(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def as_json(self) -> Json:
        """All fields but the findings."""
        return {
            "name": self.name,
            "passed": self.is_passed,
            "looked_at": self.looked_at,
            "of": self.sort,
            "left_out": self.left_out or None,
            "found": len(self.findings),
        }


@dataclass(frozen=True, slots=True)
class Report:
    """All checks on one record, and what it says it is: `about` has `game`, `rules`, `seats`, `events`,
    `status` and `signed_by`, as far as they can be told.
    """

    about: dict[str, Any]
    checks: Sequence[Check]

    @property
    def findings(self) -> list[Finding]:
        """Everything found, in the order of the file; of one line in the order of the checks."""
        found = [finding for check in self.checks for finding in check.findings]
        return sorted(
            found,
            key=lambda finding: (
                finding.line is None,
                finding.line or 0,
                NAMES.index(finding.check),
            ),
        )

    @property
    def first(self) -> Finding | None:
        """The first thing that is wrong; None for a record that is sound."""
        return next(iter(self.findings), None)

    @property
    def is_sound(self) -> bool:
        """Whether nothing was found."""
        return all(check.is_passed for check in self.checks)

    def as_json(self) -> Json:
        """The whole report."""
        return {
            **self.about,
            "sound": self.is_sound,
            "first": self.first.as_json() if self.first else None,
            "checks": [check.as_json() for check in self.checks],
            "findings": [finding.as_json() for finding in self.findings],
        }
