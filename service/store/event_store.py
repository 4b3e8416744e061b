"""The parameters and results of the event store, and the protocol for reading logs.

A game's log is a gapless sequence of events, seq 1, 2, 3 …, each stored as the bytes of its canonical
JSON. It is never changed and never shortened. Beside it the store keeps the game's secrets, its outbox
(entries for work that events require and that is not done yet), its idempotency records and its receipts.
`append` writes all of them in one step with the events.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from domain.json_types import JsonObject
from domain.messages import message
from service.errors import Conflict


class HeadMoved(Conflict):
    """The head of the log is not the event that the append expected; `head` is its seq."""

    def __init__(self, head: int) -> None:
        super().__init__(message("the log has moved on to event {seq}", seq=head))
        self.head = head


@dataclass(frozen=True, slots=True)
class IdempotencyRecord:
    """Identifies a request that was sent with an idempotency key.

    `name` is derived from the player and the key, `digest` from the content of the request. Both are short
    and ASCII.
    """

    name: str
    digest: str


class GuardFailed(Conflict):
    """A guard of an append has another value than expected; nothing was appended."""


class TimeSettled(Conflict):
    """The events are not later than the date up to which the game is settled; none was appended."""


class Companion(NamedTuple):
    """A hash that a feature keeps beside the log of each game, and that is deleted with the game."""

    part: str
    """The name of the part of a game."""
    outbox_entry: str | None = None
    """The outbox entry that each append to the game sets while the hash exists, with payload {"seq"}."""


class Guard(NamedTuple):
    """A value that a field of a companion must have for an append to take place."""

    part: str
    field: str
    value: bytes


@dataclass(frozen=True, slots=True)
class AppendRequest:
    """The values that one append writes, all or none."""

    events: tuple[bytes, ...]
    """Canonical lines of the events, in order; at least one."""
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """`seed`: the game's secret in hex; `SEQ/NAME`: JSON of {"salt", "value"}."""
    outbox: Mapping[str, str | None] = field(default_factory=dict)
    """The payloads (JSON) of the outbox entries to set, by name; None removes the entry."""
    idempotency_record: IdempotencyRecord | None = None
    ends_game: bool = False
    """Whether the game has ended with these events: its idempotency records then expire."""
    at: str | None = None
    """The time of the events, which must be after the date up to which the game is settled; None for events
    that were appended elsewhere before.
    """
    prev_hash: str | None = None
    """The hash that the previous event must have; None accepts any."""
    receipts: Mapping[int, JsonObject] = field(default_factory=dict)
    """Receipts, by the seq of their events."""
    guards: Sequence[Guard] = field(default=(), repr=False)
    """If one of them fails, nothing is appended."""
    provenance: Mapping[int, str] = field(default_factory=dict)
    """The encoded provenance of events that were first appended elsewhere, by seq. Other events have the
    current one (service/provenance.py)."""


@dataclass(frozen=True, slots=True)
class Appended:
    """The seqs of appended events, `first` to `last`.

    `is_repeat` is True if an earlier request with the same idempotency record appended them; then nothing was
    written this time.
    """

    first: int
    last: int
    is_repeat: bool = False


class Head(NamedTuple):
    """The last event of a log."""

    seq: int
    hash: str


class LogReader(Protocol):
    """Reads the logs of all games.

    Every method raises Unavailable if the store does not respond, and Unreadable if the data of a single game
    that it reads are damaged.
    """

    def read(
        self, game_id: str, after: int = 0, upto: int | None = None, limit: int | None = None
    ) -> list[bytes]:
        """Return the lines of events after+1 … upto (None: up to the head), at most `limit`."""

    def read_each(
        self, after: Mapping[str, int], limit: int | None = None
    ) -> dict[str, list[bytes]]:
        """Return, for each game id, the lines of the events after the given seq, at most `limit` a game.

        There are none for a game whose log is damaged.
        """

    def read_ranges(self, ranges: Sequence[tuple[str, int, int]]) -> list[list[bytes]]:
        """Return, for each (game id, first, last), the lines of the events first … last that exist.

        All are read in one round trip. There are none for a game whose log is damaged.
        """

    def head(self, game_id: str) -> int:
        """Return the seq of the last event, 0 if there is no such game."""

    def secrets(self, game_id: str, names: Collection[str] | None = None) -> dict[str, str]:
        """Return the secrets of a game with these names (None: all) that exist, by name.

        They are as in `AppendRequest.secrets`.
        """

    def receipts(self, game_id: str, seqs: Collection[int]) -> dict[int, str]:
        """Return the receipts of these events that exist, by seq, as they are stored: `KEY SIGNATURE`."""
