"""The rules page says the same in every language, as far as a program can compare texts.

Block by block, the translations of docs/rules.md have the same anchors, clauses, tables, figures, hexes,
names in code, rulings and links as the English page. A page docs/rules.LANGUAGE.md is found by its name.
"""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from replay.language.catalogue import ENGLISH, languages
from replay.language.translated_clauses import clause_digests, recorded_digests, stale_clauses
from tests.support.clauses import CLAUSE, CLAUSE_OR_PREFIX
from tests.support.pages import DOCS, anchors

RULES = DOCS / "rules.md"
TRANSLATIONS = sorted(DOCS.glob("rules.*.md"))
translations = pytest.mark.parametrize("page", TRANSLATIONS, ids=lambda page: page.name)


class Block(NamedTuple):
    """What a block of a page has in common with its translations."""

    kind: str
    """`heading` with its level, `table` with its columns, `code`, `list`, `quote`, `rule` or `paragraph`."""
    lines: int
    """The number of rows, items, lines of code or paragraphs of a quotation; 1 for other blocks."""
    code: tuple[str, ...]
    """The lines of a block of code, which needs no translation."""
    clauses: tuple[str, ...]
    figures: tuple[str, ...]
    hexes: tuple[str, ...]
    names: tuple[str, ...]
    links: tuple[str, ...]
    rulings: int
    """How often the block marks a ruling, such as *(ruling)*."""
    has_reason: bool
    """Whether the last part of the block explains a ruling: *Why:*"""


def read_block(text: str) -> Block:
    """Return what a translation of a block has to keep."""
    kind, lines = kind_of(text)
    prose = re.sub(r'<a id="[^"]+"></a>', "", text)
    links = tuple(re.findall(r"\]\(([^)]+)\)", prose))
    prose = re.sub(r"\]\([^)]+\)", "]", prose)
    clauses = tuple(re.findall(CLAUSE_OR_PREFIX, prose))
    prose = re.sub(CLAUSE, "", prose)
    return Block(
        kind,
        lines,
        tuple(text.splitlines()) if kind == "code" else (),
        clauses,
        tuple(re.findall(r"(?<![\w\d])-?\d+|(?<=-)\d+", prose)),
        tuple(re.findall(r"\([^()]*\bq[^()]*\)|\(-?\d+, -?\d+\)", prose)),
        tuple(re.findall(r"`[^`]+`", prose)),
        links,
        len(re.findall(r"\*\(\w+\)\*", prose)),
        re.search(r"^\*[^*]+:\*\s", prose, re.MULTILINE) is not None,
    )


def kind_of(text: str) -> tuple[str, int]:
    """Return the kind of a block and the number of its parts."""
    first = text.splitlines()[0]
    if heading := re.match(r"#+", first):
        return f"heading {len(heading[0])}", 1
    if first.startswith("|"):
        columns = Counter(line.count("|") for line in text.splitlines())
        return f"table {sorted(columns)}", columns.total()
    if first.startswith("    "):
        return "code", len(text.splitlines())
    if first == "---":
        return "rule", 1
    if re.match(r"- |\d+\. ", first):
        return "list", len(re.findall(r"^(?:- |\d+\. )", text, re.MULTILINE))
    if first.startswith(">"):
        return "quote", len(re.findall(r"^>$", text, re.MULTILINE)) + 1
    return "paragraph", 1


def blocks(text: str) -> list[Block]:
    """Return the blocks of a page without the line of links to its translations."""
    title, _, *others = re.split(r"\n\n+", text.strip("\n"))
    return [read_block(block) for block in (title, *others)]


def test_every_language_with_a_catalogue_has_a_rules_page() -> None:
    assert {page.name.split(".")[1] for page in TRANSLATIONS} == {*languages()} - {ENGLISH}


@translations
def test_a_translation_has_the_anchors_of_the_english_page(page: Path) -> None:
    english = anchors(RULES.read_text())
    assert anchors(page.read_text()) == english
    assert len(set(english)) == len(english) > 150


@translations
def test_a_translation_has_the_figures_hexes_and_names_of_the_english_page(page: Path) -> None:
    english, translated = blocks(RULES.read_text()), blocks(page.read_text())
    for number, (expected, block) in enumerate(zip(english, translated, strict=False)):
        assert block == expected, f"block {number} of {page.name}"
    assert len(translated) == len(english)


@translations
def test_no_clause_has_changed_in_english_since_it_was_translated(page: Path) -> None:
    language = page.name.split(".")[1]
    stale = stale_clauses(RULES.read_text(), recorded_digests()[language])
    advice = f'translate them, then run make translated ARGS="{language} {" ".join(stale)}"'
    assert not stale, f"stale in {page.name}: {', '.join(stale)}; {advice}"


def test_a_changed_clause_is_stale_and_a_rewrapped_one_is_not() -> None:
    page = RULES.read_text()
    recorded = clause_digests(page)
    assert len(recorded) > 130
    changed = page.replace(
        "A forfeited turn counts as one of them.", "A forfeited turn does not count."
    )
    assert stale_clauses(changed, recorded) == ["BN-END-1"]
    assert stale_clauses(page.replace("Board consists", "Board\nconsists"), recorded) == []
    noted = page.replace("(Portal, BS-POR-1).", "(Portal).")
    assert stale_clauses(noted, recorded) == ["BY-EXP-1"]
    assert stale_clauses(page, {}) == [*recorded]


@translations
def test_every_row_of_a_table_has_the_figures_of_the_english_row(page: Path) -> None:
    english, translated = (
        [read_block(line) for line in text.splitlines() if line.startswith("|")]
        for text in (RULES.read_text(), page.read_text())
    )
    assert translated == english


@pytest.mark.parametrize("page", [RULES, *TRANSLATIONS], ids=lambda page: page.name)
def test_every_page_begins_with_links_to_the_others(page: Path) -> None:
    links = page.read_text().split("\n\n")[1]
    others = {other.name for other in (RULES, *TRANSLATIONS)} - {page.name}
    assert set(re.findall(r"\]\(([^)]+)\)", links)) == others
    assert len(re.findall(r"\*\*\w+\*\*", links)) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("has 7 knights, 14", "has 14 knights, 7"),
        ("less than -4 honour", "less than 4 honour"),
        ("(0, 0) as the", "(0, 1) as the"),
        ("*(ruling)* 20 of each", "20 of each"),
        ("*Why:* the printed rules state", "The printed rules state"),
        ("BY-CTY-1 to BY-CTY-3", "BY-CTY-1 to BY-CTY-4"),
        ("field `takes`", "field `kinds`"),
        ("\n### Laying\n", "\n## Laying\n"),
        ("| pond | 6 | 1 |\n", ""),
        ("(q+1, r-1)", "(q+1, r+1)"),
        ("(formats.md)", "(http.md)"),
    ],
)
def test_the_comparison_notices_a_difference(before: str, after: str) -> None:
    text = RULES.read_text()
    assert before in text
    assert blocks(text.replace(before, after, 1)) != blocks(text)
