"""The form of a refusal, and the headers that come with every answer."""

from marshmallow import Schema, fields


class FieldError(Schema):
    """One thing that is wrong with a request."""

    field = fields.String(
        metadata={"description": "path of the field, as `action.at`; of a header its name"}
    )
    detail = fields.String()


class Problem(Schema):
    """Why a request was refused (RFC 9457)."""

    type = fields.String(metadata={"description": "urn:cartulary:problem:NAME"})
    title = fields.String()
    status = fields.Integer()
    detail = fields.String(metadata={"description": "what it is about this request"})
    instance = fields.String(metadata={"description": "id of the request, as in the server's log"})
    clause = fields.String(
        metadata={"description": "id of the clause of the rules that forbids it"}
    )
    errors = fields.List(fields.Nested(FieldError))
    seq = fields.Integer(metadata={"description": "seq of the game's last event"})
