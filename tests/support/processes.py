"""Real processes for tests: the command line as a user starts it, and which processes are running."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]


TRUSTED_KEYS = "CARTULARY_TRUSTED_KEYS"


def environment(**settings: str) -> dict[str, str]:
    """The environment of this process, with these settings of Cartulary and no others.

    The file of trusted keys stays that of the test run, so that no process writes to that of the user.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name == TRUSTED_KEYS or not name.startswith("CARTULARY_")
    }
    return inherited | settings


def cartulary(*arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    """Run `cartulary ARGUMENTS` to its end."""
    return subprocess.run(
        [sys.executable, "-m", "cartulary", *arguments],
        cwd=ROOT,
        env=environment(**settings),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def free_port() -> int:
    """A port of the local machine on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


def begin(
    *arguments: str, out: Path, err: Path, settings: Mapping[str, str] | None = None
) -> "subprocess.Popen[bytes]":
    """Start `cartulary ARGUMENTS` in a session of its own, as a terminal would, and return at once."""
    with out.open("ab") as stdout, err.open("ab") as stderr:
        return subprocess.Popen(
            [sys.executable, "-m", "cartulary", *arguments],
            cwd=ROOT,
            env=environment(**(settings or {})),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )


def is_running(pid: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def descendants(pid: int) -> dict[int, str]:
    """The processes that a process has started, directly or indirectly: command lines by process id."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    command_lines: dict[int, str] = {}
    queue = [pid]
    while queue:
        for child in children.get(queue.pop(), ()):
            if is_running(child):
                arguments = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
                command_lines[child] = b" ".join(arguments).decode(errors="replace").strip()
                queue.append(child)
    return command_lines


def wait_until(condition: Callable[[], object], seconds: float = 20) -> None:
    """Wait until a condition is true; fails if it is not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition has not become true in time"
        time.sleep(0.02)
