"""Events of the domain as plain JSON: tests build them by hand, and read what their data say."""

from typing import cast

from domain.event import DomainEvent, EventData
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
