"""Finds times in texts for people that are written for programs (`2026-11-25T18:59:46.362Z`)."""

import re
from html.parser import HTMLParser
from typing import Final

from typing_extensions import override

RAW_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d[\d:.]*Z?)?")
"""A moment or a day as programs write it."""
_NOT_SHOWN: Final = {"script", "style"}
_RAW: Final = {"code", "pre", "option", "textarea"}
"""Elements whose text is shown as it was written, and the choices of a form."""


class _VisibleText(HTMLParser):
    """Collects the text that a page shows, without what is in elements for code."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._skipped = 0

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._skipped += tag in _NOT_SHOWN | _RAW

    @override
    def handle_endtag(self, tag: str) -> None:
        self._skipped -= tag in _NOT_SHOWN | _RAW

    @override
    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.texts.append(data)


def visible_text(page: str) -> str:
    """Return the text that a page of HTML shows."""
    parser = _VisibleText()
    parser.feed(page)
    return " ".join(parser.texts)


def raw_times(text: str) -> list[str]:
    """Return the times in a text that are written for programs."""
    return RAW_TIME.findall(text)
