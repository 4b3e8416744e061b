"""A plugin of pytest that measures the processor time of each test, with the processes that the test starts.

Unlike the time on the clock, processor time hardly depends on what else the machine does.
`pytest -p tests.support.processor_times --processor-times FILE` appends a line of JSON to FILE for each test:
its id, its seconds of processor time and its seconds on the clock, including the fixtures that it sets up and
tears down. `python -m tests.support.processor_times FILE` then writes `tests/durations.json`, by which a run
distributes the test files.
"""

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.processes import list_descendants

DURATIONS: Final = Path(__file__).parents[1] / "durations.json"
"""The seconds of processor time of each test file that takes at least one second."""
_TICKS: Final = os.sysconf("SC_CLK_TCK")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option with the file."""
    parser.addoption("--processor-times", type=Path, help="append the times of each test to FILE")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    """Measure a test with its fixtures."""
    processor, clock = _processor_seconds(), time.perf_counter()
    result = yield
    times = (_processor_seconds() - processor, time.perf_counter() - clock)
    line = json.dumps([item.nodeid, *(round(seconds, 3) for seconds in times)])
    with item.config.option.processor_times.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    return result


def _processor_seconds() -> float:
    """Return the processor time of this process and of all that it has started, even if they have ended."""
    own = os.times()
    seconds = own.user + own.system + own.children_user + own.children_system
    for pid in list_descendants(os.getpid()):
        try:
            fields = (
                Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
            )
        except OSError:
            continue
        seconds += sum(map(int, fields[11:15])) / _TICKS
    return seconds


def write_durations(times: Path) -> None:
    """Write the seconds of each test file into DURATIONS, the longest first."""
    seconds: Counter[str] = Counter()
    for line in times.read_text(encoding="utf-8").splitlines():
        test, processor, _ = json.loads(line)
        # The time of Chromium's processes is lost when they end.
        seconds[test.split("::")[0]] += max(0.0, processor)
    durations = {path: round(sum_) for path, sum_ in seconds.most_common() if sum_ >= 1}
    DURATIONS.write_text(json.dumps(durations, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_durations(Path(sys.argv[1]))
