"""The interface of a channel: one way of sending notifications."""

from typing import Protocol

from domain.errors import CartularyError
from service.notifications.delivery import Delivery
from service.notifications.notification import Notification

DEFAULT_RETRY_PAUSES = (2, 10, 60, 300, 1800)
"""Seconds before each further attempt. After the last one a delivery is given up."""


class NotDelivered(CartularyError):
    """A notification did not reach its receiver. It may be sent again."""


class Undeliverable(CartularyError):
    """A notification will never reach its receiver: an address that bounces, or an endpoint that is gone."""


class Channel(Protocol):
    """Sends notifications in one way.

    A channel may get the same notification again, if the worker died before it had recorded that it was sent.
    It then has the same `delivery.id`, which the channel passes on (as Message-ID or Idempotency-Key), so
    that the receiver can recognise it. `send` must return within CLAIM, the time for
    which an attempt is claimed. Thread-safe.
    """

    name: str
    retry_pauses: tuple[int, ...]
    """Seconds before each further attempt."""
    is_operators: bool
    """Whether it sends one notification about an event to the operator, instead of one to each player."""
    has_breakers: bool
    """Whether each receiver has a circuit breaker, because it is a separate server, which may fail or hang.
    """

    def send(self, delivery: Delivery, notification: Notification) -> None:
        """Send a notification. Raises NotDelivered to try again later, Undeliverable to give up."""
