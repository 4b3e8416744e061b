"""The list of moves beside the board of a replay: a row for each event, by rounds, the current one marked.

The list of a long game is in parts, so that its page has a bounded size.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from replay.history.recap import RecapEvent
from service.pages.view_models.replayed_game import ReplayedGame

LISTED_EVENTS: Final = 400
"""Events of a part of the list."""


@dataclass(frozen=True, slots=True)
class ListedMove:
    """A row of the list. `starts_round` is whether it is the first one of its round in the list."""

    event: RecapEvent
    starts_round: bool
    is_superseded: bool


@dataclass(frozen=True)
class ReplayedMoves:
    """The part of the list of moves in which event `seq` is, of a game that has started then.

    Events that only score a round have no row, because the strips of the players have the scores.
    """

    source: ReplayedGame
    seq: int

    @property
    def _start(self) -> int:
        return self.source.head.start_seq

    @property
    def _last(self) -> int:
        return self.source.head.seq

    @property
    def first(self) -> int:
        """The first event of the part."""
        return self.seq - (self.seq - self._start) % LISTED_EVENTS

    @property
    def version(self) -> str:
        """What tells this part from any other; a page has no need of it if it has the same."""
        return f"{self.first}-{self._last}"

    @property
    def earlier(self) -> int | None:
        """The last event of the part before this one; None without one."""
        return self.first - 1 if self.first > self._start else None

    @property
    def later(self) -> int | None:
        """The first event of the part after this one; None without one."""
        after = self.first + LISTED_EVENTS
        return after if after <= self._last else None

    @cached_property
    def rows(self) -> Sequence[ListedMove]:
        """The rows of the part."""
        return list(self._rows())

    def _rows(self) -> Iterator[ListedMove]:
        head, round = self.source.head, None
        for event in self.source.replays.moves(head, self.first, LISTED_EVENTS):
            if event.scores:
                continue
            is_superseded = event.is_action and head.is_superseded(event.seq)
            yield ListedMove(event, event.round != round, is_superseded)
            round = event.round

    @property
    def current(self) -> int | None:
        """The event of the row that is marked, which is the last one up to event `seq`; None without one."""
        return max((row.event.seq for row in self.rows if row.event.seq <= self.seq), default=None)

    def row_of(self, seq: int) -> ListedMove | None:
        """Return the row of an event; None if the part has none."""
        return next((row for row in self.rows if row.event.seq == seq), None)

    @property
    def previous(self) -> int | None:
        """The event of the row before event `seq`; None at the start."""
        earlier = [row.event.seq for row in self.rows if row.event.seq < self.seq]
        return earlier[-1] if earlier else self.earlier

    @property
    def next(self) -> int | None:
        """The event of the row after event `seq`, or else the last event; None there."""
        later = (row.event.seq for row in self.rows if row.event.seq > self.seq)
        end = self._last if self._last > self.seq else None
        return next(later, self.later or end)
