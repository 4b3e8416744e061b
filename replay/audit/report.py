"""A report in words: a table of the checks with what each looked at, and what was found."""

from typing import Final

from replay.audit.findings import Check, Finding, Report
from replay.render.styles import BOLD, DIM, Styler
from replay.render.text_layout import clean, columns, wrap

_GREEN: Final = "green"
_RED: Final = "bold red"
_MOST: Final = 5
"""Findings that are told of one check; of a record that is wrong throughout a few are enough."""


def one_line(report: Report, name: str, styler: Styler) -> str:
    """That a record is sound, in one line."""
    return f"{styler('✓', _GREEN)} {clean(name)}  {styler(_summary(report), DIM)}"


def page(report: Report, name: str, styler: Styler, width: int) -> str:
    """The whole report; ends with a line feed."""
    lines = [f"{styler(clean(name), BOLD)}  {_summary(report)}"]
    lines += [_row(check, styler) for check in report.checks]
    first = report.first
    if first is None:
        lines.append(
            styler("sound", _GREEN) + ": everything that could be checked is as it should be"
        )
        return "\n".join(lines) + "\n"
    lines += ["", styler("the first thing that is wrong", _RED), *_told(first, styler, width)]
    others = [finding for finding in report.findings if finding is not first]
    told = [
        finding
        for check in report.checks
        for finding in [other for other in others if other.check == check.name][:_MOST]
    ]
    if told:
        lines += ["", styler("and besides", BOLD)]
        lines += [_short(finding, styler, width) for finding in told]
    if len(told) < len(others):
        lines.append(f"  and {len(others) - len(told)} more")
    return "\n".join(lines) + "\n"


def _summary(report: Report) -> str:
    about = report.about
    if about["game"] is None:
        return "no game can be read in it"
    parts = [
        f"game {about['game']}",
        f"{about['rules']} for {about['seats']}",
        f"{about['events']} events",
        about["status"] or "its course unknown",
        f"signed by key {about['signed_by']}" if about["signed_by"] else "header unreadable",
    ]
    return clean(", ".join(parts))


def _row(check: Check, styler: Styler) -> str:
    if check.findings:
        mark, style = "✗", _RED
    elif check.looked_at:
        mark, style = "✓", _GREEN
    else:
        mark, style = "-", DIM
    said = f"{check.looked_at:>5} {check.sort}"
    if check.findings:
        said += f", {len(check.findings)} wrong"
    if check.left_out:
        said += styler(f" ({clean(check.left_out)})", DIM)
    return f"  {styler(mark, style)} {check.name:<10} {said}"


def _told(finding: Finding, styler: Styler, width: int) -> list[str]:
    what = wrap(clean(f"{finding.place}: {finding.what}"), width - 2, columns)
    means = wrap(clean(finding.means), width - 2, columns)
    return [*(f"  {styler(line, BOLD)}" for line in what), *(f"  {line}" for line in means)]


def _short(finding: Finding, styler: Styler, width: int) -> str:
    text = wrap(clean(f"{finding.place}: {finding.what}"), width - 14, columns)
    margin = "\n" + " " * 14
    return f"  {styler(f'{finding.check:<10}', DIM)}  {margin.join(text)}"
