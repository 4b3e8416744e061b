"""The terms in three languages of docs/adding-a-language.md, and whether a translation uses them.

An English cell names a term, or several; each other cell has as many entries, which are the forms of these
terms, or one. `a / b` are forms that fit equally well. `(not: a, b)` are phrases of English in which the word
has another meaning, or words that a translation must not use for the term. Other notes in parentheses are for
readers.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

from tests.support.pages import DOCS

_SECTION: Final = re.compile(r"^### (.+)$", re.MULTILINE)
_NOT: Final = re.compile(r"\(not: ([^)]*)\)")
_CODE: Final = re.compile(r"`[^`]*`|https?://\S+|--[\w-]+|(?:[A-Z]+ )?/\S+|\b[A-Z]+\.\w+")
"""Commands, options, addresses and names of files, which no language translates."""
_LANGUAGES: Final = ("fr", "es")
FOLDERS: Final[Mapping[str, str]] = {
    "Barony": "domain/barony/",
    "Sorcery": "domain/barony/sorcery/",
    "Baron": "domain/baron/",
}
"""The folders of the messages to which the terms of a game apply; those of other sections apply to all."""


@dataclass(frozen=True)
class GlossaryTerm:
    """A term with its forms and its forbidden words by language."""

    english: str
    other_meanings: tuple[str, ...]
    forms: Mapping[str, tuple[str, ...]]
    forbidden: Mapping[str, tuple[str, ...]]
    folder: str

    @cached_property
    def _beginning(self) -> str:
        """How every inflection of the term begins, in small letters."""
        return self.english.removeprefix("to ")[:-1].lower()

    def is_in(self, template: str) -> bool:
        """Whether an English template uses the term, in any inflection, in its own meaning."""
        # Most messages do not have it, and need no regular expression.
        if self._beginning not in _small_words(template):
            return False
        text = _words(template)
        for phrase in self.other_meanings:
            text = re.sub(rf"(?<!\w){re.escape(phrase)}\w*", "", text, flags=re.IGNORECASE)
        return _inflected(self.english).search(text) is not None


def glossary_terms() -> Iterator[GlossaryTerm]:
    """Yield the terms of the tables of translations."""
    page = (DOCS / "adding-a-language.md").read_text()
    _, *parts = _SECTION.split(page[page.index("## Terms of the games") :])
    for section, text in zip(parts[::2], parts[1::2], strict=True):
        for line in text.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if len(cells) == 3 and cells[0] not in {"English", "---"}:
                yield from _terms_of_row(cells, FOLDERS.get(section, ""))


def _terms_of_row(cells: list[str], folder: str) -> Iterator[GlossaryTerm]:
    english, *others = ([*_entries(cell)] for cell in cells)
    for index, term in enumerate(english):
        entries = [other[index] if len(other) == len(english) else other[0] for other in others]
        yield GlossaryTerm(
            _plain(term),
            _listed(term),
            {
                language: tuple(_plain(form) for form in _NOT.sub("", entry).split(" / "))
                for language, entry in zip(_LANGUAGES, entries, strict=True)
            },
            {language: _listed(entry) for language, entry in zip(_LANGUAGES, entries, strict=True)},
            folder,
        )


def _entries(cell: str) -> Iterator[str]:
    """The entries of a cell, which are separated by commas outside of parentheses."""
    return (entry.strip() for entry in re.split(r",(?![^(]*\))", cell))


def _listed(entry: str) -> tuple[str, ...]:
    return tuple(word for words in _NOT.findall(entry) for word in words.split(", "))


def _plain(entry: str) -> str:
    """An entry without notes and emphasis."""
    return re.sub(r"\s*\([^)]*\)|\*", "", _NOT.sub("", entry)).strip()


@cache
def _words(template: str) -> str:
    """A template without the names of its values, and without what no language translates."""
    return _CODE.sub("", re.sub(r"{[^}]*}", "{}", template))


@cache
def _small_words(template: str) -> str:
    return _words(template).lower()


@cache
def _inflected(term: str) -> re.Pattern[str]:
    """A pattern of an English term with the usual endings of its last word."""
    first, space, last = term.removeprefix("to ").rpartition(" ")
    endings = {"", "s", "es", "ed", "ing", "'s"}
    stems = {last + ending for ending in endings}
    stems |= {last[:-1] + ending for ending in ("ies", "ied") if last.endswith("y")}
    stems |= {last + "d", last[:-1] + "ing"} if last.endswith("e") else set()
    inflections = "|".join(map(re.escape, sorted(stems)))
    pattern = rf"(?<![\w-]){re.escape(first + space)}(?:{inflections})(?![\w-])"
    return re.compile(pattern, re.IGNORECASE)


def has_form(text: str, form: str) -> bool:
    """Whether a translation has each word of a form, however it is inflected."""
    folded = _folded(text)
    words = [word for word in re.split(r"[\s…']+", _folded(form)) if word]
    return all(re.search(rf"(?<!\w){re.escape(_stem(word))}", folded) for word in words)


def _stem(word: str) -> str:
    return word[: max(len(word) - 3, 4)] if len(word) > 5 else word[: max(len(word) - 1, 3)]


@cache
def _folded(text: str) -> str:
    """The text in small letters without accents."""
    decomposed = unicodedata.normalize("NFD", text.lower())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def faults_of_terms(
    terms: Iterable[GlossaryTerm], language: str, templates: list[str], translation: str
) -> Iterator[str]:
    """Yield what is wrong with the terms of a translation: a missing form, or a forbidden word."""
    used = [term for term in terms if any(map(term.is_in, templates))]
    allowed = {_folded(form) for term in used for form in term.forms[language]}
    for term in used:
        if not any(has_form(translation, form) for form in term.forms[language]):
            yield f"{term.english}: not {' / '.join(term.forms[language])}"
        for word in term.forbidden[language]:
            pattern = rf"(?<!\w){re.escape(_folded(word))}"
            is_meant = any(_folded(word) in form for form in allowed)
            if re.search(pattern, _folded(translation)) and not is_meant:
                yield f"{term.english}: {word}"
