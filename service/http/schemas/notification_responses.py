"""Descriptions of responses about notifications."""

from typing import Literal, TypedDict

from domain.json_types import Count, GameId, PlayerId, PositiveCount, Timestamp


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
