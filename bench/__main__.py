"""`python -m bench [WORD]`: every row whose description has the word, as a Markdown table."""

import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

from bench import http_rows, record_rows, rules_rows, store_rows, web_rows
from bench.measure import Row
from bench.our_games import long_game, some_games
from service.embedded_redis import EmbeddedRedis

PACKAGES = ("granian", "flask", "marshmallow", "redis", "orjson", "chess", "eventsourcing")


def main(word: str = "") -> None:
    """Measure and print, row by row."""
    say("playing the games that are measured on")
    games, long = some_games(), long_game()
    usual = sorted(games[0].lines, key=len)[len(games[0].lines) // 2]
    print(f"{machine()}\n")
    print(
        "| what | against, in the same run | aim | ours | the peer | ratio (median, from … to) | |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder, EmbeddedRedis(Path(folder)) as server:
        parts: dict[str, Callable[[], Iterator[Row]]] = {
            "rules": lambda: rules_rows.rows(games),
            "record": lambda: record_rows.rows(long),
            "store": lambda: store_rows.rows(server, games, long),
            "http": lambda: http_rows.rows(server, Path(folder), usual),
            "web": lambda: web_rows.rows(server, Path(folder), games),
        }
        for name, rows in parts.items():
            if word in ("", name):
                say(f"measuring: {name}")
                for row in rows():
                    print(line(row), flush=True)


def line(row: Row) -> str:
    """A row of the table."""
    ratios = sorted(row.ratios)
    shown = (
        f"**{ratios[len(ratios) // 2]:.2f}×** ({ratios[0]:.2f} … {ratios[-1]:.2f})"
        if ratios
        else ""
    )
    theirs = "" if row.theirs is None else f"{row.theirs:,.4g} {row.unit}"
    verdict = "✓" if row.is_met else "✗"
    ours = f"{row.ours:,.4g} {row.unit}"
    return f"| {row.what} | {row.peer} | {row.aim} | {ours} | {theirs} | {shown} | {verdict} |"


def machine() -> str:
    """What this was measured on and with."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    model = next(
        (text.split(": ")[1] for text in lines if "model name" in text), platform.machine()
    )
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    python = platform.python_version()
    return f"{os.cpu_count()} × {model}, {platform.system()}, CPython {python}; {packages}."


def say(what: str) -> None:
    """Progress, beside the table."""
    print(f"… {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:2])
