"""Schemas of play and of the log: actions, positions, events, receipts and keys."""

from marshmallow import Schema, fields

from domain.registry import RULES
from service.http.schemas.fields import AnyValue, NonNegativeInteger, QueryInteger, StrictSchema

_POSITION = {
    "type": "object",
    "nullable": True,
    "description": "A position as the viewer may see it; null before the start.",
}


class SubmitAction(StrictSchema):
    """An action, and the event after which the player saw the position."""

    action = AnyValue(
        required=True,
        metadata={"type": "object", "description": "An action of the game (docs/formats.md)."},
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


class Event(Schema):
    """An event of the log."""

    v = fields.Integer(required=True)
    game = fields.String(required=True)
    seq = fields.Integer(required=True)
    type = fields.String(required=True)
    at = fields.String(required=True, metadata={"format": "date-time"})
    by = fields.Dict(required=True)
    action = fields.Dict(required=True, allow_none=True)
    data = fields.Dict(required=True)
    secrets = fields.Dict()
    state = fields.String(required=True)
    prev = fields.String(required=True)
    hash = fields.String(required=True)


class Receipt(Schema):
    """Proves that the server accepted an action."""

    game = fields.String(required=True)
    seq = fields.Integer(required=True)
    hash = fields.String(required=True)
    at = fields.String(required=True, metadata={"format": "date-time"})
    key = fields.String(required=True)
    signature = fields.String(required=True)


class AcceptedAction(Schema):
    """The events that an action caused, and the receipt for the first of them."""

    events = fields.List(fields.Nested(Event), required=True)
    receipt = fields.Nested(Receipt, required=True)


class LegalActions(Schema):
    """The legal actions of a seat."""

    seq = fields.Integer(required=True)
    actions = fields.List(fields.Dict(), required=True)


class Position(Schema):
    """A position as the viewer may see it. Its other fields depend on the rules (docs/formats.md)."""

    rules = fields.String(required=True, metadata={"enum": sorted(RULES)})
    phase = fields.String(required=True)
    round = fields.Integer(required=True)
    to_act = fields.Integer(required=True, allow_none=True)


class EventList(Schema):
    """A page of the log."""

    events = fields.List(fields.Nested(Event), required=True)
    next = fields.Integer(required=True, allow_none=True)


class EventDetails(Schema):
    """An event, the positions before and after it, and the differences between them."""

    event = fields.Nested(Event, required=True)
    before = fields.Raw(required=True, metadata=_POSITION)
    after = fields.Raw(required=True, metadata=_POSITION)
    changes = fields.List(fields.Dict(), required=True)


class Key(Schema):
    """A public key that receipts are checked with."""

    key = fields.String(required=True)
    public = fields.String(required=True)
    # `from` is a keyword of Python.
    from_ = fields.String(required=True, data_key="from", metadata={"format": "date-time"})
    until = fields.String(required=True, allow_none=True, metadata={"format": "date-time"})


class KeyList(Schema):
    """All public keys of the server, including retired ones."""

    keys = fields.List(fields.Nested(Key), required=True)
    next = fields.String(required=True, allow_none=True)
