"""Reading the writes in one part of an append-only file, up to the first that is not complete.

A part is a sequence of commands in Redis's protocol (RESP), each an array of strings. A write is one command,
or all commands from MULTI to EXEC. A part may begin with a snapshot (RDB), which is not examined, since Redis
checks its checksum.
"""

import mmap
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

DamageKind: TypeAlias = Literal[
    "incomplete write", "zero bytes", "damaged bytes", "damaged snapshot"
]
"""`incomplete write`: the part ends within a write, as after a power failure. `zero bytes`: after the last
complete write, or after the beginning of a write, it contains only zeros."""

_SNAPSHOT_MAGIC: Final = (b"REDIS", b"VALKEY")
_SNAPSHOT_END: Final = re.compile(rb"\xff[\x00-\xff]{8}(?=\*\d{1,9}\r\n\$\d{1,9}\r\n[A-Za-z]|\Z)")
"""The end of a snapshot: a marker and the checksum. The first command or the end of the file follows."""
_NUMBER: Final = re.compile(rb"(\d{1,10})\r\n")
_NUMBER_PREFIX: Final = re.compile(rb"\d{0,10}\r?")
_LONGEST_NUMBER_LINE: Final = len(b"$9999999999\r\n")
_COMMAND: Final = re.compile(rb"\*\d{1,9}\r\n\$\d{1,9}\r\n[A-Za-z]+\r\n")
_EVENT: Final = re.compile(
    rb"\r\nXADD\r\n\$\d+\r\ncartulary:\{([^}\r\n]+)\}:log\r\n\$\d+\r\n(\d+)-0\r\n"
)


@dataclass(frozen=True, slots=True)
class Damage:
    """Where the complete writes of a part end, and what follows.

    `offset`: the number of bytes up to the end of the last complete write. `size`: that of the whole part.
    """

    kind: DamageKind
    offset: int
    size: int


class _IncompleteCommand(Exception):
    """The part ends within a command."""


class _DamagedCommand(Exception):
    """These bytes are not the beginning of a command."""


def find_damage(path: Path) -> Damage | None:
    """Return the damage in a part, or None if every write in it is complete. Raises OSError."""
    size = path.stat().st_size
    if size == 0:
        return None
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        start = _snapshot_size(content)
        if start is None:
            return Damage("damaged snapshot", 0, size)
        end_of_write, end_of_command, is_truncated = _read_writes(content, start)
        if end_of_write == size:
            return None
        kind = _kind(content, end_of_command, is_truncated=is_truncated)
        return Damage(kind, end_of_write, size)


def find_events(path: Path, offset: int) -> tuple[tuple[str, int], ...]:
    """Return the events of games that can be recognized in a part after an offset: ids of games, and seqs.

    Raises OSError.
    """
    if path.stat().st_size <= offset:
        return ()
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return tuple(
            (match[1].decode(errors="replace"), int(match[2]))
            for match in _EVENT.finditer(content, offset)
        )


def _snapshot_size(content: mmap.mmap) -> int | None:
    """Return the size of the snapshot at the beginning, 0 if there is none; None if it has no end."""
    if not content[:6].startswith(_SNAPSHOT_MAGIC):
        return 0
    match = _SNAPSHOT_END.search(content)
    return None if match is None else match.end()


def _read_writes(content: mmap.mmap, start: int) -> tuple[int, int, bool]:
    """Read commands up to the first that is not complete.

    Returns the offsets after the last complete write and after the last complete command (which may belong to
    an incomplete transaction), and whether the part ends within the next command or transaction.
    """
    end_of_write = position = start
    in_transaction = False
    while position < len(content):
        try:
            name, end = _skip_command(content, position)
        except _IncompleteCommand:
            return end_of_write, position, True
        except _DamagedCommand:
            return end_of_write, position, False
        if name == b"MULTI":
            if in_transaction:
                return end_of_write, position, False  # EXEC is missing
            in_transaction = True
        elif name == b"EXEC":
            in_transaction = False
        position = end
        if not in_transaction:
            end_of_write = position
    return end_of_write, position, in_transaction


def _skip_command(content: mmap.mmap, position: int) -> tuple[bytes, int]:
    """Return the name of the command at a position, in capitals, and the position after the command."""
    if content[position] == ord("#"):  # an annotation of Redis 7, such as a time
        end = content.find(b"\r\n", position)
        if end < 0:
            raise _IncompleteCommand
        return b"", end + 2
    count, position = _read_number(content, position, b"*")
    name = b""
    for index in range(count):
        length, position = _read_number(content, position, b"$")
        end = position + length
        terminator = content[end : end + 2]
        if terminator != b"\r\n":
            raise _IncompleteCommand if b"\r\n".startswith(terminator) else _DamagedCommand
        if index == 0:
            name = content[position:end].upper()
        position = end + 2
    if not name.isalpha():
        raise _DamagedCommand
    return name, position


def _read_number(content: mmap.mmap, position: int, sign: bytes) -> tuple[int, int]:
    """Return the number after a sign, and the position after its line."""
    line = content[position : position + _LONGEST_NUMBER_LINE]
    match = _NUMBER.match(line, 1)
    if match is not None and line.startswith(sign):
        return int(match[1]), position + match.end()
    is_last_line = position + len(line) == len(content)
    if is_last_line and line[:1] in {b"", sign} and _NUMBER_PREFIX.fullmatch(line, 1):
        raise _IncompleteCommand
    raise _DamagedCommand


def _kind(content: mmap.mmap, end_of_command: int, *, is_truncated: bool) -> DamageKind:
    """Return what kind of damage follows the last complete command.

    A damaged length can make a command seem to end beyond the end of the part, so that later commands seem
    to belong to one of its values. So a part ends within a command only if no other command follows.
    """
    if _COMMAND.search(content, end_of_command + 1) is not None:
        return "damaged bytes"
    if content[len(content) - 1] == 0:
        return "zero bytes"
    return "incomplete write" if is_truncated else "damaged bytes"
