"""Finds the events of a page of the event feed that a projection has not handled yet.

The feed delivers events at least once: if the store has lost logged events of a game, the game is repeated
from its beginning. A projection therefore keeps the last handled event of each game, its head: events up to
it are skipped, as long as the store still has it. If it does not, everything that was derived from the lost
events must be removed.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from domain.errors import CartularyError
from domain.event import Event
from domain.messages import message
from service.projections.event_feed import EventFeed

_HASH_DIGITS: Final = 16


class EventsReplaced(CartularyError):
    """The store has lost events that a projection has handled, so the projection must be rebuilt."""

    def __init__(self, game_id: str) -> None:
        super().__init__(
            message("the store has lost events of game {game} that were counted", game=game_id)
        )


class HandledHead(NamedTuple):
    """The last event of a game that was handled: its seq, and the beginning of its hash."""

    seq: int
    hash: str

    @classmethod
    def of(cls, event: Event) -> "HandledHead":
        """Return the head of a game after an event."""
        return cls(event["seq"], event["hash"][:_HASH_DIGITS])

    @classmethod
    def parse(cls, text: str) -> "HandledHead":
        """Return the head in a stored text."""
        seq, hash = text.split(" ")
        return cls(int(seq), hash)

    def encode(self) -> str:
        """Return the head as text, for storage."""
        return f"{self.seq} {self.hash}"


def new_events(
    events: Sequence[Event], heads: Mapping[str, HandledHead], feed: EventFeed
) -> tuple[list[Event], dict[str, HandledHead]]:
    """Return the events that were not handled yet, and the heads of their games after them.

    `heads` are the heads before, by game id. Raises EventsReplaced if the events do not continue these games.
    An additional round trip is necessary if events are repeated, or if some before them are missing.
    """
    new: list[Event] = []
    after = dict(heads)
    unclear: set[str] = set()
    for event in events:
        id, head = event["game"], after.get(event["game"])
        if head is not None and event["seq"] <= head.seq:
            unclear.add(id)
            continue
        if head is not None and event["seq"] > head.seq + 1:
            unclear.add(id)
        elif head is not None and event["prev"][:_HASH_DIGITS] != head.hash:
            raise EventsReplaced(id)
        new.append(event)
        after[id] = HandledHead.of(event)
    _require_in_store({id: heads[id] for id in unclear if id in heads}, feed)
    return new, {event["game"]: after[event["game"]] for event in new}


def _require_in_store(heads: Mapping[str, HandledHead], feed: EventFeed) -> None:
    """Raise EventsReplaced unless the logs of the games still have these events."""
    if not heads:
        return
    ranges = [(id, head.seq, head.seq) for id, head in heads.items()]
    for (id, head), events in zip(heads.items(), feed.event_ranges(ranges), strict=True):
        if [HandledHead.of(event) for event in events] != [head]:
            raise EventsReplaced(id)
