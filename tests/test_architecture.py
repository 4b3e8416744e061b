"""The architecture: imports point down, the domain is pure, and nothing above it names a game."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.support.processes import run_program

ROOT = Path(__file__).parent.parent
PACKAGES = ["domain", "ledger", "replay", "client", "service", "workers", "cartulary"]
"""From the bottom up; a package imports only itself and packages before it."""

IMPURE_MODULES = {
    *("asyncio", "datetime", "multiprocessing", "os", "pathlib", "random", "secrets", "select"),
    *("socket", "subprocess", "tempfile", "threading", "time", "urllib", "uuid"),
}
"""Modules of the standard library that bring in a clock, randomness, the environment, input or output."""

MAX_LINES = 600


def sources(package: str) -> Iterator[Path]:
    return (ROOT / package).rglob("*.py")


@cache
def nodes(path: Path) -> list[ast.AST]:
    """The nodes of a file's syntax tree."""
    return list(ast.walk(ast.parse(path.read_text())))


@cache
def imported_modules(path: Path) -> frozenset[str]:
    """The modules that a file imports, at its top or inside functions.

    `from a import b` counts as both `a` and `a.b`.
    """
    modules: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            modules.update(
                (node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names))
            )
    return frozenset(modules)


def top_level_imports(path: Path) -> set[str]:
    return {module.split(".")[0] for module in imported_modules(path)}


def test_packages_and_rooms_import_only_layers_below_them() -> None:
    # In a process of its own, because it configures logging.
    program = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    result = run_program(program, cwd=ROOT)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("package", PACKAGES)
def test_the_product_imports_neither_tests_nor_benchmarks(package: str) -> None:
    for path in sources(package):
        imports = top_level_imports(path) & {"tests", "bench"}
        assert not imports, f"{path} imports {sorted(imports)}"


def test_the_domain_imports_only_pure_modules_of_the_standard_library() -> None:
    for path in sources("domain"):
        # The backport of newer versions of `typing`.
        imports = top_level_imports(path) - {"domain", "typing_extensions"}
        if path == ROOT / "domain" / "tournaments" / "matching.py":
            imports -= {"networkx"}
        assert imports <= sys.stdlib_module_names, f"{path} imports a library: {sorted(imports)}"
        assert not imports & IMPURE_MODULES, f"{path} imports {imports & IMPURE_MODULES}"
        names = {node.id for node in nodes(path) if isinstance(node, ast.Name)}
        assert not names & {"open", "print", "input"}, f"{path} reads or writes"


def test_a_base_game_imports_nothing_from_its_expansions() -> None:
    expansions = sorted(path.parent for path in (ROOT / "domain").glob("*/*/__init__.py"))
    assert ROOT / "domain" / "barony" / "sorcery" in expansions
    for expansion in expansions:
        name = ".".join(expansion.relative_to(ROOT).parts)
        for path in expansion.parent.rglob("*.py"):
            if not path.is_relative_to(expansion):
                modules = {
                    module
                    for module in imported_modules(path)
                    if f"{module}.".startswith(f"{name}.")
                }
                assert not modules, f"{path} imports from the expansion: {sorted(modules)}"


def test_there_are_no_import_cycles() -> None:
    imports: dict[str, set[str]] = {}
    for package in PACKAGES:
        for path in sources(package):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            imports[name] = {module for module in imported_modules(path) if module != name}
    imports = {name: modules & imports.keys() for name, modules in imports.items()}
    sorted_modules: set[str] = set()
    while ready := {
        name
        for name, modules in imports.items()
        if name not in sorted_modules and modules <= sorted_modules
    }:
        sorted_modules |= ready
    cyclic = imports.keys() - sorted_modules
    assert not cyclic, f"these modules import each other: {sorted(cyclic)}"


@pytest.mark.parametrize("package", PACKAGES[1:])
def test_no_package_above_the_domain_names_a_game(package: str) -> None:
    # Only the package of a game has its own module that decides.
    games = {path.parent.name for path in (ROOT / "domain").rglob("*/decide.py")}
    assert {"barony", "sorcery"} <= games
    for path in sources(package):
        docstrings = {
            id(node.body[0].value)
            for node in nodes(path)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in nodes(path):
            if isinstance(node, ast.Constant) and id(node) not in docstrings:
                assert node.value not in games, f"{path}:{node.lineno} names a game"
        modules = [
            module for module in imported_modules(path) if module.split(".")[:2][-1] in games
        ]
        assert not modules, f"{path} imports a game: {modules}"


@pytest.mark.parametrize("package", [*PACKAGES, "tests", "bench"])
def test_no_file_is_too_long(package: str) -> None:
    for path in sources(package):
        lines = len(path.read_text().splitlines())
        assert lines <= MAX_LINES, f"{path} has {lines} lines, more than {MAX_LINES}"
