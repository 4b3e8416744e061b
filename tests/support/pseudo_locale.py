"""A language that marks every template, so that text which is no message can be seen in what people read."""

import re
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

from babel.messages.catalog import Catalog

from replay.language.catalogue import parse_forms
from tests.support.catalogues import write_language
from tests.support.clauses import CLAUSE
from tests.support.messages import extracted_messages, term_templates

LANGUAGE: Final = "zz"
_MARKED: Final = re.compile("⟦[^⟦⟧]*[⟧…]")
"""A marked text, perhaps cut short where a picture has no room for more."""
_IDENTIFIER: Final = re.compile(
    rf"\b[0-9a-f]{{8,}}\b|{CLAUSE}|(?:/[\w.-]+)+|\{{.*\}}|\b([a-z])\1+\b"
)
"""The last of them is a hex in a drawing of a board, which is filled with the sign of its terrain."""
_NOTHING: Final = re.compile("(?!)")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


def write_pseudo_locale(folder: Path) -> None:
    """Write the catalogue of the language `zz`, each template between ⟦ and ⟧, beside the real ones."""
    catalog = Catalog(locale="en", fuzzy=False)
    terms = term_templates()
    for entry in extracted_messages():
        if isinstance(entry.id, str):
            marked = _mark_term(entry.id) if entry.id in terms else f"⟦{entry.id}⟧"
            catalog.add(entry.id, marked, context=entry.context)
        else:
            catalog.add(entry.id, [f"⟦{template}⟧" for template in entry.id])
    write_language(folder, LANGUAGE, catalog)


def _mark_term(template: str) -> str:
    forms = parse_forms(template)
    return "; ".join(f"{name}: ⟦{form}⟧" if name else f"⟦{form}⟧" for name, form in forms.items())


def unmarked_words(text: str, ignored: re.Pattern[str] = _NOTHING) -> set[str]:
    """Return the words of at least two letters that stand outside of every mark, without identifiers.

    Identifiers are numbers in hex, clauses, paths and JSON. Of an SVG, only what a reader can see counts.
    """
    if text.startswith("<svg"):
        text = _readable_text(ET.fromstring(text))  # noqa: S314 # our own picture
    while (shorter := _MARKED.sub(" ", text)) != text:
        text = shorter
    return {*_WORD.findall(ignored.sub(" ", _IDENTIFIER.sub(" ", text)))}


def _readable_text(element: ET.Element) -> str:
    """Return the text of an element, and what describes it to readers who do not see it."""
    if element.tag.endswith("style"):
        return ""
    parts = [element.get("aria-label", ""), element.text or ""]
    for child in element:
        parts += [_readable_text(child), child.tail or ""]
    return " ".join(parts)
