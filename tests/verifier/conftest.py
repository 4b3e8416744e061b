"""Starts the verifier of the pages for the tests in this folder."""

from collections.abc import Iterator

import pytest

from tests.support.verifier import NODE, Verifier


@pytest.fixture(scope="session")
def verifier() -> Iterator[Verifier]:
    if not NODE.exists():
        pytest.skip("there is no Node for this machine")
    with Verifier() as running:
        yield running
