"""Tries many changed records, on all cores: `make fuzz` and `make mutations`.

    .venv/bin/python -m tests.mutations commands [--cases N] [--first N] [--jobs N]

`commands` runs every command that reads records on each changed record: none may fail with a traceback, or
take more than bounded time and memory. The number of a case determines everything about it: a case that was
reported is repeated by `--first NUMBER --cases 1`. The exit status is 1 if anything was reported.
"""

import argparse
import os
import resource
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Final, TypeAlias

from cartulary.terminal import progress
from tests.mutations import commands

MAX_BYTES: Final = 1 << 31
"""Address space of a process that tries cases, far more than a small record can need."""
CASES_OF_A_BATCH: Final = 25

Batch: TypeAlias = Callable[[range], list[str]]
"""Tries the cases of these numbers, and returns what must not happen, a line each."""


PROGRAMS: Final[Mapping[str, Batch]] = {"commands": commands.failures_of}


def main() -> int:
    """Try the cases that the arguments ask for, and return the exit status."""
    parser = argparse.ArgumentParser(prog="tests.mutations")
    parser.add_argument("program", choices=list(PROGRAMS))
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    end = arguments.first + arguments.cases
    batches = [
        range(start, min(end, start + CASES_OF_A_BATCH))
        for start in range(arguments.first, end, CASES_OF_A_BATCH)
    ]
    count = 0
    for failures in progress(
        _tried(PROGRAMS[arguments.program], batches, arguments.jobs), len(batches), "cases"
    ):
        for failure in failures:
            print(failure, flush=True)  # noqa: T201 # the output of this program
        count += len(failures)
    print(f"{arguments.cases} cases, {count} failures")  # noqa: T201 # the output of this program
    return 1 if count else 0


def _tried(batch: Batch, batches: list[range], jobs: int) -> Iterator[list[str]]:
    """Yield the failures of each batch, in order."""
    limit = partial(resource.setrlimit, resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))
    with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=limit) as pool:
        yield from pool.map(batch, batches)


if __name__ == "__main__":
    sys.exit(main())
