"""Standard output and standard error of the processes of a service.

Such a process must not end, or exit with another status, because its output cannot be written: the disk with
the log file may be full, or the program at the other end of a pipe may have ended. Output that cannot be
written is therefore dropped and counted. As soon as writing works again, a line states how much was lost.
"""

import io
import os
import sys
from collections.abc import Callable
from typing import Any, Final, TextIO

from typing_extensions import override

STANDARD_DESCRIPTORS: Final = (0, 1, 2)


def describe_loss(count: int, reason: str) -> str:
    """Return the report of lost writes. `reason` is the operating system's error message."""
    return f"output was lost; writes that failed: {count} ({reason})"


def tolerate_write_errors(describe: Callable[[int, str], str] = describe_loss) -> None:
    """Make sys.stdout and sys.stderr of this process drop output that cannot be written, without an OSError.

    `describe` returns the line that reports lost writes. A stream that the program has replaced, as tests
    do, stays as it is.
    """
    _open_missing_descriptors()
    sys.stdout = _tolerant(sys.stdout, sys.__stdout__, 1, describe)
    sys.stderr = _tolerant(sys.stderr, sys.__stderr__, 2, describe)


class TolerantOutput(io.RawIOBase):
    """A file descriptor to write to, without a buffer: a write that fails is dropped and counted.

    `write` always returns the number of bytes that it was given.
    """

    def __init__(self, descriptor: int, describe: Callable[[int, str], str]) -> None:
        self._descriptor = descriptor
        self._describe = describe
        self._lost = 0
        self._reason = ""
        self._is_line_unfinished = False
        """Whether the output ends with the beginning of a line whose rest was lost."""

    @override
    def write(self, data: Any, /) -> int:
        """Write bytes, or drop those that cannot be written."""
        content = bytes(data)
        prefix = b"\n" if self._is_line_unfinished else b""
        if self._write_all(prefix + content) and self._lost:
            lost, self._lost = self._lost, 0
            if not self._write_all(f"{self._describe(lost, self._reason)}\n".encode()):
                self._lost += lost
        return len(content)

    @override
    def writable(self) -> bool:
        return True

    @override
    def fileno(self) -> int:
        return self._descriptor

    @override
    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def _write_all(self, content: bytes) -> bool:
        """Write bytes; return whether all of them were written."""
        rest = content
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            self._lost += 1
            self._reason = error.strerror or type(error).__name__
        if len(rest) < len(content):
            self._is_line_unfinished = bool(rest)
        return not rest


def _tolerant(
    stream: TextIO | None,
    original: TextIO | None,
    descriptor: int,
    describe: Callable[[int, str], str],
) -> TextIO:
    if stream is not None and stream is not original:
        return stream
    # TextIOWrapper accepts a raw file, but its annotation does not include one.
    raw: Any = TolerantOutput(descriptor, describe)
    encoding = "utf-8" if stream is None else stream.encoding
    return io.TextIOWrapper(raw, encoding, errors="backslashreplace", line_buffering=True)


def _open_missing_descriptors() -> None:
    """Open /dev/null in place of standard streams that are closed.

    Otherwise the next file or connection would get their number, and output would be written to it.
    """
    for descriptor in STANDARD_DESCRIPTORS:
        try:
            os.fstat(descriptor)
        except OSError:
            # The lowest free number is this one, because those below it are open.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # noqa: FBT003 # the function takes no keyword
