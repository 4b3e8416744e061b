"""Imports many modules quickly. This file imports the standard library only, since it is imported first."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_HIDDEN: Final = "opentelemetry"
"""If it is installed, redis-py imports all of it for metrics that we do not use, which takes a tenth of a
second. service/operation/tracing.py imports it if traces are on."""


@contextmanager
def quick_imports() -> Iterator[None]:
    """Import what the block imports without collecting garbage, and never examine it for garbage later.

    Importing creates much that stays, and hardly any garbage. Processes that are forked later go on sharing
    the memory of what is never examined.
    """
    gc.disable()
    is_hidden = _HIDDEN not in sys.modules
    if is_hidden:
        sys.modules[_HIDDEN] = None  # type: ignore[assignment] # the import system then finds no module
    try:
        yield
    finally:
        if is_hidden:
            del sys.modules[_HIDDEN]
        gc.freeze()
        gc.enable()
