"""Formats a report as text: a line per check, the findings, the open questions, the notes, the verdict."""

from typing import Final, assert_never

from replay.audit.findings import Check, Finding, Report, Unknown
from replay.render.styles import BOLD, DIM, Styler
from replay.render.text_layout import clean, columns, wrap

_GREEN: Final = "green"
_RED: Final = "bold red"
_YELLOW: Final = "yellow"
_MOST_PER_CHECK: Final = 5
"""Findings shown per check, besides the first one of the report."""
_MOST_LISTED: Final = 20
"""Open questions, and notes, that a report shows."""
_MARGIN: Final = 14
"""Columns of the margin with the name of the check."""


def report_line(report: Report, name: str, styler: Styler) -> str:
    """Return one line for a sound record; `name` is the name of its file."""
    return f"{styler('✓', _GREEN)} {clean(name)}  {styler(_summary(report), DIM)}"


def report_page(report: Report, name: str, styler: Styler, width: int) -> str:
    """Return the whole report in lines of about `width` columns, with a final line feed.

    The last paragraph is the verdict: "sound", "broken: …" or "cannot be known: …".
    """
    lines = [f"{styler(clean(name), BOLD)}  {_summary(report)}"]
    lines += [_check_line(check, styler) for check in report.checks]
    lines += _findings_section(report, styler, width)
    if report.unknowns:
        lines += ["", styler("cannot be known from this file", _YELLOW)]
        for unknown in report.unknowns[:_MOST_LISTED]:
            lines += _unknown_lines(unknown, styler, width)
        lines += _rest(len(report.unknowns))
    if report.notes:
        lines += ["", styler("notes", BOLD)]
        for note in report.notes[:_MOST_LISTED]:
            location = "" if note.seq is None else f"event {note.seq}: "
            lines += _item(note.check, location + note.text, styler, width)
        lines += _rest(len(report.notes))
    if len(lines) > 1 + len(report.checks):
        lines.append("")
    return "\n".join([*lines, _verdict_line(report, styler)]) + "\n"


def _findings_section(report: Report, styler: Styler, width: int) -> list[str]:
    first = report.first
    if first is None:
        return []
    lines = ["", styler("first finding", _RED), *_finding_lines(first, styler, width)]
    others = [finding for finding in report.findings if finding is not first]
    shown = [
        finding
        for check in report.checks
        for finding in [other for other in others if other.check == check.name][:_MOST_PER_CHECK]
    ]
    if shown:
        lines += ["", styler("other findings", BOLD)]
        for finding in shown:
            text = f"{finding.location}: {finding.problem}"
            lines += _item(finding.check, text, styler, width)
    if len(shown) < len(others):
        lines.append(f"  and {len(others) - len(shown)} more")
    return lines


def _verdict_line(report: Report, styler: Styler) -> str:
    """The last line: one sentence that sums the report up."""
    match report.verdict:
        case "sound":
            return styler("sound", _GREEN) + f": {_holding(report)}"
        case "broken":
            first, count = report.first, len(report.findings)
            assert first is not None
            more = f" (and {count - 1} more)" if count > 1 else ""
            text = f"{first.location}: {first.problem}" if first.location else first.problem
            return styler("broken", _RED) + clean(f": {text}{more}")
        case "unknown":
            problems = "; ".join(unknown.problem for unknown in report.unknowns)
            return styler("cannot be known", _YELLOW) + clean(f": {problems}")
    assert_never(report.verdict)


def _holding(report: Report) -> str:
    if not report.is_quick:
        return "every check holds"
    names = [check.name for check in report.checks]
    return f"{', '.join(names[:-1])} and {names[-1]} hold, and nothing else was checked"


def _summary(report: Report) -> str:
    summary = report.summary
    if summary["game"] is None:
        return "no game can be read from it"
    parts = [
        f"game {summary['game']}",
        f"{summary['rules']} for {summary['seats']}",
        f"{summary['events']} events",
        summary["status"] or "status unknown",
        f"signed by key {summary['signed_by']}" if summary["signed_by"] else "header unreadable",
    ]
    return clean(", ".join(parts))


def _check_line(check: Check, styler: Styler) -> str:
    if check.findings:
        mark, style = "✗", _RED
    elif check.unknowns:
        mark, style = "?", _YELLOW
    elif check.count:
        mark, style = "✓", _GREEN
    else:
        mark, style = "-", DIM
    text = f"{check.count:>5} {check.unit}"
    if check.findings:
        text += f", {len(check.findings)} wrong"
    if check.unknowns:
        text += styler(", cannot be known in full", DIM)
    return f"  {styler(mark, style)} {check.name:<10} {text}"


def _finding_lines(finding: Finding, styler: Styler, width: int) -> list[str]:
    problem = wrap(clean(f"{finding.location}: {finding.problem}"), width - 2, columns)
    meaning = wrap(clean(finding.meaning), width - 2, columns)
    return [*(f"  {styler(line, BOLD)}" for line in problem), *(f"  {line}" for line in meaning)]


def _unknown_lines(unknown: Unknown, styler: Styler, width: int) -> list[str]:
    location = f"{unknown.location}: " if unknown.location else ""
    lines = _item(unknown.check, location + unknown.problem, styler, width)
    evidence = wrap(clean(unknown.evidence), width - _MARGIN, columns)
    return [*lines, *(" " * _MARGIN + styler(line, DIM) for line in evidence)]


def _item(check: str, text: str, styler: Styler, width: int) -> list[str]:
    """A paragraph with the name of a check in its margin."""
    first, *rest = wrap(clean(text), width - _MARGIN, columns)
    return [
        f"  {styler(f'{check:<{_MARGIN - 4}}', DIM)}  {first}",
        *(" " * _MARGIN + line for line in rest),
    ]


def _rest(count: int) -> list[str]:
    return [f"  and {count - _MOST_LISTED} more"] if count > _MOST_LISTED else []
