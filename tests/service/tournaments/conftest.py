"""The people and the time of tests of the pages of tournaments."""

from collections.abc import Iterator

import pytest
from flask.testing import FlaskClient
from freezegun import freeze_time
from freezegun.api import FrozenDateTimeFactory

from service.bootstrap import Service
from tests.support.page_forms import log_in
from tests.support.tournaments import START, organiser


@pytest.fixture
def time() -> Iterator[FrozenDateTimeFactory]:
    """The time, which stands still until a test moves it."""
    with freeze_time(START) as frozen:
        assert isinstance(frozen, FrozenDateTimeFactory)
        yield frozen


@pytest.fixture
def olga(service: Service) -> str:
    """The id of an organiser."""
    return organiser(service)


@pytest.fixture
def ada(browser: FlaskClient, service: Service) -> str:
    """The id of the player with whose session the browser sends requests."""
    return log_in(browser, service)
