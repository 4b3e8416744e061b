"""The architecture: imports point down, the domain is pure, and nothing above it names a game."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from domain.contract import Resign
from domain.position_labels import COMMON_LABELS
from domain.registry import rule_systems
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

USERS_OF_CLUBS = {
    *("service/administration/administration.py", "service/bootstrap.py"),
    *("service/games/commands.py", "service/games/invitations.py", "service/games/lobby.py"),
    *("service/games/pages/lobby.py", "service/games/parts.py", "service/games/profiles.py"),
    *("service/games/rematches.py", "service/games/requirements.py"),
    *("service/http/app.py", "service/http/responses.py", "service/pages/app.py"),
    *("service/notifications/factory.py", "service/server/stream_tokens.py"),
    "service/ratings/club_ratings.py",
    *("service/tournaments/changes.py", "service/tournaments/pages/tournaments.py"),
    *("service/tournaments/club_matches.py", "service/tournaments/parts.py"),
    *("service/tournaments/teams.py", "service/tournaments/tournaments.py"),
    "workers/mail/account_mail.py",
}
"""The files outside of their room that import something of clubs."""


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


def words_of_games() -> set[str]:
    """The words that only a game knows: names of games, options, actions and events, terrains and pieces."""
    words: set[str] = set()
    for entry in rule_systems().values():
        system = entry.system
        words |= {entry.name, entry.rules, *(field.name for field in system.OPTION_FIELDS)}
        words |= {*system.ACTIONS, *system.LABELS} - {*COMMON_LABELS} - {Resign.type}
    return words - ORDINARY_WORDS


ORDINARY_WORDS: Final = {
    *("bank", "board", "count", "draw", "field", "move", "pass", "passed", "plain", "play"),
    *("removed", "side", "terrain", "value"),
}
"""Words of games that code for any game also uses: of clocks, forms, pages, scopes, scenes and formats."""

KNOWN_WORDS: Final = {
    ("replay/bots/playout.py", "round_limit")  # an option by which a game that has it can be ended
}
"""Words of games above the domain that remain, by file."""

KINDS_OF_FILES: Final = ("py", "js", "ts", "html", "css", "toml", "sh", "lua", "txt", "service")
_COMMENT: Final = re.compile(
    r"/\*.*?\*/|<!--.*?-->|\{#.*?#\}|^\s*(?://|#|--|;).*?$", re.DOTALL | re.MULTILINE
)


def texts_of_code(path: Path) -> Iterator[tuple[str, bool]]:
    """The strings of a Python file, or the text of another file without comments; whether it is a string."""
    if path.suffix != ".py":
        yield _COMMENT.sub("", path.read_text()), False
        return
    docstrings = {
        id(node.body[0].value)
        for node in nodes(path)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in nodes(path):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings
        ):
            yield node.value, True


@pytest.mark.parametrize("folder", [*PACKAGES[1:], "deploy"])
def test_nothing_above_the_domain_knows_a_game(folder: str) -> None:
    games = {path.name for path in (ROOT / "domain").rglob("*") if (path / "decide.py").is_file()}
    words = words_of_games()
    assert {"barony", "sorcery", "baron", "knight", "round_limit", "mysterious_place"} <= words
    names = re.compile(rf"\b(?:{'|'.join(sorted(games | {w for w in words if '_' in w}))})\b")
    quoted = re.compile(rf"""["'](?:{"|".join(sorted(words))})["']""")
    found = set()
    for kind in KINDS_OF_FILES:
        for path in (ROOT / folder).rglob(f"*.{kind}"):
            name = path.relative_to(ROOT).as_posix()
            if "vendor" in path.parts or name.endswith("-min.js"):
                continue
            for text, is_string in texts_of_code(path):
                if is_string:
                    hits = {text} & words
                else:
                    hits = {hit.strip("\"'") for hit in names.findall(text) + quoted.findall(text)}
                found |= {(name, hit) for hit in hits}
            if kind == "py":
                found |= {
                    (name, module)
                    for module in imported_modules(path)
                    if module.split(".")[:2][-1] in games
                }
    assert found == {known for known in KNOWN_WORDS if known[0].startswith(f"{folder}/")}


def test_clubs_stay_in_their_room() -> None:
    """What a club has or does is in its room, which other files ask for members, names and permissions."""
    users = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in sources(package)
        if any(f"{module}.".startswith("service.clubs.") for module in imported_modules(path))
    }
    assert {user for user in users if not user.startswith("service/clubs/")} == USERS_OF_CLUBS


@pytest.mark.parametrize("package", [*PACKAGES, "tests", "bench"])
def test_no_file_is_too_long(package: str) -> None:
    for path in sources(package):
        lines = len(path.read_text().splitlines())
        assert lines <= MAX_LINES, f"{path} has {lines} lines, more than {MAX_LINES}"


@pytest.mark.parametrize("folder", [*PACKAGES, "tests", "bench", "deploy", "docs", "requirements"])
def test_no_file_contains_both_versions_of_a_conflict(folder: str) -> None:
    # A merge writes these lines around them. Jinja and Markdown take them for text.
    mark = re.compile(rb"^(?:<{7}|>{7}) ", re.MULTILINE)
    files = [path for path in (ROOT / folder).rglob("*") if path.is_file()]
    marked = [path for path in files if path.suffix != ".pyc" and mark.search(path.read_bytes())]
    assert files
    assert marked == []
