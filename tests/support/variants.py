"""Variants of a test, of which some run each time, and the others every night."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def nightly_except(chosen: Collection[Any], values: Iterable[Any]) -> list[Any]:
    """Return the parameters of a test: all values, of which only those chosen are not `nightly`."""
    return [
        value if value in chosen else pytest.param(value, marks=pytest.mark.nightly)
        for value in values
    ]
