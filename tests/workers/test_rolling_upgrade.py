"""A rolling upgrade from the last version while bots play: no client gets an error, and all games audit.

The processes are replaced as docs/upgrading.md says, behind a load balancer. The last version is that of the
last tag, or of the commit LAST_VERSION while there is none.
"""

import random
import socket
import sys
import tarfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Final

import httpx
import pytest

from replay.audit import audit
from replay.language.build import compile_catalogues
from service.bootstrap import build
from service.operation.child_process import ChildProcess
from service.operation.embedded_redis import EmbeddedRedis
from service.settings import load_settings
from tests.support.acknowledgements import Acknowledgements
from tests.support.crash_checks import check_everything
from tests.support.processes import (
    HANG_SECONDS,
    ROOT,
    environment,
    free_port,
    run_program,
    wait_until,
)
from tests.support.receiver import webhook_receiver
from tests.support.service_processes import SETTINGS
from tests.workers.test_kill import playing, wait_for_play

LAST_VERSION: Final = "c62ca1de"
"""A commit, until a version is released."""
TABLES: Final = 2
WORKERS: Final = {
    "worker": ("worker", "--queue", "games", "--queue", "bots"),
    "sender": ("worker", "--queue", "notices"),
    "scheduler": ("scheduler",),
}
_CHUNK: Final = 65_536


class LoadBalancer:
    """Passes each new connection on to a web process; which one can be changed while connections are open."""

    def __init__(self, port: int) -> None:
        self.backend = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Accept no more connections."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with (
            client,
            suppress(OSError),
            socket.create_connection(("127.0.0.1", self.backend)) as web,
        ):
            replies = threading.Thread(target=_pass_on, args=(web, client), daemon=True)
            replies.start()
            _pass_on(client, web)
            replies.join()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(_CHUNK):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


@pytest.fixture(scope="module")
def last_version(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the last version."""
    if not (ROOT / ".git").exists():
        pytest.skip("this copy of the project has no history to take the last version from")
    tags = run_program(["git", "tag", "--merged", "HEAD~1", "--sort=-creatordate"], cwd=ROOT)
    version = next(iter(tags.stdout.split()), LAST_VERSION)
    folder = tmp_path_factory.mktemp("last-version")
    packed = folder.with_suffix(".tar")
    run_program(["git", "archive", f"--output={packed}", version], cwd=ROOT, check=True)
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    compile_catalogues(folder / "replay" / "language" / "catalogues")
    return folder


class Processes:
    """The processes of a service that can be of two versions, all on one data folder."""

    def __init__(self, folder: Path, running: ExitStack) -> None:
        self.data = folder / "data"
        self._folder = folder
        self._running = running

    def start(self, code: Path, *arguments: str) -> ChildProcess:
        """Start `cartulary ARGUMENTS` of the version in the folder `code`."""
        process = ChildProcess(
            f"{arguments[0]} of {code.name}",
            # -P: the modules are those of PYTHONPATH, whatever the current folder is.
            [sys.executable, "-P", "-m", "cartulary", *arguments],
            environment(CARTULARY_DATA=str(self.data), PYTHONPATH=str(code), **SETTINGS),
            output=self._folder / "log",
        )
        process.start()
        self._running.callback(process.reap)
        return process

    def start_web(self, code: Path) -> tuple[ChildProcess, int]:
        """Start a web process and wait until it is ready; return it and its port."""
        port = free_port()
        process = self.start(code, "web", "--port", str(port), "--processes", "1")
        wait_until(lambda: _is_ready(port))
        return process, port


def _is_ready(port: int) -> bool:
    try:
        response = httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=HANG_SECONDS)
    except httpx.TransportError:
        return False
    return response.status_code == 200


def _stop(process: ChildProcess) -> None:
    process.terminate()
    wait_until(lambda: not process.is_running)


@contextmanager
def _service(folder: Path) -> Iterator[Processes]:
    with ExitStack() as running:
        processes = Processes(folder, running)
        with EmbeddedRedis(processes.data):
            try:
                yield processes
            finally:
                running.close()


@pytest.mark.nightly
def test_a_rolling_upgrade_under_load_completes_without_an_error(
    tmp_path: Path, last_version: Path
) -> None:
    acknowledgements, chance = Acknowledgements(), random.Random(1)
    with _service(tmp_path) as processes, webhook_receiver() as receiver:
        old = {name: processes.start(last_version, *WORKERS[name]) for name in WORKERS}
        old_web, port = processes.start_web(last_version)
        balancer = LoadBalancer(port)
        with playing(balancer.url, acknowledgements, TABLES, 1, receiver.url) as check_bots:
            wait_for_play(acknowledgements, chance, check_bots)
            for name, process in old.items():
                processes.start(ROOT, *WORKERS[name])
                wait_for_play(acknowledgements, chance, check_bots)
                _stop(process)
                wait_for_play(acknowledgements, chance, check_bots)
            _, balancer.backend = processes.start_web(ROOT)
            wait_for_play(acknowledgements, chance, check_bots)
            _stop(old_web)
            wait_for_play(acknowledgements, chance, check_bots)
        balancer.close()
        check_everything(processes.data, acknowledgements, receiver, must_have_ended=False)
        variables = {"CARTULARY_DATA": str(processes.data)}
        service = build(load_settings(variables), read_only=True)
        games = list(service.store.game_ids())
        assert set(acknowledgements.games) <= set(games)
        for game_id in games:
            report = audit(BytesIO(b"".join(service.games.queries.record(game_id))))
            assert report.verdict != "broken", (game_id, report.first)
        service.redis.close()
