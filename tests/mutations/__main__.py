"""Tries many changed records, on all cores: `make fuzz` and `make mutations`.

    .venv/bin/python -m tests.mutations commands [--cases N] [--first N] [--jobs N]
    .venv/bin/python -m tests.mutations audits [--cases N] [--first N] [--jobs N]

`commands` runs every command that reads records on each changed record: none may fail with a traceback, or
take more than bounded time and memory.

`audits` audits each changed record after hashes and signatures were repaired: none may be sound, except for
the changes that docs/threats.md lists as undetectable.

The number of a case determines everything about it: a case that was reported is repeated by
`--first NUMBER --cases 1`. The exit status is 1 if anything was reported.
"""

import argparse
import os
import resource
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Final, TypeAlias

from cartulary.terminal import progress
from tests.mutations import audits, commands

MAX_BYTES: Final = 1 << 31
"""Address space of a process that tries cases, far more than a small record can need."""
CASES_OF_A_BATCH: Final = 25

Results: TypeAlias = tuple[list[str], Counter[str]]
"""What must not happen, a line each, and how often everything happened that is counted."""
Program: TypeAlias = Callable[[range], Results]
"""Tries the cases of these numbers."""


PROGRAMS: Final[Mapping[str, Program]] = {
    "commands": commands.failures_of,
    "audits": audits.failures_of,
}


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
    tried = _tried(PROGRAMS[arguments.program], batches, arguments.jobs)
    total: Counter[str] = Counter()
    failed = 0
    for failures, counts in progress(tried, len(batches), "cases"):
        for failure in failures:
            print(failure, flush=True)  # noqa: T201 # the output of this program
        failed += len(failures)
        total += counts
    for name, count in sorted(total.items()):
        print(f"{count:>8}  {name}")  # noqa: T201 # the output of this program
    print(f"{arguments.cases} cases, {failed} failures")  # noqa: T201 # the output of this program
    return 1 if failed else 0


def _tried(program: Program, batches: list[range], jobs: int) -> Iterator[Results]:
    """Yield the results of each batch, in order."""
    limit = partial(resource.setrlimit, resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))
    with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=limit) as pool:
        yield from pool.map(program, batches)


if __name__ == "__main__":
    sys.exit(main())
