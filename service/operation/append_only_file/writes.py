"""Reads the writes in one part of an append-only file, and finds the intact writes around damage.

A part is a sequence of commands in Redis's protocol (RESP), each an array of strings. A write is one command,
or all commands from MULTI to EXEC, which Redis puts around the writes of a script. A part may begin with a
snapshot (snapshot.py).
"""

import mmap
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from service.operation.append_only_file.parts import SNAPSHOT_MAGIC, is_base
from service.operation.append_only_file.snapshot import (
    CHECKSUM_BYTES,
    END_MARKER,
    Entry,
    extend_checksum,
    find_entries,
    is_sound,
)

WRITE_COMMANDS: Final = frozenset(
    b"""
    APPEND BITFIELD BITOP BLMOVE BLMPOP BLPOP BRPOP BRPOPLPUSH BZMPOP BZPOPMAX BZPOPMIN COPY DECR DECRBY DEL
    DELEX DELIFEQ EVAL EVALSHA EXEC EXPIRE EXPIREAT FCALL FLUSHALL FLUSHDB FUNCTION GEOADD GEORADIUS
    GEORADIUSBYMEMBER GEOSEARCHSTORE GETDEL GETEX GETSET HDEL HEXPIRE HEXPIREAT HGETDEL HGETEX HINCRBY
    HINCRBYFLOAT HMSET HPERSIST HPEXPIRE HPEXPIREAT HSET HSETEX HSETNX INCR INCRBY INCRBYFLOAT LINSERT LMOVE
    LMPOP LPOP LPUSH LPUSHX LREM LSET LTRIM MIGRATE MOVE MSET MSETEX MSETNX MULTI PERSIST PEXPIRE PEXPIREAT
    PFADD PFCOUNT PFDEBUG PFMERGE PSETEX PUBLISH RENAME RENAMENX RESTORE RESTORE-ASKING RPOP RPOPLPUSH RPUSH
    RPUSHX SADD SCRIPT SDIFFSTORE SELECT SET SETBIT SETEX SETNX SETRANGE SINTERSTORE SMOVE SORT SPOP
    SPUBLISH SREM SUNIONSTORE SWAPDB UNLINK VADD VREM VSETATTR XACK XACKDEL XADD XAUTOCLAIM XCFGSET XCLAIM
    XDEL XDELEX XGROUP XREADGROUP XSETID XTRIM ZADD ZDIFFSTORE ZINCRBY ZINTERSTORE ZMPOP ZPOPMAX ZPOPMIN
    ZRANGESTORE ZREM ZREMRANGEBYLEX ZREMRANGEBYRANK ZREMRANGEBYSCORE ZUNIONSTORE
    """.split()
)
"""Every command that can be in the file: those that change data, transactions, scripts, and SELECT. A command
with another name is damaged, and Redis would not load the file.
"""

Range: TypeAlias = tuple[int, int]
"""The offsets of the first byte and after the last byte of a part of a file."""
DamageKind: TypeAlias = Literal[
    "incomplete write", "zero bytes", "damaged bytes", "damaged snapshot"
]
"""`incomplete write`: the part ends within a write, as after a power failure. `zero bytes`: after the last
complete write, or after the beginning of a write, it contains only zeros."""

_NUMBER: Final = re.compile(rb"(\d{1,10})\r\n")
_NUMBER_PREFIX: Final = re.compile(rb"\d{0,10}\r?")
_LONGEST_NUMBER_LINE: Final = len(b"$9999999999\r\n")
_COMMAND: Final = re.compile(rb"\*\d{1,9}\r\n\$\d{1,9}\r\n([A-Za-z-]+)\r\n")
_ANNOTATION: Final = re.compile(rb"#TS:\d+\r\n")
"""The time of the next write, which Redis 7 stores if it is configured to."""
_EVENT: Final = re.compile(
    rb"\r\nXADD\r\n\$\d+\r\ncartulary:\{([^}\r\n]+)\}:log\r\n\$\d+\r\n(\d+)-0\r\n"
)

_END: Final = re.compile(rb"\xff[\x00-\xff]{8}(?=\*\d{1,9}\r\n\$\d{1,9}\r\n[A-Za-z]|\Z)")
"""The end of a snapshot: a marker and the checksum. The first command or the end of the file follows."""


@dataclass(frozen=True, slots=True)
class Damage:
    """The damage after the complete writes of a part.

    `offset` is the number of bytes up to the end of the last complete write, and `size` that of the whole
    part.
    """

    kind: DamageKind
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class IntactWrites:
    """The ranges of a part that contain intact writes, in order, and the size of the part.

    The snapshot at the beginning of a part belongs to the first range. If it is damaged, each of its
    `entries` has a range instead.
    """

    ranges: tuple[Range, ...]
    size: int
    entries: tuple[Entry, ...] | None = None
    """The intact entries of a damaged snapshot; None if there is no snapshot, or it is intact."""
    start: int = 0
    """The start of the first range that does not belong to a damaged snapshot."""

    @property
    def gaps(self) -> tuple[Range, ...]:
        """The ranges between them, which contain damage, or parts of damaged transactions."""
        ends = (0, *(end for _, end in self.ranges))
        starts = (*(start for start, _ in self.ranges), self.size)
        return tuple((end, start) for end, start in zip(ends, starts, strict=True) if end < start)


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
        start = _size_of_sound_snapshot(content)
        if start is None:
            return Damage("damaged snapshot", 0, size)
        end_of_write, end_of_command, is_truncated = _read_writes(content, start)
        if end_of_write == size:
            return None
        kind = _kind(content, end_of_command, is_truncated=is_truncated)
        return Damage(kind, end_of_write, size)


def find_intact_writes(path: Path) -> IntactWrites:
    """Return the intact writes of a part. Raises OSError.

    A transaction is intact only as a whole. After damage, reading continues with the next command. Commands
    between damage and EXEC belong to a damaged transaction. Commands between two places of damage may belong
    to one, and do not count as intact either. In a base, however, each command is a write.
    """
    size = path.stat().st_size
    if size == 0:
        return IntactWrites((), 0)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        start = _size_of_sound_snapshot(content)
        if start is not None:
            writes = _intact_writes(content, start, has_transactions=not is_base(path))
            ranges = _join([(0, start), *writes])
            return IntactWrites(tuple(ranges), size)
        start = _first_command(content)
        entries = find_entries(content[:start])
        ranges = _join(_ranges_of_entries(entries, content))
        ranges += _join(_intact_writes(content, start, has_transactions=not is_base(path)))
        return IntactWrites(tuple(ranges), size, entries, start)


def find_events(path: Path, ranges: Iterable[Range]) -> tuple[tuple[str, int], ...]:
    """Return the events of games that can be recognized in ranges of a part: ids of games, and seqs.

    Raises OSError.
    """
    if path.stat().st_size == 0:
        return ()
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return tuple(
            (match[1].decode(errors="replace"), int(match[2]))
            for start, end in ranges
            for match in _EVENT.finditer(content, start, end)
        )


def _intact_writes(content: mmap.mmap, start: int, *, has_transactions: bool) -> list[Range]:
    """Return the ranges of the intact writes after an offset, one for each write.

    `has_transactions` is True if commands may belong to a transaction whose MULTI or EXEC is damaged.
    """
    beginnings = array(
        "Q",
        (
            match.start()
            for match in _COMMAND.finditer(content, start)
            if match[1].upper() in WRITE_COMMANDS
        ),
    )
    writes: list[Range] = []
    transaction: int | None = None
    """The start of the transaction that is being read."""
    undecided: list[Range] | None = None
    """The commands since the last damage, as long as they may belong to a damaged transaction."""
    position = start
    while position < len(content):
        command = _intact_command(content, position, beginnings)
        if command is None:
            transaction, undecided = None, [] if has_transactions else None
            index = bisect_right(beginnings, position)
            position = beginnings[index] if index < len(beginnings) else len(content)
            if position == len(content):
                undecided = None
            continue
        name, end = command
        if name == b"MULTI":
            writes += undecided or ()
            transaction, undecided = position, None
        elif name == b"EXEC":
            if transaction is not None:
                writes.append((transaction, end))
            transaction = undecided = None
        elif undecided is not None:
            undecided.append((position, end))
        elif transaction is None:
            writes.append((position, end))
        position = end
    return writes + (undecided or [])


def _intact_command(
    content: mmap.mmap, position: int, beginnings: "array[int]"
) -> tuple[bytes, int] | None:
    """Return the name of the command at a position and the position after it; None if it is damaged.

    A damaged length can make a command seem to contain others, and a damaged count can make it seem to end
    before its last value.
    """
    try:
        name, end = _skip_command(content, position)
    except (_IncompleteCommand, _DamagedCommand):
        return None
    index = bisect_right(beginnings, position)
    if index < len(beginnings) and beginnings[index] < end:
        return None
    if content[end : end + 1] == b"$" and _is_value(content, end):
        return None
    return name, end


def _is_value(content: mmap.mmap, position: int) -> bool:
    """Return whether a value of a command is at a position."""
    try:
        length, start = _read_number(content, position, b"$")
    except (_IncompleteCommand, _DamagedCommand):
        return False
    return content[start + length : start + length + 2] == b"\r\n"


def _join(ranges: Iterable[Range]) -> list[Range]:
    """Return the ranges with adjacent ones joined; no range is empty."""
    joined: list[Range] = []
    for start, end in ranges:
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        elif start < end:
            joined.append((start, end))
    return joined


def _read_writes(content: mmap.mmap, start: int) -> tuple[int, int, bool]:
    """Read commands up to the first incomplete one.

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
    if content[position] == ord("#"):
        if (annotation := _ANNOTATION.match(content, position)) is not None:
            return b"", annotation.end()
        is_last = content.find(b"\r\n", position) < 0
        raise _IncompleteCommand if is_last else _DamagedCommand
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
    if name not in WRITE_COMMANDS:
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
    """Return the kind of the damage that follows the last complete command.

    A damaged length can make a command seem to end beyond the end of the part, so that later commands seem
    to belong to one of its values. A part therefore ends within a command only if no other command follows.
    """
    if _COMMAND.search(content, end_of_command + 1) is not None:
        return "damaged bytes"
    if content[len(content) - 1] == 0:
        return "zero bytes"
    return "incomplete write" if is_truncated else "damaged bytes"


def _ranges_of_entries(entries: tuple[Entry, ...], content: mmap.mmap) -> list[Range]:
    """Return the ranges of a damaged snapshot that are intact: the entries, and what surrounds them."""
    ranges = [(entry.start, entry.end) for entry in entries]
    if entries:
        ranges.insert(0, (0, entries[0].start))
        end = entries[-1].end
        if content[end : end + 1] == END_MARKER:
            ranges.append((end, min(end + 1 + CHECKSUM_BYTES, len(content))))
    return ranges


def _first_command(content: mmap.mmap) -> int:
    """Return the offset of the first command; the size if there is none."""
    for match in _COMMAND.finditer(content):
        if match[1].upper() in WRITE_COMMANDS:
            return match.start()
    return len(content)


def _size_of_sound_snapshot(content: mmap.mmap) -> int | None:
    """Return the size of the snapshot at the beginning, 0 if there is none; None if it is damaged."""
    if content[:1] in (b"*", b"#"):
        return 0
    size = snapshot_size(content)
    if size:
        return size if is_sound(content[:size]) else None
    # The bytes by which a snapshot is recognized may be damaged.
    return None if size is None or find_entries(content[: _first_command(content)]) else 0


def snapshot_size(content: mmap.mmap) -> int | None:
    """Return the size of the snapshot at the beginning, 0 if there is none; None if it has no end."""
    if not content[:6].startswith(SNAPSHOT_MAGIC):
        return 0
    match = _END.search(content)
    return _size_by_checksum(content) if match is None else match.end()


def _size_by_checksum(content: mmap.mmap) -> int | None:
    """Return the size of the snapshot whose first command is damaged, which takes a second for some MB."""
    value = 0
    for position, byte in enumerate(content[:]):
        value = extend_checksum(value, byte)
        if byte == END_MARKER[0]:
            end = position + 1 + CHECKSUM_BYTES
            if content[position + 1 : end] == value.to_bytes(CHECKSUM_BYTES, "little"):
                return end
    return None
