"""Runs the tests, and those that fail once more, alone: python -m tests.rerun [ARGUMENT OF PYTEST...].

Exits with the status of pytest. A test that fails and then passes is flaky. It does not fail the run, but the
last lines of the output name it, and a folder keeps the outputs of both attempts. It is a fault all the same.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

FOLDER: Final = Path("build/flaky")
"""Where the outputs of a run with a flaky test are kept."""
LIMIT: Final = 10
"""How many tests are run again at most: where more fail, the cause is not chance."""


def main(arguments: Sequence[str]) -> int:
    """Run the tests, and return the status of pytest, which is 0 if each of them has passed at least once."""
    folder = FOLDER / str(os.getpid())
    folder.mkdir(parents=True)
    status = _run_pytest(arguments, folder, "first.txt")
    failed = _read_failed(folder)
    flaky: set[str] = set()
    if status == 1 and 0 < len(failed) <= LIMIT:
        # The option -rA shows the output of a test that passes, to be compared with that of its failure.
        status = _run_pytest([*arguments, "-n", "0", "--last-failed", "-rA"], folder, "second.txt")
        if status in (0, 1):
            flaky = failed - _read_failed(folder)
    for test in sorted(flaky):
        sys.stdout.write(
            f"FLAKY {test} failed, and passed when it was run again alone: see {folder}\n"
        )
    if not flaky:
        shutil.rmtree(folder)
    return status


def _run_pytest(arguments: Sequence[str], folder: Path, output: str) -> int:
    """Run pytest with a cache of its own, copy its output into a file, and return its status."""
    pytest = str(Path(sys.executable).with_name("pytest"))
    command = [pytest, *arguments, "-o", f"cache_dir={folder.resolve() / 'cache'}"]
    with (
        (folder / output).open("wb") as file,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            file.write(line)
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
    return process.returncode


def _read_failed(folder: Path) -> set[str]:
    """Return the tests that failed when they were last run."""
    file = folder / "cache" / "v" / "cache" / "lastfailed"
    return set(json.loads(file.read_text())) if file.exists() else set()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
