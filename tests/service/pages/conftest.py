"""A client of the pages without a server in between: the application of a web process, on a real Redis."""

from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.bootstrap import Service
from service.pages.app import create_web_app


@pytest.fixture
def app(service: Service) -> Flask:
    return create_web_app(service)


@pytest.fixture
def browser(app: Flask) -> Iterator[FlaskClient]:
    """A browser without scripts: it keeps cookies."""
    with app.test_client() as client:
        yield client
