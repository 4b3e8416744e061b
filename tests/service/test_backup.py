"""Backups of a service: made while people play, restored elsewhere; and what cannot be restored."""

import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from threading import Event, Thread

import httpx
import pytest
import redis
from click.testing import CliRunner

from cartulary.cli import cartulary
from domain.errors import CartularyError
from ledger.record import read
from replay.audit.runner import audit
from service.accounts.erased import ErasedPlayers
from service.bootstrap import Service, build
from service.operation.embedded_redis import EmbeddedRedis
from service.recovery.backup import SNAPSHOT, BackupError, back_up, restore
from service.settings import Settings, load_settings
from tests.support.accounts import Accounts, take_turn
from tests.support.redis_contents import digest
from tests.support.running_service import RunningService
from tests.support.service_games import play_out, start_game
from tests.support.stored_games import recorded_game, store_game

pytestmark = pytest.mark.needs_redis("single", "sentinel")


def ignore(size: int) -> None:
    """Report no progress."""


def embedded(data: Path) -> Settings:
    """Return the settings of a service with the embedded Redis in a data folder."""
    return load_settings({"CARTULARY_DATA": str(data)})


@pytest.fixture
def other_redis(tmp_path: Path) -> Iterator[EmbeddedRedis]:
    """An empty Redis elsewhere."""
    with EmbeddedRedis(tmp_path / "other") as server:
        yield server


@pytest.fixture
def backup(settings: Settings, service: Service, tmp_path: Path) -> Path:
    """A backup of a service with a finished game and one in progress, whose keys are in it."""
    play_out(service, start_game(service).id)
    start_game(service)
    ErasedPlayers(service.redis, settings.data).add("e" * 16)
    back_up(settings, tmp_path / "backup", with_keys=True, on_progress=ignore)
    return tmp_path / "backup"


@contextmanager
def play(url: str) -> Iterator[list[str]]:
    """Play games at a server, until the block ends; the value are their ids."""
    accounts = Accounts(url)
    games = [accounts.start_game(2) for _ in range(2)]
    stop = Event()

    def take_turns() -> None:
        while not stop.is_set():
            for game_id, players in games:
                take_turn(game_id, players)

    thread = Thread(target=take_turns)
    thread.start()
    try:
        yield [game_id for game_id, _ in games]
    finally:
        stop.set()
        thread.join()
        accounts.close()


def record(url: str, game_id: str) -> bytes:
    """Return the record of a public game."""
    response = httpx.get(f"{url}/api/v1/games/{game_id}/record", timeout=60).raise_for_status()
    return response.content


def test_a_backup_under_load_is_restored_elsewhere_and_every_record_is_sound(
    tmp_path: Path,
) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    running = RunningService(tmp_path / "first", processes=1)
    running.start()
    try:
        with play(running.url) as games:
            httpx.get(f"{running.url}/api/v1/log/checkpoint").raise_for_status()
            sizes: list[int] = []
            folder = tmp_path / "backup"
            size = back_up(embedded(running.data), folder, with_keys=True, on_progress=sizes.append)
        assert sizes[-1] == size == (folder / SNAPSHOT).stat().st_size
        originals = {game_id: read(BytesIO(record(running.url, game_id))) for game_id in games}
        keys = [entry["public"] for entry in httpx.get(f"{running.url}/api/v1/keys").json()["keys"]]
    finally:
        running.stop()
    assert {oct(path.stat().st_mode & 0o777) for path in folder.iterdir()} == {"0o600"}
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=folder, check=True)  # noqa: S607 # found on the PATH
    second = RunningService(tmp_path / "second", processes=1)
    assert restore(embedded(second.data), folder) > 0
    second.start()
    try:
        for game_id, original in originals.items():
            restored = record(second.url, game_id)
            assert audit(BytesIO(restored), keys=keys).first is None
            lines = read(BytesIO(restored)).lines
            assert original.lines[: len(lines)] == lines
        # The restored service is played on, and says that its history goes on elsewhere.
        with play(second.url):
            httpx.get(f"{second.url}/api/v1/log/checkpoint").raise_for_status()
        epochs = httpx.get(f"{second.url}/api/v1/log/epochs").raise_for_status().json()
        assert epochs["epochs"]
    finally:
        second.stop()


@pytest.mark.nightly
@pytest.mark.parametrize("diskless", ["no", "yes"])
def test_the_data_of_another_redis_is_the_same_key_by_key(
    settings: Settings, service: Service, other_redis: EmbeddedRedis, tmp_path: Path, diskless: str
) -> None:
    play_out(service, start_game(service).id)
    service.redis.set("expires", "later", ex=1000)
    service.redis.config_set("repl-diskless-sync", diskless)
    service.redis.config_set("repl-diskless-sync-delay", 0)
    before = digest(service.redis)
    back_up(settings, tmp_path / "backup", on_progress=ignore)
    elsewhere = replace(settings, data=tmp_path / "elsewhere", redis_url=other_redis.url)
    restore(elsewhere, tmp_path / "backup")
    with redis.Redis.from_url(other_redis.url) as client:
        assert digest(client) == before
        assert 0 < client.ttl("expires") <= 1000
    assert not (tmp_path / "backup" / "signing-key.pem").exists()


def test_the_list_of_erased_players_is_completed(backup: Path, tmp_path: Path) -> None:
    target = embedded(tmp_path / "target")
    target.data.mkdir()
    (target.data / "erased-players").write_text(f"{'f' * 16}\n")
    restore(target, backup)
    ids = (target.data / "erased-players").read_text().split()
    assert ids == ["f" * 16, "e" * 16]
    assert (target.data / "restored").exists()
    assert (target.data / "signing-key.pem").read_bytes() == (
        backup / "signing-key.pem"
    ).read_bytes()


def test_nothing_is_overwritten(
    backup: Path, settings: Settings, service: Service, tmp_path: Path
) -> None:
    with pytest.raises(BackupError, match="exists already"):
        back_up(settings, backup, on_progress=ignore)
    before = digest(service.redis)
    with pytest.raises(BackupError, match="contains data already"):
        restore(settings, backup)
    assert digest(service.redis) == before
    restore(embedded(tmp_path / "target"), backup)
    with pytest.raises(BackupError, match="contains data already"):
        restore(embedded(tmp_path / "target"), backup)


def test_a_backup_that_is_not_whole_is_not_restored(backup: Path, tmp_path: Path) -> None:
    def flip(path: Path) -> None:
        content = path.read_bytes()
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))

    damages: dict[str, Callable[[Path], None]] = {
        "changed": lambda folder: flip(folder / SNAPSHOT),
        "missing": lambda folder: (folder / SNAPSHOT).unlink(),
        "added": lambda folder: (folder / "erased-players.new").touch(),
        "without sums": lambda folder: (folder / "SHA256SUMS").unlink(),
        "absent": shutil.rmtree,
    }
    for name, damage in damages.items():
        copy = tmp_path / name
        shutil.copytree(backup, copy)
        damage(copy)
        with pytest.raises(BackupError):
            restore(embedded(tmp_path / "target"), copy)
        assert not (tmp_path / "target").exists()


def test_a_redis_without_permission_for_snapshots_is_reported(
    service: Service, settings: Settings, tmp_path: Path
) -> None:
    service.redis.acl_setuser("default", enabled=True, categories=["+@all"], commands=["-sync"])
    try:
        with pytest.raises(BackupError, match="gives no snapshot"):
            back_up(settings, tmp_path / "backup", on_progress=ignore)
    finally:
        service.redis.acl_setuser("default", enabled=True, commands=["+sync"])
    assert [path.name for path in tmp_path.iterdir() if "backup" in path.name] == []


@pytest.mark.parametrize("reply", [b"$100\r\nREDIS", b"\n\n$EOF:" + b"a" * 40 + b"\r\nREDIS"])
def test_a_snapshot_that_breaks_off_leaves_no_backup(
    settings: Settings, tmp_path: Path, reply: bytes
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def respond() -> None:
            connection, _ = listener.accept()
            with connection, suppress(OSError):
                # Whatever comes before SYNC gets a reply, too.
                while b"SYNC" not in (request := connection.recv(4096)):
                    connection.sendall(b"+OK\r\n" * request.count(b"*"))
                connection.sendall(reply)

        thread = Thread(target=respond)
        thread.start()
        url = f"redis://127.0.0.1:{listener.getsockname()[1]}/0?protocol=2"
        with pytest.raises(CartularyError, match="stopped sending"):
            back_up(replace(settings, redis_url=url), tmp_path / "backup", on_progress=ignore)
        thread.join()
    assert [path.name for path in tmp_path.iterdir() if "backup" in path.name] == []


def test_the_commands_report_what_they_did(
    settings: Settings, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_game(service)
    monkeypatch.setenv("CARTULARY_REDIS_URL", settings.redis_url)
    folder, target = str(tmp_path / "backup"), str(tmp_path / "target")
    made = CliRunner().invoke(cartulary, ["backup", folder, "--data", str(settings.data)])
    assert made.exit_code == 0, made.output
    assert made.stdout.startswith(f"the backup is in {folder}: ")
    monkeypatch.delenv("CARTULARY_REDIS_URL")
    restored = CliRunner().invoke(cartulary, ["restore", folder, "--data", target])
    assert restored.exit_code == 0, restored.output
    keys = service.redis.dbsize()
    assert restored.stdout == f"restored {keys} keys\n"
    again = CliRunner().invoke(cartulary, ["restore", folder, "--data", target])
    assert (again.exit_code, "contains data already" in again.output) == (1, True)
    with EmbeddedRedis(Path(target)):
        other = build(embedded(Path(target)))
        assert digest(other.redis) == digest(service.redis)
        other.redis.close()


def test_a_backup_contains_the_archived_games(
    settings: Settings, tmp_path: Path, other_redis: EmbeddedRedis
) -> None:
    source = replace(settings, data=tmp_path / "source")
    service = build(source)
    service.keyring.publish_key()
    record = recorded_game("one-left")
    store_game(service, record)
    service.archive.move(record.game)
    back_up(source, tmp_path / "backup", with_keys=True, on_progress=ignore)
    assert not service.archive.schedule.is_held
    service.archive.recall(record.game)
    service.archive.clean(record.game, after=0)
    elsewhere = replace(settings, data=tmp_path / "elsewhere", redis_url=other_redis.url)
    restore(elsewhere, tmp_path / "backup")
    restored = build(elsewhere)
    assert restored.archive.stub(record.game) is not None
    assert restored.store.read(record.game) == record.lines


def test_no_object_is_deleted_while_a_backup_is_made(service: Service) -> None:
    service.keyring.publish_key()
    record = recorded_game("one-left")
    store_game(service, record)
    service.archive.move(record.game)
    stub = service.archive.stub(record.game)
    assert stub is not None
    service.archive.recall(record.game)
    service.archive.schedule.hold()
    service.archive.clean(record.game, after=0)
    assert service.archive.objects.get(stub.object) is not None
    service.archive.schedule.release()
    service.archive.clean(record.game, after=0)
    assert service.archive.objects.get(stub.object) is None
