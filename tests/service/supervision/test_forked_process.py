"""A forked process inherits nothing that would disturb it or its parent, and ends with its parent."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes import ROOT, descendants, is_running, run_program, wait_until

PARENT = """
import os, random, signal, sys, threading, time
from pathlib import Path
from domain.errors import CartularyError
from domain.messages import message
from service.operation.forked_process import ForkedProcess
from service.operation.stop_signals import StopSignals

folder = Path(sys.argv[1])

def start(run, environment={}, name="part"):
    child = ForkedProcess(name, f"cartulary {name}", run, environment)
    child.start()
    return child

def status_of(run, environment={}):
    child = start(run, environment)
    while child.is_running:
        time.sleep(0.01)
    return child.reap()

def sleep():
    (folder / str(os.getpid())).touch()
    time.sleep(600)

def refuse():
    raise CartularyError(message("the disk is full"))

def fail():
    raise ValueError("a fault")
"""


def run_parent(folder: Path, program: str) -> "subprocess.CompletedProcess[str]":
    """Run a program that may fork to its end."""
    return run_program([sys.executable, "-c", PARENT + program, str(folder)], cwd=ROOT)


def test_the_status_and_the_error_of_the_function_become_those_of_the_process(
    tmp_path: Path,
) -> None:
    program = """
def be_killed():
    os.kill(os.getpid(), signal.SIGKILL)

for run in (int, lambda: sys.exit(7), lambda: sys.exit("an end"), refuse, fail, be_killed):
    print(status_of(run), flush=True)
"""
    result = run_parent(tmp_path, program)
    assert result.stdout.split() == ["0", "7", "1", "1", "1", "-9"]
    assert result.stderr.startswith("an end\nError: the disk is full\nTraceback")
    assert result.stderr.endswith("ValueError: a fault\n")


def test_a_forked_process_inherits_no_files_handlers_random_state_or_parent(tmp_path: Path) -> None:
    program = """
stop = StopSignals()
stop.listen()
secret = open(folder / "secret", "w")
random.seed(7)
os.environ["CARTULARY_PARENT_PIPE"] = "12"

def look():
    assert "CARTULARY_PARENT_PIPE" not in os.environ
    assert os.environ["PART"] == "a"
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    assert os.read(0, 1) == b""
    files = {os.readlink(file) for file in Path("/proc/self/fd").iterdir() if file.exists()}
    standard = {os.readlink(f"/proc/self/fd/{n}") for n in range(3)}
    (pipe,) = files - standard  # that of the parent watch
    assert pipe.startswith("pipe:")
    assert os.getpgid(0) == os.getpid()
    print(random.random())

random_states = [status_of(look, {"PART": "a"}) for _ in range(2)]
print(random_states)
print(threading.active_count())
"""
    result = run_parent(tmp_path, program)
    assert result.stderr == ""
    *numbers, statuses, threads = result.stdout.splitlines()
    assert statuses == "[0, 0]"
    assert len(set(numbers)) == 2
    assert threads == "1"


def test_ps_shows_the_part_and_its_environment_stays_readable(tmp_path: Path) -> None:
    program = """
def look():
    print(Path("/proc/self/cmdline").read_bytes().rstrip(b"\\0").decode())
    print(b"MARK=1" in Path("/proc/self/environ").read_bytes().split(b"\\0"))

status_of(look)
"""
    result = run_program(
        [sys.executable, "-c", PARENT + program, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "MARK": "1"},
    )
    assert result.stdout == "cartulary part\nTrue\n"


def test_a_process_with_threads_is_not_forked(tmp_path: Path) -> None:
    program = """
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
try:
    start(sleep)
except AssertionError as error:
    print(error)
"""
    assert "a process with threads must not be forked" in run_parent(tmp_path, program).stdout


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_forked_processes_end_when_their_parent_does(
    tmp_path: Path, number: signal.Signals
) -> None:
    program = """
children = [start(sleep, name=name) for name in ("one", "two", "three")]
signal.pause()
"""
    command = [sys.executable, "-c", PARENT + program, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT) as parent:
        wait_until(lambda: len(list(tmp_path.iterdir())) == 3, needs=[parent])
        pids = list(descendants(parent.pid))
        assert len(pids) == 3
        parent.send_signal(number)
        parent.wait()
        wait_until(lambda: not any(is_running(pid) for pid in pids))


def test_a_forked_process_is_killed_with_what_it_has_started_also_before_it_runs(
    tmp_path: Path,
) -> None:
    program = """
for _ in range(20):
    child = start(sleep)
    assert child.reap() == -signal.SIGKILL
child = start(sleep)
child.terminate()
while child.is_running:
    time.sleep(0.01)
print(child.reap(), child.reap())
"""
    result = run_parent(tmp_path, program)
    assert (result.stdout, result.stderr) == ("-15 None\n", "")
