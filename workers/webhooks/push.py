"""The channel `push`: sends notifications to browsers through their push services.

A message is encrypted for the browser (RFC 8291), so the push service cannot read it, and has a header that
identifies this server to the service (RFC 8292).
"""

import time
from typing import Final
from urllib.parse import urlsplit

import http_ece  # type: ignore[import-untyped] # has no annotations
import orjson
from cryptography.hazmat.primitives.asymmetric import ec

from domain.messages import message
from service.bootstrap import Service
from service.errors import NotFound
from service.notifications.delivery import Delivery
from service.notifications.notification import Notification, renderer_for
from service.notifications.webhooks.push_subscriptions import decode_base64
from workers.notifications.channel import NotDelivered, Undeliverable
from workers.webhooks.requests import NoResponse, ReceiverRequests

RETRY_PAUSES: Final = (5, 60, 300, 1800, 7200)
"""Seconds before each further attempt."""
TTL_SECONDS: Final = 24 * 3600
"""How long a push service keeps a message for a browser that is not running."""
_TOKEN_SECONDS: Final = 12 * 3600
_GONE: Final = (404, 410)
_BUSY: Final = 429
_MAX_BODY: Final = 600
"""The most characters of a text; a message has at most 4,096 bytes."""


class PushChannel:
    """Sends each notification as a message that the browser shows, in the reader's language."""

    name = "push"
    retry_pauses: tuple[int, ...] = RETRY_PAUSES
    is_operators = False
    has_breakers = True

    def __init__(self, service: Service, requests: ReceiverRequests) -> None:
        self._players = service.accounts.players
        self._subscriptions = service.notifications.push_subscriptions
        self._key = service.notifications.vapid_key
        self._requests = requests

    def send(self, delivery: Delivery, notification: Notification) -> None:
        """See `Channel.send`."""
        try:
            subscription = self._subscriptions.find(delivery.player, delivery.endpoint)
        except NotFound as error:
            raise Undeliverable(error.message) from error
        content = http_ece.encrypt(
            self._payload(delivery, notification),
            private_key=ec.generate_private_key(ec.SECP256R1()),
            dh=decode_base64(subscription.p256dh),
            auth_secret=decode_base64(subscription.auth),
            version="aes128gcm",
        )
        parts = urlsplit(subscription.endpoint)
        expires = round(time.time()) + _TOKEN_SECONDS
        headers = {
            "Content-Type": "application/octet-stream",
            "Content-Encoding": "aes128gcm",
            "TTL": str(TTL_SECONDS),
            "Topic": delivery.id,
            "Authorization": self._key.authorization(f"{parts.scheme}://{parts.netloc}", expires),
        }
        try:
            status = self._requests.post(subscription.endpoint, content, headers)
        except NoResponse as error:
            raise NotDelivered(error.message) from error
        if 200 <= status < 300:
            return
        failure = message("the push service responded with status {status}", status=status)
        if status in _GONE:
            self._subscriptions.remove(delivery.player, subscription.id)
        if status == _BUSY or not 400 <= status < 500:
            raise NotDelivered(failure)
        raise Undeliverable(failure)

    def _payload(self, delivery: Delivery, notification: Notification) -> bytes:
        """Return the data that the service worker of the pages shows (static/js/service-worker.js)."""
        (reader,) = self._players.get([delivery.player])
        in_language = renderer_for(reader, notification.names)
        sentence = notification.recap.sentence
        return orjson.dumps(
            {
                "account": delivery.player,
                "title": in_language.sentence(notification.title)[:_MAX_BODY],
                "body": "" if sentence is None else in_language.sentence(sentence)[:_MAX_BODY],
                "path": notification.path,
                "tag": delivery.id,
                "language": in_language.language,
            }
        )
