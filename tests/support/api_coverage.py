"""A plugin of pytest: a run of all tests fails if no response had some status of some operation of the API.

The tests note every response (tests/support/http_contract.py). Each process of pytest-xdist sends what it has
noted to the one that began the run.
"""

from typing import Any, Final, TypeAlias

import pytest

from tests.support.http_contract import Contract

Statuses: TypeAlias = set[tuple[str, int]]
"""Operations, such as `GET /games/ID`, each with a status."""

CONTRACT: Final = pytest.StashKey[Contract]()
"""The document of the shared web server, with the responses so far."""
NOTED: Final = pytest.StashKey[tuple[Statuses, Statuses]]()
"""The statuses that the document names, and those of the responses of all processes."""
OUTPUT: Final = "api coverage"
"""Where a process of pytest-xdist puts what it has noted."""
EVERYWHERE: Final = {429, 500, 503}
"""Statuses that every operation may have: it is enough if one has each of them."""


def expected_statuses(contract: Contract) -> Statuses:
    """Return the statuses that responses must have had at the end of a run of all tests."""
    expected = {
        (operation, status)
        for operation, statuses in contract.statuses().items()
        for status in statuses
    }
    # tests/service/http/test_personal_tokens.py checks these with every operation.
    return expected - contract.scope_refusals()


def without_response(expected: Statuses, answered: Statuses) -> Statuses:
    """Return the expected statuses that no response had."""
    missing = expected - answered
    seen_somewhere = EVERYWHERE & {status for _, status in answered}
    return {(operation, status) for operation, status in missing if status not in seen_somewhere}


def pytest_configure(config: pytest.Config) -> None:
    """Begin with no responses."""
    config.stash[NOTED] = set(), set()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what a process of pytest-xdist has noted."""
    sent = getattr(node, "workeroutput", {}).get(OUTPUT, ())
    for noted, pairs in zip(node.config.stash[NOTED], sent, strict=False):
        noted.update((operation, status) for operation, status in pairs)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Send what this process has noted, or let the run fail if a response is missing."""
    config = session.config
    noted = config.stash[NOTED]
    if CONTRACT in config.stash:
        contract = config.stash[CONTRACT]
        noted[0].update(expected_statuses(contract))
        noted[1].update(contract.checked)
    if hasattr(config, "workeroutput"):
        config.workeroutput[OUTPUT] = [[list(pair) for pair in statuses] for statuses in noted]
    elif exitstatus == 0 and has_all_tests(config) and without_response(*noted):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    """Name the statuses that are missing."""
    if exitstatus == 0 and has_all_tests(config):
        for operation, status in sorted(without_response(*config.stash[NOTED])):
            terminalreporter.line(f"no test gets a {status} from {operation}", red=True)


def has_all_tests(config: pytest.Config) -> bool:
    """Whether a run is one of all tests that `make test` runs."""
    option = config.option
    return (
        config.args_source is not pytest.Config.ArgsSource.ARGS
        and option.markexpr == "not soak and not nightly"
        and not (option.keyword or option.collectonly or option.lf or option.deselect)
    )
