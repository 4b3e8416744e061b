"""A client of the pages without a server in between: the application of a web process, on a real Redis."""

from collections.abc import Callable
from typing import TypeAlias
from unittest.mock import patch

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jinja2 import FileSystemBytecodeCache

from ledger.record import Record
from service.bootstrap import Service
from service.http.blueprint import Application
from service.pages.app import create_web_app
from tests.support.library_caches import SharedMap
from tests.support.stored_games import recorded_game, store_game

StoreGame: TypeAlias = Callable[[str], tuple[str, Record]]


@pytest.fixture(scope="session")
def template_cache(request: pytest.FixtureRequest) -> FileSystemBytecodeCache:
    """The compiled templates, which take longer to compile for every application than most tests.

    All processes of a run share them, as do later runs.
    """
    assert request.config.cache is not None
    return FileSystemBytecodeCache(str(request.config.cache.mkdir("templates")))


@pytest.fixture(scope="session")
def url_map() -> SharedMap:
    """The URL map of the applications of all tests."""
    return SharedMap()


@pytest.fixture
def app(service: Service, template_cache: FileSystemBytecodeCache, url_map: SharedMap) -> Flask:
    with patch.object(Application, "url_map_class", staticmethod(lambda **_: url_map)):
        app = create_web_app(service)
    app.jinja_env.bytecode_cache = template_cache
    return app


@pytest.fixture
def browser(app: Flask) -> FlaskClient:
    """A browser without scripts: it keeps cookies.

    It is no context manager, which would keep the context of its last request for those of other browsers.
    """
    return app.test_client()


@pytest.fixture
def store(service: Service) -> StoreGame:
    """Stores a game of tests/games, and returns its id and its record."""

    def store(name: str) -> tuple[str, Record]:
        record = recorded_game(name)
        return store_game(service, record), record

    return store
