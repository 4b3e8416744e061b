"""The wheel that pip builds from the checkout contains every package with all of its files."""

import ast
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.support.processes import HANG_SECONDS

ROOT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES = sorted({path.parent.name for path in ROOT.glob("[!.]*/__init__.py")} - {"bench"})
"""The top-level packages. The benchmark is run from a checkout and is not installed."""


@pytest.fixture(scope="module")
def wheel_files(tmp_path_factory: pytest.TempPathFactory) -> frozenset[str]:
    """The names of the files in a wheel built from a copy of the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in"):
        shutil.copy(ROOT / name, source)
    (source / "docs").mkdir()
    for path in (ROOT / "docs").glob("rules*.md"):
        shutil.copy(path, source / "docs")
    for package in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__", "*.mo")
        shutil.copytree(ROOT / package, source / package, ignore=ignored)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", str(folder)]
    offline = ["--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, *offline, str(source)], check=True, timeout=HANG_SECONDS)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return frozenset(archive.namelist())


def test_the_wheel_contains_every_file_of_every_package(wheel_files: frozenset[str]) -> None:
    expected = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.parent.name != "__pycache__" and path.suffix != ".po"
    }
    assert any(name.endswith(".lua") for name in expected)
    assert not expected - wheel_files


def test_the_build_compiles_every_catalogue(wheel_files: frozenset[str]) -> None:
    catalogues = [path.relative_to(ROOT) for path in (ROOT / "replay").rglob("*.po")]
    assert len(catalogues) >= 2
    assert {path.with_suffix(".mo").as_posix() for path in catalogues} <= wheel_files


def test_the_wheel_contains_the_rules_in_every_language(wheel_files: frozenset[str]) -> None:
    texts = {path.name for path in (ROOT / "docs").glob("rules*.md")}
    assert len(texts) >= 3
    assert {f"service/pages/rules/{name}" for name in texts} <= wheel_files


@pytest.mark.parametrize("package", PACKAGES)
def test_the_wheel_marks_each_package_as_typed(package: str, wheel_files: frozenset[str]) -> None:
    assert f"{package}/py.typed" in wheel_files


def test_the_wheel_contains_the_license(wheel_files: frozenset[str]) -> None:
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in wheel_files)


def test_the_commands_of_the_build_import_nothing_of_the_project() -> None:
    """They run before the project can be imported, when it is installed for the first time."""
    for command in PYPROJECT["tool"]["setuptools"]["cmdclass"].values():
        module = command.rpartition(".")[0]
        tree = ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text())
        imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)} | {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for alias in node.names
        }
        assert not {(name or "").partition(".")[0] for name in imported} & {*PACKAGES}


def test_pyproject_names_every_package() -> None:
    assert {"domain", "service", "cartulary"} <= set(PACKAGES)
    patterns = PYPROJECT["tool"]["setuptools"]["packages"]["find"]["include"]
    first_party = PYPROJECT["tool"]["ruff"]["lint"]["isort"]["known-first-party"]
    for package in PACKAGES:
        assert f"{package}*" in patterns
        assert package in first_party
