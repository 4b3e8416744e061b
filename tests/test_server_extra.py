"""The commands that read records work without the server's dependencies, which the extra `server` has."""

import os
import re
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path
from typing import Final

import pytest

from cartulary.commands import RECORD_COMMANDS, SERVICE_COMMANDS
from cartulary.trusted_keys import VARIABLE
from tests.support.processes import run_program

ROOT: Final = Path(__file__).parent.parent
GAME: Final = str(ROOT / "tests" / "games" / "baron-nothing-can-be-laid.jsonl")

STUDY: Final = GAME.replace(".jsonl", ".study.json")

COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "check-game": ("baron", "--seats", "2"),
    "arena": ("--rules", "baron", "--bots", "sensible,random", "--games", "1", "--jobs", "1"),
    "analyse": (GAME, "--budget", "4"),
    "audit": (GAME,),
    "compare": (GAME, GAME),
    "diff": (GAME, "3", "9"),
    "inspect": (GAME, "9"),
    "key": ("generate", "player.pem"),
    "log": (GAME,),
    "new-game": ("small_game", "--folder", "small-game"),
    "play": ("--help",),  # plays on a server that runs elsewhere
    "playout": ("--rules", "baron", "--seed", "00", "--out", "."),
    "ratings": ("--help",),  # asks a server that runs elsewhere
    "receipts": ("--help",),  # asks a server that runs elsewhere
    "timeline": (GAME,),
    "tournament": ("--help",),  # reads the record of a tournament
    "trust": (),
    "sandbox": (GAME, "9", "--bots", "0,1", "--turns", "2", "--seed", "00"),
    "replay": (GAME, "--format", "svg"),
    "study": (GAME, "--notes", STUDY),
    "witness": ("http://127.0.0.1:9", "--once"),
}
"""The commands that need no server, with arguments."""
NEED_A_SERVER: Final = frozenset({"export"})
"""Commands about records that always ask a running service."""

WITHOUT_SERVER: Final = r"""
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

BLOCKED = frozenset(sys.argv[1].split(","))
sys.meta_path.insert(0, Blocker())

import click
from click.testing import CliRunner
from cartulary.cli import cartulary

for line in sys.stdin:
    arguments = line.rstrip("\n").split("\t")
    result = CliRunner().invoke(cartulary, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    print(result.exit_code, " ".join(result.output.split()), sep="|")
"""
"""Runs the commands on standard input where the modules in its argument cannot be imported."""


def requirements_of(distribution: str, extra: str = "") -> frozenset[str]:
    """Return the names of the distributions that this one needs, with an extra if one is named."""
    try:
        lines = requires(distribution) or []
    except PackageNotFoundError:
        return frozenset()  # needed on other platforms only
    names = set()
    for line in lines:
        match = re.match(r"[A-Za-z0-9._-]+", line)
        assert match is not None
        marker = line.partition(";")[2]
        if "extra" not in marker or (extra and f'"{extra}"' in marker.replace("'", '"')):
            names.add(normalized(match[0]))
    return frozenset(names)


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(names: frozenset[str]) -> frozenset[str]:
    """Return these distributions and all that they need, directly or indirectly."""
    reached: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += requirements_of(name)
    return frozenset(reached)


def blocked_modules() -> list[str]:
    """Return the top-level modules that come with the extra `server` and not with the base installation."""
    base = closure(requirements_of("cartulary"))
    server = closure(requirements_of("cartulary", "server")) - base
    assert {"flask", "redis", "rq", "argon2-cffi"} <= server
    modules = {
        module
        for module, distributions in packages_distributions().items()
        if {normalized(name) for name in distributions} <= server
    }
    assert {"flask", "redis", "rq", "argon2"} <= modules
    return sorted(modules)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, tuple[int, str]]:
    """The exit status and the output of each command, all run without the server's dependencies."""
    calls = {
        **COMMANDS,
        **{command.name or "": () for command in SERVICE_COMMANDS},
        "retire-key": ("0" * 16,),
        "export": ("game-1",),
        "backup": ("backup",),
        "restore": (str(ROOT),),
        "archive": ("game-1",),
        "recall": ("game-1",),
        "import": (str(ROOT / "tests/games/one-left.jsonl"),),
        "admin": ("players",),
    }
    calls["live"] = ("audit", "game-1")
    lines = [
        "\t".join(arguments if name == "live" else (name, *arguments))
        for name, arguments in calls.items()
    ]
    folder = tmp_path_factory.mktemp("without-server")
    completed = run_program(
        [sys.executable, "-c", WITHOUT_SERVER, ",".join(blocked_modules())],
        text_input="\n".join(lines),
        cwd=folder,
        env={**os.environ, "HOME": str(folder), VARIABLE: str(folder / "trusted-keys.json")},
    )
    assert completed.returncode == 0, completed.stderr
    outputs = [line.partition("|") for line in completed.stdout.splitlines()]
    return {
        name: (int(status), output)
        for name, (status, _, output) in zip(calls, outputs, strict=True)
    }


def test_every_command_that_needs_no_server_is_tried() -> None:
    """Add a new command to COMMANDS."""
    assert COMMANDS.keys() | NEED_A_SERVER == {command.name for command in RECORD_COMMANDS}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_reads_records_works_without_the_extra(
    command: str, results: Mapping[str, tuple[int, str]]
) -> None:
    status, output = results[command]
    assert status in {0, 3}, output


@pytest.mark.parametrize("command", [*(command.name for command in SERVICE_COMMANDS), "export"])
def test_a_command_of_the_server_names_the_command_that_installs_the_extra(
    command: str, results: Mapping[str, tuple[int, str]]
) -> None:
    status, output = results[command]
    assert status == 1
    assert re.fullmatch(
        r"Error: the server's dependencies are not installed \(there is no \w+\): run python -m pip"
        r" install 'cartulary\[server\]'",
        output,
    ), output


def test_a_source_that_is_no_file_is_reported_with_what_reading_live_games_needs(
    results: Mapping[str, tuple[int, str]],
) -> None:
    status, output = results["live"]
    assert status == 2
    assert "there is no file game-1" in output
    assert "pip install 'cartulary[server]'" in output
