"""Features of games: what a rule system counts about the seats of games that have ended.

A feature is a fact about a seat that a log shows, such as a first city beside a lake, or a title that was
bought in the rounds 11 to 15. The explorer counts how often seats have it, and how many of them have won.
Features follow from the public data of events, so that nothing has to be folded or opened for them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from domain.event import EventData
from domain.messages import Text, message

_LONGEST: Final = 60
_SPAN: Final = 5


class PlayedEvent(NamedTuple):
    """An event of a game after its start, on the branch on which play went on; `round` is the one before it.

    `round` is 0 until an event has stated a round.
    """

    seq: int
    round: int
    type: str
    data: EventData


class Feature(NamedTuple):
    """A seat belongs to a value of a table, as event `seq` shows."""

    seat: int
    table: str
    value: str
    seq: int


@dataclass(frozen=True, slots=True)
class FeatureTable:
    """A table of features: its name in JSON, its title, and its values in order, with their labels.

    A seat of a game has at most one value of it, unless it is `multiple`.
    """

    name: str
    title: Text
    values: Mapping[str, Text]
    is_multiple: bool = False


@dataclass(frozen=True, slots=True)
class FeatureModel:
    """The features of a rule system.

    `observe` returns those of a game that has ended, from the data of `GameStarted` and the events after it.
    """

    tables: Sequence[FeatureTable]
    observe: Callable[[EventData, Sequence[PlayedEvent]], Iterable[Feature]]


def span_of_rounds(round: int) -> str:
    """Return the name of the rounds, five at a time, to which a round from 1 belongs."""
    first = min(_LONGEST, (max(round, 1) - 1) // _SPAN * _SPAN) + 1
    return str(first)


def _span_label(first: int) -> Text:
    if first > _LONGEST:
        return message("from round {first} on", first=first)
    return message("rounds {first} to {last}", first=first, last=first + _SPAN - 1)


SPANS_OF_ROUNDS: Final[Mapping[str, Text]] = {
    str(first): _span_label(first) for first in range(1, _LONGEST + 2, _SPAN)
}
"""The values of `span_of_rounds`, in order, with their labels."""
