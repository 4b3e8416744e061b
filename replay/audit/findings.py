"""The results of an audit: checks with findings, unknowns and notes, and the report of them all.

Each check has a name, and a verdict: it holds, it is broken (there are findings), or it cannot be known from
the record (there are unknowns, each with the evidence that would decide it). All sentences are messages,
which are rendered when a report is printed or turned into JSON. The names of the JSON fields are public
interface (docs/verifying.md) and the same in every language, as are the names of checks and verdicts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, get_args

from domain.json_types import JsonObject
from domain.messages import Message, message, message_in, plural_message, semicolon_list
from replay.audit.responsibility import Basis
from replay.history.event_values import displayable_message
from replay.language.renderer import NO_NAMES, Names, Renderer

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
"""The name of a check in JSON."""
NAMES: Final[tuple[Name, ...]] = get_args(Name)
"""The names of all checks in their order; `against` is made only if there is an older record."""

CHECK_TITLES: Final[Mapping[Name, Message]] = {
    "form": message_in("check", "form"),
    "head": message_in("check", "head"),
    "chain": message_in("check", "chain"),
    "state": message_in("check", "state"),
    "secrets": message_in("check", "secrets"),
    "chance": message_in("check", "chance"),
    "decisions": message_in("check", "decisions"),
    "signatures": message_in("check", "signatures"),
    "receipts": message_in("check", "receipts"),
    "inclusion": message_in("check", "inclusion"),
    "against": message_in("check", "against"),
}
"""The names of the checks for people."""

UNITS: Final[Mapping[Name, Callable[[int], Message]]] = {
    "form": lambda count: plural_message("line read", "lines read", count=count),
    "head": lambda count: plural_message("signed header", "signed header", count=count),
    "chain": lambda count: plural_message("event hashed again", "events hashed again", count=count),
    "state": lambda count: plural_message(
        "position computed again", "positions computed again", count=count
    ),
    "secrets": lambda count: plural_message(
        "opened as committed to", "opened as committed to", count=count
    ),
    "chance": lambda count: plural_message("drawn again", "drawn again", count=count),
    "decisions": lambda count: plural_message("decided again", "decided again", count=count),
    "signatures": lambda count: plural_message(
        "signed by players", "signed by players", count=count
    ),
    "receipts": lambda count: plural_message("checked", "checked", count=count),
    "inclusion": lambda count: plural_message(
        "proof of inclusion in the server's log",
        "proof of inclusion in the server's log",
        count=count,
    ),
    "against": lambda count: plural_message(
        "event that the older record has too", "events that the older record has too", count=count
    ),
}
"""The units that the checks count, as they follow the number."""


Kind: TypeAlias = Literal["wrong", "today"]
"""`wrong`: the record contradicts itself or what was signed. `today`: it contradicts the rules as they are
now, because either the rules were corrected since or the record was made up.
"""


Topic: TypeAlias = Literal[
    "copy",
    "key",
    "history",
    "draws",
    "redraws",
    "later",
    "witness",
    "signatures",
    "rules",
    "progress",
    "program",
]
"""The topics of open questions, for readers who do not know the checks:

- `copy`: data that cannot be read or computed because of a fault in this file.
- `key`: whose key has signed the record.
- `history`: whether everybody was shown this history.
- `draws`, `redraws`: whether the server chose the draws at the start, or when play resumed.
- `later`: whether the record omits events after its end.
- `witness`: whether a witness saw this history.
- `signatures`: questions that a player's signature does not decide.
- `rules`: which version of the rules the server had.
- `progress`: data that is published only when the game has ended.
- `program`: data that this version of the program does not know.
"""
TOPICS: Final[tuple[Topic, ...]] = get_args(Topic)
"""All topics, in the order in which a summary names them."""
_TOPIC_OF_CHECK: Final[Mapping[Name, Topic]] = {
    "form": "program",
    "secrets": "progress",
    "chance": "draws",
    "signatures": "signatures",
    "receipts": "later",
    "inclusion": "history",
}
"""The topic of the open questions of each check, unless the check names another one; else `copy`."""

Verdict: TypeAlias = Literal["holds", "broken", "unknown"]
"""The verdict of one check."""
Outcome: TypeAlias = Literal["sound", "broken", "unknown"]
"""The verdict of a whole record: `sound` only if every check holds."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault in a record: the problem and its meaning, a sentence each.

    `line` counts the lines of the file from 1; `line` and `seq` are None if the fault has no such place.
    """

    check: Name
    line: int | None
    seq: int | None
    problem: Message
    meaning: Message
    kind: Kind = "wrong"
    basis: Basis = "record"
    """The kind of evidence, which determines who answers for the fault (responsibility.py)."""
    code: str | None = None
    """The code of the fault in the verifier of the pages (service/pages/static/js/verify), or None.
    """

    def as_json(self, renderer: Renderer) -> JsonObject:
        """Return all fields as a JSON object."""
        return {
            "check": self.check,
            "code": self.code,
            "kind": self.kind,
            "line": self.line,
            "seq": self.seq,
            "what": renderer(self.problem),
            "means": renderer(self.meaning),
        }

    @property
    def located_problem(self) -> Message:
        """The problem after the line and the event."""
        return _located(self.line, self.seq, self.problem)


@dataclass(frozen=True, slots=True)
class Unknown:
    """A question that the record leaves open, and the evidence that would decide it.

    `problem` is a clause that can follow "cannot be known:", such as "whether the draws were fair".
    `evidence` is a sentence. `line` and `seq` are None where the question is not about one place.
    """

    check: Name
    line: int | None
    seq: int | None
    problem: Message
    evidence: Message
    topic: Topic
    holders: tuple[Message, ...] = ()
    """Who may have the evidence, a sentence for each person (replay/audit/evidence_holders.py)."""

    def as_json(self, renderer: Renderer) -> JsonObject:
        """Return all fields as a JSON object."""
        return {
            "check": self.check,
            "line": self.line,
            "seq": self.seq,
            "what": renderer(self.problem),
            "evidence": renderer(self.evidence),
            "holders": [renderer(holder) for holder in self.holders],
        }

    @property
    def located_problem(self) -> Message:
        """The question after the line and the event, if it is about one place."""
        return _located(self.line, self.seq, self.problem)


@dataclass(frozen=True, slots=True)
class Note:
    """Information for the reader that changes no verdict, such as that an action was late."""

    check: Name
    seq: int | None
    text: Message

    def as_json(self, renderer: Renderer) -> JsonObject:
        """Return all fields as a JSON object."""
        return {"check": self.check, "seq": self.seq, "what": renderer(self.text)}

    @property
    def located_text(self) -> Message:
        """The text after the event, if it is about one."""
        return _located(None, self.seq, self.text)


@dataclass(slots=True)
class Check:
    """One check: the number of items that it examined, its findings, open questions and notes."""

    name: Name
    count: int = 0
    findings: list[Finding] = field(default_factory=list)
    unknowns: list[Unknown] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    @property
    def verdict(self) -> Verdict:
        """`broken` if there are findings, else `unknown` if there are open questions, else `holds`."""
        if self.findings:
            return "broken"
        return "unknown" if self.unknowns else "holds"

    def add(
        self,
        problem: Message,
        meaning: Message,
        *,
        line: int | None,
        seq: int | None = None,
        kind: Kind = "wrong",
        basis: Basis = "record",
        code: str | None = None,
    ) -> None:
        """Add a finding."""
        problem = displayable_message(problem)
        self.findings.append(Finding(self.name, line, seq, problem, meaning, kind, basis, code))

    def add_at_event(
        self,
        seq: int,
        problem: Message,
        meaning: Message,
        kind: Kind = "wrong",
        *,
        basis: Basis = "record",
        code: str | None = None,
    ) -> None:
        """Add a finding about event `seq`, which is in line `seq` + 1."""
        self.add(problem, meaning, line=seq + 1, seq=seq, kind=kind, basis=basis, code=code)

    def add_unknown(
        self,
        problem: Message,
        evidence: Message,
        *,
        line: int | None = None,
        seq: int | None = None,
        topic: Topic | None = None,
    ) -> None:
        """Add a question that the record leaves open: `problem` is a clause that can follow "cannot be
        known:", `evidence` a sentence about what would decide it. A `topic` of None stands for that of the
        check.
        """
        topic = topic or _TOPIC_OF_CHECK.get(self.name, "copy")
        problem = displayable_message(problem)
        self.unknowns.append(Unknown(self.name, line, seq, problem, evidence, topic))

    def note(self, text: Message, *, seq: int | None = None) -> None:
        """Add information that changes no verdict; `text` is a sentence."""
        self.notes.append(Note(self.name, seq, displayable_message(text)))

    @property
    def unit(self) -> Message:
        """The unit of the count, as it follows the number."""
        return UNITS[self.name](self.count)

    def as_json(self, renderer: Renderer) -> JsonObject:
        """Return everything but the findings, unknowns and notes as a JSON object."""
        left_out = semicolon_list(unknown.problem for unknown in self.unknowns)
        return {
            "name": self.name,
            "verdict": self.verdict,
            "passed": not self.findings,
            "looked_at": self.count,
            "of": renderer(self.unit),
            "left_out": renderer(left_out) or None,
            "found": len(self.findings),
        }


@dataclass(frozen=True, slots=True)
class Summary:
    """One sentence on the whole report, its meaning for the reader, and the holders of more evidence."""

    sentence: Message
    meaning: Sequence[Message]
    holders: Sequence[Message] = ()

    def as_json(self, renderer: Renderer) -> JsonObject:
        """Return the summary as a JSON object."""
        return {
            "sentence": renderer(self.sentence),
            "meaning": [renderer(sentence) for sentence in self.meaning],
            "holders": [renderer(holder) for holder in self.holders],
        }


_NO_SUMMARY: Final = Summary(message("Nothing was checked."), ())


@dataclass(frozen=True, slots=True)
class Report:
    """All checks of one record. `summary` describes the record by the fields `game`, `rules`, `seats`,
    `events`, `status` and `signed_by`, where these can be read; `names` are those of its players.
    """

    summary: dict[str, Any]
    checks: Sequence[Check]
    is_quick: bool = False
    """Whether only the checks of a quick audit were made."""
    names: Names = NO_NAMES
    conclusion: Summary = _NO_SUMMARY
    """The summary for readers who do not know the checks (replay/audit/summary.py)."""

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

    def as_json(self, renderer: Renderer) -> JsonObject:
        """Return the whole report as a JSON object, with sentences in the language of the renderer."""
        renderer = renderer.with_names(self.names)
        return {
            **self.summary,
            "quick": self.is_quick,
            "verdict": self.verdict,
            "sound": self.is_sound,
            "first": self.first.as_json(renderer) if self.first else None,
            "checks": [check.as_json(renderer) for check in self.checks],
            "findings": [finding.as_json(renderer) for finding in self.findings],
            "unknowns": [unknown.as_json(renderer) for unknown in self.unknowns],
            "notes": [note.as_json(renderer) for note in self.notes],
            "conclusion": self.conclusion.as_json(renderer),
        }


def _located(line: int | None, seq: int | None, text: Message) -> Message:
    if line is not None and seq is not None:
        return message("line {line}, event {seq}: {text}", line=line, seq=seq, text=text)
    if line is not None:
        return message("line {line}: {text}", line=line, text=text)
    if seq is not None:
        return message("event {seq}: {text}", seq=seq, text=text)
    return text
