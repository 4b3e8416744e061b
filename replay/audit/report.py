"""Formats a report as text: a line per check, the findings, the open questions, the notes, the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, assert_never

from domain.messages import Message, Value, comma_list, listing, message, message_in, plural_message
from replay.audit.findings import CHECK_TITLES, Check, Finding, Name, Outcome, Report, Unknown
from replay.history.event_text import rules_title
from replay.history.event_values import game_status
from replay.language.renderer import Renderer
from replay.language.text_layout import columns, wrap
from replay.render.styles import BOLD, DIM, Styler

_GREEN: Final = "green"
_RED: Final = "bold red"
_YELLOW: Final = "yellow"
_STYLES: Final[Mapping[Outcome, str]] = {"sound": _GREEN, "broken": _RED, "unknown": _YELLOW}
_MOST_PER_CHECK: Final = 5
"""The most findings that are shown per check, besides the first one of the report."""
_MOST_LISTED: Final = 20
"""The most open questions, and the most notes, that a report shows."""
_LEAST_TITLE_WIDTH: Final = 10
"""The width of the margin with the names of checks, if no name is longer."""
_VERDICTS: Final[Mapping[Outcome, Message]] = {
    "sound": message_in("verdict", "sound"),
    "broken": message_in("verdict", "broken"),
    "unknown": message_in("verdict", "cannot be known"),
}


def report_line(report: Report, name: Value, styler: Styler, renderer: Renderer) -> str:
    """Return one line for a sound record; `name` is the name of its file."""
    summary = styler(renderer(_summary(report)), DIM)
    return f"{styler('✓', _GREEN)} {renderer(name)}  {summary}"


def report_page(report: Report, name: Value, styler: Styler, width: int, renderer: Renderer) -> str:
    """Return the whole report in lines of about `width` columns, with a final line feed.

    It begins with one sentence on the whole and its meaning for the reader; the details follow. The
    last paragraph is the verdict: in English "sound", "broken: …" or "cannot be known: …".
    """
    renderer = renderer.with_names(report.names)
    titles = {check.name: renderer(CHECK_TITLES[check.name]) for check in report.checks}
    title_width = max([_LEAST_TITLE_WIDTH, *map(columns, titles.values())])
    page = _Page(renderer, styler, width, titles, title_width)
    lines = [*page.conclusion_lines(report), ""]
    lines.append(f"{styler(renderer(name), BOLD)}  {renderer(_summary(report))}")
    before = len(lines)
    lines += [page.check_line(check) for check in report.checks]
    lines += _findings_section(report, page)
    if report.unknowns:
        lines += ["", styler(renderer(message("cannot be known from this file")), _YELLOW)]
        for unknown in report.unknowns[:_MOST_LISTED]:
            lines += page.unknown_lines(unknown)
        lines += page.rest(len(report.unknowns) - _MOST_LISTED)
    if report.notes:
        lines += ["", styler(renderer(message("notes")), BOLD)]
        for note in report.notes[:_MOST_LISTED]:
            lines += page.item(note.check, note.located_text)
        lines += page.rest(len(report.notes) - _MOST_LISTED)
    if len(lines) > before + len(report.checks):
        lines.append("")
    return "\n".join([*lines, _verdict_line(report, styler, renderer)]) + "\n"


@dataclass(frozen=True, slots=True)
class _Page:
    """The layout of a page, with the names of the checks in its margin."""

    renderer: Renderer
    styler: Styler
    width: int
    titles: Mapping[Name, str]
    title_width: int

    @property
    def margin(self) -> int:
        """The width of the margin with the name of the check."""
        return self.title_width + 4

    def conclusion_lines(self, report: Report) -> list[str]:
        """Return the sentence on the whole report, and a paragraph with its meaning for the reader."""
        conclusion = report.conclusion
        style = _STYLES[report.verdict]
        sentence = wrap(self.renderer(conclusion.sentence), self.width, columns)
        sentences = [*conclusion.meaning, *conclusion.holders]
        meaning = " ".join(map(self.renderer, sentences))
        return [
            *(self.styler(line, style) for line in sentence),
            *wrap(meaning, self.width, columns),
        ]

    def check_line(self, check: Check) -> str:
        """Return the line about one check."""
        if check.findings:
            mark, style = "✗", _RED
        elif check.unknowns:
            mark, style = "?", _YELLOW
        elif check.count:
            mark, style = "✓", _GREEN
        else:
            mark, style = "-", DIM
        text = f"{check.count:>5} {self.renderer(check.unit)}"
        if check.findings:
            wrong = plural_message("{count} wrong", "{count} wrong", count=len(check.findings))
            text += f", {self.renderer(wrong)}"
        if check.unknowns:
            in_part = self.renderer(message("cannot be known in full"))
            text += self.styler(f", {in_part}", DIM)
        return f"  {self.styler(mark, style)} {self._title(check.name)} {text}"

    def finding_lines(self, finding: Finding) -> list[str]:
        """Return the paragraphs about the first finding."""
        problem = wrap(self.renderer(finding.located_problem), self.width - 2, columns)
        meaning = wrap(self.renderer(finding.meaning), self.width - 2, columns)
        return [
            *(f"  {self.styler(line, BOLD)}" for line in problem),
            *(f"  {line}" for line in meaning),
        ]

    def unknown_lines(self, unknown: Unknown) -> list[str]:
        """Return the paragraphs about an open question."""
        lines = self.item(unknown.check, unknown.located_problem)
        sentences = " ".join(map(self.renderer, (unknown.evidence, *unknown.holders)))
        evidence = wrap(sentences, self.width - self.margin, columns)
        lines += (" " * self.margin + self.styler(line, DIM) for line in evidence)
        return lines

    def item(self, check: Name, text: Message) -> list[str]:
        """Return a paragraph with the name of a check in its margin."""
        first, *rest = wrap(self.renderer(text), self.width - self.margin, columns)
        return [
            f"  {self.styler(self._title(check), DIM)}  {first}",
            *(" " * self.margin + line for line in rest),
        ]

    def rest(self, count: int) -> list[str]:
        """Return the line with the number of further items; [] if there are none."""
        if count <= 0:
            return []
        more = self.renderer(plural_message("and {count} more", "and {count} more", count=count))
        return [f"  {more}"]

    def _title(self, check: Name) -> str:
        title = self.titles[check]
        return title + " " * (self.title_width - columns(title))


def _findings_section(report: Report, page: _Page) -> list[str]:
    first = report.first
    if first is None:
        return []
    renderer, styler = page.renderer, page.styler
    lines = ["", styler(renderer(message("first finding")), _RED), *page.finding_lines(first)]
    others = [finding for finding in report.findings if finding is not first]
    shown = [
        finding
        for check in report.checks
        for finding in [other for other in others if other.check == check.name][:_MOST_PER_CHECK]
    ]
    if shown:
        lines += ["", styler(renderer(message("other findings")), BOLD)]
        for finding in shown:
            lines += page.item(finding.check, finding.located_problem)
    return lines + page.rest(len(others) - len(shown))


def _verdict_line(report: Report, styler: Styler, renderer: Renderer) -> str:
    verdict = _VERDICTS[report.verdict]
    reason: Value
    style = _STYLES[report.verdict]
    match report.verdict:
        case "sound":
            reason = _holding(report)
        case "broken":
            reason = _first_problem(report)
        case "unknown":
            reason = _open_questions(report)
        case _:
            assert_never(report.verdict)
    word = renderer(verdict)
    sentence = renderer(message("{verdict}: {reason}", verdict=verdict, reason=reason))
    return sentence.replace(word, styler(word, style), 1)


def _open_questions(report: Report) -> Value:
    """Return the only open question, or the number of open questions, which are listed above."""
    if len(report.unknowns) == 1:
        return report.unknowns[0].problem
    return plural_message(
        "{count} question is open, listed above",
        "{count} questions are open, listed above",
        count=len(report.unknowns),
    )


def _first_problem(report: Report) -> Message:
    first, others = report.first, len(report.findings) - 1
    assert first is not None, "a broken record has a finding"
    if not others:
        return first.located_problem
    return plural_message(
        "{problem} (and {count} more)",
        "{problem} (and {count} more)",
        count=others,
        problem=first.located_problem,
    )


def _holding(report: Report) -> Message:
    if not report.is_quick:
        return message("every check holds")
    return message(
        "{checks} hold, and nothing else was checked",
        checks=listing(CHECK_TITLES[check.name] for check in report.checks),
    )


def _summary(report: Report) -> Message:
    summary = report.summary
    if summary["game"] is None:
        return message("no game can be read from it")
    status, key = summary["status"], summary["signed_by"]
    parts = [
        message("game {game}", game=summary["game"]),
        plural_message(
            "{rules} for {count}",
            "{rules} for {count}",
            count=summary["seats"],
            rules=rules_title(summary["rules"]),
        ),
        plural_message("{count} event", "{count} events", count=summary["events"]),
        message("status unknown") if status is None else game_status(status),
        message("signed by key {key}", key=key) if key else message("header unreadable"),
    ]
    return message("{parts}", parts=comma_list(parts))
