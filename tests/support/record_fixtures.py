"""What the tests of this floor share: a tiny game that the registry knows, records, commands to run."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from cartulary.commands import RECORD_COMMANDS
from tests.support import token_game
from tests.support.records import Table


@pytest.fixture(autouse=True)
def known_heap() -> Iterator[None]:
    """The game of tests/support/token_game.py can be played in every test here."""
    with token_game.registered():
        yield


@pytest.fixture
def eventful() -> Table:
    """A finished game with a place left, a forfeit, a removal and a resignation."""
    table = Table(seats=4, clock={"per_turn": 60})
    table.join("goes")
    table.leave("goes")
    table.start()
    table.take(1)
    table.take(2)
    table.wait(60)
    table.forfeit()
    table.take(1)
    table.score()
    table.take(1)
    table.remove(2)
    table.act({"type": "resign"}, seat=3)
    return table.play_out()


GROUP = click.Group(
    "cartulary",
    commands={command.name or "": command for command in RECORD_COMMANDS},
    context_settings={"help_option_names": ["-h", "--help"]},
)
"""As in cartulary/cli.py, since a command keeps the help options of the first group that calls it."""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run a command in a folder of its own, as a program would: no terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*words: object, live: Any = None, stdin: bytes | None = None) -> Result:
        result = CliRunner().invoke(GROUP, [str(word) for word in words], obj=live, input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), (
            result.exception
        )
        assert "\x1b" not in result.stdout
        return result

    return run


@pytest.fixture
def path(tmp_path: Path, eventful: Table) -> Path:
    path = tmp_path / "game.jsonl"
    path.write_bytes(eventful.record(receipts=True))
    return path


@pytest.fixture
def real(tmp_path: Path) -> Path:
    """A record of a real game."""
    path = tmp_path / "real.jsonl"
    path.write_bytes(Table("barony", options={"round_limit": 3}).start().play_out().record())
    return path
