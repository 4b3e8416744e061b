"""Formats a report as text: one line per check with what it examined, then the findings."""

from typing import Final

from replay.audit.findings import Check, Finding, Report
from replay.render.styles import BOLD, DIM, Styler
from replay.render.text_layout import clean, columns, wrap

_GREEN: Final = "green"
_RED: Final = "bold red"
_MOST_PER_CHECK: Final = 5
"""Findings shown per check, besides the first one of the report."""


def report_line(report: Report, name: str, styler: Styler) -> str:
    """Return one line for a sound record; `name` is the name of its file."""
    return f"{styler('✓', _GREEN)} {clean(name)}  {styler(_summary(report), DIM)}"


def report_page(report: Report, name: str, styler: Styler, width: int) -> str:
    """Return the whole report in lines of about `width` columns, with a final line feed."""
    lines = [f"{styler(clean(name), BOLD)}  {_summary(report)}"]
    lines += [_check_line(check, styler) for check in report.checks]
    first = report.first
    if first is None:
        lines.append(styler("sound", _GREEN) + ": everything that could be checked is correct")
        return "\n".join(lines) + "\n"
    lines += ["", styler("first finding", _RED), *_finding_lines(first, styler, width)]
    others = [finding for finding in report.findings if finding is not first]
    shown = [
        finding
        for check in report.checks
        for finding in [other for other in others if other.check == check.name][:_MOST_PER_CHECK]
    ]
    if shown:
        lines += ["", styler("other findings", BOLD)]
        lines += [_short_finding(finding, styler, width) for finding in shown]
    if len(shown) < len(others):
        lines.append(f"  and {len(others) - len(shown)} more")
    return "\n".join(lines) + "\n"


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
    elif check.count:
        mark, style = "✓", _GREEN
    else:
        mark, style = "-", DIM
    text = f"{check.count:>5} {check.unit}"
    if check.findings:
        text += f", {len(check.findings)} wrong"
    if check.gap:
        text += styler(f" ({clean(check.gap)})", DIM)
    return f"  {styler(mark, style)} {check.name:<10} {text}"


def _finding_lines(finding: Finding, styler: Styler, width: int) -> list[str]:
    problem = wrap(clean(f"{finding.location}: {finding.problem}"), width - 2, columns)
    meaning = wrap(clean(finding.meaning), width - 2, columns)
    return [*(f"  {styler(line, BOLD)}" for line in problem), *(f"  {line}" for line in meaning)]


def _short_finding(finding: Finding, styler: Styler, width: int) -> str:
    text = wrap(clean(f"{finding.location}: {finding.problem}"), width - 14, columns)
    margin = "\n" + " " * 14
    return f"  {styler(f'{finding.check:<10}', DIM)}  {margin.join(text)}"
