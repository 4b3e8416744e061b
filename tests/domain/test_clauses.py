"""Every clause of docs/rules.md has a test that allows something by it, and one that refuses something.

A test names them with the markers `allows` and `refuses`, or asserts that an action `is_refused` by a clause;
or a transcript has the refusal. The files are read, so that it does not matter which tests a run selects.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from domain import barony
from domain.barony import CLAUSES, sorcery
from domain.contract import AnyRuleSystem
from domain.registry import EXPANSIONS, RULES
from replay.language.renderer import english
from tests.support.barony_positions import random_game
from tests.support.events import data_of

ROOT = Path(__file__).parents[2]
CLAUSE = re.compile(r'^<a id="([A-Z]{2}-[A-Z]+-\d+)"></a>\*\*\1\*\* ', re.MULTILINE)
"""The paragraph of a clause on the page begins with its anchor, and its id in bold."""
ID = re.compile(r"[A-Z]{2}-[A-Z]+-\d+")
REFUSED = re.compile(r"^\| refused by (\S+):", re.MULTILINE)

CLAUSES_IN_CODE = {
    id: summary
    for rules in (*RULES.values(), *EXPANSIONS.values())
    for id, summary in rules.CLAUSES.items()
}
CLAUSES_ON_PAGE = CLAUSE.findall((ROOT / "docs" / "rules.md").read_text())


def markers(source: str) -> Iterator[tuple[str, str]]:
    """(`allows` or `refuses`, clause) for each clause that a marker or an `is_refused` in the source names.

    The clause of a marker must be a literal. Raises ValueError for others.
    """
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(attr="is_refused"), args=[ast.Constant(str(id)), *_]):
                yield "refuses", id
            case _:
                pass
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for call in node.decorator_list:
            match call:
                case ast.Call(
                    func=ast.Attribute(
                        value=ast.Attribute(value=ast.Name("pytest"), attr="mark"),
                        attr="allows" | "refuses" as kind,
                    ),
                    args=clauses,
                ):
                    for clause in clauses:
                        match clause:
                            case ast.Constant(value=str(id)):
                                yield kind, id
                            case _:
                                raise ValueError(f"line {call.lineno}: a clause must be a literal")
                case _:
                    pass


@cache
def marked_clauses() -> dict[str, set[str]]:
    """The clauses that tests name, by marker."""
    marked: dict[str, set[str]] = {"allows": set(), "refuses": set()}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        source = path.read_text()
        if any(word in source for word in (".allows(", ".refuses(", ".is_refused(")):
            for kind, clause in markers(source):
                marked[kind].add(clause)
    for path in (ROOT / "tests" / "domain").glob("*/transcripts/*.txt"):
        marked["refuses"].update(REFUSED.findall(path.read_text()))
    return marked


@pytest.mark.parametrize("kind", ["allows", "refuses"])
def test_every_clause_has_a_test_that_allows_and_one_that_refuses(kind: str) -> None:
    assert set(CLAUSES_ON_PAGE) - marked_clauses()[kind] == set(), f"no test {kind} something"


def test_no_marker_names_a_clause_that_does_not_exist() -> None:
    assert set().union(*marked_clauses().values()) <= {*CLAUSES_ON_PAGE}


def test_the_page_has_every_clause_once() -> None:
    assert len(CLAUSES_ON_PAGE) >= 130
    assert len(set(CLAUSES_ON_PAGE)) == len(CLAUSES_ON_PAGE)


def test_the_page_and_the_code_have_the_same_clauses() -> None:
    assert set(CLAUSES_ON_PAGE) == CLAUSES_IN_CODE.keys()


def test_base_barony_has_one_clause_of_the_expansion() -> None:
    barony_clauses = {clause for clause in CLAUSES_ON_PAGE if clause.startswith("BY-")}
    assert barony_clauses | {"BS-SPL-1"} == CLAUSES.keys()
    assert all(sorcery.CLAUSES[clause] == summary for clause, summary in CLAUSES.items())


def test_every_clause_that_the_page_refers_to_is_on_it() -> None:
    text = (ROOT / "docs" / "rules.md").read_text()
    assert set(ID.findall(text)) <= set(CLAUSES_ON_PAGE)


def test_the_code_names_no_clause_that_does_not_exist() -> None:
    for path in (ROOT / "domain").rglob("*.py"):
        ids = set(ID.findall(path.read_text()))
        assert ids <= CLAUSES_IN_CODE.keys(), f"{path}: {sorted(ids - CLAUSES_IN_CODE.keys())}"


def test_the_summary_of_a_clause_is_one_short_sentence() -> None:
    for clause, message in CLAUSES_IN_CODE.items():
        summary = english(message)
        assert summary.endswith("."), clause
        assert len(summary) <= 100, clause


@pytest.mark.parametrize("rules", [barony, sorcery], ids=["barony", "sorcery"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_an_explanation_names_clauses_that_exist(seats: int, rules: AnyRuleSystem) -> None:
    for state, event in random_game(seats, seed=1, rules=rules):
        reasons = rules.explain(state, data_of(event).get("seat"), event)
        assert reasons, event
        assert {clause for clause, _ in reasons} <= rules.CLAUSES.keys()


def test_markers_and_refusals_of_functions_and_methods_are_read() -> None:
    source = """
@pytest.mark.parametrize("a", [1])
@pytest.mark.allows("BY-REC-1", "BY-REC-2")
def test_one(a): ...

class TestTwo:
    @pytest.mark.refuses("BY-MOV-1")
    def test_two(self):
        when(state, 0, "pass").is_refused("BY-TURN-1", "why")
"""
    assert sorted(markers(source)) == [
        ("allows", "BY-REC-1"),
        ("allows", "BY-REC-2"),
        ("refuses", "BY-MOV-1"),
        ("refuses", "BY-TURN-1"),
    ]


def test_a_clause_in_a_variable_is_rejected() -> None:
    source = "@pytest.mark.allows(CLAUSE)\ndef test_one(): ...\n"
    with pytest.raises(ValueError, match="a literal"):
        list(markers(source))


def test_the_markers_are_registered(pytestconfig: pytest.Config) -> None:
    lines = [line for line in pytestconfig.getini("markers") if "(clause" in line]
    assert {line.split("(")[0] for line in lines} == {"allows", "refuses"}
