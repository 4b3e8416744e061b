"""A program that a test forks is like one that it starts: what it gets, what it writes, and how it ends."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import fork_server
from tests.support.processes import run_program, wait_for_exit

REPORT = """
import json, os, sys
print(json.dumps({
    "arguments": sys.argv, "parent": os.getppid(), "environ": os.environ.get("A_SETTING"),
    "folder": os.getcwd(), "is_leader": os.getsid(0) == os.getpid(), "input": sys.stdin.read(),
    "files": sorted(os.listdir("/proc/self/fd"), key=int)[:4], "is_imported": "workers.run" in sys.modules,
}))
"""


def begin(code: str, *arguments: str, **options: Any) -> "subprocess.Popen[str]":
    return fork_server.start(
        ["-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_a_forked_program_has_arguments_an_environment_a_folder_and_files_of_its_own(
    tmp_path: Path,
) -> None:
    environ = {**os.environ, "A_SETTING": "é"}
    process = begin(
        REPORT, "x", env=environ, cwd=tmp_path, stdin=subprocess.PIPE, start_new_session=True
    )
    out, err = process.communicate("input")
    assert (process.returncode, err) == (0, "")
    assert json.loads(out) == {
        "arguments": ["-c", "x"],
        "parent": os.getpid(),
        "environ": "é",
        "folder": str(tmp_path),
        "is_leader": True,
        "input": "input",
        # The last one is the list itself.
        "files": ["0", "1", "2", "3"],
        "is_imported": True,
    }


@pytest.mark.parametrize(
    "code",
    [
        "print('out')",
        "import sys; print('text', file=sys.stderr); sys.exit(3)",
        "import sys; sys.exit('a message')",
        "import atexit; atexit.register(print, 'last'); print('first')",
        "import os; os.kill(os.getpid(), 9)",
    ],
)
def test_a_forked_program_ends_as_one_in_an_interpreter_of_its_own(code: str) -> None:
    process = begin(code)
    output = process.communicate()
    expected = run_program([sys.executable, "-c", code])
    assert (process.returncode, output) == (expected.returncode, (expected.stdout, expected.stderr))


def test_a_forked_program_is_stopped_by_signals() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
        with begin("import time; print('ready', flush=True); time.sleep(1e6)") as process:
            assert process.stdout is not None
            process.stdout.readline()
            process.send_signal(number)
            assert wait_for_exit(process) == -number


def test_a_program_with_another_locale_gets_an_interpreter_of_its_own() -> None:
    process = begin(
        "import sys; print('workers.run' in sys.modules)", env={**os.environ, "LC_ALL": "C"}
    )
    assert process.communicate()[0] == "False\n"
