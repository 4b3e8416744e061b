"""Requests and responses about push subscriptions."""

from typing import TypedDict

from domain.json_types import Timestamp
from service.http.schemas.fields import StrictSchema, String


class AddPushSubscription(StrictSchema):
    """A push subscription, as the browser describes it; keys are in base64url."""

    endpoint = String(required=True, metadata={"example": "https://push.example.org/abc"})
    p256dh = String(required=True)
    auth = String(required=True)


class PushSubscriptionResponse(TypedDict):
    """A push subscription."""

    id: str
    created: Timestamp


class PushState(TypedDict):
    """The server's public key, and the subscriptions of the player."""

    public_key: str
    subscriptions: list[PushSubscriptionResponse]
