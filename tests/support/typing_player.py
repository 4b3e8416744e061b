"""A standard input on which somebody plays who reads what `cartulary play` has written."""

import io
import re
import sys
from collections.abc import Callable, Iterator

import pytest
from typing_extensions import override

from cartulary.cli import cartulary
from cartulary.terminal_client import tokens

_EXAMPLE = re.compile(r"^  (\S.*?)   .* \((?:one possibility|\d+ possibilities)\)$", re.MULTILINE)

Line = str | Callable[[str], str]
"""A line to type, or a function that returns it from everything written so far."""


class TypedInput(io.TextIOBase):
    """Lines that are typed one after the other. Between them, functions may do something else."""

    def __init__(self, lines: Iterator[Line], written: Callable[[], str]) -> None:
        super().__init__()
        self._lines = lines
        self._written = written

    @override
    def readline(self, size: int = -1, /) -> str:  # type: ignore[override] # typeshed: bytes
        line = next(self._lines, None)
        if line is None:
            return ""
        return (line if isinstance(line, str) else line(self._written())) + "\n"


def example(written: str) -> str:
    """Return the last example of an action that was shown."""
    return str(_EXAMPLE.findall(written)[-1])


class Typist:
    """Runs `cartulary play` with typed lines, and keeps everything that it writes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, tokens_file: object) -> None:
        self._monkeypatch = monkeypatch
        monkeypatch.setenv(tokens.VARIABLE, str(tokens_file))
        monkeypatch.setenv("COLUMNS", "100")

    def play(self, *arguments: str, lines: Iterator[Line]) -> str:
        """Return what the command writes until it ends."""
        output = io.StringIO()
        with self._monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", TypedInput(lines, output.getvalue))
            patch.setattr(sys, "stdout", output)
            cartulary.main(["play", *arguments], standalone_mode=False)
        return output.getvalue()
