"""`cartulary serve` starts all processes, restarts those that die, and ends them when it ends itself."""

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from cartulary.serve import SECONDS_TO_STOP
from cartulary.trusted_keys import TrustedKeysFile
from ledger.keys import SigningKey
from service.operation.supervisor import SECONDS_TO_BE_READY
from tests.support import processes
from tests.support.processes import descendants, idle_at_most, is_running, wait_for_exit, wait_until
from tests.support.running_service import RunningService


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that the tests share, and that none of them stops: the small one."""
    running = RunningService(tmp_path_factory.mktemp("running"), processes=1)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def own_service(tmp_path: Path) -> Iterator[RunningService]:
    """A service of this test."""
    running = RunningService(tmp_path, processes=1)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def large_service(tmp_path: Path) -> Iterator[RunningService]:
    """A service of this test with two web processes and separate workers."""
    running = RunningService(tmp_path, processes=2, workers="separate")
    running.start()
    yield running
    running.stop()


def test_serve_prints_its_url_answers_requests_and_stops_on_ctrl_c(
    large_service: RunningService,
) -> None:
    running = large_service
    assert running.seconds_to_start is not None
    # On a slow machine, the reason is reported at intervals.
    reports = running.err.read_text().count("the service is not ready yet: ")
    assert reports <= running.seconds_to_start / SECONDS_TO_BE_READY
    output = running.out.read_text()
    assert re.search(rf"to play, open +{running.url}\n", output)
    assert re.search(rf"or, in a terminal +\S*cartulary play {running.url}\n", output)
    assert str(running.data) in output
    # What is to be typed before other commands lets them find the service.
    (setting,) = re.findall(r"before other commands +export (\S+)\n", output)
    name, _, folder = setting.partition("=")
    listed = processes.cartulary_here("admin", "players", **{name: folder})
    assert (name, listed.returncode) == ("CARTULARY_DATA", 0)
    elsewhere = processes.cartulary_here("admin", "players", CARTULARY_DATA=f"{folder}/elsewhere")
    assert elsewhere.returncode == 1
    assert "name the folder of the running service with CARTULARY_DATA" in elsewhere.stderr
    assert running.register("ana") == 201
    assert all(running.pid_of(name) for name in running.commands)
    web = [line for line in descendants(running.pid).values() if line == "cartulary web"]
    assert len(web) == 2
    wait_until(lambda: httpx.get(f"{running.url}/healthz/processes").is_success)
    key = SigningKey.load(running.data / "signing-key.pem").public
    assert TrustedKeysFile(os.environ).load().find(key) is not None

    pids = [running.pid, *descendants(running.pid)]
    assert running.process is not None
    with idle_at_most(5):
        os.killpg(running.pid, signal.SIGINT)
        assert wait_for_exit(running.process) == 0
    assert not any(is_running(pid) for pid in pids)
    assert "Traceback" not in running.err.read_text()
    assert "\nstopping\n" in running.err.read_text()
    assert running.err.read_text().endswith("\nstopped\n")

    # After the next start, nothing that was acknowledged is lost.
    running.start()
    assert running.register("ana") == 409
    assert running.register("ben") == 201


def test_a_second_ctrl_c_kills_a_process_that_does_not_end(own_service: RunningService) -> None:
    running = own_service
    # Before a worker handles SIGTERM, it ends at once, if only one of its threads does not stand still yet.
    wait_until(lambda: "working on the queues" in running.err.read_text())
    worker = running.pid_of("worker")
    assert worker is not None
    os.kill(worker, signal.SIGSTOP)
    began_at = time.monotonic()
    os.kill(running.pid, signal.SIGINT)
    wait_until(lambda: "stopping\n" in running.err.read_text())
    # On a machine that stands still for so long, it has been killed already.
    assert is_running(worker) or time.monotonic() - began_at > SECONDS_TO_STOP
    assert running.process is not None
    with idle_at_most(5):
        os.kill(running.pid, signal.SIGINT)
        assert wait_for_exit(running.process) == 0
    assert not is_running(worker)


def test_a_process_of_a_small_service_that_dies_is_restarted_and_reported(
    running: RunningService,
) -> None:
    check_restarts(running)


@pytest.mark.nightly
def test_a_process_that_dies_is_restarted_and_reported(large_service: RunningService) -> None:
    check_restarts(large_service)


def test_a_small_service_takes_four_processes_and_little_memory(running: RunningService) -> None:
    wait_until(lambda: httpx.get(f"{running.url}/healthz/processes").is_success)
    pids = [running.pid, *descendants(running.pid)]
    assert len(pids) == 4
    assert sum(map(proportional_kib, pids)) <= 250 * 1024


def proportional_kib(pid: int) -> int:
    """The memory of a process in KiB, of which it has a part of each page that it shares."""
    match = re.search(
        r"^Pss: +(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE
    )
    assert match is not None
    return int(match[1])


def check_restarts(running: RunningService) -> None:
    """Kill every process, and wait until each was restarted."""
    before = {name: running.pid_of(name) for name in running.commands}
    for pid in before.values():
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
    wait_until(
        lambda: all(running.pid_of(name) not in {None, before[name]} for name in running.commands)
    )
    wait_until(lambda: running.register("restarted") == 201)
    messages = running.err.read_text()
    for name in running.commands:
        assert f"{name} was ended by SIGKILL; it will be restarted in 0.2 s\n" in messages
        assert f"{name} was restarted\n" in messages


def test_when_serve_is_killed_no_process_outlives_it(own_service: RunningService) -> None:
    running = own_service
    pids = descendants(running.pid)
    assert len(pids) == len(running.commands)
    os.kill(running.pid, signal.SIGKILL)
    wait_until(lambda: not any(is_running(pid) for pid in pids))
    # Nothing prevents an immediate restart.
    assert running.process is not None
    running.process.wait()
    running.start()
    assert running.register("ana") == 201


def test_serve_ends_the_redis_that_has_outlived_its_service(own_service: RunningService) -> None:
    running = own_service
    assert running.register("ana") == 201
    orphan = running.pid_of("redis")
    assert orphan is not None
    # A process that is stopped does nothing before SIGKILL ends it.
    os.kill(orphan, signal.SIGSTOP)
    os.kill(running.pid, signal.SIGKILL)
    assert running.process is not None
    running.process.wait()
    assert is_running(orphan)
    running.start()
    assert not is_running(orphan)
    assert running.register("ana") == 409


def test_a_second_service_on_the_same_folder_is_an_error_that_names_the_first(
    running: RunningService,
) -> None:
    result = processes.cartulary("serve", "--port", "0", "--data", str(running.data))
    assert result.returncode == 1
    assert f"the data folder {running.data} is in use by another service" in result.stderr
    assert f"Stop process {running.pid} (Ctrl-C in its terminal, or `kill" in result.stderr
    assert "choose another folder with --data" in result.stderr
    assert "Traceback" not in result.stderr
    assert running.register("same-folder") == 201


def test_a_second_service_on_the_same_port_is_an_error_that_names_the_option(
    running: RunningService, tmp_path: Path
) -> None:
    port = running.url.rsplit(":", 1)[1]
    result = processes.cartulary("serve", "--port", port, "--data", str(tmp_path / "other"))
    assert result.returncode == 1
    assert f"port {port} of 127.0.0.1 is in use" in result.stderr
    assert "choose another port with --port" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "other").exists()


def test_the_error_of_the_same_command_run_twice_names_everything_that_is_in_use(
    running: RunningService,
) -> None:
    port = running.url.rsplit(":", 1)[1]
    result = processes.cartulary("serve", "--port", port, "--data", str(running.data))
    assert result.returncode == 1
    in_use = f"port {port} of 127.0.0.1 and the data folder {running.data} are in use"
    assert f"{in_use}: Cartulary is running already." in result.stderr
    assert f"Stop process {running.pid}" in result.stderr
    assert "run a second service with --port and --data" in result.stderr
    assert "Traceback" not in result.stderr
    assert running.register("same-command") == 201


def test_with_a_redis_url_serve_starts_no_redis(tmp_path: Path, redis_url: str) -> None:
    running = RunningService(tmp_path, processes=1, CARTULARY_REDIS_URL=redis_url)
    running.start()
    try:
        assert "CARTULARY_REDIS_URL" in running.out.read_text()
        assert running.pid_of("redis") is None
    finally:
        running.stop()
    assert running.process is not None
    assert running.process.returncode == 0
    assert not (running.data / "redis").exists()
