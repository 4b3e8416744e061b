"""Processes that run tests leave out only what nobody would see (the plugin `tests.support.few_messages`)."""

import sys
from pathlib import Path

import pytest

from tests.support.few_messages import is_silent
from tests.support.processes import run_program
from tests.test_leftovers import environ

SILENT = {"when": "setup", "outcome": "passed", "sections": [], "user_properties": []}


@pytest.mark.parametrize("when", ["setup", "teardown"])
def test_fixtures_without_a_fault_are_not_reported(when: str) -> None:
    assert is_silent({**SILENT, "when": when})


@pytest.mark.parametrize(
    "value",
    [
        {"when": "call"},
        {"outcome": "failed"},
        {"outcome": "skipped"},
        {"sections": [["Captured stdout setup", "text"]]},
        {"user_properties": [["name", "value"]]},
    ],
)
def test_everything_else_is_reported(value: dict[str, object]) -> None:
    assert not is_silent({**SILENT, **value})


@pytest.mark.nightly
def test_a_run_shows_each_fault_and_counts_each_test(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        """
import pytest

@pytest.fixture
def before():
    raise ValueError("no setup")

@pytest.fixture
def after():
    yield
    raise ValueError("no teardown")

def test_before(before):
    pass

def test_after(after):
    pass

def test_call():
    raise ValueError("no call")

@pytest.mark.skip
def test_skipped():
    pass

def test_passed():
    pass
""",
        encoding="utf-8",
    )
    result = run_program(
        [
            *(sys.executable, "-m", "pytest", "-n", "1", "--dist", "loadfile", "-W", "ignore"),
            *("--rootdir", str(tmp_path), "-p", "tests.support.few_messages", "test_it.py"),
        ],
        cwd=tmp_path,
        env=environ(),
    )
    assert "1 failed, 2 passed, 1 skipped, 2 errors" in result.stdout
    for fault in ("no setup", "no teardown", "no call"):
        assert f"ValueError: {fault}" in result.stdout
