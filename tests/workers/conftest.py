"""Fixtures of the workers' tests."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.bootstrap import Service
from service.settings import Settings
from tests.support.processes import Start, begin
from tests.support.worker_harness import RecordingChannel, WorkerHarness


@pytest.fixture
def channel() -> RecordingChannel:
    """A channel that records what it sends."""
    return RecordingChannel()


@pytest.fixture
def workers(service: Service, channel: RecordingChannel) -> Iterator[WorkerHarness]:
    """A scheduler and a worker on the service of the test, which send by `channel`."""
    workers = WorkerHarness(service, channel)
    yield workers
    workers.close()


@pytest.fixture
def start(tmp_path: Path, settings: Settings) -> Iterator[Start]:
    """A function that starts `cartulary ARGUMENTS` on the service of the test. It is killed at the end.

    The processes write to the files `out` and `err` in the folder of the test.
    """
    processes = []

    def start(*arguments: str, **environment: str) -> "subprocess.Popen[bytes]":
        environment = {
            "CARTULARY_REDIS_URL": settings.redis_url,
            "CARTULARY_QUEUE_URL": environment.get("CARTULARY_REDIS_URL", settings.queue_url),
            "CARTULARY_DATA": str(settings.data),
            "CARTULARY_SIGNING_KEY": str(settings.signing_key),
            "CARTULARY_SWEEP_SECONDS": "0.2",
            **environment,
        }
        process = begin(
            *arguments, out=tmp_path / "out", err=tmp_path / "err", settings=environment
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait()
