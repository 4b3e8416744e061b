"""The clauses of Baron: the page, the code and what explanations name agree."""

import re
from pathlib import Path

from domain.baron import CLAUSES

ROOT = Path(__file__).parents[3]
ID = re.compile(r"BN-[A-Z]+-\d+")
PAGE = (ROOT / "docs" / "rules.md").read_text()


def test_the_page_and_the_code_know_the_same_clauses() -> None:
    on_the_page = re.findall(r"^\*\*(BN-[A-Z]+-\d+)\*\*", PAGE, re.MULTILINE)
    assert sorted(on_the_page) == sorted(CLAUSES)


def test_every_clause_that_the_page_points_to_stands_on_it() -> None:
    assert set(ID.findall(PAGE)) == CLAUSES.keys()


def test_the_code_names_no_clause_that_does_not_exist() -> None:
    for path in (ROOT / "domain").rglob("*.py"):
        named = set(ID.findall(path.read_text()))
        assert named <= CLAUSES.keys(), f"{path}: {sorted(named - CLAUSES.keys())}"


def test_a_clause_is_said_in_one_short_sentence() -> None:
    for clause, short in CLAUSES.items():
        assert short.endswith("."), clause
        assert len(short) <= 100, clause
