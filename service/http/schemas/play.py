"""Schemas of requests about play and the log: an action, and the queries for positions and events."""

from service.http.schemas.fields import AnyValue, NonNegativeInteger, QueryInteger, StrictSchema
from service.http.schemas.type_schemas import REFERENCE


class SubmitAction(StrictSchema):
    """An action, and the event after which the player saw the position."""

    action = AnyValue(
        required=True,
        metadata={"allOf": [{"$ref": REFERENCE + "Action"}]},
    )
    expected_seq = NonNegativeInteger(required=True)


class PositionQuery(StrictSchema):
    """Which position to show."""

    seq = QueryInteger(
        minimum=1,
        load_default=None,
        metadata={"description": "The position after this event; default: the last event."},
    )


class EventsQuery(StrictSchema):
    """Which page of the log to show."""

    after = QueryInteger(
        load_default=0,
        metadata={"description": "`next` of the previous page, or the seq of an event."},
    )
    limit = QueryInteger(
        minimum=1, load_default=100, metadata={"description": "Events per page, at most 500."}
    )


class StreamQuery(StrictSchema):
    """Where a stream begins."""

    after = QueryInteger(
        load_default=None,
        metadata={
            "description": "The stream begins after this event. `Last-Event-ID` takes precedence."
        },
    )
