"""Fixtures of the workers' tests."""

from collections.abc import Iterator

import pytest

from service.bootstrap import Service
from tests.support.worker_harness import RecordingChannel, WorkerHarness


@pytest.fixture
def notifier() -> RecordingChannel:
    """A notifier that records what it sends."""
    return RecordingChannel()


@pytest.fixture
def workers(service: Service, notifier: RecordingChannel) -> Iterator[WorkerHarness]:
    """A scheduler and a worker on the service of the test, which send by `notifier`."""
    workers = WorkerHarness(service, notifier)
    yield workers
    workers.close()
