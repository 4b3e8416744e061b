"""The data of notifications: the game, the delivery, the event, and the details for programs."""

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
    """The data for the title of a notification."""

    name: Value
    """The name of the game or the tournament."""
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
    """The part of a delivery that subjects read, besides the log."""

    @property
    def seq(self) -> int:
        """The seq of the event that the notification is about."""

    @property
    def player(self) -> str:
        """The id of its reader."""

    @property
    def players(self) -> tuple[str, ...]:
        """The ids of all its recipients."""

    @property
    def data(self) -> JsonObject:
        """The data that the creator of the delivery has added."""


@dataclass(frozen=True, slots=True)
class Source:
    """The data for the details of a notification about a game."""

    game: Game
    delivery: Delivered
    read_event: Callable[[int], Event]
    """Returns the event of the game with a seq. Raises Unreadable."""

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
    """Return the sender of a notification, and the number of a message."""
    data = source.delivery.data
    return {name: data[name] for name in ("from", "message") if name in data}


def details_of_turn(source: Source) -> JsonObject:
    """Return the seat to act, and the deadline."""
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
    """Return the data of the event; for the former player of the seat, only the seat."""
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
    """Return the error for a notification whose event is not in the log any more."""
    return Unreadable.with_message("event {seq} is not what the notification is about", seq=seq)
