"""`make test` runs the tools that check the code beside the tests, and fails if one of them does."""

import os
import shutil
from pathlib import Path

import pytest

from tests.support.processes import ROOT, run_program

TOOLS = {
    "pytest": "tests: pytest",
    "ruff": "lint: ruff check",
    "python": "types: mypy, also on deliberate faults",
    "node": "scripts of the pages: tsc and eslint",
}
"""By the program in the virtual environment: the heading of one of its parts."""

WITHOUT_RERUN = {name: value for name, value in os.environ.items() if name != "RERUN"}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the scripts, and with programs in place of the tools that print their name twice."""
    (tmp_path / "tests" / "browser").mkdir(parents=True)
    for script in ("tests/check.sh", "tests/browser/check-scripts.sh"):
        shutil.copy(ROOT / script, tmp_path / script)
    (tmp_path / "bin").mkdir()
    for tool in TOOLS:
        write_tool(tmp_path, tool, 0)
    return tmp_path


def write_tool(checkout: Path, tool: str, status: int) -> None:
    program = checkout / "bin" / tool
    program.write_text(f"#!/bin/sh\necho {tool} begins $*\necho {tool} ends\nexit {status}\n")
    program.chmod(0o755)


def test_the_output_of_each_tool_is_in_one_piece_after_that_of_the_tests(checkout: Path) -> None:
    completed = run_program([str(checkout / "tests/check.sh"), ".", "-n", "4"], env=WITHOUT_RERUN)
    assert completed.returncode == 0
    lines = completed.stdout.splitlines()
    assert lines[:2] == ["pytest begins -n 4", "pytest ends"]
    assert [line.split()[0] for line in lines[2:]] == ["ruff"] * 4 + ["python"] * 2 + ["node"] * 4
    assert [line.split()[1] for line in lines] == ["begins", "ends"] * 6
    assert all(heading in completed.stderr for heading in TOOLS.values())
    assert "FAILED" not in completed.stderr


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_that_fails_is_named_after_all_have_run(checkout: Path, tool: str) -> None:
    write_tool(checkout, tool, 3)
    completed = run_program([str(checkout / "tests/check.sh"), "."], env=WITHOUT_RERUN)
    assert completed.returncode == 1
    assert f"FAILED {TOOLS[tool]}" in completed.stderr
    assert len(completed.stdout.splitlines()) == 12
