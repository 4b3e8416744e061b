"""Fixtures for tests of several packages: one real Redis for a whole run, emptied for each test using it.

With `--redis cluster` or `--redis sentinel`, it is a Redis Cluster, or a Redis with a replica and a Sentinel.
"""

import gc
import json
import os
import shutil
import signal
from collections import Counter
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from typing import Final

import httpx
import hypothesis
import pytest
from filelock import FileLock
from typing_extensions import override
from xdist.remote import Producer  # type: ignore[import-untyped] # xdist has no annotations for others
from xdist.scheduler.loadfile import LoadFileScheduling  # type: ignore[import-untyped] # as above

from cartulary.imports import quick_imports
from ledger.canonical import canonical
from service.bootstrap import Service, build
from service.bounds import Bounds
from service.connection import connect
from service.operation.embedded_redis import REDIS_SETTINGS, EmbeddedRedis
from service.operation.engine import SERVER_VARIABLE, bundled_executable, find_engine, identify
from service.settings import Settings
from tests.support import fork_server
from tests.support.chance import make_reproducible
from tests.support.leftovers import XDIST_WORKER
from tests.support.library_caches import keep_results
from tests.support.password_hashes import hash_quickly
from tests.support.processes import HANG_SECONDS
from tests.support.records import KEY
from tests.support.redis_kinds import KINDS, RedisUrls, redis_of_kind
from tests.support.template_cache import keep_compiled_templates

MEMORY: Final = Path("/dev/shm")  # noqa: S108 # pytest makes a folder there that only its user can read
"""Where Linux usually has a file system in memory."""
MEMORY_BYTES: Final = 2 << 30
"""How much must be free there; a run writes a tenth of it, and pytest keeps the folders of three runs."""

GC_THRESHOLDS: Final = (50_000, 20, 50)
"""When to collect cyclic garbage during the tests, which leave little of it."""


def has_room_in_memory() -> bool:
    """Whether tests can write their files into MEMORY, and run programs there."""
    try:
        flags = os.statvfs(MEMORY).f_flag
    except OSError:
        return False
    is_usable = not flags & (os.ST_NOEXEC | os.ST_RDONLY)
    return is_usable and shutil.disk_usage(MEMORY).free > MEMORY_BYTES


# Every server that a test starts, here or in another process, is this one, whatever is on the PATH.
ENGINE: Final = identify(
    os.environ.get(SERVER_VARIABLE) or bundled_executable() or find_engine().executable
)
os.environ[SERVER_VARIABLE] = ENGINE.executable
if ENGINE.version >= (7, 0, 0):
    # tests.support.redis_contents.digest uses DEBUG, which later engines refuse by default.
    REDIS_SETTINGS["enable-debug-command"] = "local"

# Commands show times in the time zone of the machine.
os.environ["TZ"] = "UTC"

# Background processes of a shell without job control ignore Ctrl-C, and so would programs that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# How long the generation of values takes depends on what else the machine does, and every run tries the same.
hypothesis.settings.register_profile(
    "any machine",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("any machine")
hash_quickly()
keep_results()
keep_compiled_templates()
# On a busy machine, responses take longer than the five seconds that a client waits by default.
vars(httpx._config.DEFAULT_TIMEOUT_CONFIG).update(
    dict.fromkeys(("connect", "read", "write", "pool"), HANG_SECONDS)
)

# Redis waits for the disk at every write. In memory, a write takes less than half of the time, and all else
# is the same: a process that is killed loses nothing of either.
if has_room_in_memory():
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

HERE: Final = Path(__file__).parent
BROWSER_TESTS: Final = HERE / "browser"
DURATIONS: Final[dict[str, int]] = json.loads((HERE / "durations.json").read_text())
"""The seconds of processor time of the longest test files (see tests/support/processor_times.py)."""


@cache
def browser_groups() -> dict[str, str]:
    """Return the group of each long file of browser tests: two groups that take about equally long.

    The files of a group share a service and a Chromium, which take seconds to start. All of them in one
    process would still run when the other processes have finished.
    """
    seconds = dict.fromkeys(("browser tests 1", "browser tests 2"), 0)
    groups: dict[str, str] = {}
    for file, duration in DURATIONS.items():
        if BROWSER_TESTS in (HERE.parent / file).parents:
            group = min(seconds, key=seconds.__getitem__)
            seconds[group] += duration
            groups[file] = group
    return groups


@cache
def group_of(path: Path) -> str:
    """Return the name of the tests that one process runs: those of a file, or half of the browser tests."""
    file = path.relative_to(HERE.parent).as_posix()
    if BROWSER_TESTS in path.parents:
        return browser_groups().get(file, "browser tests 2")
    return file


class FileScheduling(LoadFileScheduling):  # type: ignore[misc] # as above
    """Shares the files of a run among the processes, in the order in which they are collected."""

    @override
    def _split_scope(self, nodeid: str) -> str:
        return group_of(HERE.parent / nodeid.split("::", 1)[0])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FileScheduling | None:
    """Return the scheduler of `--dist loadfile`; None for another one."""
    if config.getvalue("dist") != "loadfile":
        return None
    config.option.loadscopereorder = False
    return FileScheduling(config, log)


def pytest_report_header() -> str:
    """Return the line that names the engine of this run."""
    return f"engine: {ENGINE.title} ({ENGINE.executable})"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect the tests, which stay until the end of the run, without examining them for garbage."""
    with quick_imports():
        result = yield
    gc.set_threshold(*GC_THRESHOLDS)
    return result


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files, so that no process has one left when the others have finished.

    Skip the tests that need another kind of Redis.
    """
    seconds: Counter[str] = Counter()
    for file, duration in DURATIONS.items():
        seconds[group_of(HERE.parent / file)] += duration
    items.sort(key=lambda item: -seconds[group_of(item.path)])
    for item in items:
        mark = item.get_closest_marker("needs_redis")
        kind = item.config.getoption("--redis")
        if mark is not None and kind not in mark.args:
            item.add_marker(pytest.mark.skip(reason=f"needs another kind of Redis than {kind}"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Make chance reproducible before the fixtures of a test."""
    make_reproducible(item.nodeid)


@pytest.fixture(scope="session", autouse=True)
def trusted_keys_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A file with the key of the test records for the whole run; tests leave that of the user alone."""
    with pytest.MonkeyPatch.context() as patch:
        path = tmp_path_factory.mktemp("trust") / "trusted-keys.jsonl"
        path.write_bytes(canonical({"public": KEY.public, "source": "test"}) + b"\n")
        patch.setenv("CARTULARY_TRUSTED_KEYS", str(path))
        yield


@pytest.fixture(scope="session", autouse=True)
def evidence_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A folder of evidence for the whole run; tests leave that of the user alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CARTULARY_EVIDENCE", str(tmp_path_factory.mktemp("evidence")))
        yield


@pytest.fixture(scope="session", autouse=True)
def english_locale() -> Iterator[None]:
    """A locale without a language for the whole run, so that commands write English unless a test differs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LC_ALL", "C.UTF-8")
        patch.delenv("LANGUAGE", raising=False)
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that says which kind of Redis the tests use."""
    parser.addoption(
        "--redis", choices=KINDS, default="single", help="the kind of Redis of the logs"
    )


@pytest.fixture(scope="session")
def redis_kind(request: pytest.FixtureRequest) -> str:
    """The kind of Redis that this run is for."""
    return str(request.config.getoption("--redis"))


@pytest.fixture(scope="session", autouse=True)
def fork_server_for_all(english_locale: None) -> Iterator[None]:
    """The fork server starts with the locale of the run when a test needs it, and stops after the run."""
    fork_server.prepare()
    yield
    fork_server.stop()


@pytest.fixture(scope="session")
def pseudo_catalogues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all catalogues and that of the language which marks every template.

    To write it takes seconds, so all processes of a run share it.
    """
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if XDIST_WORKER in os.environ else own) / "pseudo-locale"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            # This imports setuptools, which takes a third of a second, and is needed by one process of a run.
            from tests.support.pseudo_locale import write_pseudo_locale

            incomplete = tmp_path_factory.mktemp("pseudo-locale")
            write_pseudo_locale(incomplete)
            incomplete.rename(folder)
    return folder


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedRedis]:
    """A Redis with the settings of the embedded one, shared by all tests; no test may stop it."""
    with EmbeddedRedis(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture(scope="session")
def shared_redis(
    redis_kind: str, redis_server: EmbeddedRedis, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RedisUrls]:
    """The URLs of the Redis shared by all tests, of the kind that this run is for."""
    with redis_of_kind(redis_kind, redis_server, tmp_path_factory) as urls:
        yield urls


@pytest.fixture
def redis_urls(shared_redis: RedisUrls) -> RedisUrls:
    """The URLs of the shared Redis, emptied for this test."""
    for url in {shared_redis.logs, shared_redis.queue}:
        with connect(url) as client:
            client.flushall()
    return shared_redis


@pytest.fixture
def redis_url(redis_urls: RedisUrls) -> str:
    """The URL of the shared Redis of the logs, emptied for this test."""
    return redis_urls.logs


@pytest.fixture
def settings(redis_urls: RedisUrls, tmp_path: Path) -> Settings:
    """The settings of a service on the shared Redis, with a data folder for this test only."""
    return Settings(
        data=tmp_path,
        redis_url=redis_urls.logs,
        queue_url=redis_urls.queue,
        signing_key=tmp_path / "signing-key.pem",
        rate_accounts="",
        rate_games="",
        rate_disputes="",
        rate_messages="",
        # Tests freeze the wall clock, which then differs from all other clocks by any time. Pictures and
        # audits are made with a low priority: on a slow machine, they take as long as they need.
        bounds=Bounds(max_clock_jump_seconds=1e12, picture_seconds=600, audit_seconds=600),
    )


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    """The parts of the service, as one process builds them."""
    service = build(settings)
    yield service
    service.redis.close()
