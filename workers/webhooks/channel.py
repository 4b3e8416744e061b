"""The channel `webhook`: posts notifications to the webhooks of players, signed.

The signatures are those of Standard Webhooks:
https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

import hmac
from base64 import b64decode, b64encode
from hashlib import sha256
from importlib.metadata import version
from typing import Any, Final

import orjson

from domain.json_types import JsonObject
from domain.messages import Message, message
from service import clock
from service.bootstrap import Service
from service.errors import NotFound
from service.notifications.circuit_breakers import Receiver
from service.notifications.delivery import Delivery
from service.notifications.notification import Notification
from service.notifications.stored_messages import encode_message
from service.notifications.webhooks.webhooks import SECRET_PREFIX, Webhook
from workers.notifications.channel import NotDelivered, Undeliverable
from workers.webhooks.requests import NoResponse, ReceiverRequests

RETRY_PAUSES: Final = (5, 60, 300, 1800, 7200, 21600)
"""Seconds before each further attempt."""
_GONE: Final = 410
"""The status with which a receiver says that it wants no more requests."""


class WebhookChannel:
    """Posts each notification as JSON; any 2xx status means that it arrived."""

    name = "webhook"
    retry_pauses: tuple[int, ...] = RETRY_PAUSES
    is_operators = False
    has_breakers = True

    def __init__(self, service: Service, requests: ReceiverRequests) -> None:
        self._webhooks = service.notifications.webhooks
        self._breakers = service.notifications.deliveries.breakers
        self._mail = service.notifications.mail
        self._players = service.accounts.players
        self._requests = requests

    def send(self, delivery: Delivery, notification: Notification) -> None:
        """See `Channel.send`."""
        try:
            webhook = self._webhooks.find(delivery.player, delivery.endpoint)
        except NotFound as error:
            raise Undeliverable(error.message) from error
        body = {
            "type": notification.subject,
            "timestamp": delivery.created_at,
            "data": notification.as_json(),
        }
        self._post(delivery.player, webhook, delivery.id, body)

    def send_test(self, player: str, id: str) -> None:
        """Post a test to a webhook, and record the result with it."""
        now = clock.now()
        receiver = Receiver(self.name, player, id)
        try:
            webhook = self._webhooks.find(player, id)
            body = {"type": "test", "timestamp": clock.format(now), "data": {"webhook": id}}
            self._post(player, webhook, f"test-{id}-{round(now.timestamp())}", body)
        except NotFound:
            # It was removed.
            return
        except (NotDelivered, Undeliverable):
            self._breakers.record_failure(receiver, clock.now())
        else:
            self._breakers.record_success(receiver)

    def _post(self, player: str, webhook: Webhook, id: str, body: JsonObject) -> None:
        """Post a signed body. Raises NotDelivered and Undeliverable."""
        content = orjson.dumps(body)
        timestamp = str(round(clock.now().timestamp()))
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"cartulary/{version('cartulary')}",
            "webhook-id": id,
            "webhook-timestamp": timestamp,
            "webhook-signature": signature(webhook.secret, id, timestamp, content),
        }
        is_gone = False
        try:
            status = self._requests.post(webhook.url, content, headers)
        except NoResponse as error:
            failure: Any = error.message
        else:
            if 200 <= status < 300:
                self._webhooks.record_success(player, webhook.id)
                return
            is_gone = status == _GONE
            failure = message("the webhook responded with status {status}", status=status)
        self._record_failure(player, webhook, failure, is_gone=is_gone)
        if is_gone:
            raise Undeliverable(failure)
        raise NotDelivered(failure)

    def _record_failure(
        self, player: str, webhook: Webhook, failure: Message, *, is_gone: bool
    ) -> None:
        """Record a failure, and inform the player if the webhook is disabled by it."""
        result = encode_message(failure)
        disabled = self._webhooks.record_failure(player, webhook.id, result, is_gone=is_gone)
        if disabled is None:
            return
        (account,) = self._players.get([player])
        if account is not None and account.email_status == "confirmed" and account.email:
            digest = self._mail.tokens.digest(account.email)
            data = {"webhook": disabled.id}
            self._mail.account_mails.add("webhook_disabled", player, digest, data)


def signature(secret: str, id: str, timestamp: str, content: bytes) -> str:
    """Return the value of the header `webhook-signature`: HMAC-SHA256 of the id, the time and the body."""
    key = b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = f"{id}.{timestamp}.".encode() + content
    return f"v1,{b64encode(hmac.new(key, signed, sha256).digest()).decode()}"
