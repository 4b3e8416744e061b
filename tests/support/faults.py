"""What errors say, in English."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

import pytest

from domain.errors import CartularyError, Malformed
from replay.language.renderer import english

E = TypeVar("E", bound=CartularyError)


@contextmanager
def raises(error: type[E], match: str) -> Iterator[pytest.ExceptionInfo[E]]:
    """Expect an error whose message contains a match of a regular expression."""
    with pytest.raises(error) as raised:
        yield raised
    text = english(raised.value.message)
    assert re.search(match, text), text


def faults_of(error: Malformed) -> dict[str, str]:
    """Return what is wrong with each wrong field, by path."""
    return {path: english(fault) for path, fault in error.fields.items()}
