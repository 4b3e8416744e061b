"""Fixtures of the workers' tests."""

from collections.abc import Iterator

import pytest

from service.bootstrap import Service
from tests.support.worker_harness import RecordingNotifier, WorkerHarness


@pytest.fixture
def notifier() -> RecordingNotifier:
    """A notifier that records what it sends."""
    return RecordingNotifier()


@pytest.fixture
def workers(service: Service, notifier: RecordingNotifier) -> Iterator[WorkerHarness]:
    """A scheduler and a worker on the service of the test, which send by `notifier`."""
    workers = WorkerHarness(service, notifier)
    yield workers
    workers.close()
