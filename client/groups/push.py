"""The player's own push subscriptions.

`python -m service.http.client_generator` has written this file.
"""

from typing import TypedDict, Unpack

from client.methods import C_co, Group, Method
from client.requests import Call, call, read_nothing, reader, segment


class AddPushSubscription(TypedDict):
    """The body of a request: AddPushSubscription."""

    endpoint: str
    p256dh: str
    auth: str


class PushSubscriptionResponse(TypedDict):
    """A push subscription. `current` is whether it belongs to the session of the request."""

    id: str
    created: str
    current: bool


class PushState(TypedDict):
    """The server's public key, and the subscriptions of the player."""

    public_key: str
    subscriptions: list[PushSubscriptionResponse]


def list_push_subscriptions() -> Call[PushState]:
    """List the player's push subscriptions, with the key that a browser needs to subscribe."""
    return call("GET", "/me/push", reader(PushState))


def add_push_subscription(**body: Unpack[AddPushSubscription]) -> Call[PushSubscriptionResponse]:
    """Add a push subscription, or replace its keys. One too many replaces the oldest.

    It ends with the session of the token. If another player has added the same endpoint before, it
    no longer belongs to them.
    """
    return call("POST", "/me/push", reader(PushSubscriptionResponse), body=body)


def remove_push_subscription(subscription: str, /) -> Call[None]:
    """Remove a push subscription."""
    return call("DELETE", f"/me/push/{segment(subscription)}", read_nothing)


class PushCalls(Group[C_co]):
    """The player's own push subscriptions."""

    list_subscriptions = Method(list_push_subscriptions)
    add_subscription = Method(add_push_subscription)
    remove_subscription = Method(remove_push_subscription)
