"""A service that posts to webhooks on this machine, its workers, and a receiver."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from service.bootstrap import Service, build
from service.settings import Settings
from tests.support.receiver import WebhookReceiver, webhook_receiver
from tests.support.worker_harness import WorkerHarness
from workers.run import channels_of


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    bounds = replace(settings.bounds, max_webhook_failures=3, webhook_seconds=2.0)
    service = build(replace(settings, webhook_networks=("127.0.0.1",), bounds=bounds))
    yield service
    service.redis.close()


@pytest.fixture
def workers(service: Service) -> Iterator[WorkerHarness]:
    workers = WorkerHarness(service)
    workers.use(channels_of(service))
    yield workers
    workers.close()


@pytest.fixture
def receiver() -> Iterator[WebhookReceiver]:
    with webhook_receiver() as receiver:
        yield receiver
