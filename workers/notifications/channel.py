"""The interface of a channel: one way of sending notifications."""

from typing import Protocol

from domain.errors import CartularyError
from service.notifications.delivery import Delivery
from service.notifications.notification import Notification

DEFAULT_RETRY_PAUSES = (2, 10, 60, 300, 1800)
"""Seconds before each further attempt. After the last attempt, a delivery is given up."""


class NotDelivered(CartularyError):
    """A notification did not reach its receiver. It may be sent again."""


class Undeliverable(CartularyError):
    """A notification can never reach its receiver: the address bounces, or the endpoint is gone."""


class Channel(Protocol):
    """Sends notifications in one way.

    A channel may get the same notification again, if the worker died before it recorded the result. The
    `delivery.id` is then the same, and the channel passes it on (as Message-ID or Idempotency-Key), so that
    the receiver can recognise the repetition. `send` must return within CLAIM, the time for which an attempt
    is claimed. Thread-safe.
    """

    name: str
    retry_pauses: tuple[int, ...]
    """Seconds before each further attempt."""
    is_operators: bool
    """Whether one notification about an event is sent to the operator, instead of one to each player."""
    has_breakers: bool
    """Whether each receiver has a circuit breaker, because receivers are separate servers that may fail or
    hang.
    """

    def send(self, delivery: Delivery, notification: Notification) -> None:
        """Send a notification. Raises NotDelivered to try again later, Undeliverable to give up."""
