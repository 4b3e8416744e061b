"""What the tests of the workers share."""

from collections.abc import Iterator

import pytest

from service.bootstrap import Service
from tests.support.worker_office import Copies, Office


@pytest.fixture
def copies() -> Copies:
    """A sender that keeps what it is given."""
    return Copies()


@pytest.fixture
def office(service: Service, copies: Copies) -> Iterator[Office]:
    """Scheduler and worker on the service of the test, sending to `copies`."""
    office = Office(service, copies)
    yield office
    office.client.close()
