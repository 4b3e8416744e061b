"""Checks the mark `conditional` of actions against the events before.

A part of the check of decisions (replay/audit/decisions.py). A player prepares conditional actions while
waiting for another one to act. They begin with an action of another player, and are void after an event
that they do not expect (docs/conditional-actions.md). Therefore the player must have waited, and another
player must have acted since, without an event that voids all of them.
"""

from collections.abc import Iterator

from domain.conditional import KEEPING_EVENTS, seat_of_action
from domain.event import Event, acting_seat
from domain.game import Game
from domain.messages import Message, message
from ledger.record import Record
from replay.history.timeline import Transition


class ConditionalActions:
    """Tracks the seats that can have prepared a conditional action that comes next."""

    def __init__(self, record: Record) -> None:
        self._has_any = any("conditional" in event for event in record.events)
        """Whether any event is marked as prepared: if none is, nothing is tracked."""
        self._waiting: frozenset[int] = frozenset()
        """The seats that can have conditional actions of which none has been reached yet."""
        self._due: frozenset[int] = frozenset()
        """The seats that can have conditional actions whose next one is their own."""

    def follow(self, transition: Transition) -> None:
        """Take note of an event."""
        if not self._has_any:
            return
        event = transition.event
        if event["action"] is None:
            if event["type"] not in KEEPING_EVENTS:
                self._waiting = self._due = frozenset()
        elif (seat := seat_of_action(event)) is None:
            self._waiting = self._due = frozenset()
        else:
            self._due |= self._waiting - {seat}
        self._waiting = _waiting_seats(transition.after)

    def problems(self, event: Event, before: Game | None) -> Iterator[Message]:
        """Yield the reasons why an event that is marked as prepared cannot have been."""
        if "conditional" not in event:
            return
        seat = acting_seat(event["by"])
        if event["action"] is None or seat is None or before is None:
            yield message("it is marked as conditional, but is not an action of a player")
            return
        if seat in before.bot_seats:
            yield message("it is marked as conditional, but bots do not prepare actions")
        elif seat not in self._due:
            yield message(
                "it is marked as conditional, but nothing can have been prepared: since this player last"
                " waited for another one to act, no other player has acted, or something has happened that"
                " voids what was prepared"
            )
        if "signature" in event:
            yield message("it is marked as conditional, but was signed for a position already seen")


def _waiting_seats(game: Game) -> frozenset[int]:
    """Return the seats whose players can prepare actions after the last event of a game."""
    if game.to_act is None:
        return frozenset()
    return frozenset(seat for seat in game.seats_of_people() if seat != game.to_act)
