"""Real processes for tests: the command line as a user starts it, which processes run, and waiting for them.

A wait ends when nothing happens any more, however slow the machine is. It does not count the time in which
a thread that it waits for runs, or is ready to run and waits for a processor: on a slow or busy machine
everything only takes longer. It counts idle time, in which none of them wants to run. Linux has both in the
files /proc/PID/task/TID/schedstat.
"""

import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

from click.testing import CliRunner

from cartulary.cli import cartulary as program
from service.operation.engine import SERVER_VARIABLE
from tests.support import fork_server

ROOT = Path(__file__).parents[2]

Start: TypeAlias = Callable[..., "subprocess.Popen[bytes]"]
"""Starts `cartulary ARGUMENTS` with these settings (a fixture)."""

TRUSTED_KEYS = "CARTULARY_TRUSTED_KEYS"
NO_SEARCH: Final = {"CARTULARY_PUZZLE_SECONDS_PER_DAY": "0"}
"""Without searching for puzzles, which would take time of the processors from the tests."""
IDLE_SECONDS: Final = 20.0
"""How long everything may be idle before a wait fails."""
BUSY_SECONDS: Final = 900.0
"""How long something may run without a result before a wait fails, for a loop that never ends."""
HANG_SECONDS: Final = 300.0
"""A time limit that no working part reaches on any machine, where a call needs one so that it cannot hang."""
_SAMPLE_SECONDS: Final = 0.25
_PAUSE_SECONDS: Final = 0.02


def environment(**settings: str) -> dict[str, str]:
    """The environment of this process, with these settings of Cartulary and no others.

    The file of trusted keys stays that of the test run, so that no process writes to that of the user, and so
    does the program of the embedded Redis.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name in (TRUSTED_KEYS, SERVER_VARIABLE) or not name.startswith("CARTULARY_")
    }
    return inherited | NO_SEARCH | settings


def run_program(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    text_input: str | None = None,
    check: bool = False,
) -> "subprocess.CompletedProcess[str]":
    """Run a program to its end, and return its status and its output as text.

    Raises AssertionError if it hangs, and CalledProcessError if it fails and `check` is true.
    """
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL if text_input is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    result = _complete(process, text_input)
    if check:
        result.check_returncode()
    return result


def cartulary_here(*arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    """Run `cartulary ARGUMENTS` to its end in this process, which has imported the program already.

    For commands that start no processes, and do not configure logging.
    """
    others = {name: None for name in os.environ if name.startswith("CARTULARY_")}
    result = CliRunner().invoke(
        program, arguments, prog_name="cartulary", env={**others, **environment(**settings)}
    )
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return subprocess.CompletedProcess(arguments, result.exit_code, result.stdout, result.stderr)


def cartulary(*arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    """Run `cartulary ARGUMENTS` to its end, in a process that is forked (see fork_server)."""
    process = fork_server.start(
        ["-m", "cartulary", *arguments],
        cwd=ROOT,
        env=environment(**settings),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    return _complete(process)


def free_port() -> int:
    """A port of the local machine on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


_WITH_QUICK_HASHES: Final = """
from cartulary.__main__ import main
from tests.support.password_hashes import hash_quickly

hash_quickly()
main()
"""


def begin(
    *arguments: str,
    out: Path,
    err: Path,
    settings: Mapping[str, str] | None = None,
    hashes_quickly: bool = False,
) -> "subprocess.Popen[bytes]":
    """Start `cartulary ARGUMENTS` in a session of its own, as a terminal would, and return at once.

    `hashes_quickly`: whether it hashes passwords with less work than a service does.
    """
    program = ["-c", _WITH_QUICK_HASHES] if hashes_quickly else ["-m", "cartulary"]
    with out.open("ab") as stdout, err.open("ab") as stderr:
        return fork_server.start(
            [*program, *arguments],
            cwd=ROOT,
            env=environment(**(settings or {})),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )


def is_running(pid: int) -> bool:
    """Whether a process exists and is not a zombie."""
    fields = _read_stat(pid)
    return bool(fields) and fields[0] != "Z"


def descendants(pid: int) -> dict[int, str]:
    """The processes that a process has started, directly or indirectly: command lines by process id."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit() and (fields := _read_stat(int(path.name))):
            children.setdefault(int(fields[1]), []).append(int(path.name))
    command_lines: dict[int, str] = {}
    queue = [pid]
    while queue:
        for child in children.get(queue.pop(), ()):
            if is_running(child):
                command_lines[child] = read_command_line(child)
                queue.append(child)
    return command_lines


def list_descendants(pid: int) -> Iterator[int]:
    """The descendants of a process, of which some may be missing while others end."""
    for thread in _list_threads(pid):
        try:
            children = (thread / "children").read_text(encoding="ascii").split()
        except OSError:
            continue
        for child in map(int, children):
            yield child
            yield from list_descendants(child)


def wait_until(
    condition: Callable[[], object],
    *,
    needs: Iterable["subprocess.Popen[Any]"] = (),
    idle_seconds: float = IDLE_SECONDS,
) -> None:
    """Wait until a condition is true.

    Raises AssertionError if everything that this process has started has been idle for too long before, or
    if one of the processes that the condition needs has ended.
    """
    patience = Patience(idle_seconds=idle_seconds)
    while not condition():
        patience.check("the condition has not become true")
        for process in needs:
            # What a process did in its last moments counts.
            assert process.poll() is None or condition(), f"{process.args!r} has ended"
        time.sleep(_PAUSE_SECONDS)


def wait_for_exit(process: "subprocess.Popen[Any]") -> int:
    """Wait until a process ends, and return its exit status. Raises AssertionError if it hangs."""
    patience = Patience([process.pid])
    while (status := process.poll()) is None:
        try:
            patience.check(f"process {process.pid} has not ended")
        except AssertionError as error:
            command = read_command_line(process.pid)
            error.add_note(f"its command: {command}; its children: {descendants(process.pid)}")
            raise
        time.sleep(_PAUSE_SECONDS)
    return status


class IdleTimer:
    """Measures for how long nothing has run since it was created, and for how long something has."""

    def __init__(self, pids: Iterable[int] | None = None) -> None:
        """`pids`: the processes that matter, with all that they start; None: all that this process starts.

        The other threads of this process matter too, since tests run servers in threads.
        """
        self._pids = (os.getpid(),) if pids is None else tuple(pids)
        self._idle = 0.0
        self._busy = 0.0
        self._time = time.monotonic()
        self._demand = self._measure()

    def read(self) -> tuple[float, float]:
        """Return the idle and the busy seconds so far."""
        seconds = time.monotonic() - self._time
        if seconds > _SAMPLE_SECONDS:
            demand = self._measure()
            busy = sum(demand[thread] - self._demand.get(thread, 0.0) for thread in demand)
            self._busy += min(seconds, busy)
            self._idle += max(0.0, seconds - busy)
            self._time, self._demand = time.monotonic(), demand
        return self._idle, self._busy

    def _measure(self) -> dict[Path, float]:
        """The seconds in which each thread has run or waited for a processor, by the path of the thread."""
        pids = {os.getpid(), *self._pids}.union(*map(list_descendants, self._pids))
        threads = [path for pid in pids for path in _list_threads(pid)]
        own = Path(f"/proc/{os.getpid()}/task/{threading.get_native_id()}")
        return {path: _read_demand(path) for path in threads if path != own}


class Patience:
    """Ends a wait that has become hopeless."""

    def __init__(
        self, pids: Iterable[int] | None = None, *, idle_seconds: float = IDLE_SECONDS
    ) -> None:
        """`pids`: the processes that matter, as for IdleTimer. `idle_seconds`: how long they may be idle."""
        self._pids = None if pids is None else tuple(pids)
        self._idle_seconds = idle_seconds
        self._start = time.monotonic()
        self._timer: IdleTimer | None = None

    def check(self, awaited: str) -> None:
        """Raise AssertionError, with what was awaited, if nothing has happened for long."""
        if self._timer is None:
            # To measure takes longer than most waits.
            if time.monotonic() - self._start > _SAMPLE_SECONDS:
                self._timer = IdleTimer(self._pids)
            return
        idle, busy = self._timer.read()
        assert idle < self._idle_seconds, f"{awaited}: idle for {idle:.0f} s"
        assert busy < BUSY_SECONDS, f"{awaited}: not after {busy:.0f} s of work"


@contextmanager
def idle_at_most(seconds: float) -> Iterator[None]:
    """Fail unless the block takes less than this time, without the time in which something works."""
    timer = IdleTimer()
    yield
    idle, _ = timer.read()
    assert idle < seconds, f"nothing has run for {idle:.1f} s"


def _complete(
    process: "subprocess.Popen[str]", text_input: str | None = None
) -> "subprocess.CompletedProcess[str]":
    """Return the status and the output of a process, which is killed if it hangs."""
    try:
        out, err = _communicate(process, text_input)
    except BaseException:
        process.kill()
        process.communicate()
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def _communicate(process: "subprocess.Popen[str]", text_input: str | None) -> tuple[str, str]:
    patience = Patience([process.pid])
    while True:
        try:
            return process.communicate(text_input, timeout=_SAMPLE_SECONDS)
        except subprocess.TimeoutExpired:
            # The next call goes on where this one has stopped, and takes no input again.
            text_input = None
            patience.check(f"{process.args!r} has not ended")


def _list_threads(pid: int) -> Iterator[Path]:
    try:
        yield from Path(f"/proc/{pid}/task").iterdir()
    except OSError:
        return


def _read_demand(thread: Path) -> float:
    try:
        running, waiting, _ = (thread / "schedstat").read_text(encoding="ascii").split()
    except OSError:
        return 0.0
    return (int(running) + int(waiting)) / 1e9


def _read_stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name: the state, the parent and so on; none if it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def read_command_line(pid: int) -> str:
    """The command line of a process; "" if it has ended."""
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return b" ".join(arguments).decode(errors="replace").strip()
