"""The channels of the simulation: they keep what players have received, unless their server is down."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from domain.messages import message
from service.notifications.delivery import Delivery
from service.notifications.endpoints import Endpoint
from service.notifications.notification import Notification
from workers.notifications.channel import NotDelivered


@dataclass(frozen=True, slots=True)
class SentNotification:
    """A notification that has reached a player."""

    at: datetime
    delivery: Delivery
    notification: Notification


class Mailbox:
    """A channel whose server is down in some hours, and the endpoints of the players who want it."""

    def __init__(self, channel: str, players: Sequence[str], now: Callable[[], datetime]) -> None:
        self.is_operators = False
        self.has_breakers = False
        self.retry_pauses: tuple[int, ...] = (60, 600, 3600, 3600, 3 * 3600, 6 * 3600)
        self.name = self.channel = channel
        self.players = set(players)
        self.sent: list[SentNotification] = []
        self.is_down = False
        self._now = now

    def endpoints(self, player: str) -> Sequence[Endpoint]:
        """Return the only endpoint of a player."""
        return [Endpoint(self.channel, "own", player)] if player in self.players else []

    def send(self, delivery: Delivery, notification: Notification) -> None:
        """Keep the notification, unless the server is down."""
        if self.is_down:
            raise NotDelivered(message("nobody responds"))
        self.sent.append(SentNotification(self._now(), delivery, notification))
