"""Reads the intact entries of a damaged snapshot (RDB). An entry is a key with its value.

A snapshot consists of a header, a sequence of entries, an end marker and a checksum of the whole snapshot.
Earlier versions of this program let the server begin its file with a snapshot. Entries have no checksums, so
an entry counts as intact if it has the structure of an entry, another entry follows it, and none begins
within it. If a byte within a value has changed, the server notices that if the value has a structure;
otherwise the hash of the event reveals it later.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from service.operation.append_only_file.parts import SNAPSHOT_HEADER

CHECKSUM_BYTES: Final = 8
END_MARKER: Final = b"\xff"


def _table() -> list[int]:
    table = []
    for byte in range(256):
        remainder = byte
        for _ in range(8):
            remainder = remainder >> 1 ^ (_POLYNOMIAL if remainder & 1 else 0)
        table.append(remainder)
    return table


_POLYNOMIAL: Final = 0x95AC9329AC4BC9B5
"""The polynomial of the checksum (CRC-64 of Jones) with its bits in reverse order."""
_TABLE: Final = _table()
_OLDEST_VERSION: Final = 9
"""The version that is assumed if the header is damaged: that of Redis 6.2, which every engine reads."""
_EXPIRES: Final = 0xFC
_EXPIRY_BYTES: Final = 9
_LIKELY_EXPIRIES: Final = range(1_500_000_000_000, 10_000_000_000_000)
"""The range, in milliseconds since 1970, in which a value of this service can expire."""
_TYPE_AND_KEY: Final = re.compile(
    rb"[\x00-\x16](?:[\x00-\x3f]|[\x40-\x7f][\x00-\xff]"
    rb"|\xc3(?:[\x00-\x3f]|[\x40-\x7f][\x00-\xff]){2}[\x00-\x1f])(?=cartulary|rq:|LIMITS)"
)
"""The type of an entry of this service, and the length of its key, which may be compressed."""

# The types of values, by the form in which they are stored.
_STRING, _SET, _LIST, _HASH, _SORTED_SET = 0, 2, 1, 4, 5
_ONE_STRING: Final = frozenset({_STRING, 9, 10, 11, 12, 13, 16, 17, 20})
"""Compact forms of lists, sets, sorted sets and hashes; each is one string."""
_STRINGS: Final = frozenset({_LIST, _SET, 14})
_QUICKLIST: Final = 18
_STREAMS: Final = {15: 1, 19: 2, 21: 3}
"""The version of the format of a stream, by its type."""
_WITH_LENGTH: Final = _ONE_STRING - {_STRING} | _STREAMS.keys()
"""The types whose values contain their own length, which a server compares when it restores them."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A key in a snapshot: the place of its entry, and its content.

    `value` has the offsets of the value, which a server can restore (`dump_of`).
    """

    start: int
    end: int
    key: bytes
    expires_at: int
    """In milliseconds since 1970; 0 means never."""
    type: int
    value: tuple[int, int]


class _Damaged(Exception):
    """These bytes do not have the structure of an entry."""


def is_sound(snapshot: bytes) -> bool:
    """Return whether the checksum at the end of a snapshot is right; a checksum of 0 is not checked."""
    stored = int.from_bytes(snapshot[-CHECKSUM_BYTES:], "little")
    return stored in (0, checksum(snapshot[:-CHECKSUM_BYTES]))


def checksum(data: bytes) -> int:
    """Return the checksum of bytes, which takes a second for some MB."""
    value = 0
    for byte in data:
        value = extend_checksum(value, byte)
    return value


def extend_checksum(value: int, byte: int) -> int:
    """Return the checksum of some bytes with the checksum `value`, extended by one byte."""
    return _TABLE[(value ^ byte) & 0xFF] ^ value >> 8


def find_entries(snapshot: bytes) -> tuple[Entry, ...]:
    """Return the intact entries of a snapshot, in order."""
    return tuple(_entries(snapshot))


def dump_of(snapshot: bytes, entry: Entry) -> bytes:
    """Return the value of an entry as the command DUMP returns it, for RESTORE."""
    start, end = entry.value
    match = SNAPSHOT_HEADER.match(snapshot)
    version = _OLDEST_VERSION if match is None else int(match[1])
    payload = bytes((entry.type,)) + snapshot[start:end] + version.to_bytes(2, "little")
    return payload + checksum(payload).to_bytes(CHECKSUM_BYTES, "little")


def _entries(snapshot: bytes) -> Iterator[Entry]:
    types = [match.start() for match in _TYPE_AND_KEY.finditer(snapshot)]
    position = _start(snapshot, types[0]) if types else len(snapshot)
    while position < len(snapshot):
        try:
            entry = _Reader(snapshot, position).entry()
        except _Damaged:
            entry = None
        # The type of this entry may come after the time at which it expires.
        type_of_entry = position + _EXPIRY_BYTES * (snapshot[position] == _EXPIRES)
        following = bisect_right(types, type_of_entry)
        next_type = types[following] if following < len(types) else len(snapshot)
        is_last = following == len(types)
        if (
            entry is not None
            and entry.end <= next_type
            and _is_whole(snapshot, entry, is_last=is_last)
        ):
            yield entry
            position = entry.end
            if is_last:
                return
        elif not is_last:
            position = max(position + 1, _start(snapshot, next_type))
        else:
            return


def _start(snapshot: bytes, position: int) -> int:
    """Return the start of the entry whose type is at a position."""
    start = position - _EXPIRY_BYTES
    time = int.from_bytes(snapshot[start + 1 : position], "little") if start >= 0 else 0
    has_expiry = start >= 0 and snapshot[start] == _EXPIRES and time in _LIKELY_EXPIRIES
    return start if has_expiry else position


def _is_whole(snapshot: bytes, entry: Entry, *, is_last: bool) -> bool:
    """Return whether an entry ends where it should.

    This is so if its value contains its own length, if another entry or the end marker follows, or if the
    value is only text, where a wrong length would include the numbers between the strings.
    """
    is_before_end = is_last and snapshot[entry.end : entry.end + 1] == END_MARKER
    if entry.type in _WITH_LENGTH or is_before_end:
        return True
    with suppress(_Damaged):
        if _is_text(_Reader(snapshot, entry.end).key()):
            return True
    with suppress(_Damaged):
        _Reader(snapshot, entry.start, is_text=True).entry()
        return True
    return False


def _is_text(data: bytes) -> bool:
    try:
        return data.decode().isprintable()
    except UnicodeDecodeError:
        return False


class _Reader:
    """Reads an entry from a position on. Raises _Damaged if the bytes do not fit its structure."""

    def __init__(self, snapshot: bytes, position: int, *, is_text: bool = False) -> None:
        """`is_text`: whether a string that is not text counts as damage."""
        self._snapshot = snapshot
        self._is_text = is_text
        self._start = self._position = position
        self._expires_at = 0
        self._type = 0

    def key(self) -> bytes:
        """Read up to the key, and return it."""
        type = self._byte()
        if type == _EXPIRES:
            self._expires_at = int.from_bytes(self._take(8), "little")
            type = self._byte()
        if type == 0xF8:  # how long it was idle
            self._length()
            type = self._byte()
        elif type == 0xF9:  # how often it was used
            self._take(1)
            type = self._byte()
        self._type = type
        return self._string()

    def entry(self) -> Entry:
        """Read and return the entry."""
        key = self.key()
        value = self._position
        self._skip_value()
        return Entry(
            self._start, self._position, key, self._expires_at, self._type, (value, self._position)
        )

    def _skip_value(self) -> None:
        type = self._type
        if type in _ONE_STRING:
            self._skip_string()
        elif type in _STRINGS:
            self._repeat(self._length(), self._skip_string)
        elif type == _HASH:
            self._repeat(2 * self._length(), self._skip_string)
        elif type == _SORTED_SET:
            self._repeat(self._length(), self._skip_score)
        elif type == _QUICKLIST:
            self._repeat(self._length(), self._skip_node)
        elif type in _STREAMS:
            self._skip_stream(_STREAMS[type])
        else:
            raise _Damaged

    def _skip_score(self) -> None:
        self._skip_string()
        self._take(8)

    def _skip_node(self) -> None:
        self._length()
        self._skip_string()

    def _skip_stream(self, version: int) -> None:
        self._repeat(2 * self._length(), self._skip_string)
        # The number of entries and the last id; later also the first id, the greatest deleted id and a
        # counter.
        self._repeat(3 if version == 1 else 8, self._length)
        for _ in range(self._length()):
            self._skip_group(version)

    def _skip_group(self, version: int) -> None:
        self._skip_string()
        self._repeat(2 if version == 1 else 3, self._length)
        for _ in range(self._length()):
            self._take(24)
            self._length()
        for _ in range(self._length()):
            self._skip_string()
            self._take(8 if version < _STREAMS[21] else 16)
            self._take(16 * self._length())

    def _repeat(self, count: int, skip: Callable[[], object]) -> None:
        if count > len(self._snapshot):
            raise _Damaged
        for _ in range(count):
            skip()

    def _byte(self) -> int:
        return self._take(1)[0]

    def _take(self, count: int) -> bytes:
        end = self._position + count
        taken = self._snapshot[self._position : end]
        if len(taken) < count:
            raise _Damaged
        self._position = end
        return taken

    def _length(self) -> int:
        first = self._byte()
        match first >> 6:
            case 0:
                return first
            case 1:
                return (first & 0x3F) << 8 | self._byte()
            case 2 if first == 0x80:
                return int.from_bytes(self._take(4))
            case 2 if first == 0x81:
                return int.from_bytes(self._take(8))
        raise _Damaged

    def _skip_string(self) -> None:
        if not self._is_text:
            self._stored_string()
        elif not _is_text(self._string()):
            raise _Damaged

    def _string(self) -> bytes:
        """Read a string, and return it; a compressed one is decompressed."""
        data, size = self._stored_string()
        return data if size is None else _decompressed(data, size)

    def _stored_string(self) -> tuple[bytes, int | None]:
        """Read a string; return its stored bytes, and its uncompressed size if it is compressed."""
        match self._snapshot[self._position : self._position + 1]:
            case b"\xc0" | b"\xc1" | b"\xc2":
                # An integer of one, two or four bytes.
                size = 1 << (self._byte() & 3)
                return b"%d" % int.from_bytes(self._take(size), "little", signed=True), None
            case b"\xc3":
                self._take(1)
                stored_size, size = self._length(), self._length()
                return self._take(stored_size), size
            case _:
                return self._take(self._length()), None


def _decompressed(data: bytes, size: int) -> bytes:
    """Return the text that was compressed by LZF. Raises _Damaged."""
    result = bytearray()
    position = 0
    try:
        while position < len(data):
            control = data[position]
            position += 1
            if control < 0x20:
                result += data[position : position + control + 1]
                position += control + 1
                continue
            length = control >> 5
            if length == 7:
                length += data[position]
                position += 1
            distance = ((control & 0x1F) << 8 | data[position]) + 1
            position += 1
            if distance > len(result) or len(result) > size:
                raise _Damaged
            for _ in range(length + 2):
                result.append(result[-distance])
    except IndexError:
        raise _Damaged from None
    if len(result) != size:
        raise _Damaged
    return bytes(result)
