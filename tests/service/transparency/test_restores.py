"""A restored backup: the log goes on as a declared new epoch, and never signs a fork."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from cartulary.cli import cartulary
from domain.errors import Unreadable
from ledger.transparency.checkpoint import Checkpoint, EpochDeclaration
from ledger.transparency.merkle import MemoryTree
from ledger.transparency.signed_note import COSIGNATURE, SignedNote, note_key
from service.bootstrap import Service, build
from service.bounds import Bounds
from service.errors import ServiceError
from service.operation.data_folder import RESTORED
from service.operation.embedded_redis import EmbeddedRedis
from service.settings import Settings
from service.transparency.checkpoints import CheckpointNotKept, LogIncomplete
from service.transparency.store import TransparencyStore
from tests.support.faults import raises
from tests.support.service_games import start_game
from tests.support.witnesses import WITNESS_KEY, cosigned

Start = Callable[[Path], Service]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a service on a data folder; the one that was started before is stopped."""
    running: list[tuple[EmbeddedRedis, Service]] = []

    def stop() -> None:
        while running:
            server, service = running.pop()
            service.redis.close()
            server.stop()

    def start(data: Path) -> Service:
        stop()
        server = EmbeddedRedis(data)
        server.start()
        settings = Settings(
            data,
            server.url,
            server.url,
            data / "signing-key.pem",
            witnesses=(str(note_key("test-witness", WITNESS_KEY, COSIGNATURE)),),
            is_embedded=True,
            bounds=Bounds(checkpoint_seconds=0.001),
        )
        service = build(settings)
        running.append((server, service))
        return service

    yield start
    stop()


def grow(service: Service, games: int = 1) -> Checkpoint:
    """Log the heads of new games, and return a checkpoint that covers them."""
    for _ in range(games):
        service.transparency.head_log.log([start_game(service).id])
    return Checkpoint.of_note(
        service.transparency.checkpoints.latest(TransparencyStore(service.redis).size())
    )


def declarations(service: Service) -> list[EpochDeclaration]:
    return [EpochDeclaration.of_note(note) for note in service.transparency.checkpoints.epochs()]


def copy_folder(data: Path, copy: Path) -> None:
    """Copy a data folder as a backup does, with the times of its files."""
    shutil.copytree(data, copy, ignore=shutil.ignore_patterns("redis.sock", "redis.pid", "lock"))


def test_a_whole_folder_that_is_restored_begins_a_new_epoch(tmp_path: Path, start: Start) -> None:
    service = start(tmp_path / "data")
    backed_up = grow(service, 2)
    copy_folder(tmp_path / "data", tmp_path / "backup")
    published = grow(service, 2)

    restored = start(tmp_path / "backup")
    forked = grow(restored, 3)
    assert forked.origin.startswith(f"{published.origin}/epoch-")
    (declaration,) = declarations(restored)
    assert declaration.last == backed_up
    assert (declaration.start.origin, declaration.start.size) == (forked.origin, backed_up.size)
    assert declaration.start.root == backed_up.root
    (note,) = restored.transparency.checkpoints.epochs()
    note.check_signed_by(restored.keyring.note_key(published.origin))
    assert not (tmp_path / "backup" / RESTORED).exists()
    # The epoch goes on after a restart, and nothing else is signed.
    again = start(tmp_path / "backup")
    assert grow(again).origin == forked.origin
    assert len(declarations(again)) == 1


def test_a_folder_that_is_renamed_is_not_a_restore(tmp_path: Path, start: Start) -> None:
    first = grow(start(tmp_path / "data"))
    start(tmp_path / "elsewhere")
    (tmp_path / "data").rename(tmp_path / "moved")
    service = start(tmp_path / "moved")
    assert grow(service).origin == first.origin
    assert declarations(service) == []


def test_a_restore_of_a_restore_begins_another_epoch(tmp_path: Path, start: Start) -> None:
    origins = [grow(start(tmp_path / "data")).origin]
    service = start(tmp_path / "other")
    for number in range(2):
        copy_folder(tmp_path / ("data" if not number else "0"), tmp_path / str(number))
        service = start(tmp_path / str(number))
        origins.append(grow(service).origin)
    assert len(set(origins)) == 3
    assert [epoch.last.origin for epoch in declarations(service)] == origins[:2]
    assert [epoch.start.origin for epoch in declarations(service)] == origins[1:]


def test_the_command_declares_an_epoch_for_a_log_that_has_lost_entries(
    tmp_path: Path, start: Start
) -> None:
    service = start(tmp_path / "data")
    published = grow(service, 3)
    service.redis.flushall()
    service = build(service.settings)
    service.transparency.head_log.log([start_game(service).id])
    with pytest.raises(LogIncomplete):
        service.transparency.checkpoints.latest()
    result = CliRunner().invoke(cartulary, ["new-epoch", "--data", str(tmp_path / "data"), "--yes"])
    assert result.exit_code == 0
    latest = Checkpoint.of_note(service.transparency.checkpoints.latest())
    assert latest.origin == f"{published.origin}/{latest.origin.rpartition('/')[2]}"
    (declaration,) = declarations(service)
    assert declaration.last == published
    assert (declaration.start.size, declaration.last.size) == (0, 3)
    service.redis.close()


def test_a_witness_shows_that_the_disk_was_set_back(tmp_path: Path, start: Start) -> None:
    """The folder is the same one, as after a snapshot of a virtual machine: only a witness knows."""
    service = start(tmp_path / "data")
    kept = (tmp_path / "data" / "signing-key.checkpoint", grow(service))
    note = kept[0].read_bytes()
    stored = TransparencyStore(service.redis)
    leaves = stored.leaf_hashes(0, 1)
    seen = service.transparency.checkpoints.latest()
    grow(service, 2)
    seen = service.transparency.checkpoints.latest()
    stored.replace_tree(leaves)
    service.redis.delete(stored.checkpoints_key)
    kept[0].write_bytes(note)
    service = build(service.settings)
    # A note that our key has not signed says nothing.
    forged = SignedNote(seen.text, ())
    for submitted, epochs in ((forged, 0), (seen, 1)):
        with pytest.raises((CheckpointNotKept, ServiceError)):
            service.transparency.checkpoints.add_cosignatures(str(cosigned(submitted)))
        service.transparency.checkpoints.latest()
        assert len(declarations(service)) == epochs
    service.redis.close()


def test_a_checkpoint_of_an_old_epoch_is_not_published(tmp_path: Path, start: Start) -> None:
    """A process that has not heard of the new epoch cannot publish in the old one."""
    service = start(tmp_path / "data")
    checkpoint = grow(service)
    store = TransparencyStore(service.redis)
    store.add_epoch("any")
    assert not store.publish(checkpoint.origin, 5, "note", 1.0, 0)
    assert store.latest_checkpoint() == (None, False)


def test_a_declaration_is_never_a_checkpoint() -> None:
    tree = MemoryTree()
    tree.append([b"1" * 32])
    checkpoint = Checkpoint("log.test", 1, tree.root())
    declaration = EpochDeclaration(
        checkpoint, replace(checkpoint, origin="log.test/epoch-1"), "now"
    )
    assert EpochDeclaration.of_note(SignedNote(declaration.text, ())) == declaration
    with raises(Unreadable, match="the size"):
        Checkpoint.parse(declaration.text)
