"""The reasons why the operating system does not open, read or write a file, as messages."""

import errno
from collections.abc import Callable, Mapping
from typing import Final

from domain.messages import Message, Value, message

_REASONS: Final[Mapping[int, Callable[[], Message]]] = {
    errno.ENOENT: lambda: message("there is no such file or folder"),
    errno.EACCES: lambda: message("permission is denied"),
    errno.EPERM: lambda: message("permission is denied"),
    errno.EISDIR: lambda: message("it is a folder"),
    errno.ENOTDIR: lambda: message("a part of its path is not a folder"),
    errno.EEXIST: lambda: message("it exists already"),
    errno.ENAMETOOLONG: lambda: message("its name is too long"),
    errno.ENOSPC: lambda: message("the disk is full"),
    errno.EDQUOT: lambda: message("the disk is full"),
    errno.EROFS: lambda: message("the disk is read-only"),
    errno.EIO: lambda: message("the disk reports an error"),
}


def file_error_reason(error: OSError) -> Value:
    """Return the reason of an error of the file system, as a clause after a colon.

    Rare reasons are in the words of the operating system.
    """
    reason = _REASONS.get(error.errno or 0)
    return (error.strerror or str(error)) if reason is None else reason()
