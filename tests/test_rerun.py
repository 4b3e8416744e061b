"""In CI, a test that fails is run once more, alone; if it passes, the run passes and names it as flaky."""

import os
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.support.processes import ROOT, run_program

ALWAYS = "def test_passes():\n    pass\n"
FAILS_ONCE = """
from pathlib import Path

def test_fails_once():
    marker = Path({marker!r})
    has_run = marker.exists()
    marker.touch()
    print("attempt", 2 if has_run else 1)
    assert has_run, "the first attempt fails"
"""
FAILS = 'def test_fails():\n    assert False, "every attempt fails"\n'


def rerun(folder: Path, *arguments: str) -> CompletedProcess[str]:
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p xdist.plugin\n")
    return run_program(
        [sys.executable, str(ROOT / "tests" / "rerun.py"), *arguments],
        cwd=folder,
        # Plugins that the run does not need take half a second each time.
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )


def write_flaky_test(folder: Path, number: int = 1) -> None:
    (folder / f"test_flaky_{number}.py").write_text(
        FAILS_ONCE.format(marker=str(folder / f"marker-{number}"))
    )


@pytest.mark.nightly
@pytest.mark.parametrize("workers", [(), ("-n", "2", "--dist", "loadfile")])
def test_a_test_that_passes_when_it_is_run_again_is_named_as_flaky(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    (tmp_path / "test_always.py").write_text(ALWAYS)
    write_flaky_test(tmp_path)
    completed = rerun(tmp_path, *workers)
    assert completed.returncode == 0
    last = completed.stdout.splitlines()[-1]
    assert last.startswith(
        "FLAKY test_flaky_1.py::test_fails_once failed, and passed when it was run again alone"
    )
    folder = tmp_path / last.rpartition(" ")[2]
    assert "attempt 1" in (folder / "first.txt").read_text()
    second = (folder / "second.txt").read_text()
    assert "attempt 2" in second
    assert "1 passed" in second


@pytest.mark.nightly
def test_a_test_that_fails_twice_fails_the_run_even_beside_a_flaky_one(tmp_path: Path) -> None:
    (tmp_path / "test_always.py").write_text(ALWAYS)
    (tmp_path / "test_fails.py").write_text(FAILS)
    write_flaky_test(tmp_path)
    completed = rerun(tmp_path)
    assert completed.returncode == 1
    flaky = [line for line in completed.stdout.splitlines() if line.startswith("FLAKY")]
    assert [line.split()[1] for line in flaky] == ["test_flaky_1.py::test_fails_once"]


@pytest.mark.nightly
def test_a_run_in_which_every_test_passes_is_run_once_and_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_always.py").write_text(ALWAYS)
    completed = rerun(tmp_path)
    assert completed.returncode == 0
    assert completed.stdout.count("1 passed") == 1
    assert not list((tmp_path / "build" / "flaky").iterdir())


@pytest.mark.nightly
def test_many_failures_are_not_run_again(tmp_path: Path) -> None:
    for number in range(11):
        write_flaky_test(tmp_path, number)
    completed = rerun(tmp_path)
    assert completed.returncode == 1
    assert "11 failed" in completed.stdout.splitlines()[-1]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("arguments", "status"),
    [(("test_missing.py",), 4), (("test_broken.py",), 2), (("-k", "none"), 5)],
)
def test_a_run_that_does_not_reach_the_tests_is_not_repeated(
    tmp_path: Path, arguments: tuple[str, ...], status: int
) -> None:
    (tmp_path / "test_always.py").write_text(ALWAYS)
    (tmp_path / "test_broken.py").write_text("import missing_module\n")
    completed = rerun(
        tmp_path, *arguments, *(("--ignore", "test_broken.py") if status == 5 else ())
    )
    assert completed.returncode == status
    assert "FLAKY" not in completed.stdout
