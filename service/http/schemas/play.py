"""Forms about play and its log: acting, positions, events, the record and the keys."""

from marshmallow import Schema, fields

from domain.registry import RULES
from service.http.schemas.fields import Anything, Count, Form, Whole

_POSITION = {
    "type": "object",
    "nullable": True,
    "description": "a position as the viewer may see it; null before the start",
}


class Act(Form):
    """An action, on the position that was seen at `expected_seq`."""

    action = Anything(
        required=True,
        metadata={"type": "object", "description": "an action, as the page on formats has it"},
    )
    expected_seq = Whole(required=True)


class AtSeq(Form):
    """A place in the log."""

    seq = Count(least=1, load_default=None, metadata={"description": "default: the last event"})


class After(Form):
    """Where to read on in the log."""

    after = Count(load_default=0, metadata={"description": "`next` of the page before"})
    limit = Count(least=1, load_default=100, metadata={"description": "500 are given at most"})


class StreamAfter(Form):
    """Where a stream begins."""

    after = Count(
        load_default=None,
        metadata={"description": "the last event that is known; `Last-Event-ID` goes before it"},
    )


class Event(Schema):
    """An event, the envelope of the page on formats."""

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
    """What proves that the server accepted an action."""

    game = fields.String(required=True)
    seq = fields.Integer(required=True)
    hash = fields.String(required=True)
    at = fields.String(required=True, metadata={"format": "date-time"})
    key = fields.String(required=True)
    signature = fields.String(required=True)


class Accepted(Schema):
    """An action that was accepted."""

    events = fields.List(fields.Nested(Event), required=True)
    receipt = fields.Nested(Receipt, required=True)


class LegalActions(Schema):
    """What a seat may do."""

    seq = fields.Integer(required=True)
    actions = fields.List(fields.Dict(), required=True)


class Position(Schema):
    """A position as the viewer may see it; what is in it depends on the rules (the page on formats)."""

    rules = fields.String(required=True, metadata={"enum": sorted(RULES)})
    phase = fields.String(required=True)
    round = fields.Integer(required=True)
    to_act = fields.Integer(required=True, allow_none=True)


class Events(Schema):
    """A part of the log."""

    events = fields.List(fields.Nested(Event), required=True)
    next = fields.Integer(required=True, allow_none=True)


class EventInFull(Schema):
    """One event, the positions around it, and where they differ."""

    event = fields.Nested(Event, required=True)
    before = fields.Raw(required=True, metadata=_POSITION)
    after = fields.Raw(required=True, metadata=_POSITION)
    changes = fields.List(fields.Dict(), required=True)


class Key(Schema):
    """A public key of receipts."""

    key = fields.String(required=True)
    public = fields.String(required=True)
    # `from` is a word of Python's.
    from_ = fields.String(required=True, data_key="from", metadata={"format": "date-time"})
    until = fields.String(required=True, allow_none=True, metadata={"format": "date-time"})


class Keys(Schema):
    """All public keys of receipts, retired ones too."""

    keys = fields.List(fields.Nested(Key), required=True)
    next = fields.String(required=True, allow_none=True)
