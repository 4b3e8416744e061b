"""A new game is complete from its first minute: it is played, checked, audited, and has a page of rules."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.processes import ROOT, cartulary
from tests.support.seven_hexes.registration import install_game

NAME = "stone_circle"


def test_a_new_game_passes_its_tests_and_keeps_the_laws(tmp_path: Path) -> None:
    folder = tmp_path / "game"
    written = cartulary("new-game", NAME, "--folder", str(folder))
    assert written.returncode == 0, written.stderr
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert files == {
        "pyproject.toml",
        f"{NAME}/__init__.py",
        f"{NAME}/rules.md",
        f"{NAME}/rules-introduction.md",
        f"{NAME}/drawings/stone.svg",
        f"tests/test_{NAME}.py",
        f"tests/{NAME}.jsonl",
    }
    assert {str(folder / name) for name in files} == set(written.stdout.split())
    for command in (f"pip install -e {folder}", f"pytest {folder}", f"check-game {NAME}"):
        assert command in written.stderr
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    ((name, value),) = project["entry-points"]["cartulary.rules"].items()

    environment = install_game(folder, name, value)
    checked = cartulary("check-game", NAME, **environment)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    record = str(folder / "tests" / f"{NAME}.jsonl")
    assert "<svg" in cartulary("replay", record, "--format", "svg", **environment).stdout
    tests = run("-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder), **environment)
    assert tests.returncode == 0, tests.stdout + tests.stderr
    pages = run("-c", SHOW_RULES, NAME, **environment)
    assert pages.returncode == 0, pages.stderr
    assert "SC-PLACE-1" in pages.stdout
    assert "Stone Circle in one minute" in pages.stdout
    style = run("-m", "ruff", "check", "--isolated", "--select=E4,E7,E9,F", str(folder))
    assert style.returncode == 0, style.stdout


SHOW_RULES = """
import sys
from service.pages.rules.pages import introduction, rules_pages
print(rules_pages("en")[sys.argv[1]].content)
print(introduction(sys.argv[1], "fr").title)
"""


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("Stone", "must be a word in lower case"),
        ("class", "must be a word in lower case"),
        ("../x", "must be a word in lower case"),
        ("x2", "must be a word in lower case"),
        ("go_2048", "must be a word in lower case"),
        ("baron", "there is a game of this name"),
        ("json", "there is a Python module of this name"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused(name: str, fault: str, tmp_path: Path) -> None:
    result = cartulary("new-game", name, "--folder", str(tmp_path / "game"))
    assert result.returncode == 2
    assert fault in result.stderr
    assert not (tmp_path / "game").exists()


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    result = cartulary("new-game", NAME, "--folder", str(tmp_path))
    assert result.returncode == 1
    assert f"{tmp_path} is not empty" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
