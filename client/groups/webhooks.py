"""The player's own webhooks.

`python -m service.http.client_generator` has written this file.
"""

from typing import NotRequired, TypedDict, Unpack

from client.methods import C_co, Group, Method
from client.requests import Call, call, read_nothing, reader, segment


class AddWebhook(TypedDict):
    """The body of a request: AddWebhook."""

    url: str


class WebhookResponse(TypedDict):
    """A webhook. `secret` is in the response to its registration only. `result` is why the last
    attempt has failed, null if it was accepted. After failures, nothing is posted until
    `paused_until`; null if nothing waits.
    """

    id: str
    url: str
    created: str
    failures: int
    tried_at: str | None
    disabled_at: str | None
    paused_until: str | None
    result: str | None
    secret: NotRequired[str]


class WebhookList(TypedDict):
    """All webhooks of a player."""

    webhooks: list[WebhookResponse]
    next: str | None


def list_webhooks() -> Call[WebhookList]:
    """List the player's webhooks, without their secrets."""
    return call("GET", "/me/webhooks", reader(WebhookList))


def add_webhook(**body: Unpack[AddWebhook]) -> Call[WebhookResponse]:
    """Register a webhook, to which notifications are posted from now on.

    One that is registered with a personal token is removed when the token is revoked or ends.

    `secret` is shown only in this response; each request is signed with it. If the player has too
    many webhooks, the response is a 409.
    """
    return call("POST", "/me/webhooks", reader(WebhookResponse), body=body)


def remove_webhook(webhook: str, /) -> Call[None]:
    """Remove a webhook. What has not been posted to it yet is dropped."""
    return call("DELETE", f"/me/webhooks/{segment(webhook)}", read_nothing)


def test_webhook(webhook: str, /) -> Call[None]:
    """Have a test posted to a webhook. `GET /me/webhooks` shows the result a moment later.

    A player can have 20 tests posted in an hour, unless the operator has chosen another rate.
    Further ones are refused with 429 and `Retry-After`.
    """
    return call("POST", f"/me/webhooks/{segment(webhook)}/test", read_nothing)


def enable_webhook(webhook: str, /) -> Call[WebhookResponse]:
    """Enable a webhook again that was disabled after repeated failures."""
    return call("POST", f"/me/webhooks/{segment(webhook)}/enable", reader(WebhookResponse))


class WebhooksCalls(Group[C_co]):
    """The player's own webhooks."""

    list = Method(list_webhooks)
    add = Method(add_webhook)
    remove = Method(remove_webhook)
    test = Method(test_webhook)
    enable = Method(enable_webhook)
