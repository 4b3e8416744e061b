"""The house: imports point down, the ground floor is pure, nobody above it asks which game it is."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FLOORS = ["domain", "ledger", "replay", "service", "workers", "cartulary"]
"""From the ground up; a floor imports itself and the floors below."""

IMPURE = {
    *("asyncio", "datetime", "multiprocessing", "os", "pathlib", "random", "secrets", "select"),
    *("socket", "subprocess", "tempfile", "threading", "time", "urllib", "uuid"),
}
"""Standard modules by which a clock, chance, the environment or any input or output would come in."""

MOST_LINES = 400


def sources(floor: str) -> Iterator[Path]:
    return (ROOT / floor).rglob("*.py")


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("floor", FLOORS)
def test_imports_point_down(floor: str) -> None:
    above = set(FLOORS[FLOORS.index(floor) + 1 :])
    for path in sources(floor):
        tops = {name.split(".")[0] for name in imported(path)}
        assert not tops & above, f"{path} imports from a floor above: {tops & above}"
        assert "tests" not in tops, f"{path} imports from the tests"


def test_the_ground_floor_imports_the_standard_library_and_no_impure_part_of_it() -> None:
    for path in sources("domain"):
        tops = {name.split(".")[0] for name in imported(path)} - {"domain"}
        assert tops <= sys.stdlib_module_names, f"{path} imports {tops - sys.stdlib_module_names}"
        assert not tops & IMPURE, f"{path} imports {tops & IMPURE}"
        names = {n.id for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Name)}
        assert not names & {"open", "print", "input"}, f"{path} reads or writes"


def test_a_base_game_imports_nothing_from_its_expansions() -> None:
    expansions = sorted(path.parent for path in (ROOT / "domain").glob("*/*/__init__.py"))
    assert ROOT / "domain" / "barony" / "sorcery" in expansions
    for expansion in expansions:
        name = ".".join(expansion.relative_to(ROOT).parts)
        for path in expansion.parent.rglob("*.py"):
            if not path.is_relative_to(expansion):
                modules = {
                    module for module in imported(path) if f"{module}.".startswith(f"{name}.")
                }
                assert not modules, f"{path} imports from the expansion: {sorted(modules)}"


def test_no_modules_import_each_other() -> None:
    graph: dict[str, set[str]] = {}
    for floor in FLOORS:
        for path in sources(floor):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            graph[name] = {other for other in imported(path) if other != name}
    graph = {name: others & graph.keys() for name, others in graph.items()}
    done: set[str] = set()
    while ready := {name for name, others in graph.items() if name not in done and others <= done}:
        done |= ready
    assert done == graph.keys(), f"import each other: {sorted(graph.keys() - done)}"


@pytest.mark.parametrize("floor", FLOORS[1:])
def test_nobody_above_the_ground_floor_asks_which_game_it_is(floor: str) -> None:
    games = {path.parent.name for path in (ROOT / "domain").rglob("*/__init__.py")}
    assert {"barony", "sorcery"} <= games
    for path in sources(floor):
        tree = ast.parse(path.read_text())
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and id(node) not in docstrings:
                assert node.value not in games, f"{path}:{node.lineno} names a game"
        assert not {name for name in imported(path) if name.split(".")[:2][-1] in games}


@pytest.mark.parametrize("floor", [*FLOORS, "tests"])
def test_no_file_is_longer_than_a_person_likes_to_read(floor: str) -> None:
    for path in sources(floor):
        lines = len(path.read_text().splitlines())
        assert lines <= MOST_LINES, f"{path} has {lines} lines"
