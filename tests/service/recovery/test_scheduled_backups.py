"""Scheduled backups: made, verified, deleted in time, continued after a kill; only one process makes them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import redis
from freezegun import freeze_time

from domain.errors import CartularyError
from replay.language.renderer import english
from service import wall_clock
from service.administration.backups import MAX_ATTEMPTS, Backup
from service.bootstrap import Service, build
from service.recovery.backup import SNAPSHOT
from service.recovery.scheduled_backups import BackupUnderWay, NoBackupFolder, make_scheduled_backup
from service.settings import Settings
from tests.support.damage import change_digit, damage_event
from tests.support.processes import begin, cartulary, wait_until
from tests.support.service_games import play_out, start_game
from workers.backup_process import BackupProcess

pytestmark = pytest.mark.needs_redis("single", "sentinel")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "backups"


@pytest.fixture
def scheduled(settings: Settings, service: Service, folder: Path) -> Service:
    """A service with a game that is over and one in progress, and with a folder for backups."""
    play_out(service, start_game(service).id)
    start_game(service)
    return build(replace(settings, backup_folder=str(folder), backups_kept=2))


def lines(service: Service) -> str:
    """Return what is said about backups."""
    return "\n".join(
        f"{each.status}: {english(each.sentence)}" for each in service.health.backups()
    )


def test_a_backup_is_verified_and_old_ones_are_deleted(scheduled: Service, folder: Path) -> None:
    assert "warning: there is no verified backup yet" in lines(scheduled)
    first = make_scheduled_backup(scheduled)
    assert (first.status, first.games, first.reason) == ("verified", 2, None)
    assert first.bytes == (folder / first.name / SNAPSHOT).stat().st_size
    assert [path.name for path in folder.iterdir()] == [first.name]
    assert "2 games of it were audited" in lines(scheduled)
    # Older ones, of which the newest that is verified is kept as well.
    scheduled.backups.store(replace(first, name="old", started="2026-01-02T00:00:00.000Z"))
    broken = replace(first, name="bad", started="2026-01-03T00:00:00.000Z", status="broken")
    scheduled.backups.store(broken)
    for name in ("old", "bad"):
        (folder / name).mkdir()
    scheduled.backups.store(replace(first, started="2026-01-01T00:00:00.000Z"))
    last = make_scheduled_backup(scheduled)
    assert sorted(path.name for path in folder.iterdir()) == sorted({last.name, "bad"})
    assert [backup.name for backup in scheduled.backups.all()] == [last.name, "bad"]


@pytest.mark.nightly
def test_the_newest_verified_backup_is_kept_when_later_ones_are_not_good(
    scheduled: Service, folder: Path
) -> None:
    good = make_scheduled_backup(scheduled)
    now = wall_clock.now()
    for number in (1, 2, 3):
        started = wall_clock.format(now + timedelta(seconds=number))
        later = replace(good, name=f"later-{number}", started=started, status="failed")
        scheduled.backups.store(later)
    made = make_scheduled_backup(scheduled)
    names = {backup.name for backup in scheduled.backups.all()}
    assert {made.name, "later-3"} <= names
    assert (folder / made.name).is_dir() or (folder / good.name).is_dir()
    assert "later-1" not in names


def test_two_backups_of_one_second_have_two_names(scheduled: Service, folder: Path) -> None:
    with freeze_time("2026-11-30T13:00:00Z", tick=False):
        names = [make_scheduled_backup(scheduled).name for _ in range(2)]
    assert names == ["2026-11-30T130000Z", "2026-11-30T130000Z-2"]
    assert sorted(path.name for path in folder.iterdir()) == names


def test_damage_in_a_backup_is_found(scheduled: Service, folder: Path) -> None:
    game = start_game(scheduled)
    damage_event(scheduled, game.id, 2, change_digit)
    backup = make_scheduled_backup(scheduled)
    assert backup.status == "broken"
    assert game.id in (backup.reason or "")
    assert (folder / backup.name).is_dir()
    assert "fault: the backup of" in lines(scheduled)


def test_a_folder_that_cannot_be_written_is_a_failure_with_its_reason(
    settings: Settings, folder: Path
) -> None:
    folder.write_text("a file")
    service = build(replace(settings, backup_folder=str(folder)))
    try:
        with pytest.raises(CartularyError) as raised:
            make_scheduled_backup(service)
        assert str(folder) in english(raised.value.message)
    finally:
        service.redis.close()


def test_a_service_without_a_folder_makes_none(service: Service) -> None:
    with pytest.raises(NoBackupFolder):
        make_scheduled_backup(service)
    assert "no backups are scheduled" in lines(service)


def test_one_process_at_a_time(scheduled: Service) -> None:
    token = scheduled.backups.lock()
    assert token is not None
    assert scheduled.backups.lock() is None
    assert not scheduled.backups.is_due(wall_clock.now())
    with pytest.raises(BackupUnderWay):
        make_scheduled_backup(scheduled)
    scheduled.backups.unlock("of another process")
    assert scheduled.backups.is_locked()
    scheduled.backups.unlock(token)
    assert scheduled.backups.is_due(wall_clock.now())


@pytest.mark.parametrize(
    ("status", "attempts", "age", "is_due"),
    [
        ("verified", 1, timedelta(hours=23), False),
        ("verified", 1, timedelta(hours=24), True),
        ("broken", 1, timedelta(minutes=59), False),
        ("failed", 1, timedelta(hours=1), True),
        ("writing", 1, timedelta(0), True),
        ("written", MAX_ATTEMPTS, timedelta(minutes=59), False),
    ],
)
def test_when_a_backup_is_due(
    service: Service, status: str, attempts: int, age: timedelta, is_due: bool
) -> None:
    now = datetime(2026, 11, 30, tzinfo=UTC)
    started = wall_clock.format(now - age)
    service.backups.store(Backup("x", "host", started, status, attempts))  # type: ignore[arg-type] # one of the statuses
    assert service.backups.is_due(now) == is_due
    service.backups.request()
    assert service.backups.is_due(now)


def test_a_process_that_is_killed_is_gone_on_with(scheduled: Service, folder: Path) -> None:
    made = make_scheduled_backup(scheduled)
    # As a process has left it that was killed while it verified, and one that was killed while it wrote.
    scheduled.backups.store(replace(made, status="written", games=0, finished=None))
    (folder / ".verify-abc").mkdir()
    again = make_scheduled_backup(scheduled)
    assert (again.name, again.status, again.attempts) == (made.name, "verified", 2)
    unfinished = replace(made, name="2026-11-30T000000Z", status="writing", finished=None)
    started = wall_clock.format(wall_clock.now() + timedelta(seconds=1))
    scheduled.backups.store(replace(unfinished, started=started))
    (folder / ".2026-11-30T000000Z.unfinished").mkdir()
    third = make_scheduled_backup(scheduled)
    assert (third.name, third.status) == (unfinished.name, "verified")
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_the_command_is_killed_in_the_middle_and_another_one_ends_the_work(
    scheduled: Service, folder: Path, settings: Settings, redis_url: str, tmp_path: Path
) -> None:
    variables = {
        "CARTULARY_REDIS_URL": redis_url,
        "CARTULARY_DATA": str(settings.data),
        "CARTULARY_BACKUP_FOLDER": str(folder),
    }
    out, err = tmp_path / "out", tmp_path / "err"
    process = begin("scheduled-backup", out=out, err=err, settings=variables)
    wait_until(lambda: bool(scheduled.backups.all()) or process.poll() is not None)
    assert process.poll() is None, err.read_text()
    process.kill()
    process.wait()
    assert scheduled.backups.is_locked()
    # The lock expires within LOCK_SECONDS.
    redis.Redis.from_url(redis_url).delete("cartulary:backup-lock")
    (killed,) = scheduled.backups.all()
    ended = cartulary("scheduled-backup", **variables)
    assert ended.returncode == 0, ended.stderr
    assert "verified; 2 games were audited" in ended.stdout
    (backup,) = scheduled.backups.all()
    assert (backup.name, backup.attempts) == (killed.name, 2)


@pytest.mark.nightly
def test_a_scheduler_starts_the_process_when_a_backup_is_due_and_ends_one_that_takes_too_long(
    scheduled: Service, settings: Settings, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (
        ("REDIS_URL", redis_url),
        ("DATA", str(settings.data)),
        ("BACKUP_FOLDER", str(scheduled.settings.backup_folder)),
    ):
        monkeypatch.setenv(f"CARTULARY_{name}", value)
    process = BackupProcess(scheduled.settings, scheduled.backups)
    process.check(wall_clock.now())
    wait_until(lambda: [each.status for each in scheduled.backups.all()] == ["verified"])
    wait_until(lambda: not scheduled.backups.is_locked())
    process.check(wall_clock.now())
    assert len(scheduled.backups.all()) == 1
    process.stop()
    short = BackupProcess(replace(scheduled.settings, backup_seconds=0.0), scheduled.backups)
    scheduled.backups.request()
    short.check(wall_clock.now())
    short.check(wall_clock.now())
    assert not short.is_running
    off = BackupProcess(settings, scheduled.backups)
    off.check(wall_clock.now())
    assert not off.is_running
