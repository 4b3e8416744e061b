"""What ends an audit decides what is said of it: only a bound of its own is a reason to refuse a record."""

import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

import pytest

from service.audits.audits import Audits, AuditTooLarge
from service.audits.process import OUT_OF_MEMORY
from service.bounds import Bounds
from service.errors import Unavailable
from tests.games.records import FOLDER

RECORD: Final = (FOLDER / "duke-of-two.jsonl").read_bytes()
LESS_MEMORY: Final = """
import resource, runpy
from service.audits import process

limit = resource.setrlimit

def setrlimit(kind, values):
    limit(kind, (1 << 28, 1 << 28) if kind == resource.RLIMIT_AS else values)

resource.setrlimit = setrlimit
runpy.run_module("service.audits.process", run_name="__main__", alter_sys=True)
"""
"""The program of an audit with a quarter of its memory."""


def run_instead(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Run a Python program in place of the audit."""
    run: Callable[..., Any] = subprocess.run

    def replaced(_command: Sequence[str], **options: Any) -> Any:
        return run([sys.executable, "-c", program], **options)

    monkeypatch.setattr(subprocess, "run", replaced)


@pytest.mark.parametrize("end", ["SIGKILL", "SIGTERM", "SIGSEGV", "SIGABRT"])
def test_an_audit_that_somebody_ends_can_be_made_again(
    monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    run_instead(monkeypatch, f"import os, signal; os.kill(os.getpid(), signal.{end})")
    with pytest.raises(Unavailable) as caught:
        Audits(Bounds()).audit([RECORD], [], "en")
    assert not isinstance(caught.value, AuditTooLarge)
    assert caught.value.retry_after >= 1


def test_an_audit_that_takes_too_much_time_of_the_processor_is_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = "import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 2))\nwhile True: pass"
    run_instead(monkeypatch, program)
    with pytest.raises(AuditTooLarge):
        Audits(Bounds()).audit([RECORD], [], "en")


def test_an_audit_that_takes_too_much_memory_is_too_large() -> None:
    """The true program, with less memory than a record of this size needs."""
    result = subprocess.run(
        [sys.executable, "-c", LESS_MEMORY, "en", "20"],
        input=b"[]\n" + b"x" * (1 << 28),
        capture_output=True,
        check=False,
    )
    assert result.returncode == OUT_OF_MEMORY, result.stderr


@pytest.mark.nightly
def test_the_signal_of_the_first_limit_comes_before_that_of_the_second() -> None:
    """Where both are the same, Linux sends SIGKILL, which says nothing about the bound."""
    program = "import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 1))\nwhile True: pass"
    result = subprocess.run([sys.executable, "-c", program], check=False)
    assert result.returncode == -signal.SIGKILL
