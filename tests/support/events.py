"""Events of the domain as plain JSON: tests build them by hand, and read what their data say."""

from typing import cast

from domain.event import By, DomainEvent, Event, EventData
from domain.json_types import JsonObject


def event_of(type: str, data: JsonObject) -> DomainEvent:
    """An event with these data, whether or not they are what its type asks for."""
    return DomainEvent(type, cast("EventData", data))


def secrets_of(event: DomainEvent) -> JsonObject:
    """The secrets of a set-up by name."""
    return dict(event.secrets)


def data_of(event: DomainEvent) -> JsonObject:
    """The data of an event, to be read field by field."""
    return cast("JsonObject", event.data)


def recorded(event: DomainEvent, by: By) -> Event:
    """The part of a recorded event that scenes and captions read."""
    return cast("Event", {"type": event.type, "data": event.data, "by": by, "action": None})
