"""What the tests of ratings over HTTP share."""

from collections.abc import Iterator

import pytest

from service.bootstrap import Service, build
from tests.support.server import WebServer


@pytest.fixture
def worker(web: WebServer) -> Iterator[Service]:
    """The parts of the service with which workers and schedulers of the shared web server would work."""
    service = build(web.settings)
    yield service
    service.redis.close()
