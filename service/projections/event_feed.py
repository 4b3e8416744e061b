"""The event feed: events of all public games, as spectators see them, in the order of the transparency log.

A leaf of the log covers the events of one game since the game's previous leaf (`LogEntry`). The feed
therefore needs no other order, shows an event only after its head was logged, and can be resumed anywhere.
Events are delivered at least once: if the store has lost logged events of a game, the game is repeated from
its start.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final, NamedTuple

from cachetools import LRUCache
from typing_extensions import override

from domain.errors import Malformed, Unreadable
from domain.event import Event
from domain.messages import message
from service.errors import Conflict
from service.store.event_store import LogReader
from service.store.log_check import decode_event
from service.transparency.store import TransparencyStore

MAX_EVENTS: Final = 500
MAX_ENTRIES: Final = 512
"""The most entries of the log that are examined for a page. Those of other games are skipped."""
MAX_PAGE_BYTES: Final = 512 * 1024
"""The size of the events on a page, unless a single event is longer."""
_LEAF_DIGITS: Final = 16
_CURSOR: Final = re.compile(rf"([0-9]{{1,15}})-([0-9]{{1,15}})-([0-9a-f]{{{_LEAF_DIGITS}}}|)")
_CACHED_GAMES: Final = 10_000


class CursorReplaced(Conflict):
    """The log no longer begins with the leaves up to which the feed was read."""

    def __init__(self) -> None:
        super().__init__(
            message(
                "the transparency log was restored and does not continue what was read: read the events"
                " again from the beginning"
            )
        )


@dataclass(frozen=True, slots=True)
class FeedCursor:
    """A position in the feed: after `entries` whole entries of the log, and the next one up to event `seq`.

    `leaf` is the beginning of the hash of the last of these leaves, "" if there is none.
    """

    entries: int = 0
    seq: int = 0
    leaf: str = ""

    @classmethod
    def parse(cls, text: str | None) -> "FeedCursor":
        """Return the cursor in a client's text; None for the beginning. Raises Malformed."""
        if text is None:
            return cls()
        match = _CURSOR.fullmatch(text)
        if match is None:
            raise Malformed({"after": message("is not a cursor of this list")})
        return cls(int(match[1]), int(match[2]), match[3])

    @override
    def __str__(self) -> str:
        return f"{self.entries}-{self.seq}-{self.leaf}"


@dataclass(frozen=True, slots=True)
class FeedPage:
    """Events, and the end of the page. `is_last` is True if there are currently no more."""

    events: Sequence[Event]
    cursor: FeedCursor
    is_last: bool


class _Range(NamedTuple):
    """Events of one entry of the log: the entry's index, and the game with the first and the last seq."""

    entry: int
    events: tuple[str, int, int]


def is_public(created: Event) -> bool:
    """Return whether a game is public, from its first event."""
    return not created["data"]["options"]["private"]


def is_rated_in_club(created: Event) -> bool:
    """Return whether a game, which may be private, can count for the ratings in a club."""
    options = created["data"]["options"]
    return options.get("rated") is True and "club" in options


class EventFeed:
    """Reads the feed. Thread-safe.

    It has the games that `includes` selects by their first events, which are the public ones by default. Only
    projections whose values nobody else may see follow a feed with private games.

    Its methods raise Unavailable if Redis does not respond, and EntriesMissing.
    """

    def __init__(
        self,
        log: TransparencyStore,
        log_reader: LogReader,
        includes: Callable[[Event], bool] = is_public,
    ) -> None:
        self._log = log
        self._log_reader = log_reader
        self._includes = includes
        self._is_included: LRUCache[str, bool] = LRUCache(_CACHED_GAMES)
        self._lock = Lock()

    def size(self) -> int:
        """Return the number of entries of the log."""
        return self._log.size()

    def page(self, after: FeedCursor, limit: int = MAX_EVENTS) -> FeedPage:
        """Return a page of the feed after a cursor: at most `limit` and MAX_EVENTS events.

        A page costs a bounded number of round trips, entries, events and bytes. It may have no events without
        being the last one. Damaged events are left out. Raises CursorReplaced.
        """
        size = self._log.size()
        self._check(after, size)
        count = min(MAX_ENTRIES, size - after.entries)
        if not count:
            return FeedPage((), after, is_last=True)
        ranges, end = self._ranges(after, count, min(limit, MAX_EVENTS))
        lines_of_ranges = self._log_reader.read_ranges([range.events for range in ranges])
        events: list[Event] = []
        bytes_left = MAX_PAGE_BYTES
        for range, lines in zip(ranges, lines_of_ranges, strict=True):
            for line in lines:
                event = _decode(line)
                if event is None:
                    continue
                if events and len(line) > bytes_left:
                    cursor = self._cursor(range.entry, event["seq"] - 1)
                    return FeedPage(events, cursor, is_last=False)
                bytes_left -= len(line)
                events.append(event)
        return FeedPage(events, self._cursor(*end), is_last=end == (size, 0))

    def created_events(self, game_ids: Sequence[str]) -> dict[str, Event]:
        """Return the first events of games, by game id; a game without a readable one is left out."""
        ranges = [(game_id, 1, 1) for game_id in game_ids]
        return {
            game_id: events[0]
            for game_id, events in zip(game_ids, self.event_ranges(ranges), strict=True)
            if events
        }

    def event_ranges(self, ranges: Sequence[tuple[str, int, int]]) -> list[list[Event]]:
        """Return ranges of events: for each game id with a first and a last seq, the readable events."""
        return [
            [event for line in lines if (event := _decode(line)) is not None]
            for lines in self._log_reader.read_ranges(ranges)
        ]

    def _ranges(
        self, after: FeedCursor, count: int, limit: int
    ) -> tuple[list[_Range], tuple[int, int]]:
        """Return the events of the next `count` entries, at most `limit`, and the cursor after them."""
        entries = self._log.entries(after.entries, count)
        included = self._included_games({entry.game for entry in entries if entry is not None})
        ranges: list[_Range] = []
        for index, entry in enumerate(entries, after.entries):
            if entry is None or entry.game not in included:
                continue
            first = max(entry.first, after.seq + 1) if index == after.entries else entry.first
            last = min(entry.last, first + limit - 1)
            if first <= last:
                ranges.append(_Range(index, (entry.game, first, last)))
                limit -= last - first + 1
            if not limit:
                return ranges, (index, last) if last < entry.last else (index + 1, 0)
        return ranges, (after.entries + count, 0)

    def _included_games(self, game_ids: Collection[str]) -> set[str]:
        """Return the games of the feed, of these. The first event of a game never changes."""
        with self._lock:
            selection = {game_id: self._is_included.get(game_id) for game_id in game_ids}
        uncached = [game_id for game_id, is_included in selection.items() if is_included is None]
        if uncached:
            loaded = {
                game_id: self._includes(event)
                for game_id, event in self.created_events(uncached).items()
            }
            selection |= loaded
            with self._lock:
                self._is_included.update(loaded)
        return {game_id for game_id, is_included in selection.items() if is_included}

    def _check(self, cursor: FeedCursor, size: int) -> None:
        """Raise CursorReplaced unless the log continues the leaves up to a cursor."""
        if cursor.entries > size or self._leaf(cursor.entries) != cursor.leaf:
            raise CursorReplaced

    def _cursor(self, entries: int, seq: int) -> FeedCursor:
        return FeedCursor(entries, seq, self._leaf(entries))

    def _leaf(self, entries: int) -> str:
        """Return the beginning of the hash of the last of the first `entries` leaves; "" for none."""
        if not entries:
            return ""
        (leaf,) = self._log.leaf_hashes(entries - 1, 1)
        return leaf.hex()[:_LEAF_DIGITS]


def _decode(line: bytes) -> Event | None:
    try:
        return decode_event(line)
    except Unreadable:
        return None
