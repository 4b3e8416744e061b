"""Damaged append-only files: complete writes are kept, and only an incomplete last one is cut off unasked."""

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
import redis
from click.testing import CliRunner

from cartulary.cli import cartulary
from replay.language.renderer import english
from service.append_only_file.parts import (
    AppendOnlyFileError,
    ManifestError,
    find_parts,
    manifest_from_names,
    manifest_of,
    write_manifest,
)
from service.append_only_file.repair import cut_off, find_damaged_part
from service.embedded_redis import EmbeddedRedis
from service.store.event_store import AppendRequest
from service.store.redis_event_store import RedisEventStore
from tests.support.faults import raises

GAMES = ("one", "two")
SEQS = 3


@pytest.fixture(scope="module")
def file_content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The append-only file of a Redis to which each game has appended its events in turn."""
    data = tmp_path_factory.mktemp("file_content")
    with EmbeddedRedis(data) as server, redis.Redis.from_url(server.url) as client:
        store = RedisEventStore(client)
        for seq in range(1, SEQS + 1):
            for game in GAMES:
                line = b'{"game":"%s","seq":%d}' % (game.encode(), seq)
                store.append(game, seq - 1, AppendRequest(events=(line,), secrets={"seed": "00"}))
    if manifest_of(data / "redis").exists():  # written by a Redis 7 or later on the PATH
        return find_parts(data / "redis")[-1].path.read_bytes()
    return (data / "redis" / "appendonly.aof").read_bytes()


def write_data(folder: Path, content: bytes) -> Path:
    """Make a data folder whose append-only file is a single file with this content; return the file."""
    path = folder / "redis" / "appendonly.aof"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.write_bytes(content)
    return path


def current_file(folder: Path) -> Path:
    """Return the file of `write_data`, which Redis 7 and later move to a folder of their own."""
    (path,) = (folder / "redis").rglob("appendonly.aof")
    return path


def write_parts(folder: Path, **parts: bytes) -> Path:
    """Make a data folder with parts (`base1`, `incr1`), but without a manifest; return their folder."""
    parts_folder = folder / "redis" / "appendonlydir"
    parts_folder.mkdir(parents=True)
    for name, content in parts.items():
        kind, seq = name[:4], name[4:]
        extension = "rdb" if kind == "base" else "aof"
        (parts_folder / f"appendonly.aof.{seq}.{kind}.{extension}").write_bytes(content)
    return parts_folder


def stored_seqs(server: EmbeddedRedis) -> dict[str, int]:
    """Return the number of events of each game, which must have the seqs from 1 on."""
    with redis.Redis.from_url(server.url) as client:
        seqs = {
            game: [int(id.split(b"-")[0]) for id, _ in client.xrange(f"cartulary:{{{game}}}:log")]
            for game in GAMES
        }
    counts = {game: len(of_game) for game, of_game in seqs.items()}
    assert seqs == {game: list(range(1, count + 1)) for game, count in counts.items()}
    return counts


def end_of_event(content: bytes, game: str, seq: int) -> int:
    """Return the offset after the write that appends an event."""
    event = content.index(b"cartulary:{%s}:log\r\n$3\r\n%d-0" % (game.encode(), seq))
    return content.index(b"EXEC\r\n", event) + len(b"EXEC\r\n")


def damage_length(content: bytes) -> bytes:
    """Make the length of the second event of the first game too long."""
    key = content.index(b"cartulary:{one}:log\r\n$3\r\n2-0")
    length = content.index(b"\r\n$1\r\ne\r\n$", key) + len(b"\r\n$1\r\ne\r\n$")
    return content[:length] + b"9" + content[length:]


def damage_name(content: bytes) -> bytes:
    """Overwrite the beginning of the write with the second event of the first game."""
    start = end_of_event(content, "two", 1)
    return content[:start] + b"garbage!" + content[start + 8 :]


def test_a_file_without_damage_is_complete(tmp_path: Path, file_content: bytes) -> None:
    write_data(tmp_path, file_content)
    assert find_damaged_part(tmp_path / "redis") is None
    assert find_damaged_part(tmp_path / "nothing") is None
    write_data(tmp_path, b"")
    assert find_damaged_part(tmp_path / "redis") is None


def test_a_file_that_ends_anywhere_is_cut_off_after_the_last_complete_write(
    tmp_path: Path, file_content: bytes
) -> None:
    path = write_data(tmp_path, file_content)
    last_write = end_of_event(file_content, "one", 3)
    ends = {last_write, len(file_content)}
    for size in range(last_write, len(file_content) + 1):
        path.write_bytes(file_content[:size])
        damaged_part = find_damaged_part(tmp_path / "redis")
        if size in ends:
            assert damaged_part is None, size
        else:
            assert damaged_part is not None, size
            assert damaged_part.is_incomplete_write, size
            assert (damaged_part.damage.offset, damaged_part.damage.size) == (last_write, size)
            assert damaged_part.events in {(), (("two", 3),)}


def test_an_incomplete_write_is_cut_off_at_the_start_and_reported(
    tmp_path: Path, file_content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    write_data(tmp_path, file_content[:-10])
    with EmbeddedRedis(tmp_path) as server:
        assert stored_seqs(server) == {"one": 3, "two": 2}
    (message,) = [text for text in caplog.messages if "incomplete write" in text]
    archive = Path(message.rpartition(" are in ")[2])
    complete = end_of_event(file_content, "one", 3)
    assert (archive / f"appendonly.aof.from-byte-{complete}").read_bytes() == file_content[
        complete:-10
    ]
    assert stat.S_IMODE(archive.stat().st_mode) == 0o700
    assert message.startswith(f"{current_file(tmp_path)} ended with an incomplete write")
    with EmbeddedRedis(tmp_path) as server:
        assert stored_seqs(server) == {"one": 3, "two": 2}
    assert len([text for text in caplog.messages if "incomplete write" in text]) == 1


@pytest.mark.parametrize("damage", [damage_length, damage_name])
def test_a_damaged_middle_is_an_error_that_names_the_command_and_changes_nothing(
    tmp_path: Path, file_content: bytes, damage: Callable[[bytes], bytes]
) -> None:
    write_data(tmp_path, damage(file_content))
    with pytest.raises(AppendOnlyFileError) as raised:
        EmbeddedRedis(tmp_path).start()
    path = current_file(tmp_path)
    complete = end_of_event(file_content, "two", 1)
    message = english(raised.value.message)
    assert f"{path} is damaged after byte {complete} of {path.stat().st_size}" in message
    assert f"`cartulary repair --data {tmp_path}`" in message
    assert "check-aof" not in message
    assert path.read_bytes() == damage(file_content)
    assert not list((tmp_path / "redis").glob("cut-*"))


@pytest.mark.parametrize(
    ("change", "kind", "seqs"),
    [
        (lambda whole: whole + b"\0" * 5000, "zero bytes", {"one": 3, "two": 3}),
        (lambda whole: whole[:-10] + b"\0" * 5000, "zero bytes", {"one": 3, "two": 2}),
        (lambda whole: whole + b"garbage", "damaged bytes", {"one": 3, "two": 3}),
        (damage_name, "damaged bytes", {"one": 1, "two": 1}),
        (damage_length, "damaged bytes", {"one": 1, "two": 1}),
        (lambda whole: whole.replace(b"EXEC", b"EXXC", 1), "damaged bytes", {"one": 0, "two": 0}),
        (lambda whole: b"REDIS0009" + whole[:50], "damaged snapshot", None),
    ],
)
def test_damage_is_classified_and_can_be_cut_off(
    tmp_path: Path,
    file_content: bytes,
    change: Callable[[bytes], bytes],
    kind: str,
    seqs: dict[str, int] | None,
) -> None:
    path = write_data(tmp_path, change(file_content))
    damaged_part = find_damaged_part(tmp_path / "redis")
    assert damaged_part is not None
    assert damaged_part.damage.kind == kind
    assert not damaged_part.is_incomplete_write
    if seqs is None:
        with raises(AppendOnlyFileError, match="restore a backup"):
            cut_off(tmp_path / "redis", damaged_part)
        return
    cut_off(tmp_path / "redis", damaged_part)
    assert find_damaged_part(tmp_path / "redis") is None
    ends = [end_of_event(file_content, game, seq) for seq in range(1, SEQS + 1) for game in GAMES]
    count = sum(seqs.values())
    expected = ends[count - 1] if count else file_content.index(b"*1\r\n$5\r\nMULTI")
    assert path.stat().st_size == expected


def run_repair(data: Path, *arguments: str, answer: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(cartulary, ["repair", "--data", str(data), *arguments], answer)
    return result.exit_code, result.output


def test_repair_lists_the_events_and_asks_before_it_cuts_anything_off(
    tmp_path: Path, file_content: bytes
) -> None:
    content = damage_name(file_content)
    path = write_data(tmp_path, content)
    complete = end_of_event(file_content, "two", 1)

    status, output = run_repair(tmp_path, answer="n\n")
    assert status == 1
    assert f"{path} contains complete writes up to byte {complete} of {len(content)}." in output
    assert f"removes {len(content) - complete} bytes.\nThese events are lost:\n" in output
    assert "  game one: events 2 to 3\n  game two: events 2 to 3\n" in output
    assert path.read_bytes() == content

    status, output = run_repair(tmp_path, answer="y\n")
    assert status == 0
    assert output.endswith("Redis loads the data\n")
    assert current_file(tmp_path).read_bytes().startswith(file_content[:complete])
    (archived_file,) = (tmp_path / "redis").glob("cut-*/appendonly.aof.from-byte-*")
    assert archived_file.read_bytes() == content[complete:]
    assert str(archived_file.parent) in output
    with EmbeddedRedis(tmp_path) as server:
        assert stored_seqs(server) == {"one": 1, "two": 1}


def test_repair_reports_that_complete_data_is_complete(tmp_path: Path, file_content: bytes) -> None:
    write_data(tmp_path, file_content)
    assert run_repair(tmp_path) == (0, "every write is complete\nRedis loads the data\n")


def test_repair_without_data_or_while_the_service_runs_is_an_error(
    tmp_path: Path, file_content: bytes
) -> None:
    status, output = run_repair(tmp_path / "elsewhere")
    assert status == 1
    assert "contains no data of an embedded Redis" in output
    assert not (tmp_path / "elsewhere").exists()
    write_data(tmp_path, file_content)
    with EmbeddedRedis(tmp_path):
        status, output = run_repair(tmp_path)
    assert status == 1
    assert "is in use by another service" in output


def test_parts_are_read_in_the_order_of_the_manifest(tmp_path: Path, file_content: bytes) -> None:
    end = end_of_event(file_content, "two", 2)
    folder = write_parts(
        tmp_path, base1=b"", incr1=file_content[: end - 10], incr2=file_content[end:]
    )
    write_manifest(tmp_path / "redis", manifest_from_names(tmp_path / "redis"))
    names = [part.path.name for part in find_parts(tmp_path / "redis")]
    assert names == [f"appendonly.aof.{n}" for n in ("1.base.rdb", "1.incr.aof", "2.incr.aof")]

    damaged_part = find_damaged_part(tmp_path / "redis")
    assert damaged_part is not None
    assert damaged_part.part.path == folder / "appendonly.aof.1.incr.aof"
    # Later writes were acknowledged, so this is not an incomplete last write.
    assert not damaged_part.is_incomplete_write
    assert set(damaged_part.events) == {("two", 2), ("one", 3), ("two", 3)}

    archive = cut_off(tmp_path / "redis", damaged_part)
    assert [part.path.name for part in find_parts(tmp_path / "redis")] == names[:2]
    assert (folder / names[1]).read_bytes() == file_content[: end_of_event(file_content, "one", 2)]
    assert (archive / names[2]).read_bytes() == file_content[end:]
    assert find_damaged_part(tmp_path / "redis") is None


def test_a_missing_or_damaged_manifest_is_an_error_and_can_be_written_again(
    tmp_path: Path, file_content: bytes
) -> None:
    write_parts(tmp_path, base2=b"", incr2=file_content)
    folder = tmp_path / "redis"
    lines = (
        "file appendonly.aof.2.base.rdb seq 2 type b\nfile appendonly.aof.2.incr.aof seq 2 type i\n"
    )
    for content in (None, b"file appendonly.aof.2.base.rdb se", b"\xff\0\0"):
        if content is not None:
            manifest_of(folder).write_bytes(content)
        with raises(ManifestError, match=f"{manifest_of(folder)} is (missing|damaged)"):
            find_parts(folder)
        assert manifest_from_names(folder) == lines
        manifest_of(folder).unlink(missing_ok=True)
    write_manifest(folder, lines)
    assert len(find_parts(folder)) == 2


def test_redis_is_not_started_without_its_manifest(tmp_path: Path) -> None:
    write_parts(tmp_path, base1=b"", incr1=b"")
    program = tmp_path / "redis-server"
    program.write_text("#!/bin/sh\necho 'Redis server v=7.2.4 sha=00000000:0'\n")
    program.chmod(0o755)
    with raises(AppendOnlyFileError, match=f"`cartulary repair --data {tmp_path}`"):
        EmbeddedRedis(tmp_path, str(program)).start()
    assert not (tmp_path / "redis" / "redis.log").exists()


def test_repair_asks_before_it_writes_a_manifest(tmp_path: Path) -> None:
    write_parts(tmp_path, base1=b"", incr1=b"")
    status, output = run_repair(tmp_path, answer="n\n")
    assert status == 1
    assert "file appendonly.aof.1.incr.aof seq 1 type i\n" in output
    assert not manifest_of(tmp_path / "redis").exists()


@pytest.mark.parametrize("parts", [{"incr1": b""}, {"base1": b"", "base2": b"", "incr2": b""}])
def test_a_manifest_is_not_guessed(tmp_path: Path, parts: dict[str, bytes]) -> None:
    write_parts(tmp_path, **parts)
    with raises(AppendOnlyFileError, match="not exactly one base"):
        manifest_from_names(tmp_path / "redis")


def test_a_missing_part_is_an_error(tmp_path: Path) -> None:
    folder = write_parts(tmp_path, base1=b"", incr1=b"")
    write_manifest(tmp_path / "redis", manifest_from_names(tmp_path / "redis"))
    (folder / "appendonly.aof.1.incr.aof").unlink()
    with raises(AppendOnlyFileError, match=r"incr\.aof, which .* lists, is missing"):
        find_parts(tmp_path / "redis")


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "redis" / "appendonly.aof").mkdir(parents=True)
    with raises(AppendOnlyFileError, match=r"appendonly\.aof cannot be read: it is a directory"):
        EmbeddedRedis(tmp_path).start()


@pytest.mark.skipif(os.getuid() == 0, reason="root may read every file")
def test_a_file_without_permission_is_an_error(tmp_path: Path, file_content: bytes) -> None:
    write_data(tmp_path, file_content).chmod(0)
    with raises(AppendOnlyFileError, match="cannot be read: permission denied"):
        EmbeddedRedis(tmp_path).start()


def test_a_full_disk_while_repairing_changes_nothing(
    tmp_path: Path, file_content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_data(tmp_path, damage_name(file_content))
    damaged_part = find_damaged_part(tmp_path / "redis")
    assert damaged_part is not None

    def copy(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", copy)
    with raises(AppendOnlyFileError, match="no space left on the disk"):
        cut_off(tmp_path / "redis", damaged_part)
    assert path.read_bytes() == damage_name(file_content)
    assert list(path.parent.iterdir()) == [path]
