"""Messages for errors of the operating system."""

import errno
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from domain.messages import Message, Value, message

_REASONS: Final[Mapping[int, Message]] = {
    errno.EACCES: message("permission denied"),
    errno.EADDRINUSE: message("it is in use"),
    errno.EADDRNOTAVAIL: message("this machine does not have the address"),
    errno.EEXIST: message("the file exists already"),
    errno.EISDIR: message("it is a directory"),
    errno.ELOOP: message("too many symbolic links"),
    errno.EMFILE: message("too many open files"),
    errno.ENAMETOOLONG: message("the name is too long"),
    errno.ENFILE: message("too many open files"),
    errno.ENOENT: message("no such file or directory"),
    errno.ENOSPC: message("no space left on the disk"),
    errno.ENOTDIR: message("not a directory"),
    errno.EPERM: message("permission denied"),
    errno.EROFS: message("the file system is read-only"),
}


def os_reason(error: OSError) -> Value:
    """Return the reason of an OSError, as text to translate; rare reasons are in the system's own words."""
    reason = _REASONS.get(error.errno or 0)
    return reason if reason is not None else error.strerror or type(error).__name__


def cannot_read(path: Path, error: OSError) -> Message:
    """Return the message that a file or a folder cannot be read, with the reason."""
    return message("cannot read {path}: {reason}", path=str(path), reason=os_reason(error))


def cannot_write(path: Path, error: OSError) -> Message:
    """Return the message that a file or a folder cannot be written, with the reason."""
    return message("cannot write {path}: {reason}", path=str(path), reason=os_reason(error))
