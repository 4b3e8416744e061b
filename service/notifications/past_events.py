"""What has happened in a game since a player's last turn, for notifications and digests.

The text of an event is made of its public data alone: secrets are not in the data of events, so every reader
gets the same text.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from domain.event import Event, acting_seat
from domain.game import Game
from domain.messages import Message, Text, Value, message
from replay.event_text import actor_message, outcome_message

MAX_EVENTS: Final = 30
"""Events that are listed, the latest ones."""
MAX_SEARCHED: Final = 400
"""Events that are searched for the player's last turn."""
_PAGE: Final = 100
_LEFT_OUT: Final = frozenset({"PlayerKeyAdded", "PlayerKeyRevoked"})
"""Events about accounts, which nobody needs to read in order to play on."""

ReadEvents = Callable[[str, int, int], Sequence[Event]]
"""Returns events after+1 … of a game, at most a number of them: `GameQueries.event_page`."""


@dataclass(frozen=True, slots=True)
class PastEvent:
    """An event as a reader may see it: its actor, and what happened."""

    seq: int
    at: str
    actor: Value
    outcome: Text

    @property
    def message(self) -> Message:
        """The event in one line."""
        return message("{actor}: {outcome}", actor=self.actor, outcome=self.outcome)


@dataclass(frozen=True, slots=True)
class PastEvents:
    """What has happened, oldest first, and how many earlier events are left out.

    `is_since_own_turn`: whether it begins after an action of the reader, and not with the game.
    """

    events: tuple[PastEvent, ...] = ()
    omitted: int = 0
    is_since_own_turn: bool = False


def events_since_last_turn(
    read_events: ReadEvents, game: Game, player: str, upto: int | None = None
) -> PastEvents:
    """Return the events after the last action of a player.

    Without an action of the player, it is the events since the start of the game. `upto`: the last event,
    None for the head. Searches at most MAX_SEARCHED events, and returns at most MAX_EVENTS.
    """
    seat = game.seat_of(player)
    last = game.seq if upto is None else min(upto, game.seq)
    events: list[Event] = []
    position = last
    while position > max(0, last - MAX_SEARCHED):
        after = max(0, position - _PAGE, last - MAX_SEARCHED)
        page = read_events(game.id, after, position - after)
        for event in reversed(page):
            is_own = event["action"] is not None and acting_seat(event["by"]) == seat
            if (is_own and seat is not None) or event["type"] == "GameCreated":
                return _listed(game, events, is_since_own_turn=is_own and seat is not None)
            events.append(event)
        position = after
    # A player acts more often than that, so an earlier action precedes the oldest of these events.
    return _listed(game, events, is_since_own_turn=seat is not None)


def _listed(game: Game, events: Sequence[Event], *, is_since_own_turn: bool) -> PastEvents:
    """Return the latest of the events, which are given newest first."""
    listed = [event for event in events if event["type"] not in _LEFT_OUT]
    past = tuple(past_event(game, event) for event in reversed(listed[:MAX_EVENTS]))
    return PastEvents(past, max(0, len(listed) - MAX_EVENTS), is_since_own_turn)


def past_event(game: Game, event: Event) -> PastEvent:
    """Return an event of a game as any of its readers may see it."""
    return PastEvent(
        event["seq"], event["at"], actor_message(event), outcome_message(game.rules, event)
    )
