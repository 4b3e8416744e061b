"""The data folder of a service on one machine: its path, its permissions and its lock.

It holds the files of the embedded Redis (`redis/`), which service/operation/embedded_redis.py runs, and the
key that signs receipts.
"""

import hashlib
import logging
import os
import signal
import socket
import stat
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final, Self
from urllib.parse import quote

import platformdirs
from filelock import FileLock, Timeout

from domain.messages import Message, message
from ledger.files.os_errors import os_reason
from service.errors import ServiceError
from service.operation.parent_watch import kill_with_group

log = logging.getLogger(__name__)

SIGNING_KEY: Final = "signing-key.pem"
"""The file of the key that signs receipts, unless the settings name another one."""
VAPID_KEY: Final = "vapid-key.pem"
"""The file of the key that identifies the server to push services."""
ARCHIVE: Final = "archive"
"""The folder of the archived games, unless the settings name another place."""
ERASED_PLAYERS: Final = "erased-players"
"""The file with the ids of erased players (service/accounts/erased.py)."""
FOLDER_ID: Final = "folder-id"
RESTORED: Final = "restored"
"""The files by which a restore is recognized (service/transparency/restores.py)."""
REPAIR_FOLDER: Final = "repair"
"""The folder in which the command `repair` works on a copy of the data."""

LONGEST_SOCKET_PATH: Final = 103
"""The length in bytes of the longest path that is a valid address of a Unix socket on every system."""
ORPHAN_SIGNALS: Final = (*[signal.SIGTERM] * 3, *[signal.SIGKILL] * 10)
"""The signals that are sent to a Redis whose service has died until it ends, SIGNAL_SECONDS apart. SIGKILL
loses no acknowledged data: Redis syncs every write before its response (appendfsync is `always`), and the
next start cuts off an incomplete write.
"""
SIGNAL_SECONDS: Final = 1.0


class DataFolderError(ServiceError):
    """The data folder cannot be used."""


class DataFolderInUse(DataFolderError):
    """Another service uses the data folder. `how_to_stop` is an instruction for people."""

    def __init__(self, folder: Path, owner: str) -> None:
        """`owner` is the id of the process that runs that service, or "" if only its Redis is left."""
        if owner:
            self.how_to_stop = message(
                "Stop process {pid} (Ctrl-C in its terminal, or `kill {pid}`)", pid=owner
            )
        else:
            pid = _read(embedded_redis_pid_file(folder))
            self.how_to_stop = message(
                "Stop its redis-server, which still runs (`kill {pid}`)", pid=pid
            )
        super().__init__(
            message(
                "the data folder {folder} is in use by another service. {how_to_stop}, or choose"
                " another folder with --data or CARTULARY_DATA",
                folder=str(folder),
                how_to_stop=self.how_to_stop,
            )
        )


def default_data_folder() -> Path:
    """Return the folder `cartulary` in the user's data folder, on Linux XDG_DATA_HOME or ~/.local/share.

    On other systems, ~/.local/share/cartulary is used if it exists and the other folder does not.
    """
    folder = platformdirs.user_data_path("cartulary", appauthor=False)
    earlier = Path.home() / ".local" / "share" / "cartulary"
    if sys.platform != "linux" and earlier.exists() and not folder.exists():
        return earlier
    return folder


def embedded_redis_socket(data: Path) -> Path:
    """Return the path of the embedded Redis's socket: in the data folder, or in /tmp if that is too long."""
    path = data.absolute() / "redis" / "redis.sock"
    if len(os.fsencode(path)) <= LONGEST_SOCKET_PATH:
        return path
    name = hashlib.sha256(os.fsencode(data.resolve())).hexdigest()[:16]
    # TMPDIR may be long as well, and may differ between the server and a command that looks for its socket.
    # `make_private` makes sure that no other user has created this folder.
    return Path(f"/tmp/cartulary-{os.getuid()}-{name}/redis.sock")  # noqa: S108 # see above


def embedded_redis_pid_file(data: Path) -> Path:
    """Return the path of the file to which the embedded Redis writes its process id."""
    return data / "redis" / "redis.pid"


def embedded_redis_url(data: Path) -> str:
    """Return the URL of the embedded Redis of a data folder, for redis-py and RQ."""
    return f"unix://{quote(str(embedded_redis_socket(data)))}"


def make_private(folder: Path) -> None:
    """Create a folder that only its owner can access, or make an existing folder private.

    Raises DataFolderError if that is not possible, or if the folder belongs to another user.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
            raise DataFolderError.with_message(
                "{folder} belongs to another user", folder=str(folder)
            )
        folder.chmod(0o700)
    except OSError as error:
        raise DataFolderError(_unusable(folder, error)) from error


def _unusable(folder: Path, error: OSError) -> Message:
    return message("{folder} cannot be used: {reason}", folder=str(folder), reason=os_reason(error))


def protect_data_folder(data: Path) -> None:
    """Create the data folder for its owner only, or remove the access of others to an existing one.

    If an existing folder also contains files of other programs, or belongs to another user, it may be shared
    on purpose: it is left as it is, and a warning is logged. Raises DataFolderError if it cannot be
    used.
    """
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = data.stat()
        if not stat.S_IMODE(status.st_mode) & 0o077:
            return
        if status.st_uid == os.getuid() and all(map(_is_ours, data.iterdir())):
            data.chmod(0o700)
            log.warning("other users had access to the data folder %s; they no longer have", data)
            return
    except OSError as error:
        raise DataFolderError(_unusable(data, error)) from error
    log.warning(
        "other users have access to the data folder %s: use a folder of its own, or run `chmod 700 %s`",
        data,
        data,
    )


def warn_of_exposed_key(path: Path) -> None:
    """Log a warning if other users can read or replace the file of a signing key.

    Access by a group is accepted if the file belongs to another user, who shares it with this service.
    """
    status = path.stat()
    is_own = status.st_uid == os.getuid()
    if stat.S_IMODE(status.st_mode) & (0o077 if is_own else 0o007):
        log.warning("other users have access to the signing key %s: run `chmod 600 %s`", path, path)


class DataFolderLock:
    """The lock that lets only one service at a time use a data folder.

    The lock belongs to an open file, so a program that inherits the file holds the lock as well: a
    redis-server keeps its folder locked until it ends, even if the process that started it has died. The next
    process that locks the folder ends such an orphan.
    """

    def __init__(self, data: Path) -> None:
        self._data = data
        self._path = data / "redis" / "lock"
        self._fd = -1
        self._lock = FileLock(
            self._path, timeout=0, mode=0o600, thread_local=False, on_acquired=self._on_acquired
        )

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def acquire(self) -> None:
        """Lock the folder, unless this object has locked it already; end the Redis of a dead service.

        Raises DataFolderInUse, and DataFolderError if the folder cannot be used at all.
        """
        if self._lock.is_locked:
            return
        protect_data_folder(self._data)
        make_private(self._path.parent)
        try:
            self._lock.acquire()
        except Timeout:
            self._lock_after_orphan()
        except OSError as error:
            raise DataFolderError.with_message(
                "{file} cannot be locked: {reason}", file=str(self._path), reason=os_reason(error)
            ) from error

    def release(self) -> None:
        """Unlock the folder. Does nothing if it is not locked."""
        self._lock.release()

    def fileno(self) -> int:
        """Return the descriptor of the locked file."""
        assert self._lock.is_locked
        return self._fd

    def check(self) -> None:
        """Raise DataFolderInUse if another service uses the folder."""
        if self._path.exists() and not self._lock.is_locked:
            with self:
                pass

    def _lock_after_orphan(self) -> None:
        """End the Redis that has outlived its service, and lock the folder. Raises DataFolderInUse."""
        signalled: set[signal.Signals] = set()
        for number in ORPHAN_SIGNALS:
            pid = _find_listener(embedded_redis_socket(self._data))
            # A service locks the folder before its Redis listens. If the owner has died, no service was
            # started since then, and this Redis is the orphan.
            owner = _read(self._path)
            if _is_alive(owner):
                raise DataFolderInUse(self._data, owner)
            if pid is not None:
                if number not in signalled:
                    signalled.add(number)
                    log.warning(
                        "%s to the Redis of a service that has died (process %d)", number.name, pid
                    )
                _end(pid, number)
            with suppress(Timeout):
                self._lock.acquire(timeout=SIGNAL_SECONDS, poll_interval=0.02)
                return
        raise DataFolderInUse(self._data, "")

    def _on_acquired(self, fd: int) -> None:
        # The file contains the id of the process that locked it last.
        self._fd = fd
        os.fchmod(fd, 0o600)
        os.ftruncate(fd, 0)
        os.pwrite(fd, str(os.getpid()).encode(), 0)


def _is_ours(path: Path) -> bool:
    """Return whether a service creates a file of this name in its data folder."""
    # A crash may have left a temporary file, whose name begins with that of the file it was to replace.
    stems = (Path(SIGNING_KEY).stem, Path(VAPID_KEY).stem, ERASED_PLAYERS, FOLDER_ID, RESTORED)
    return path.name in {"redis", REPAIR_FOLDER} or path.name.startswith(stems)


def _read(path: Path) -> str:
    """Return the text of a small file; "" if it cannot be read."""
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _is_alive(pid: str) -> bool:
    if not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _find_listener(path: Path) -> int | None:
    """Return the id of the process that listens on a Unix socket, even if it is stopped or does not respond.

    None if there is none, if it runs in another container, and on systems other than Linux.
    """
    if sys.platform != "linux":
        return None
    with socket.socket(socket.AF_UNIX) as client:
        # A stopped process accepts no connection, so its queue of connections may be full.
        client.setblocking(False)  # noqa: FBT003 # the function takes no keyword
        try:
            client.connect(str(path))
        except OSError:
            return None
        credentials = client.getsockopt(
            socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")
        )
    pid, _, _ = struct.unpack("3i", credentials)
    # The kernel returns 0 for a process of another container.
    return pid or None


def _end(pid: int, number: signal.Signals) -> None:
    """Send SIGTERM or SIGKILL to a process, even if it is stopped. SIGKILL also goes to its process group."""
    with suppress(OSError):
        if number == signal.SIGKILL:
            kill_with_group(pid)
        else:
            os.kill(pid, number)
            os.kill(pid, signal.SIGCONT)
