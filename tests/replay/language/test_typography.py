"""The typography of translations: spaces and quotation marks of French and Spanish, and figures."""

import re
from collections.abc import Iterator

import pytest

from tests.replay.language.test_catalogues import LANGUAGES, translations
from tests.support.pages import DOCS

NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
ENGLISH_MARKS = (
    "[\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}]"
)
CODE = re.compile(r"`[^`]*`|```.*?```|https?://\S+|\]\([^)]*\)|\b[A-Z]\w+-[A-Z]\w+: ", re.DOTALL)

FRENCH_FAULTS = {
    r"(?<!%) [:;!?»](?=[\s.,)*]|$)": "a common space before :, ;, !, ? or »",
    r"« ": "a common space after «",
    rf"[^\s{NO_BREAK_SPACE}¿]»": "no space before »",
    rf"«[^{NO_BREAK_SPACE} ]": "no space after «",
    r"[\w}).%][;!?](?=\s|$)|[\w})]: ": "no space before :, ;, ! or ?",
    ENGLISH_MARKS: "an English quotation mark, or another apostrophe",
}
SPANISH_FAULTS = {
    rf"[ {NO_BREAK_SPACE}][:;!?»](?=[\s.,)]|$)": "a space before a punctuation mark",
    rf"«[ {NO_BREAK_SPACE}]": "a space after «",
    r"^[^¿]*\?": "no ¿ before ?",
    r"^[^¡]*!": "no ¡ before !",
    ENGLISH_MARKS: "an English quotation mark, or another apostrophe",
}
FAULTS = {"fr": FRENCH_FAULTS, "es": SPANISH_FAULTS}
LOOSE_MARK = re.compile(r"\s*[:;»)](?:\s|$)")
"""At the beginning of a line, a mark that belongs to the word before. (Boards draw terrains with others.)"""
texts_with_rules = pytest.mark.parametrize("language", FAULTS)


def faults(language: str, text: str) -> list[str]:
    """Return the typographical faults of a text outside of code, each with the text where it occurs."""
    prose = CODE.sub("code", text)
    return [
        f"{fault}: …{prose[max(match.start() - 20, 0) : match.end() + 10]}…"
        for pattern, fault in FAULTS[language].items()
        for match in re.finditer(pattern, prose)
    ]


def translated(language: str) -> Iterator[tuple[list[str], str]]:
    """Yield the templates and each translation of the messages of our source code, without terms."""
    for entry, templates, strings in translations(language):
        is_term = re.search("; (plural|a|the): ", templates[0]) is not None
        is_ours = "click" not in {path for path, _ in entry.locations}
        if is_ours and not is_term and entry.context != "grammar":
            for string in strings:
                yield templates, string


@texts_with_rules
def test_the_messages_have_the_typography_of_their_language(language: str) -> None:
    assert not [fault for _, string in translated(language) for fault in faults(language, string)]


@texts_with_rules
def test_the_rules_page_has_the_typography_of_its_language(language: str) -> None:
    page = re.sub(r"<!--.*?-->", "", (DOCS / f"rules.{language}.md").read_text())
    assert not [fault for line in page.splitlines() for fault in faults(language, line)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_has_the_figures_of_its_message(language: str) -> None:
    for templates, string in translated(language):
        if string:
            expected = {figure for template in templates for figure in figures(template)}
            assert figures(string) == expected, string


def figures(text: str) -> set[str]:
    """Return the numbers in a template outside of its values."""
    return set(re.findall(r"\d+", re.sub(r"{[^}]*}", "", text)))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("fr", "le journal : rien"),
        ("fr", "le journal: rien"),
        ("fr", "la tuile « pré »"),
        ("fr", "l\N{RIGHT SINGLE QUOTATION MARK}hexagone"),
        ("fr", "vraiment?"),
        ("es", "el registro : nada"),
        ("es", "« nada »"),
        ("es", "de verdad?"),
    ],
)
def test_faults_are_noticed(language: str, text: str) -> None:
    assert faults(language, text)


def test_code_and_correct_texts_have_no_faults() -> None:
    assert not faults("fr", f"le journal{NO_BREAK_SPACE}: `a: b`, à 10:30")
    assert not faults("es", "el registro: ¿nada?")
