"""Requests and responses about the webhooks of a player."""

from typing import NotRequired, TypedDict

from domain.json_types import Timestamp
from service.http.schemas.fields import StrictSchema, String


class AddWebhook(StrictSchema):
    """The URL of a webhook."""

    url = String(required=True, metadata={"example": "https://example.org/games"})


class WebhookResponse(TypedDict):
    """A webhook. `secret` is in the response to its registration only.

    `result` is why the last attempt has failed, null if it was accepted. After failures, nothing is posted
    until `paused_until`; null if nothing waits.
    """

    id: str
    url: str
    created: Timestamp
    failures: int
    tried_at: Timestamp | None
    disabled_at: Timestamp | None
    paused_until: Timestamp | None
    result: str | None
    secret: NotRequired[str]


class WebhookList(TypedDict):
    """All webhooks of a player."""

    webhooks: list[WebhookResponse]
    next: str | None
