"""Requests and responses about notifications, push subscriptions and webhooks."""

from typing import Literal, NotRequired, TypedDict

from domain.json_types import Count, GameId, PlayerId, PositiveCount, Timestamp
from domain.tournaments.events import TournamentId
from service.http.validation import AnyObject, AnyValue, QueryInteger, StrictSchema, String
from service.notification_subjects.table import Kind
from service.notifications.preferences import GameChoice


class ChangeNotifications(StrictSchema):
    """What a player changes in the preferences; fields that are left out stay as they are."""

    kinds = AnyObject(
        type="object", description="By channel (`email`, `webhook`, `push`), a list of kinds."
    )
    digest = AnyValue(
        allow_none=True, description="A local time such as `08:00`, or null for single e-mails."
    )
    quiet_hours = AnyValue(
        allow_none=True,
        description="Two local times such as `22:00` and `08:00`, or null for none.",
    )


class DeliveriesQuery(StrictSchema):
    """Which page of deliveries to return."""

    cursor = String(load_default=None)
    limit = QueryInteger(minimum=1, load_default=50)


class NotificationDelivery(TypedDict):
    """One notification on its way through one channel. `due_at` is the time of the next attempt, `tried_at`
    that of the last one, and `sent_at` is when the receiver accepted it. `result` is why the last attempt has
    failed. `game` and `seq` are null for a digest, and `tournament` for all but what is about one.
    """

    delivery: str
    channel: str
    kind: str
    subject: str
    about: str
    game: GameId | None
    tournament: TournamentId | None
    seq: PositiveCount | None
    players: list[PlayerId]
    status: Literal["pending", "retrying", "sent", "given_up", "bounced", "cancelled"]
    attempts: Count
    created_at: Timestamp
    due_at: Timestamp | None
    tried_at: Timestamp | None
    sent_at: Timestamp | None
    result: str | None


class DeliveryList(TypedDict):
    """A page of deliveries, newest first. `next` is the `cursor` of the next page, or null."""

    deliveries: list[NotificationDelivery]
    next: str | None


class NotificationKinds(TypedDict):
    """By channel, the kinds of notifications that a player receives."""

    email: list[Kind]
    webhook: list[Kind]
    push: list[Kind]


class NotificationPreferences(TypedDict):
    """What a player is notified of. `digest` and `quiet_hours` are local times, such as `08:00`; null for
    none.
    """

    kinds: NotificationKinds
    digest: str | None
    quiet_hours: list[str] | None


class ChooseGameNotifications(StrictSchema):
    """Which notifications of one game a player wants."""

    notify = AnyValue(
        required=True,
        description="`all`: as the preferences say. `turns`: of these, only those about the player's turn."
        " `none`: none. This concerns e-mail and push, and no webhook.",
    )


class GameNotifications(TypedDict):
    """Which notifications of one game the player gets by e-mail and push."""

    notify: GameChoice


class MyNotifications(TypedDict):
    """The preferences of a player, and the channels by which the player can be reached now."""

    preferences: NotificationPreferences
    channels: list[str]


class FeedEntry(TypedDict):
    """An address of feeds, without its token."""

    id: str
    created: Timestamp


class NewFeeds(FeedEntry):
    """New feeds. The addresses contain a token, and are shown only in this response."""

    atom: str
    calendar: str


class FeedList(TypedDict):
    """All feeds of a player, the oldest first."""

    feeds: list[FeedEntry]
    next: str | None


class AddPushSubscription(StrictSchema):
    """A push subscription, as the browser describes it; keys are in base64url."""

    endpoint = String(required=True, example="https://push.example.org/abc")
    p256dh = String(required=True)
    auth = String(required=True)


class PushSubscriptionResponse(TypedDict):
    """A push subscription. `current` is whether it belongs to the session of the request."""

    id: str
    created: Timestamp
    current: bool


class PushState(TypedDict):
    """The server's public key, and the subscriptions of the player."""

    public_key: str
    subscriptions: list[PushSubscriptionResponse]


class AddWebhook(StrictSchema):
    """The URL of a webhook."""

    url = String(required=True, example="https://example.org/games")


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
