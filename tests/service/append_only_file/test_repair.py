"""Damaged append-only files: intact writes are kept, and only an incomplete last one is cut off unasked."""

import os
import random
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
import redis

from replay.language.renderer import english
from service.operation.append_only_file.parts import (
    AppendOnlyFileError,
    ManifestError,
    Part,
    find_parts,
    manifest_from_names,
    manifest_of,
    write_manifest,
)
from service.operation.append_only_file.repair import find_damaged_part
from service.operation.append_only_file.salvage import append_intact, read_contents, replace_by
from service.operation.append_only_file.snapshot import find_entries
from service.operation.embedded_redis import EmbeddedRedis
from service.operation.retry import wait_until
from service.recovery.intact_copy import write_intact_copy
from service.store.event_store import AppendRequest
from service.store.redis_event_store import RedisEventStore
from tests.support.append_only_files import current_file, write_data, write_parts
from tests.support.faults import raises
from tests.support.redis_contents import contents

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
            assert read_contents(tmp_path / "redis").events in {(), (("two", 3),)}


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
    ("change", "kind", "lost"),
    [
        (lambda whole: whole + b"\0" * 5000, "zero bytes", set()),
        (lambda whole: whole[:-10] + b"\0" * 5000, "zero bytes", {("two", 3)}),
        (lambda whole: whole + b"garbage", "damaged bytes", set()),
        (damage_name, "damaged bytes", {("one", 2)}),
        (damage_length, "damaged bytes", {("one", 2)}),
        (lambda whole: whole.replace(b"EXEC", b"EXXC", 1), "damaged bytes", {("one", 1)}),
        (lambda whole: whole.replace(b"\r\nXADD", b"\r\nXALD", 1), "damaged bytes", {("one", 1)}),
    ],
)
def test_damage_is_classified_and_all_other_writes_are_kept(
    tmp_path: Path,
    file_content: bytes,
    change: Callable[[bytes], bytes],
    kind: str,
    lost: set[tuple[str, int]],
) -> None:
    write_data(tmp_path, change(file_content))
    damaged_part = find_damaged_part(tmp_path / "redis")
    assert damaged_part is not None
    assert damaged_part.damage.kind == kind
    assert not damaged_part.is_incomplete_write
    contents = read_contents(tmp_path / "redis")
    append_intact(contents, tmp_path / "new" / "appendonly.aof")
    new = (tmp_path / "new" / "appendonly.aof").read_bytes()
    for game in GAMES:
        for seq in range(1, SEQS + 1):
            is_kept = b"cartulary:{%s}:log\r\n$3\r\n%d-0" % (game.encode(), seq) in new
            assert is_kept == ((game, seq) not in lost)
    assert set(contents.events) <= lost


def test_a_count_that_is_too_small_damages_the_write(tmp_path: Path, file_content: bytes) -> None:
    """Redis would set fewer fields without noticing."""
    write_data(tmp_path, file_content.replace(b"*4\r\n$4\r\nHSET", b"*2\r\n$4\r\nHSET", 1))
    assert set(read_contents(tmp_path / "redis").events) == {("one", 1)}


@pytest.fixture
def snapshot(tmp_path: Path) -> bytes:
    """A snapshot with a value of each type, some of them in several forms, and with what the service
    stores.
    """
    with EmbeddedRedis(tmp_path / "origin") as server, redis.Redis.from_url(server.url) as client:
        client.set("cartulary:text", "before the snapshot")
        client.set("cartulary:number", 12345)
        client.set("cartulary:expires", "later", px=10_000_000)
        client.set("cartulary:compressed", "abc" * 100)
        for size in (3, 3000):
            values = [f"value {number}" for number in range(size)]
            client.rpush(f"cartulary:list:{size}", *values)
            client.sadd(f"cartulary:set:{size}", *values)
            client.zadd(f"cartulary:sorted:{size}", dict.fromkeys(values, 1.5))
            client.hset(f"cartulary:hash:{size}", mapping=dict.fromkeys(values, "x"))
        client.sadd("cartulary:numbers", 1, 2, 3)
        for seq in range(1, 300):
            client.xadd("cartulary:{one}:log", {"e": f"event {seq}"}, id=f"{seq}-0")
        client.xgroup_create("cartulary:{one}:log", "group", "5-0")
        client.xreadgroup("group", "consumer", {"cartulary:{one}:log": ">"}, count=3)
        client.set("cartulary:" + "a" * 100, "a compressed name")
        client.save()
        return (tmp_path / "origin" / "redis" / "dump.rdb").read_bytes()


def keys_of(data: Path) -> dict[str, object]:
    with EmbeddedRedis(data) as server, redis.Redis.from_url(server.url) as client:
        stored = contents(client)
    stored.pop("cartulary:expires", None)  # restored with the time that it has left
    return stored


@pytest.mark.parametrize("is_header_damaged", [False, True])
def test_each_entry_of_a_damaged_snapshot_is_kept(
    tmp_path: Path, snapshot: bytes, *, is_header_damaged: bool
) -> None:
    """Only the checksum is wrong, or the header, too."""
    write_data(tmp_path / "whole", snapshot)
    header = b"damaged!!" if is_header_damaged else snapshot[:9]
    path = write_data(tmp_path / "damaged", header + snapshot[9:-4] + b"\1\2\3\4")
    with raises(
        AppendOnlyFileError, match=r"the snapshot in .* is damaged.* run `cartulary repair"
    ):
        EmbeddedRedis(tmp_path / "damaged").start()
    damaged = tmp_path / "damaged" / "redis"
    if (damaged / "appendonlydir").exists():
        path = damaged / "appendonlydir" / path.name
    damaged_contents = read_contents(damaged)
    assert [part.path for part, _ in damaged_contents.damaged_snapshots] == [path]
    assert not damaged_contents.is_complete
    write_intact_copy(damaged_contents, tmp_path / "new")
    assert keys_of(tmp_path / "new") == keys_of(tmp_path / "whole")


def test_an_entry_that_seems_to_end_before_the_end_marker_hides_no_other(snapshot: bytes) -> None:
    """The byte after it belongs to its value, and is the same as the end marker."""
    first, second, *others = find_entries(snapshot)
    at = first.value[0]
    damaged = snapshot[:at] + b"\x01x\xff" + snapshot[at:]
    assert {entry.key for entry in find_entries(damaged)} >= {it.key for it in (second, *others)}


@pytest.mark.parametrize("size", [1, 5, 40])
def test_damage_in_a_snapshot_costs_the_keys_that_it_touches(
    tmp_path: Path, snapshot: bytes, size: int
) -> None:
    write_data(tmp_path / "whole", snapshot)
    whole = keys_of(tmp_path / "whole")
    entries = find_entries(snapshot)
    assert len(entries) == len(whole) + 1
    chance = random.Random(size)
    for case in range(6):
        position = chance.randrange(9, len(snapshot) - 9)
        damaged = snapshot[:position] + bytes(size) + snapshot[position + size :]
        data = tmp_path / str(case)
        write_data(data / "damaged", damaged)
        write_intact_copy(read_contents(data / "damaged" / "redis"), data / "new")
        kept = keys_of(data / "new")
        for number, entry in enumerate(entries):
            name = entry.key.decode()
            # What follows an entry shows that it is whole.
            end = entries[number + 1].start + 1 if number + 1 < len(entries) else entry.end + 1
            if (entry.end <= position or entry.start >= position + size) and end <= position:
                assert name == "cartulary:expires" or kept[name] == whole[name]


def test_a_snapshot_ends_where_its_checksum_is_if_the_first_command_is_damaged(
    tmp_path: Path,
) -> None:
    with EmbeddedRedis(tmp_path / "origin") as server, redis.Redis.from_url(server.url) as client:
        client.set("before", "the snapshot")
        client.bgrewriteaof()
        assert wait_until(lambda: not client.info("persistence")["aof_rewrite_in_progress"], 60)
        client.save()
    snapshot = (tmp_path / "origin" / "redis" / "dump.rdb").read_bytes()
    path = write_data(tmp_path, snapshot + b"garbage\r\n" + b"*1\r\n$4\r\nEXEX\r\n")
    contents = read_contents(tmp_path / "redis")
    assert contents.gaps == ((Part(path), (len(snapshot), path.stat().st_size)),)


@pytest.mark.parametrize("steps", range(3))
def test_a_replacement_that_was_interrupted_is_completed_at_the_next_start(
    tmp_path: Path, file_content: bytes, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    write_data(tmp_path, damage_name(file_content))
    append_intact(read_contents(tmp_path / "redis"), tmp_path / "new" / "appendonly.aof")
    rename = Path.rename

    def interrupted(path: Path, target: Path) -> Path:
        nonlocal steps
        if not steps:
            raise OSError(28, "No space left on device")
        steps -= 1
        return rename(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", interrupted)
        with raises(AppendOnlyFileError, match="no space left on the disk"):
            replace_by(tmp_path / "redis", tmp_path / "new")
    is_decided = not (tmp_path / "new").exists()
    if is_decided:
        with EmbeddedRedis(tmp_path) as server, redis.Redis.from_url(server.url) as client:
            assert client.xlen("cartulary:{two}:log") == SEQS
        assert len(list((tmp_path / "redis").glob("cut-*/appendonly.aof"))) == 1
        assert not (tmp_path / "redis" / "repaired").exists()
    else:
        assert current_file(tmp_path).read_bytes() == damage_name(file_content)


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

    contents = read_contents(tmp_path / "redis")
    assert set(contents.events) == {("two", 2)}
    append_intact(contents, tmp_path / "new" / "appendonly.aof")
    new = (tmp_path / "new" / "appendonly.aof").read_bytes()
    assert new == file_content[: end_of_event(file_content, "one", 2)] + file_content[end:]


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


@pytest.mark.parametrize(
    ("parts", "names"),
    [
        ({"incr1": b"", "incr2": b""}, ["1.incr.aof", "2.incr.aof"]),
        # While a rewrite ends, its base is there beside the files from which it was made.
        (
            {"base1": b"", "incr1": b"", "incr2": b"", "base2": b""},
            ["1.base.rdb", "1.incr.aof", "2.incr.aof"],
        ),
        ({"base2": b"", "incr10": b"", "incr9": b""}, ["2.base.rdb", "9.incr.aof", "10.incr.aof"]),
    ],
)
def test_a_manifest_from_names_lists_the_oldest_base_and_all_increments(
    tmp_path: Path, parts: dict[str, bytes], names: list[str]
) -> None:
    write_parts(tmp_path, **parts)
    lines = manifest_from_names(tmp_path / "redis").splitlines()
    assert [line.split()[1].removeprefix("appendonly.aof.") for line in lines] == names


@pytest.mark.parametrize(
    "manifest",
    [
        "file appendonly.aof.1.base.rdb seq 1 type b\nfile appendonly.aof.2.incr.aof seq 2 type i\n",
        "file appendonly.aof.1.base.rdb seq 1 type b\n",
        (
            "file appendonly.aof.1.base.rdb seq 1 type b\nfile appendonly.aof.1.incr.aof seq 1 type h\n"
            "file appendonly.aof.2.incr.aof seq 2 type h\n"
        ),
        "file appendonly.aof.2.incr.aof seq 2 type i\nfile appendonly.aof.1.incr.aof seq 1 type i\n",
        (
            "file appendonly.aof.1.base.rdb seq 1 type b\nfile appendonly.aof.1.base.rdb seq 1 type b\n"
            "file appendonly.aof.1.incr.aof seq 1 type i\nfile appendonly.aof.2.incr.aof seq 2 type i\n"
        ),
        # The base is there, and not listed.
        "file appendonly.aof.1.incr.aof seq 1 type i\nfile appendonly.aof.2.incr.aof seq 2 type i\n",
    ],
)
def test_a_manifest_that_leaves_writes_out_or_is_not_in_order_is_an_error(
    tmp_path: Path, file_content: bytes, manifest: str
) -> None:
    end = end_of_event(file_content, "two", 2)
    write_parts(tmp_path, base1=b"x", incr1=file_content[:end], incr2=file_content[end:])
    write_manifest(tmp_path / "redis", manifest)
    with raises(ManifestError, match="(does not list it|is damaged)"):
        find_parts(tmp_path / "redis")
    write_manifest(tmp_path / "redis", manifest_from_names(tmp_path / "redis"))
    assert len(find_parts(tmp_path / "redis")) == 3


def test_a_missing_part_is_an_error(tmp_path: Path) -> None:
    folder = write_parts(tmp_path, base1=b"", incr1=b"")
    write_manifest(tmp_path / "redis", manifest_from_names(tmp_path / "redis"))
    (folder / "appendonly.aof.1.incr.aof").unlink()
    with raises(ManifestError, match=r"incr\.aof, which .* lists, is missing"):
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
