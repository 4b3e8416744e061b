"""Fixtures of the browser tests: a service of real processes, and a Chromium.

Playwright keeps an event loop running in its thread, in which tests of other folders could not run theirs.
Therefore Chromium, which takes a second to start, is closed after the last test of this folder.
"""

from collections.abc import Generator, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.support import chromium
from tests.support.running_service import RunningService
from tests.support.seven_hexes.registration import install

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.support.browsing import ContextPool, Visitors

collect_ignore_glob = [] if find_spec("playwright") else ["test_*_in_browser.py"]


@pytest.fixture(scope="session")
def running_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with one web process, without rate limits, for the whole run. It has a fourth game."""
    running = RunningService(
        tmp_path_factory.mktemp("service"),
        processes=1,
        **install(tmp_path_factory.mktemp("site") / "packages"),
        CARTULARY_RATE_ACCOUNTS="",
        CARTULARY_RATE_GAMES="",
        CARTULARY_RATE_DISPUTES="",
        CARTULARY_RATE_MESSAGES="",
        CARTULARY_SWEEP_SECONDS="1",
    )
    running.hashes_quickly = True
    running.start()
    yield running
    running.stop()


class SharedBrowser:
    """A Chromium that starts when a test needs it, and is shared until it is closed."""

    pool: "ContextPool"
    """Contexts that visitors of the shared service have left."""

    def __init__(self) -> None:
        self._parts = ExitStack()
        self._browser: Browser | None = None

    def get(self) -> "Browser":
        """Return the browser, which this starts if it is not running."""
        if self._browser is None:
            from playwright.sync_api import expect, sync_playwright

            from tests.support.browsing import TIMEOUT_MILLISECONDS, ContextPool

            self.pool = ContextPool()
            expect.set_options(timeout=TIMEOUT_MILLISECONDS)
            self._browser = chromium.launch(self._parts.enter_context(sync_playwright()))
            self._parts.callback(self._browser.close)
        return self._browser

    def close(self) -> None:
        """Close the browser if it is running."""
        self._parts.close()
        self._browser = None


SHARED_BROWSER: Final = SharedBrowser()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """Close the browser after the last test of this folder, if others follow."""
    result = yield
    if nextitem is not None and Path(__file__).parent not in nextitem.path.parents:
        SHARED_BROWSER.close()
    return result


@pytest.fixture(scope="session")
def end_of_browser() -> Iterator[None]:
    """The browser is closed at the end of the run, if no tests of other folders have followed."""
    yield
    SHARED_BROWSER.close()


@pytest.fixture
def browser(end_of_browser: None) -> "Browser":
    """Chromium, which the tests of this folder share."""
    if reason := chromium.reason_to_skip():
        pytest.skip(reason)
    return SHARED_BROWSER.get()


@pytest.fixture
def visitors(running_service: RunningService, browser: "Browser") -> "Iterator[Visitors]":
    """Creates visitors of the service; what went wrong in their pages fails the test."""
    from tests.support.browsing import Visitors

    visitors = Visitors(running_service, browser, SHARED_BROWSER.pool)
    yield visitors
    problems = visitors.close()
    assert not problems, "\n".join(problems)
