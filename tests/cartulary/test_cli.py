"""The program `cartulary`: its help, its error messages, its exit status, and the commands on live games."""

import json
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from cartulary.cli import cartulary
from domain.messages import Instant
from ledger.keys import SigningKey
from replay.language.renderer import english
from service.bootstrap import Service
from service.recovery import reindex
from service.settings import Settings
from tests.support import processes
from tests.support.service_games import play_out, start_game
from tests.support.worker_harness import WorkerHarness
from workers.notifications.operator import LogChannel

COMMANDS = (
    *("serve", "web", "worker", "scheduler", "reindex", "retire-key"),
    *("replay", "log", "inspect", "diff", "audit", "export", "playout"),
)


def test_help_lists_every_command_with_its_whole_first_sentence() -> None:
    result = CliRunner().invoke(cartulary, ["--help"])
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    for name in COMMANDS:
        assert f"\n  {name} " in result.stdout
        first_line = (cartulary.commands[name].help or "").partition("\n\n")[0]
        assert " ".join(first_line.split()).removesuffix(".") in text
    assert "..." not in result.stdout.partition("Commands:")[2]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete_commands(shell: str) -> None:
    """docs/running.md shows how to turn it on."""
    result = processes.cartulary(_CARTULARY_COMPLETE=f"{shell}_source")
    assert result.returncode == 0
    assert "_CARTULARY_COMPLETE" in result.stdout


@pytest.mark.parametrize("name", list(cartulary.commands))
def test_every_command_has_help(name: str) -> None:
    for option in ("--help", "-h"):
        result = CliRunner().invoke(cartulary, [name, option])
        assert result.exit_code == 0
        assert result.stdout.startswith(f"Usage: cartulary {name}")
        assert cartulary.commands[name].help


def test_version_prints_the_version() -> None:
    result = processes.cartulary("--version")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("cartulary, version ")


@pytest.mark.parametrize(
    "command",
    [
        ["frobnicate"],
        ["serve", "--port", "99999"],
        ["serve", "--colour", "red"],
        ["web", "--port", "eighty"],
        ["worker", "--queue", "letters"],
        ["scheduler", "now"],
    ],
)
def test_bad_usage_is_status_2_with_an_error_on_stderr(command: list[str]) -> None:
    result = CliRunner().invoke(cartulary, command)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Error: " in result.stderr


def test_invalid_settings_are_an_error_that_names_them(tmp_path: Path) -> None:
    """tests/service/server/test_startup.py has every command."""
    result = processes.cartulary(
        "worker",
        CARTULARY_DATA=str(tmp_path),
        CARTULARY_REDIS_URL="localhost:6379",
        CARTULARY_WEBHOOK_URL="ftp://example.org/",
    )
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr == (
        "Error: CARTULARY_REDIS_URL must begin with one of these: redis://, rediss://, unix://,"
        " redis+sentinel://, rediss+sentinel://, redis+cluster://, rediss+cluster://;"
        " CARTULARY_WEBHOOK_URL must begin with one of these: http://, https://\n"
    )


@pytest.mark.parametrize("name", ["serve", "web"])
def test_a_port_in_use_is_an_error_that_names_the_port(name: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        variables = {"CARTULARY_DATA": str(tmp_path), "CARTULARY_MAX_STREAM": "10"}
        result = processes.cartulary(name, "--port", str(port), **variables)
    assert result.returncode == 1
    assert result.stdout == ""
    # Somebody who starts a whole service reads which of its settings has no effect.
    assert ("write CARTULARY_MAX_STREAMS" in result.stderr) == (name == "serve")
    assert "in use" in result.stderr
    assert str(port) in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "redis").exists()


@pytest.mark.parametrize("name", ["serve", "web"])
def test_an_address_of_another_machine_is_an_error_that_names_it(name: str, tmp_path: Path) -> None:
    result = processes.cartulary(name, "--host", "192.0.2.1", CARTULARY_DATA=str(tmp_path))
    assert result.returncode == 1
    assert "192.0.2.1" in result.stderr
    assert "Traceback" not in result.stderr


def test_reindex_rebuilds_the_listings(service: Service, settings: Settings) -> None:
    games = {start_game(service).id for _ in range(3)}
    service.games.listings.clear()
    assert service.games.listings.games_in_progress("ada").games == ()
    result = processes.cartulary_here(
        "reindex", "--redis", settings.redis_url, CARTULARY_DATA=str(settings.data)
    )
    assert (result.returncode, result.stdout) == (0, "3 games reindexed\n")
    assert set(service.games.listings.games_in_progress("ada").games) == games


def test_reindex_reports_its_progress(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reindex, "PROGRESS_STEP", 2)
    for _ in range(5):
        start_game(service)
    reports: list[int] = []
    assert reindex.reindex(service, reports.append) == 5
    assert reports == [2, 4]


def test_retiring_a_key_again_does_not_change_when_it_was_retired(
    service: Service, settings: Settings
) -> None:
    service.keyring.publish_key()
    (entry,) = service.keyring.public_keys()
    redis = ["--redis", settings.redis_url]
    data = {"CARTULARY_DATA": str(settings.data)}
    first, again = (
        processes.cartulary_here("retire-key", entry["key"], *redis, **data) for _ in range(2)
    )
    (after,) = service.keyring.public_keys()
    assert after == {**entry, "until": after["until"]}
    assert (first.returncode, again.returncode) == (0, 0)
    assert (
        first.stdout
        == again.stdout
        == f"key {entry['key']} was retired on {english(Instant(after['until']))}\n"
    )
    result = processes.cartulary_here("retire-key", "0" * 16, *redis, **data)
    assert result.returncode == 1
    assert "this service has never published a key 0000000000000000" in result.stderr


def test_inspecting_a_live_game_shows_the_deliveries_of_notifications(
    service: Service, settings: Settings
) -> None:
    game = start_game(service)
    workers = WorkerHarness(service, LogChannel())
    workers.runner.run(workers.tasks(game.id)["notify/turn"])
    workers.dispatcher.send_due()
    workers.close()
    (delivery,) = service.notifications.deliveries.about(game.id, game.seq)
    redis = ["--redis", settings.redis_url]
    data = {"CARTULARY_DATA": str(settings.data)}
    text = processes.cartulary_here("inspect", game.id, str(game.seq), *redis, **data).stdout
    assert delivery.sent_at is not None
    sent_at = " ".join(english(Instant(delivery.sent_at, is_exact=True)).split())
    assert f"notification “your turn” to ada, by log: sent {sent_at}" in " ".join(text.split())
    result = processes.cartulary_here("inspect", game.id, "1", "--json", *redis, **data)
    assert '"deliveries":[]' in result.stdout


@pytest.mark.parametrize(
    "command", [["reindex"], ["export", "abc"], ["replay", "0123456789abcdef"]]
)
def test_without_a_running_service_the_error_suggests_how_to_start_one(
    tmp_path: Path, command: list[str]
) -> None:
    result = processes.cartulary_here(*command, CARTULARY_DATA=str(tmp_path))
    assert result.returncode == 1
    assert result.stdout == ""
    assert f"no service is running on {tmp_path}: start `cartulary serve` there" in result.stderr
    redis = ["--redis", f"unix://{tmp_path}/secret-word.sock"]
    result = processes.cartulary_here(*command, *redis, CARTULARY_DATA=str(tmp_path))
    assert result.returncode == 1
    assert "the Redis at the given URL does not respond" in result.stderr
    assert "secret-word" not in result.stderr


def test_commands_read_a_live_game_by_its_id(service: Service, settings: Settings) -> None:
    game = play_out(service, start_game(service, round_limit=1).id)
    service.games.commands.score(game.id)
    redis = ["--redis", settings.redis_url]
    data = {"CARTULARY_DATA": str(settings.data)}
    service.transparency.head_log.log([game.id])
    served = b"".join(service.games.queries.record(game.id))
    exported = processes.cartulary_here("export", game.id, *redis, **data)
    assert exported.returncode == 0
    assert exported.stdout.encode() == served
    audited = processes.cartulary_here("audit", game.id, *redis, **data)
    assert audited.returncode == 0
    replayed = processes.cartulary_here("replay", game.id, *redis, "--format", "json", **data)
    assert json.loads(replayed.stdout) == service.games.queries.game(game.id).position(None)


def test_an_unknown_game_is_an_error_that_names_it(settings: Settings) -> None:
    redis = ["--redis", settings.redis_url]
    result = processes.cartulary_here(
        "replay", "nothing", *redis, CARTULARY_DATA=str(settings.data)
    )
    assert result.returncode == 2
    assert "there is neither a file nor a live game nothing" in result.stderr


def test_exporting_a_live_game_creates_no_signing_key(
    service: Service, settings: Settings, tmp_path: Path
) -> None:
    game = start_game(service)
    published = service.keyring.public_keys()
    assert len(published) == 1
    command = ["export", game.id, "--redis", settings.redis_url]
    path = tmp_path / "elsewhere" / "key.pem"
    result = processes.cartulary_here(*command, CARTULARY_SIGNING_KEY=str(path))
    assert (result.returncode, result.stdout) == (1, "")
    assert f"the signing key {path} cannot be read" in result.stderr
    assert not path.parent.exists()
    SigningKey.load_or_generate(path)
    result = processes.cartulary_here(*command, CARTULARY_SIGNING_KEY=str(path))
    assert (result.returncode, result.stdout) == (1, "")
    assert f"the signing key {path} is not one of this service's keys" in result.stderr
    assert service.keyring.public_keys() == published
