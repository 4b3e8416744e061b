"""Schemas of requests about notifications."""

from service.http.schemas.fields import AnyObject, AnyValue, QueryInteger, StrictSchema, String


class ChangeNotifications(StrictSchema):
    """What a player changes in the preferences; fields that are left out stay as they are."""

    kinds = AnyObject(
        metadata={
            "type": "object",
            "description": "By channel (`email`, `webhook`, `push`), a list of kinds.",
        }
    )
    digest = AnyValue(
        allow_none=True,
        metadata={"description": "A local time such as `08:00`, or null for single e-mails."},
    )
    quiet_hours = AnyValue(
        allow_none=True,
        metadata={"description": "Two local times such as `22:00` and `08:00`, or null for none."},
    )


class DeliveriesQuery(StrictSchema):
    """Which page of deliveries to return."""

    cursor = String(load_default=None)
    limit = QueryInteger(minimum=1, load_default=50)
