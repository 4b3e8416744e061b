"""Output that cannot be written is dropped, counted and reported; it never ends a process."""

import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import orjson
import pytest

from service.operation.standard_output import TolerantOutput, describe_loss
from tests.support.processes import (
    ROOT,
    descendants,
    environment,
    free_port,
    wait_for_exit,
    wait_until,
)
from tests.support.redis_kinds import RedisUrls


def open_full_disk() -> int:
    """Return a descriptor to which every write fails with ENOSPC."""
    return os.open("/dev/full", os.O_WRONLY)


def open_broken_pipe() -> int:
    """Return a descriptor to which every write fails with EPIPE."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


@pytest.fixture(params=[open_full_disk, open_broken_pipe])
def unwritable(request: pytest.FixtureRequest) -> Iterator[int]:
    """A descriptor to which every write fails."""
    open_unwritable: Callable[[], int] = request.param
    descriptor = open_unwritable()
    yield descriptor
    os.close(descriptor)


@pytest.mark.nightly
def test_lost_writes_are_reported_when_writing_works_again(tmp_path: Path) -> None:
    descriptor = open_full_disk()
    output = TolerantOutput(descriptor, describe_loss)
    assert [output.write(b"one\n"), output.write(b"two\n")] == [4, 4]
    with (tmp_path / "log").open("wb") as file:
        os.dup2(file.fileno(), descriptor)
    assert output.write(b"three\n") == 6
    output.write(b"four\n")
    os.close(descriptor)
    report = "output was lost; writes that failed: 2 (No space left on device)"
    assert (tmp_path / "log").read_text().splitlines() == ["three", report, "four"]


@pytest.mark.nightly
def test_a_line_of_which_only_a_part_was_written_is_ended_before_the_next() -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    output = TolerantOutput(writer, describe_loss)
    output.write(b"x" * 1_000_000 + b"\n")  # more than a pipe holds
    part = os.read(reader, 1_000_000)
    assert set(part) == {ord("x")}
    output.write(b"next\n")
    first, second, *_ = os.read(reader, 1000).splitlines()
    assert (first, second) == (b"", b"next")
    os.close(reader)
    os.close(writer)


LOG = """
import logging, os, sys
from service.operation import json_logging

json_logging.configure()
logging.info("lost")
os.dup2(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT), 2)
logging.info("written")
"""


@pytest.mark.nightly
def test_the_loss_of_log_lines_is_reported_as_a_log_line(tmp_path: Path, unwritable: int) -> None:
    command = [sys.executable, "-c", LOG, str(tmp_path / "log")]
    subprocess.run(command, cwd=ROOT, stderr=unwritable, check=True)
    lines = [orjson.loads(line) for line in (tmp_path / "log").read_bytes().splitlines()]
    assert [line["message"].partition(" (")[0] for line in lines] == [
        "written",
        "output was lost; writes that failed: 1",
    ]
    assert lines[1].keys() == {"at", "level", "logger", "message"}
    assert lines[1]["level"] == logging.getLevelName(logging.ERROR).lower()


PRINT = """
import os, sys
from service.operation.standard_output import tolerate_write_errors

tolerate_write_errors()
secret = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
print("result")
print("message", file=sys.stderr)
os.system("echo from a child; echo from a child >&2")
"""


@pytest.mark.nightly
def test_output_is_never_written_to_a_file_that_took_the_place_of_a_closed_stream(
    tmp_path: Path,
) -> None:
    script = 'exec "$0" -c "$1" "$2" 0<&- 1>&- 2>&-'
    command = ["/bin/sh", "-c", script, sys.executable, PRINT, str(tmp_path / "file")]
    subprocess.run(command, cwd=ROOT, check=True)
    assert (tmp_path / "file").read_bytes() == b""


@pytest.mark.nightly
def test_a_service_whose_output_cannot_be_written_keeps_running_and_restarts_what_dies(
    tmp_path: Path, redis_urls: RedisUrls
) -> None:
    port = free_port()
    stdout, stderr = open_full_disk(), open_broken_pipe()
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "cartulary", "serve", "--workers", "separate"),
            *("--port", str(port), "--data", str(tmp_path)),
        ],
        cwd=ROOT,
        env=environment(CARTULARY_REDIS_URL=redis_urls.logs, CARTULARY_QUEUE_URL=redis_urls.queue),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
    ) as process:
        try:
            wait_until(lambda: is_ready(port))
            before = pids_by_command(process.pid)
            os.kill(before["scheduler"], signal.SIGKILL)
            wait_until(
                lambda: (
                    pids_by_command(process.pid).get("scheduler", before["scheduler"])
                    != before["scheduler"]
                )
            )
            after = pids_by_command(process.pid)
            assert process.poll() is None
        finally:
            process.terminate()
            status = wait_for_exit(process)
            os.close(stdout)
            os.close(stderr)
    assert after.items() - before.items() == {("scheduler", after["scheduler"])}
    assert status == 0


def is_ready(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=2).is_success
    except httpx.TransportError:
        return False


def pids_by_command(parent: int) -> dict[str, int]:
    """Return the ids of the workers and schedulers among the descendants of a process."""
    matches = {
        pid: re.search(r"^cartulary (worker|scheduler)\b", command_line)
        for pid, command_line in descendants(parent).items()
    }
    return {match[1]: pid for pid, match in matches.items() if match is not None}
