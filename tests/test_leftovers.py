"""No process outlives a run of the tests: the plugin `tests.support.leftovers` in runs of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.support.leftovers import RUN, XDIST_WORKER
from tests.support.processes import ROOT, is_running, run_program, wait_until

_TESTS: Final = """
import os, subprocess, sys, time
import pytest

@pytest.fixture
def process():
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    with open("pid", "w") as file:
        file.write(f"{process.pid}\\n")
    yield process
    if "NEGLIGENT" not in os.environ:
        process.kill()
        process.wait()

def test_pass(process):
    pass

def test_wait(process):
    time.sleep(600)
"""


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """The start of a command that runs the tests of a new folder with the plugin."""
    (tmp_path / "test_it.py").write_text(_TESTS, encoding="utf-8")
    options = ["-p", "tests.support.leftovers", "-p", "no:cacheprovider", "-W", "ignore"]
    return [sys.executable, "-m", "pytest", "-q", "--rootdir", str(tmp_path), *options]


def environ(**variables: str) -> dict[str, str]:
    """The environment of a run that is not part of this one, with these variables."""
    own = {name: value for name, value in os.environ.items() if name not in {RUN, XDIST_WORKER}}
    return own | {"PYTHONPATH": str(ROOT)} | variables


def pid_in(folder: Path) -> int | None:
    """The id of the process that the fixture has started in a folder."""
    try:
        line = (folder / "pid").read_text(encoding="ascii")
    except FileNotFoundError:
        return None
    return int(line) if line.endswith("\n") else None


@pytest.mark.nightly
def test_a_run_whose_fixtures_end_what_they_start_has_no_error(
    command: list[str], tmp_path: Path
) -> None:
    result = run_program([*command, "test_it.py::test_pass"], cwd=tmp_path, env=environ())
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.nightly
def test_a_process_that_outlives_its_fixture_is_an_error_and_is_killed(
    command: list[str], tmp_path: Path
) -> None:
    result = run_program(
        [*command, "test_it.py::test_pass"], cwd=tmp_path, env=environ(NEGLIGENT="yes")
    )
    pid = pid_in(tmp_path)
    assert pid is not None
    assert result.returncode == 1, result.stdout
    assert f"processes that outlive their tests: {{{pid}:" in result.stdout
    wait_until(lambda: not is_running(pid))


@pytest.mark.nightly
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_a_run_that_is_killed(
    command: list[str], tmp_path: Path, number: signal.Signals
) -> None:
    with subprocess.Popen([*command, "test_it.py::test_wait"], cwd=tmp_path, env=environ()) as run:
        wait_until(lambda: pid_in(tmp_path), needs=[run])
        run.send_signal(number)
    pid = pid_in(tmp_path)
    assert pid is not None
    wait_until(lambda: not is_running(pid))
