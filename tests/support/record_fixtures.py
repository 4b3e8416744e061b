"""Fixtures for tests of records and commands: records of a game, and a function that runs a command."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cartulary import running_service
from cartulary.cli import Program
from cartulary.commands import RECORD_COMMANDS
from domain.json_types import JsonObject
from ledger.canonical import canonical
from tests.support import token_game
from tests.support.records import KEY, PLAYER_KEY, Table


@pytest.fixture(autouse=True)
def registered_token_game() -> Iterator[None]:
    """Makes the game of tests/support/token_game.py known to the registry in every test."""
    with token_game.registered():
        yield


@pytest.fixture
def eventful() -> Table:
    """A finished game in which players leave before the start, forfeit, are removed and resign."""
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


@pytest.fixture
def signed() -> Table:
    """A game in which player 0, who has the key PLAYER_KEY, has signed one action, and player 1 none."""
    table = Table(options={"seating": "joined"})
    table.add_key("player-0", PLAYER_KEY)
    table.start()
    action: JsonObject = {"type": "take", "stones": 1}
    table.act_signed(action, table.sign(action, PLAYER_KEY))
    table.take(1)
    return table


GROUP = Program(
    "cartulary",
    help=(),
    commands={command.name or "": command for command in RECORD_COMMANDS},
    context_settings={"help_option_names": ["-h", "--help"]},
)
"""With the help options of cartulary/cli.py: a command keeps those of the first group that calls it."""


@pytest.fixture
def run(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """Run a command in a folder of its own, without a terminal; it trusts the key of the test records."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    trusted = tmp_path_factory.mktemp("trust") / "trusted-keys.jsonl"
    trusted.write_bytes(canonical({"public": KEY.public, "source": "test"}) + b"\n")
    monkeypatch.setenv("CARTULARY_TRUSTED_KEYS", str(trusted))

    def run(*arguments: object, live: Any = None, stdin: bytes | None = None) -> Result:
        with monkeypatch.context() as patch:
            if live is not None:
                patch.setattr(running_service, "read_live_record", lambda _, *args: live(*args))
            result = CliRunner().invoke(
                GROUP, [str(argument) for argument in arguments], obj=live is not None, input=stdin
            )
        assert result.exception is None or isinstance(result.exception, SystemExit), (
            result.exception
        )
        assert "\x1b" not in result.stdout
        return result

    return run


@pytest.fixture
def path(tmp_path: Path, eventful: Table) -> Path:
    """The file of a record of `eventful`, with receipts."""
    path = tmp_path / "game.jsonl"
    path.write_bytes(eventful.record(receipts=True))
    return path


@pytest.fixture
def real(tmp_path: Path) -> Path:
    """The file of a record of a game of Barony."""
    path = tmp_path / "real.jsonl"
    path.write_bytes(Table("barony", options={"round_limit": 3}).start().play_out().record())
    return path
