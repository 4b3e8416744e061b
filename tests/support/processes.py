"""Real processes for tests: the command line started as a user would, and a look at who still runs."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from cartulary.parent_watch import ParentWatch

ROOT = Path(__file__).parents[2]


def environment(**settings: str) -> dict[str, str]:
    """The environment of this process with these settings of Cartulary and no others."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("CARTULARY_")}
    return plain | settings


def cartulary(*words: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    """`cartulary WORDS`, run to its end."""
    return subprocess.run(
        [sys.executable, "-m", "cartulary", *words],
        cwd=ROOT,
        env=environment(**settings),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def begin(
    *words: str,
    out: Path,
    err: Path,
    settings: Mapping[str, str] | None = None,
    tether: ParentWatch | None = None,
) -> "subprocess.Popen[bytes]":
    """`cartulary WORDS`, going on by itself in a session of its own, as a terminal would have it.

    `tether`: with it, the parts of a service end when whoever has made it is gone.
    """
    tied = {} if tether is None else tether.environment
    with out.open("ab") as stdout, err.open("ab") as stderr:
        return subprocess.Popen(
            [sys.executable, "-m", "cartulary", *words],
            cwd=ROOT,
            env=environment(**(settings or {})) | tied,
            pass_fds=[] if tether is None else [tether.fd],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )


def is_running(pid: int) -> bool:
    """Whether there is such a process, and not only what is left of one."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def family(pid: int) -> dict[int, str]:
    """All that a process has started, and what those have: process ids with their command lines."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            parents.setdefault(parent, []).append(int(entry.name))
    found: dict[int, str] = {}
    waiting = [pid]
    while waiting:
        for child in parents.get(waiting.pop(), ()):
            if is_running(child):
                words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
                found[child] = b" ".join(words).decode(errors="replace").strip()
                waiting.append(child)
    return found


def wait_until(is_so: Callable[[], object], seconds: float = 20) -> None:
    """Wait for something to be so; fails when it is not in time."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "this did not come about in time"
        time.sleep(0.02)
