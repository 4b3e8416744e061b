"""What notifications are made of: the game, the delivery, the event, and the details that programs read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from domain.errors import Unreadable
from domain.event import Event
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import Message, PlayerAt, PlayerWithId, Value
from ledger.clock.turn_clock import clock_stop, deadline_timestamp
from service import wall_clock


@dataclass(frozen=True, slots=True)
class Headline:
    """What the title of a notification is made of."""

    name: Value
    """What the game or the tournament is called."""
    details: Mapping[str, Any]
    is_readers: bool
    """Whether the notification is about the reader's own seat."""

    @property
    def player(self) -> PlayerAt:
        """The player at the seat that the notification is about."""
        return PlayerAt(self.details.get("seat", 0))

    @property
    def sender(self) -> PlayerWithId:
        """The player from whom the notification comes."""
        return PlayerWithId(self.details["from"])

    @property
    def dispute(self) -> int:
        """The number of the dispute that the notification is about."""
        number: int = self.details.get("dispute", 0)
        return number


class Delivered(Protocol):
    """What a notification needs besides the log: the part of a delivery that subjects read."""

    @property
    def seq(self) -> int:
        """The event that it is about."""

    @property
    def player(self) -> str:
        """The id of its reader."""

    @property
    def players(self) -> tuple[str, ...]:
        """The ids of all its recipients."""

    @property
    def data(self) -> JsonObject:
        """What the one who created it has added."""


@dataclass(frozen=True, slots=True)
class Source:
    """What the details of a notification about a game are read from."""

    game: Game
    delivery: Delivered
    read_event: Callable[[int], Event]
    """Returns an event of the game by its seq. Raises Unreadable."""

    @property
    def event(self) -> Event:
        """The event that the notification is about. Raises Unreadable."""
        return self.read_event(self.delivery.seq)


Title: TypeAlias = Callable[[Headline], Message]


def own_or_other(own: Title, other: Title) -> Title:
    """Return the title `own` for the player of the seat, and `other` for everybody else."""
    return lambda it: (own if it.is_readers else other)(it)


def details_of_event(source: Source) -> JsonObject:
    """Return the data of the event, and the seat that caused it."""
    event = source.event
    details = dict(event["data"])
    if "seat" in event["by"]:
        details.setdefault("seat", event["by"]["seat"])
    return details


def details_of_sender(source: Source) -> JsonObject:
    """Return from whom a notification is, and the number of a message."""
    data = source.delivery.data
    return {name: data[name] for name in ("from", "message") if name in data}


def details_of_turn(source: Source) -> JsonObject:
    """Return whose turn it is, and until when."""
    game, data = source.game, source.delivery.data
    stop = clock_stop(game, wall_clock.format(wall_clock.now()))
    return {
        "seat": data["seat"],
        "round": game.round,
        "deadline": deadline_timestamp(game),
        "clock_stopped_until": None if stop is None else stop.until,
        **({"begins": True} if "begins" in data else {}),
    }


def details_of_moved_seat(source: Source) -> JsonObject:
    """Return the seat; to the player who has lost it, no more than that."""
    details = details_of_event(source)
    is_former_player = source.delivery.player in source.game.excluded_players
    return {"seat": details["seat"]} if is_former_player else details


def details_of_scores(source: Source) -> JsonObject:
    """Return the standings at the end of a round. Raises Unreadable."""
    event = source.event
    if event["type"] != "RoundScored":
        raise not_in_log(source.delivery.seq)
    return {"round": event["data"]["round"], "standings": event["data"]["standings"]}


def not_in_log(seq: int) -> Unreadable:
    """Return the error for a notification about an event that is not as it was."""
    return Unreadable.with_message("event {seq} is not what the notification is about", seq=seq)
