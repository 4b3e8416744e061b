"""English phrases that the texts of all games share: lists, counts, and the events of a game's life cycle."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from domain.event import GameCreated
from domain.life_cycle_messages import LIFE_CYCLE_MESSAGES

EventMessage: TypeAlias = Callable[[Any], str]
"""Returns the data of one event type as text. A table by event type holds functions of different TypedDicts,
so their argument is Any there.
"""


def listing(words: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`; `nothing` for no words."""
    *others, last = list(words) or ["nothing"]
    return f"{', '.join(others)} and {last}" if others else last


def counted(count: int, noun: str) -> str:
    """`1 knight`, `2 knights`, `no villages`, `3 cities`."""
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{count or 'no'} {noun if count == 1 else plural}"


def comma_list(words: Iterable[str]) -> str:
    """`a, b, c`; `none` for no words."""
    return ", ".join(words) or "none"


def end_of_play_text(phase: str) -> str:
    """`; play is over` for the phase that an event leads to, if that is so; else nothing."""
    return "; play is over" if phase == "scoring" else ""


ENDED_PHASES: Final[Mapping[str, str]] = {"scoring": "being scored", "finished": "over"}
"""What a game is in the phases in which no seat is to act."""


def game_created_text(data: GameCreated) -> str:
    """`GameCreated`."""
    clock = f", with {counted(data['clock']['per_turn'], 'second')} a turn" if data["clock"] else ""
    return f"creates a game of {data['rules'].capitalize()} for {counted(data['seats'], 'player')}{clock}"


def seating_text(players: Iterable[str]) -> str:
    """The seats of the players, to be added to `GameStarted`: `: ada is seat 0 and bert is seat 1`."""
    seats = [f"{player} is seat {seat}" for seat, player in enumerate(players)]
    return f": {listing(seats)}" if seats else ""


LIFE_CYCLE_TEXTS: Final[Mapping[str, EventMessage]] = {
    type: lambda data, event_message=event_message: str(event_message(data))  # type: ignore[misc] # until all games use LIFE_CYCLE_MESSAGES
    for type, event_message in LIFE_CYCLE_MESSAGES.items()
}
"""By event type, the texts of the events that every game has."""
