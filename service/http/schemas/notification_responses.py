"""Descriptions of responses about notifications."""

from typing import Literal, TypedDict

from domain.json_types import Count, GameId, PlayerId, PositiveCount, Timestamp
from service.notifications.kinds import Kind


class NotificationDelivery(TypedDict):
    """One notification on its way through one channel. `due_at` is the time of the next attempt, `tried_at`
    that of the last one, and `sent_at` is when the receiver accepted it. `result` is why the last attempt has
    failed. `game` and `seq` are null for a digest.
    """

    delivery: str
    channel: str
    kind: str
    subject: str
    game: GameId | None
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
