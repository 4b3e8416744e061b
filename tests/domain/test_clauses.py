"""Every clause of docs/rules.md has tests that name it: one of what it allows, one of what it refuses.

The markers are read out of the test files themselves, so that it makes no difference which tests were chosen
for a run.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from domain import barony
from domain.barony import CLAUSES, sorcery
from domain.contract import AnyRuleSystem
from domain.registry import EXPANSIONS, RULES
from tests.support.barony_positions import random_game
from tests.support.events import data_of

ROOT = Path(__file__).parents[2]
CLAUSE = re.compile(r"^\s*(?:[-*] )?\*\*(B[YSN]-[A-Z]+-\d+)\*\*", re.MULTILINE)
"""A clause's own paragraph on the page of rules begins with its id in bold."""
ID = re.compile(r"B[YSN]-[A-Z]+-\d+")

IN_THE_CODE = {
    id: short
    for rules in (*RULES.values(), *EXPANSIONS.values())
    for id, short in rules.CLAUSES.items()
}
ON_THE_PAGE = CLAUSE.findall((ROOT / "docs" / "rules.md").read_text())


def markers(source: str) -> Iterator[tuple[str, str]]:
    """(`allows` or `refuses`, clause) for each clause that a marker in the source names.

    Only markers of tests count, and only clauses that are written out. Raises ValueError for others.
    """
    for node in ast.walk(ast.parse(source)):
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
                                raise ValueError(f"line {call.lineno}: a clause is written out")
                case _:
                    pass


def marked() -> dict[str, set[str]]:
    """The clauses that tests say they allow, and refuse."""
    named: dict[str, set[str]] = {"allows": set(), "refuses": set()}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for kind, clause in markers(path.read_text()):
            named[kind].add(clause)
    return named


NAMED = marked()


@pytest.mark.parametrize("clause", ON_THE_PAGE)
@pytest.mark.parametrize("kind", ["allows", "refuses"])
def test_every_clause_is_tested_both_ways(kind: str, clause: str) -> None:
    assert clause in NAMED[kind], f"no test is marked {kind}({clause!r})"


def test_no_marker_names_a_clause_that_does_not_exist() -> None:
    assert NAMED["allows"] | NAMED["refuses"] <= {*ON_THE_PAGE}


def test_the_page_has_every_clause_once() -> None:
    assert len(ON_THE_PAGE) >= 130
    assert len(set(ON_THE_PAGE)) == len(ON_THE_PAGE)


def test_the_page_and_the_code_know_the_same_clauses() -> None:
    assert set(ON_THE_PAGE) == IN_THE_CODE.keys()


def test_without_the_expansion_a_cast_breaks_the_one_clause_that_barony_takes_from_it() -> None:
    of_barony = {clause for clause in ON_THE_PAGE if clause.startswith("BY-")}
    assert of_barony | {"BS-SPL-1"} == CLAUSES.keys()
    assert all(sorcery.CLAUSES[clause] == short for clause, short in CLAUSES.items())


def test_every_clause_that_the_page_points_to_stands_on_it() -> None:
    text = (ROOT / "docs" / "rules.md").read_text()
    assert set(ID.findall(text)) <= set(ON_THE_PAGE)


def test_the_code_names_no_clause_that_does_not_exist() -> None:
    for path in (ROOT / "domain").rglob("*.py"):
        named = set(ID.findall(path.read_text()))
        assert named <= IN_THE_CODE.keys(), f"{path}: {sorted(named - IN_THE_CODE.keys())}"


def test_a_clause_is_said_in_one_short_sentence() -> None:
    for clause, short in IN_THE_CODE.items():
        assert short.endswith("."), clause
        assert len(short) <= 100, clause


@pytest.mark.parametrize("rules", [barony, sorcery], ids=["barony", "sorcery"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_an_explanation_names_clauses_that_exist(seats: int, rules: AnyRuleSystem) -> None:
    for state, fact in random_game(seats, seed=1, rules=rules):
        reasons = rules.explain(state, data_of(fact).get("seat"), fact)
        assert reasons, fact
        assert {clause for clause, _ in reasons} <= rules.CLAUSES.keys()


def test_markers_are_found_wherever_pytest_finds_them() -> None:
    source = """
@pytest.mark.parametrize("a", [1])
@pytest.mark.allows("BY-REC-1", "BY-REC-2")
def test_one(a): ...

class TestTwo:
    @pytest.mark.refuses("BY-MOV-1")
    def test_two(self): ...
"""
    assert sorted(markers(source)) == [
        ("allows", "BY-REC-1"),
        ("allows", "BY-REC-2"),
        ("refuses", "BY-MOV-1"),
    ]


def test_a_clause_in_a_variable_is_no_marker() -> None:
    source = "@pytest.mark.allows(CLAUSE)\ndef test_one(): ...\n"
    with pytest.raises(ValueError, match="written out"):
        list(markers(source))


def test_the_markers_are_the_ones_that_are_registered(pytestconfig: pytest.Config) -> None:
    lines = [line for line in pytestconfig.getini("markers") if "(clause" in line]
    assert {line.split("(")[0] for line in lines} == {"allows", "refuses"}
