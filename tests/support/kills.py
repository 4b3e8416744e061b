"""Kills a process that another one has started, in the middle of its work."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def killing_the_next(server: int, argument: str) -> Iterator[None]:
    """Kill the first descendant of a process that has such an argument in its command line, meanwhile."""
    is_over = threading.Event()
    killer = threading.Thread(target=_kill_next, args=(server, argument.encode(), is_over))
    killer.start()
    try:
        yield
    finally:
        is_over.set()
        killer.join()


def _kill_next(server: int, argument: bytes, is_over: threading.Event) -> None:
    while not is_over.is_set():
        parents: dict[int, int] = {}
        found: list[int] = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                status, command = (folder / "stat").read_text(), (folder / "cmdline").read_bytes()
            except OSError:  # It has ended meanwhile.
                continue
            parents[int(folder.name)] = int(status.rpartition(")")[2].split()[1])
            if any(part.endswith(argument) for part in command.split(b"\0")):
                found.append(int(folder.name))
        for pid in found:
            ancestor = pid
            while ancestor in parents and ancestor != server:
                ancestor = parents[ancestor]
            if ancestor == server:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                return
