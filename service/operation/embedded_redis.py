"""The embedded Redis: a redis-server that this process starts and stops, on the data folder.

This module has the settings of the server, starts it, waits until it has loaded its data, and stops it. The
choice of the program is in service/operation/engine.py, and the folder and its lock are in
service/operation/data_folder.py.
"""

import logging
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from tenacity import Retrying, retry_if_exception_type, retry_if_result, wait_fixed

from domain.messages import Message, message
from replay.language.renderer import english
from service.errors import ServiceError
from service.operation.append_only_file.parts import ManifestError, snapshot_version
from service.operation.append_only_file.repair import check_parts, cut_off_incomplete_write
from service.operation.append_only_file.takeover import check_readable, take_over
from service.operation.child_process import ChildProcess
from service.operation.data_folder import (
    DataFolderLock,
    embedded_redis_pid_file,
    embedded_redis_socket,
    embedded_redis_url,
    make_private,
)
from service.operation.engine import Engine, find_engine, identify, vulnerability
from service.operation.parent_watch import watched_command
from service.operation.retry import wait_until

log = logging.getLogger(__name__)

FOREIGN_SNAPSHOT: Final = 12
"""The first version of snapshots, that of Redis 7.4, that Valkey loads only if configured to try."""
SECONDS_TO_RESPOND: Final = 120.0
"""The longest time without a response while a server starts. A server that loads its data responds."""
SECONDS_TO_STOP: Final = 60.0

REDIS_SETTINGS: Final[dict[str, str]] = {
    # Every write is on disk before its response, so acknowledged writes are kept.
    "appendonly": "yes",
    "appendfsync": "always",
    "no-appendfsync-on-rewrite": "no",
    # A rewritten file consists of commands. Every engine reads them, and damage affects only some of them. A
    # snapshot can only be read as a whole, by its own engine and later ones.
    "aof-use-rdb-preamble": "no",
    # If this were on, a damaged length in the middle of the file could make Redis drop everything after it as
    # an incomplete value. `cut_off_incomplete_write` can tell the difference.
    "aof-load-truncated": "no",
    # Have the structure of values checked that are restored from a damaged snapshot.
    "sanitize-dump-payload": "yes",
    "save": "",
    "maxmemory-policy": "noeviction",
    "port": "0",
    "unixsocketperm": "600",
    "daemonize": "no",
    "logfile": "",
}


class EmbeddedRedisError(ServiceError):
    """The embedded Redis does not start, although its program is installed."""


class _ServerEndedError(EmbeddedRedisError):
    """The server has ended while it was starting."""


class EmbeddedRedis:
    """A redis-server on a data folder, running between `start` and `stop` (or inside a `with`).

    It ends with the process that started it. A `Supervisor` can run it: it implements `Program`.
    """

    name = "redis"

    def __init__(
        self, data: Path, executable: str | None = None, *, by_kernel: bool = False
    ) -> None:
        """`executable` is the server to start, by default the engine that `find_engine` returns.

        `by_kernel` lets the kernel end it with the thread that starts it (parent_watch.py).
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

        An incomplete write at the end of the data, which a power failure leaves, is cut off. Data of
        another engine is taken over. Raises EngineError if there is no suitable program, EmbeddedRedisError
        if the server fails, AppendOnlyFileError if the data is damaged, and DataFolderError if the folder
        is in use or cannot be used. After an error, no process is left running.
        """
        if self.is_running:
            raise EmbeddedRedisError.with_message(
                "the embedded Redis on {folder} is running already", folder=str(self.data)
            )
        engine = find_engine() if self._executable is None else identify(self._executable)
        self.reap()
        self._lock.acquire()
        try:
            if engine.holes:
                log.warning("%s", english(vulnerability(engine.title, engine.holes)))
            check_readable(self._folder, engine)
            check_parts(self._folder)
            take_over(self._folder, engine)
            self._launch_or_repair(engine)
            self._replace_snapshot()
        except BaseException:
            self.kill()
            raise
        log.info("%s (%s) on %s", engine.title, engine.executable, self._folder)

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
        """Kill the server and its remaining processes, without unlocking the folder.

        Returns its exit status, or None if it was not started.
        """
        return None if self._process is None else self._process.reap()

    def _launch_or_repair(self, engine: Engine) -> None:
        """Start the server; if it ends, cut off an incomplete write, and start it once more."""
        try:
            self._launch(engine)
        except _ServerEndedError:
            if not cut_off_incomplete_write(self._folder):
                raise
            self._launch(engine)

    def _launch(self, engine: Engine) -> None:
        self._process = self._prepare(engine)
        self._process.start()
        self._wait_until_ready()

    def _replace_snapshot(self) -> None:
        """Have the server replace a snapshot in its file by commands, in the background.

        If it is already rewriting its file, that has the same effect.
        """
        with suppress(ManifestError, redis.ResponseError):
            if snapshot_version(self._folder) is not None:
                with self._connect() as client:
                    client.bgrewriteaof()

    def _connect(self) -> redis.Redis:
        # `protocol=2` avoids the handshake of version 3.
        return redis.Redis.from_url(self.url, protocol=2, retry=Retry(NoBackoff(), 0))

    def _prepare(self, engine: Engine) -> ChildProcess:
        socket = embedded_redis_socket(self.data)
        make_private(socket.parent)
        # This process holds the lock, so the server that left this socket has ended.
        socket.unlink(missing_ok=True)
        settings = REDIS_SETTINGS | {
            "dir": str(self._folder.absolute()),
            "unixsocket": str(socket),
            "pidfile": str(embedded_redis_pid_file(self.data).absolute()),
        }
        if engine.name == "Valkey" and (snapshot_version(self._folder) or 0) >= FOREIGN_SNAPSHOT:
            settings["rdb-version-check"] = "relaxed"
        options = [word for name, value in settings.items() for word in (f"--{name}", value)]
        return ChildProcess(
            self.name,
            watched_command(
                [str(Path(engine.executable).absolute()), *options], by_kernel=self._by_kernel
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
                        "the server ended with status {status}: {output}",
                        status=str(status),
                        output=self._last_lines(),
                    )
                )
            now = time.monotonic()
            if now - last_response > SECONDS_TO_RESPOND:
                raise EmbeddedRedisError.with_message(
                    "the server did not respond for {seconds} s: {output}",
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

        # A server that is loading responds only from time to time, so a timeout alone is not a failure.
        errors = (redis.ConnectionError, redis.TimeoutError)
        retry = retry_if_exception_type(errors) | retry_if_result(lambda ready: not ready)
        with self._connect() as client:
            Retrying(retry=retry, wait=wait_fixed(0.01))(is_ready, client)

    def _last_lines(self) -> Message:
        lines = self._log_file.read_text(encoding="utf-8", errors="replace").splitlines()
        return message(
            "{lines} (all of it in {file})", lines=" / ".join(lines[-3:]), file=str(self._log_file)
        )
