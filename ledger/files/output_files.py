"""Writes files atomically: nobody sees an incomplete file, and files are overwritten only on request."""

import errno
import os
import secrets
from pathlib import Path


def write_file(path: Path, data: bytes, *, overwrite: bool) -> None:
    """Write a file to a temporary one beside it, which is then renamed.

    Raises FileExistsError if `path` exists, unless `overwrite` is true and it is a file, and OSError if the
    file cannot be written.
    """
    target = path.resolve()
    if target.exists() and not (overwrite and target.is_file()):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if not overwrite:
            # Of two programs that write at the same time, only the first can create the file.
            target.open("xb").close()
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
