"""Schemas of requests about messages; see requests.py."""

from service.http.schemas.fields import PositiveInteger, QueryInteger, StrictSchema, String


class MessagesQuery(StrictSchema):
    """Which messages to show."""

    after = QueryInteger(
        load_default=0,
        metadata={"description": "`next` of the previous page, or the number of a message."},
    )
    limit = QueryInteger(
        minimum=1,
        load_default=100,
        metadata={"description": "Messages per page, at most 200."},
    )


class PostMessage(StrictSchema):
    """A message to the other players and the arbiter of a game."""

    text = String(
        required=True,
        metadata={"minLength": 1, "description": "Its length is bounded by the server."},
    )
    seq = PositiveInteger(
        allow_none=True,
        load_default=None,
        metadata={"nullable": True, "description": "The event that the message is about."},
    )


class ReportMessage(StrictSchema):
    """Why a message is reported."""

    reason = String(
        allow_none=True,
        load_default=None,
        metadata={"nullable": True, "description": "A text for the administrators."},
    )
