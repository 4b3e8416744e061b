"""Fixtures of the browser tests: a service of real processes, and a Chromium.

Playwright keeps an event loop running in its thread, in which tests of other folders could not run theirs.
Therefore it lives as long as one file of tests; it starts in half a second.
"""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from tests.support import chromium
from tests.support.running_service import RunningService
from tests.support.seven_hexes.registration import install

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.support.browsing import Visitors

collect_ignore_glob = [] if find_spec("playwright") else ["test_*_in_browser.py"]


@pytest.fixture(scope="session")
def running_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with all its processes, without rate limits, for the whole run. It has a fourth game."""
    running = RunningService(
        tmp_path_factory.mktemp("service"),
        processes=None,
        **install(tmp_path_factory.mktemp("site") / "packages"),
        CARTULARY_RATE_ACCOUNTS="",
        CARTULARY_RATE_GAMES="",
        CARTULARY_RATE_DISPUTES="",
        CARTULARY_RATE_MESSAGES="",
        CARTULARY_SWEEP_SECONDS="1",
    )
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """Chromium, for the tests of a file."""
    if reason := chromium.reason_to_skip():
        pytest.skip(reason)
    from playwright.sync_api import expect, sync_playwright

    from tests.support.browsing import TIMEOUT_MILLISECONDS

    expect.set_options(timeout=TIMEOUT_MILLISECONDS)
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def visitors(running_service: RunningService, browser: "Browser") -> "Iterator[Visitors]":
    """Creates visitors of the service; what went wrong in their pages fails the test."""
    from tests.support.browsing import Visitors

    visitors = Visitors(running_service, browser)
    yield visitors
    problems = visitors.close()
    assert not problems, "\n".join(problems)
