"""Durable writes: a file is on disk when a function returns, and only its owner can access it."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Create a file for the block to write. Raises FileExistsError, OSError."""
    with open(path, "xb", opener=open_private) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def replace_file(path: Path, data: bytes) -> None:
    """Create or replace a file atomically: after a crash, either the old file or the new one is there.

    Raises OSError.
    """
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        with new_file(temporary) as file:
            file.write(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make changes to the names in a folder durable. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def open_private(path: str, flags: int) -> int:
    """The `opener` of `open` for a file that only its owner can access, if it is created."""
    return os.open(path, flags, 0o600)
