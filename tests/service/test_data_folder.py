"""The data folder of a service: only its owner has access to it, and only one service uses it."""

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.keys import SigningKey
from service.bootstrap import Service
from service.operation.data_folder import DataFolderError, DataFolderLock, protect_data_folder
from tests.support.faults import raises


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    """New files are readable by everybody, unless the program makes them private."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_data_folder_and_everything_in_it_is_private(tmp_path: Path) -> None:
    data = tmp_path / "srv" / "data"
    with DataFolderLock(data):
        assert mode(data) == 0o700
        assert mode(data / "redis") == 0o700
        assert mode(data / "redis" / "lock") == 0o600


def test_a_folder_that_is_created_for_the_signing_key_is_private(tmp_path: Path) -> None:
    SigningKey.load_or_generate(tmp_path / "data" / "signing-key.pem")
    assert mode(tmp_path / "data") == 0o700
    assert mode(tmp_path / "data" / "signing-key.pem") == 0o600


def test_an_existing_data_folder_becomes_private(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "data" / "redis").mkdir(parents=True)
    (tmp_path / "data" / "redis" / "lock").touch()
    SigningKey.generate().save(tmp_path / "data" / "signing-key.pem")
    (tmp_path / "data").chmod(0o755)
    with DataFolderLock(tmp_path / "data"):
        assert mode(tmp_path / "data") == 0o700
        assert mode(tmp_path / "data" / "redis") == 0o700
        assert mode(tmp_path / "data" / "redis" / "lock") == 0o600
    expected = f"other users had access to the data folder {tmp_path}/data; they no longer have"
    assert caplog.messages == [expected]
    with DataFolderLock(tmp_path / "data"):
        assert caplog.messages == [expected]


def test_a_data_folder_with_other_files_stays_as_it_is_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "index.html").touch()
    protect_data_folder(tmp_path / "data")
    assert mode(tmp_path / "data") == 0o755
    (message,) = caplog.messages
    assert f"run `chmod 700 {tmp_path}/data`" in message


@pytest.mark.parametrize("path", ["data", "data/redis"])
def test_a_data_folder_that_cannot_be_created_is_an_error(tmp_path: Path, path: str) -> None:
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text("a file")
    with raises(DataFolderError, match=f"{tmp_path}/{path} cannot be used"):
        DataFolderLock(tmp_path / "data").acquire()


def test_a_lock_that_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "redis" / "lock").mkdir(parents=True)
    with raises(DataFolderError, match=f"{tmp_path}/redis/lock cannot be locked"):
        DataFolderLock(tmp_path).acquire()


@pytest.mark.parametrize(
    ("key_mode", "is_reported"), [(0o600, False), (0o640, True), (0o604, True), (0o400, False)]
)
def test_a_signing_key_that_other_users_can_read_is_reported(
    service: Service, caplog: pytest.LogCaptureFixture, key_mode: int, is_reported: bool
) -> None:
    path = service.settings.signing_key
    SigningKey.generate().save(path)
    path.chmod(key_mode)
    caplog.set_level(logging.WARNING)
    service.keyring.publish_key()
    assert any(f"run `chmod 600 {path}`" in message for message in caplog.messages) is is_reported
