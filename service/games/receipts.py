"""The server's receipts for accepted actions: their storage, and the lists of a player's receipts.

A receipt is stored in the same step as its event, as `KEY SIGNATURE`; its other fields are those of the
event. An event that was appended before receipts were stored has none. One is signed when it is listed, if
the server's key was already published when the event was appended.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import orjson

from domain.errors import Malformed, Unreadable
from domain.event import Event
from domain.json_types import JsonObject
from domain.messages import message
from service.bounds import Bounds
from service.errors import log_text
from service.games.listings import Listings, game_of_member
from service.games.loader import GAME_ID, PAGE_LINES
from service.keyring import Keyring
from service.store.event_store import LogReader
from service.store.log_check import sound_events
from service.store.redis_event_store import decode_receipt

log = logging.getLogger(__name__)

GAMES_PER_READ: Final = 20
"""The number of games of the player that are listed with one command."""
_FIRST_LINES: Final = 32
"""The number of lines that are read first to find the start of a game, which is usually enough."""
_LEAST_COST: Final = 10
"""The least number of events that each read of a log counts as."""
_MAX_DIGITS: Final = 16
"""The number of digits of a seq in a cursor."""


@dataclass(slots=True)
class ReceiptPage:
    """A page of a player's receipts: by game, newest first, and within a game by seq.

    `left_out` counts the accepted actions on this page for which there is no receipt. `next` is the cursor of
    the next page, None on the last one.
    """

    receipts: list[JsonObject] = field(default_factory=list)
    left_out: int = 0
    next: str | None = None


@dataclass(frozen=True, slots=True)
class _Cursor:
    """The start of a page: after event `after` of the game of this member of the listings.

    None means with the next game.
    """

    member: str
    after: int | None

    @property
    def text(self) -> str:
        """The cursor as the API shows it."""
        return self.member if self.after is None else f"{self.member}~{self.after}"


@dataclass(eq=False, repr=False)
class PlayerReceipts:
    """Lists the receipts of players. Thread-safe; raises Unavailable if the store does not respond."""

    _log_reader: LogReader
    _listings: Listings
    _keyring: Keyring
    page_events: int = Bounds().page_events
    """The most events that are read for one page."""

    def page(
        self, player: str, cursor: str | None = None, limit: int = 100, game_id: str | None = None
    ) -> ReceiptPage:
        """Return a page of at most `limit` receipts for the actions of a player, of one game or of all.

        Reads at most `page_events` events, so the page may have fewer receipts than `limit`, even none, and
        still a next page. A game whose log is damaged is left out. Raises Malformed for an invalid cursor.
        """
        start = None if cursor is None else _parse_cursor(cursor)
        page = ReceiptPage()
        reader = _Reader(self._log_reader, self._keyring, player, page, limit, self.page_events)
        for member, after in self._games(player, start, game_id):
            if reader.is_done:
                break
            game = game_of_member(member)
            try:
                seq = reader.read(game, after)
            except (Unreadable, LookupError, TypeError, ValueError) as error:
                reason = log_text(error)
                log.error("game %s is left out of a list of receipts: %s", game, reason)  # noqa: TRY400 # a traceback would add nothing
                seq = None
            page.next = _Cursor(member, seq).text
            if seq is not None:
                break
        else:
            page.next = None
        return page

    def _games(
        self, player: str, start: _Cursor | None, game_id: str | None
    ) -> Iterator[tuple[str, int]]:
        """Iterate over members of the player's listings, each with the seq after which to read its log."""
        if game_id is not None:
            if start is None:
                yield f"~{game_id}", 0
            elif game_of_member(start.member) != game_id:
                raise Malformed({"cursor": message("is not a cursor of this list")})
            elif start.after is not None:
                yield start.member, start.after
            return
        cursor = None
        if start is not None:
            cursor = start.member
            if start.after is not None:
                yield start.member, start.after
        while True:
            games = self._listings.page((), player, cursor, GAMES_PER_READ, viewer=player)
            for member in games.members:
                yield member, 0
            cursor = games.next
            if cursor is None:
                return


class _Reader:
    """Collects the receipts of one player from logs, until a page is full or has reached its bound."""

    def __init__(
        self,
        log_reader: LogReader,
        keyring: Keyring,
        player: str,
        page: ReceiptPage,
        limit: int,
        max_events: int,
    ) -> None:
        self._log_reader = log_reader
        self._keyring = keyring
        self._player = player
        self._page = page
        self._limit = limit
        self._max_events = self._events_left = max_events
        self._key: JsonObject | None = None

    @property
    def is_done(self) -> bool:
        """Whether the page is full, or the most events for a page have been read."""
        return len(self._page.receipts) >= self._limit or self._events_left <= 0

    def read(self, game_id: str, after: int) -> int | None:
        """Add the receipts of a game for events after `after`; examines at least a few of them.

        Returns the last event that was examined if there are more, None at the end of the log.
        """
        seat, start = self._seat(game_id)
        seat = self._seat_at(game_id, seat, start, after)
        seq = max(after, start)
        while True:
            lines, has_more = self._lines(game_id, seq)
            own, seat = self._own_events(lines, seat)
            last = self._add(game_id, own)
            if last is not None:
                return last
            seq += len(lines)
            if not has_more:
                return None
            if self.is_done:
                return seq

    def _own_events(
        self, lines: Sequence[bytes], seat: int | None
    ) -> tuple[list[Event], int | None]:
        """Return the events of the player among the next lines, and the player's seat after them.

        `seat` is the seat before them; None while the player has none.
        """
        events: list[Event] = []
        for line in lines:
            if b'"type":"SubstituteSeated"' in line:
                seat = self._seat_after(orjson.loads(line), seat)
            elif seat is not None and b'"by":{"seat":%d}' % seat in line:
                event = orjson.loads(line)
                if event["by"] == {"seat": seat}:
                    events.append(event)
        return events, seat

    def _seat_after(self, event: Event, seat: int | None) -> int | None:
        """Return the player's seat after `SubstituteSeated`."""
        if event["type"] != "SubstituteSeated":
            return seat
        if event["data"]["player"] == self._player:
            new_seat: int = event["data"]["seat"]
            return new_seat
        return None if event["data"]["replaces"] == self._player else seat

    def _seat_at(self, game_id: str, seat: int | None, start: int, seq: int) -> int | None:
        """Return the player's seat after event `seq` of a game whose seats may have changed hands.

        `seat` is the one after `GameStarted`, which is event `start`.
        """
        while start < seq:
            lines, has_more = self._lines(game_id, start)
            _, seat = self._own_events(lines[: seq - start], seat)
            start += len(lines)
            if not has_more:
                break
        return seat

    def _seat(self, game_id: str) -> tuple[int | None, int]:
        """Return the player's seat after `GameStarted`, and the seq of this event.

        There is no seat if the player has none at the start.

        The start is searched only in as many events as a page may cost.
        """
        seq, has_more = 0, True
        while has_more and seq < self._max_events:
            lines, has_more = self._lines(game_id, seq)
            for line in lines:
                seq += 1
                if b'"type":"GameStarted"' in line:
                    event = orjson.loads(line)
                    if event["type"] == "GameStarted":
                        players = event["data"]["players"]
                        is_seated = self._player in players
                        seat = players.index(self._player) if is_seated else None
                        return seat, seq
        return None, seq

    def _lines(self, game_id: str, after: int) -> tuple[Sequence[bytes], bool]:
        """Read and return the next lines of a log up to a damaged one, and whether there may be more.

        Raises GameDamaged if the first of them is damaged.
        """
        limit = min(_FIRST_LINES if after == 0 else PAGE_LINES, self._max_events)
        lines = self._log_reader.read(game_id, after, limit=limit)
        self._events_left -= max(len(lines), _LEAST_COST)
        sound = len(sound_events(game_id, after, lines))
        return lines[:sound], len(lines) == limit or sound < len(lines)

    def _add(self, game_id: str, events: Sequence[Event]) -> int | None:
        """Add the receipts for events of the player.

        If the page is full before the last of them, returns the last event that was examined.
        """
        stored = self._log_reader.receipts(game_id, [event["seq"] for event in events])
        for event in events:
            if len(self._page.receipts) >= self._limit:
                return event["seq"] - 1
            if event["seq"] in stored:
                self._page.receipts.append(decode_receipt(event, stored[event["seq"]]))
            elif event["action"] is not None:
                self._add_late_receipt(event)
        return None

    def _add_late_receipt(self, event: Event) -> None:
        """Sign a receipt for an event that has none, if today's key was valid at the time of the event."""
        if self._key is None:
            self._key = self._keyring.current_entry()
        if self._key["from"] <= event["at"] and self._key["until"] is None:
            self._page.receipts.append(self._keyring.signing_key.receipt(event))
        else:
            self._page.left_out += 1


def _parse_cursor(cursor: str) -> _Cursor:
    """Return the cursor in a text. Raises Malformed."""
    created, _, rest = cursor.partition("~")
    game_id, has_seq, seq = rest.partition("~")
    is_valid = GAME_ID.fullmatch(game_id) and (
        not has_seq or (seq.isascii() and seq.isdigit() and len(seq) <= _MAX_DIGITS)
    )
    if not is_valid:
        raise Malformed({"cursor": message("is not a cursor of this list")})
    return _Cursor(f"{created}~{game_id}", int(seq) if has_seq else None)
