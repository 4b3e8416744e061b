"""A plugin of pytest by which the processes of a run rewrite the assertions of the test files together.

pytest compiles every test file with rewritten assertions, and keeps the result in `__pycache__`. In a fresh
clone, all processes of pytest-xdist would begin with the same file at the same time, and each of them would
compile all files, which takes 16 seconds of processor time.
"""

import sys
from pathlib import Path
from typing import Final

import pytest
from _pytest.assertion.rewrite import (
    PYC_TAIL,
    AssertionRewritingHook,
    _read_pyc,
    _rewrite_test,
    _write_pyc,
    assertstate_key,
    get_cache_dir,
    try_makedirs,
)

TESTS: Final = Path(__file__).parents[1]


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Compile this process's share of the test files that have changed, before any file is imported."""
    config = session.config
    worker = getattr(config, "workerinput", None)
    if worker is None or sys.dont_write_bytecode:
        return
    state = config.stash[assertstate_key]
    if not isinstance(state.hook, AssertionRewritingHook):
        return
    number = int(worker["workerid"].removeprefix("gw"))
    for path in sorted(TESTS.rglob("test_*.py"))[number :: worker["workercount"]]:
        folder = get_cache_dir(path)
        compiled = folder / f"{path.stem}{PYC_TAIL}"
        if try_makedirs(folder) and _read_pyc(path, compiled) is None:
            version, code = _rewrite_test(path, config)
            _write_pyc(state, code, version, compiled)
