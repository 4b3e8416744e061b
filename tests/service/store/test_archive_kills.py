"""Processes that move games into the archive are killed with SIGKILL: no game is lost, and moves end."""

import io
import os
import random
import signal
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from subprocess import PIPE, Popen

import pytest
from freezegun import freeze_time

from ledger.record import Record
from replay.audit import audit
from service import wall_clock
from service.bootstrap import Service, build
from service.settings import Settings
from service.store.archive import LEASE_SECONDS
from tests.support.processes import wait_until
from tests.support.stored_games import recorded_game, store_game

GAMES = ("one-left", "baron-one-left", "disputes", "duke-of-two")
MOVER = """
import sys
from pathlib import Path
from service.bootstrap import build
from service.settings import Settings

data, url, *games = sys.argv[1:]
service = build(Settings(Path(data), url, url, Path(data) / "signing-key.pem"))
print("ready", flush=True)
while True:
    for game in games:
        service.archive.move(game)
        service.archive.recall(game)
"""
"""Moves games into the archive and back, again and again."""


def moves(service: Service) -> int:
    """Return how many games have been moved."""
    return service.archive.schedule.figures().get("moved_games", 0)


def has_moved_more(service: Service, count: int) -> bool:
    """Return whether more games have been moved than this number."""
    return moves(service) > count


def kill_while_games_move(service: Service, records: Sequence[Record], kills: int) -> None:
    """Kill a process at random moments of its moves, and check every game after each kill."""
    chance = random.Random(1)
    settings = service.settings
    arguments = [str(settings.data), settings.redis_url, *(record.game for record in records)]
    for _ in range(kills):
        moved = moves(service)
        with Popen([sys.executable, "-c", MOVER, *arguments], stdout=PIPE) as process:
            try:
                assert process.stdout is not None
                assert process.stdout.readline() == b"ready\n"
                wait_until(partial(has_moved_more, service, moved))
                time.sleep(chance.uniform(0, 0.1))
            finally:
                os.kill(process.pid, signal.SIGKILL)
        other = build(settings)
        for record in records:
            assert other.store.read(record.game) == record.lines
            assert len(other.store.secrets(record.game)) > 0
        other.redis.close()


def finish(service: Service, records: Sequence[Record]) -> None:
    """Archive all games, and check that nothing but their objects is left in the archive."""
    with freeze_time(wall_clock.now() + timedelta(seconds=2 * LEASE_SECONDS)):
        for record in records:
            service.archive.resume(record.game)
            assert service.archive.move(record.game)
    with freeze_time(wall_clock.now() + timedelta(seconds=4 * LEASE_SECONDS)):
        for game in service.archive.schedule.due(100).to_clean:
            service.archive.resume(game)
        assert service.archive.schedule.due(100).to_clean == ()
    folder = service.settings.data / "archive"
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    stubs = service.archive.stubs([record.game for record in records])
    assert files == {stub.object for stub in stubs.values()}
    keys = [entry["public"] for entry in service.keyring.public_keys()]
    for record in records:
        data = b"".join(build(service.settings).games.queries.record(record.game))
        report = audit(io.BytesIO(data), keys=keys)
        assert report.first is None


@pytest.fixture
def records(service: Service) -> list[Record]:
    """Recorded games that are over, in the store."""
    service.keyring.publish_key()
    records = [recorded_game(name) for name in GAMES]
    for record in records:
        store_game(service, record)
    return records


@pytest.mark.nightly
def test_a_few_kills_during_moves_lose_nothing(service: Service, records: list[Record]) -> None:
    kill_while_games_move(service, records, 4)
    finish(service, records)


@pytest.mark.nightly
def test_the_archive_loses_nothing_in_200_kills_during_moves(
    service: Service, records: list[Record], settings: Settings
) -> None:
    kill_while_games_move(service, records, 200)
    finish(service, records)
