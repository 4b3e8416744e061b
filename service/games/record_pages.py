"""Game records in pages of bounded size: a long record is never in memory as a whole."""

from collections.abc import Iterable, Iterator
from typing import Final

from domain.game import Game
from domain.messages import message
from service.errors import Unavailable
from service.games.loader import PAGE_LINES
from service.store.event_store import LogReader

FIRST_LINES: Final = 32
"""Lines of a log in the first read, before their length is known."""


def read_lines(log_reader: LogReader, head: Game, page_bytes: int) -> Iterator[bytes]:
    """Iterate over the lines of all events of the game with this head.

    Each read of the store is for about `page_bytes` bytes, and happens when its first line is asked for.
    Raises Unavailable if the store does not respond, or if the log has lost events of this game.
    """
    seq, limit = 0, FIRST_LINES
    line = b""
    while seq < head.seq:
        lines = log_reader.read(head.id, seq, head.seq, limit)
        if not lines:
            break
        for line in lines:
            yield line
        seq += len(lines)
        line_bytes = sum(map(len, lines)) / len(lines)
        limit = max(1, min(PAGE_LINES, int(page_bytes / line_bytes)))
    if b'","hash":"%b"' % head.hash.encode() not in line:
        raise Unavailable(
            message("the log of game {game} changed while its record was read", game=head.id)
        )


def join_lines(lines: Iterable[bytes], page_bytes: int) -> Iterator[bytes]:
    """Iterate over the same bytes in pages of at most `page_bytes`; a longer line is a page of its own."""
    page: list[bytes] = []
    size = 0
    for line in lines:
        if page and size + len(line) > page_bytes:
            yield b"".join(page)
            page, size = [], 0
        page.append(line)
        size += len(line)
    if page:
        yield b"".join(page)
