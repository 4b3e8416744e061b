"""The command `repair`: what it reports, what it asks, and what it keeps."""

import os
import re
from pathlib import Path

import pytest
import redis
from click.testing import CliRunner

from cartulary.cli import cartulary
from service.bootstrap import build
from service.operation.append_only_file.parts import find_parts, manifest_of
from service.operation.embedded_redis import EmbeddedRedis
from service.recovery.games import shorten_log
from service.settings import Settings
from service.store.redis_event_store import game_key
from tests.support.append_only_files import write_data, write_parts
from tests.support.service_games import start_game, take_action


@pytest.fixture(scope="module")
def stored_games(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The append-only file of a service with two games of seven events."""
    data = tmp_path_factory.mktemp("stored_games")
    with EmbeddedRedis(data) as server:
        service = build(Settings(data, server.url, server.url, data / "signing-key.pem"))
        games = [start_game(service).id for _ in range(2)]
        for _ in range(3):
            for game in games:
                take_action(service, game)
        assert [service.store.head(game) for game in games] == [7, 7]
        service.redis.close()
    return find_parts(data / "redis")[-1].path.read_bytes()


def run_repair(data: Path, *arguments: str, answer: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(cartulary, ["repair", "--data", str(data), *arguments], answer)
    return result.exit_code, result.output


def test_repair_lists_the_events_and_asks_before_it_changes_anything(
    tmp_path: Path, stored_games: bytes
) -> None:
    """Five bad bytes cost one game the events after them, and the other games nothing."""
    first, second = re.findall(
        rb"XADD\r\n\$\d+\r\ncartulary:\{(\w+)\}:log\r\n\$3\r\n5-0", stored_games
    )
    position = stored_games.index(b"cartulary:{%b}:log\r\n$3\r\n5-0" % first)
    content = stored_games[: position - 4] + b"wrong" + stored_games[position + 1 :]
    path = write_data(tmp_path, content)

    status, output = run_repair(tmp_path, answer="n\n")
    assert status == 1
    assert "These events are lost:\n  game " in output
    assert f"  game {first.decode()}: events 5 to 7\n" in output
    assert second.decode() not in output
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["redis"]

    status, output = run_repair(tmp_path, answer="y\n")
    assert status == 0
    assert output.endswith("Redis loads the data\n")
    (archived,) = (tmp_path / "redis").glob("cut-*/**/appendonly.aof")
    assert archived.read_bytes() == content
    assert str(archived.parent) in output
    with EmbeddedRedis(tmp_path) as server, redis.Redis.from_url(server.url) as client:
        lengths = {
            game: client.xlen(f"cartulary:{{{game.decode()}}}:log") for game in (first, second)
        }
    assert lengths == {first: 4, second: 7}
    assert run_repair(tmp_path) == (0, "every write is complete\nRedis loads the data\n")


def test_repair_finds_a_changed_byte_within_an_event(tmp_path: Path, stored_games: bytes) -> None:
    """Redis does not notice it, but the hash of the event does."""
    (game, _) = re.findall(rb"XADD\r\n\$\d+\r\ncartulary:\{(\w+)\}:log\r\n\$3\r\n7-0", stored_games)
    event = stored_games.index(b"cartulary:{%b}:log\r\n$3\r\n7-0" % game)
    time = stored_games.index(b'"at":"2', event) + len(b'"at":"')
    write_data(tmp_path, stored_games[:time] + b"3" + stored_games[time + 1 :])
    status, output = run_repair(tmp_path, "--yes")
    assert status == 0
    assert output.startswith("every write is complete\nThese events are lost:\n")
    assert f"  game {game.decode()}: events 7\n" in output


def test_repair_reports_that_complete_data_is_complete(tmp_path: Path, stored_games: bytes) -> None:
    write_data(tmp_path, stored_games)
    assert run_repair(tmp_path) == (0, "every write is complete\nRedis loads the data\n")


def test_repair_without_data_or_while_the_service_runs_is_an_error(
    tmp_path: Path, stored_games: bytes
) -> None:
    elsewhere = tmp_path / "elsewhere"
    status, output = run_repair(elsewhere)
    assert status == 2
    assert "does not exist" in output
    assert not elsewhere.exists()
    elsewhere.mkdir()
    status, output = run_repair(elsewhere)
    assert status == 1
    assert "contains no data of an embedded Redis" in output
    elsewhere.rmdir()
    write_data(tmp_path, stored_games)
    with EmbeddedRedis(tmp_path):
        status, output = run_repair(tmp_path)
    assert status == 1
    assert "is in use by another service" in output


def test_repair_asks_before_it_writes_a_manifest(tmp_path: Path) -> None:
    write_parts(tmp_path, base1=b"", incr1=b"")
    status, output = run_repair(tmp_path, answer="n\n")
    assert status == 1
    assert "file appendonly.aof.1.incr.aof seq 1 type i\n" in output
    assert not manifest_of(tmp_path / "redis").exists()


def test_a_full_disk_while_repairing_changes_nothing(
    tmp_path: Path, stored_games: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = stored_games[:-100] + b"garbage" + stored_games[-93:]
    path = write_data(tmp_path, damaged)

    def copy(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "sendfile", copy)
    status, output = run_repair(tmp_path, "--yes")
    assert status == 1
    assert "no space left on the disk" in output
    assert path.read_bytes() == damaged
    assert [file.name for file in tmp_path.iterdir()] == ["redis"]


def test_a_damaged_event_of_a_running_service_is_removed_after_asking(tmp_path: Path) -> None:
    """The log ends with the event before, on every engine, and play goes on."""
    with EmbeddedRedis(tmp_path) as server:
        service = build(Settings(tmp_path, server.url, server.url, tmp_path / "signing-key.pem"))
        damaged, sound = (start_game(service).id for _ in range(2))
        take_action(service, damaged)
        head = service.store.head(damaged)
        key = game_key(damaged, "log")
        (line,) = service.store.read(damaged, head - 1)
        shorten_log(service.redis, damaged, head - 1)
        service.redis.xadd(key, {"e": line.replace(b'"seat":', b'"seet":')}, id=f"{head}-0")

        assert run_repair(tmp_path, "--game", sound) == (
            0,
            f"every event of game {sound} is sound\n",
        )
        status, output = run_repair(tmp_path, "--game", damaged, answer="n\n")
        assert status == 1
        assert f"These events are lost:\n  game {damaged}: events {head}\n" in output
        assert service.store.head(damaged) == head
        status, output = run_repair(tmp_path, "--game", damaged, "--yes")
        assert status == 0
        assert output.endswith(f"repaired; play continues after event {head - 1}\n")
        assert run_repair(tmp_path, "--game", "0123456789abcdef", "--yes") == (
            1,
            "Error: there is no game 0123456789abcdef\n",
        )
        service.redis.close()
        again = build(service.settings)
        take_action(again, damaged)
        assert again.store.head(damaged) == head
        again.redis.close()
    status, output = run_repair(tmp_path, "--game", damaged)
    assert status == 1
    assert "no service is running" in output
