"""Fixtures of the workers' tests."""

from collections.abc import Iterator

import pytest

from service.bootstrap import Service
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
