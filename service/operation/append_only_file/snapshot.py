"""Where the snapshot (RDB) at the beginning of an append-only file ends."""

import mmap
import re
from typing import Final

_MAGIC: Final = (b"REDIS", b"VALKEY")
_END: Final = re.compile(rb"\xff[\x00-\xff]{8}(?=\*\d{1,9}\r\n\$\d{1,9}\r\n[A-Za-z]|\Z)")
"""The end of a snapshot: a marker and the checksum. The first command or the end of the file follows."""
_END_MARKER: Final = 0xFF
_CHECKSUM_BYTES: Final = 8
_POLYNOMIAL: Final = 0x95AC9329AC4BC9B5
"""The polynomial of the checksum (CRC-64 of Jones) with its bits in reverse order."""


def snapshot_size(content: mmap.mmap) -> int | None:
    """Return the size of the snapshot at the beginning, 0 if there is none; None if it has no end."""
    if not content[:6].startswith(_MAGIC):
        return 0
    match = _END.search(content)
    return _size_by_checksum(content) if match is None else match.end()


def _size_by_checksum(content: mmap.mmap) -> int | None:
    """Return the size of the snapshot whose first command is damaged, which takes a second for some MB."""
    table = []
    for byte in range(256):
        remainder = byte
        for _ in range(8):
            remainder = remainder >> 1 ^ (_POLYNOMIAL if remainder & 1 else 0)
        table.append(remainder)
    checksum = 0
    for position, byte in enumerate(content[:]):
        checksum = table[(checksum ^ byte) & 0xFF] ^ checksum >> 8
        if byte == _END_MARKER:
            end = position + 1 + _CHECKSUM_BYTES
            if content[position + 1 : end] == checksum.to_bytes(_CHECKSUM_BYTES, "little"):
                return end
    return None
