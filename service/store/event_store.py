"""What a log must do, whoever keeps it. tests/service/test_event_store.py is the contract in full.

A game's log is a gapless sequence of events, seq 1, 2, 3 …, each the bytes of its canonical JSON.
It is never changed and never shortened. Beside it lie the game's secrets, its notes (what the log
calls for and is not yet done), and the answers given to idempotency keys; all of them are written
by `append` alone, in one step with the events.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from service.errors import ServiceError


class HeadMoved(ServiceError):
    """The log does not end where the append expected; `head` is the seq where it does."""

    status = 409

    def __init__(self, head: int) -> None:
        super().__init__(f"the log has moved on to event {head}")
        self.head = head


@dataclass(frozen=True, slots=True)
class IdempotencyRecord:
    """An idempotency key as the log keeps it: whose and which, and for what request.

    `name` is made of player and key, `body` is a digest of the request (both short, ASCII).
    """

    name: str
    body: str


@dataclass(frozen=True, slots=True)
class AppendRequest:
    """What one step writes, whole or not at all."""

    events: tuple[bytes, ...]
    """Canonical lines of the events, in order; at least one."""
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """`seed`: the game's secret in hex; `SEQ/NAME`: JSON of {"salt", "value"}."""
    notes: Mapping[str, str | None] = field(default_factory=dict)
    """Notes to set (JSON); None removes one."""
    answer: IdempotencyRecord | None = None
    over: bool = False
    """Whether the game is over with this: its answers need not be kept for ever from here on."""
    follows: str | None = None
    """Hash of the event that the first one follows; None: whatever stands there will do."""


@dataclass(frozen=True, slots=True)
class Appended:
    """Where the events lie: seqs `first` to `last`. `repeated`: they were appended before, by the
    same answer, and nothing was written now.
    """

    first: int
    last: int
    repeated: bool = False


class Log(Protocol):
    """All logs of a service. Every method raises Unavailable when the store does not answer."""

    def append(self, game: str, expected: int, append: AppendRequest) -> Appended:
        """Write events after the head `expected` (0: a new game), all of them or none.

        The answer is looked at first: known with the same body, its events are what was appended;
        known with another, IdempotencyConflict. Raises HeadMoved when the head is another, or has
        another hash than `append.follows` (a store that lost its end and has got a new one since).
        Unavailable leaves open whether it was written.
        """

    def find_idempotency_record(self, game: str, answer: IdempotencyRecord) -> Appended | None:
        """What this answer appended before, or None. Raises IdempotencyConflict for another body."""

    def read(
        self, game: str, after: int = 0, upto: int | None = None, limit: int | None = None
    ) -> list[bytes]:
        """The lines of events after+1 … upto (both None: to the head), at most `limit` of them."""

    def read_each(self, after: Mapping[str, int]) -> dict[str, list[bytes]]:
        """Of many games, by id, the lines of all events after the seq given."""

    def head(self, game: str) -> int:
        """The seq of the last event; 0: there is no such game."""

    def secrets(self, game: str) -> dict[str, str]:
        """All secrets of a game."""

    def notes(self, game: str) -> dict[str, str]:
        """The notes of a game, by name."""

    def done(self, game: str, note: str, value: str) -> bool:
        """Remove a note if it still has this value; says whether it did."""

    def expect(self, game: str) -> None:
        """Put a game among the live ones, before its first append: no note is overlooked then."""

    def settle(self, game: str) -> bool:
        """Take a game that has notes no more out of the live ones. Only for a game that is over."""

    def live(self) -> Iterator[str]:
        """Ids of the games that may have notes; some may come twice."""

    def games(self) -> Iterator[str]:
        """Ids of all games, by looking through the store; each once."""
