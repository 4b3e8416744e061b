"""Imports many modules quickly. This file imports the standard library only, since it is imported first."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quick_imports() -> Iterator[None]:
    """Import what the block imports without collecting garbage, and never examine it for garbage later.

    Importing creates much that stays, and hardly any garbage. Processes that are forked later go on sharing
    the memory of what is never examined.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
