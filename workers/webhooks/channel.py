"""The channel `webhook`: posts notifications to the webhooks of players and clubs.

Posts to programs are signed. Discord and Slack get a message in the language of the club's owner.

The signatures are those of Standard Webhooks:
https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

import hmac
import html
import re
from base64 import b64decode, b64encode
from hashlib import sha256
from importlib.metadata import version
from typing import Any, Final, Literal

import orjson

from domain.json_types import JsonObject
from domain.messages import Message, message
from replay.language.renderer import NO_NAMES, Names
from service import wall_clock
from service.bootstrap import Service
from service.errors import NotFound, Unavailable
from service.notifications.channels import club_of_reader
from service.notifications.circuit_breakers import Receiver
from service.notifications.delivery import Delivery
from service.notifications.mail.account_mails import AccountMailKind
from service.notifications.notification import Notification, renderer_for
from service.notifications.stored_messages import encode_message
from service.notifications.webhooks.webhooks import FORMATS, SECRET_PREFIX, Webhook
from workers.notifications.channel import NotDelivered, Undeliverable
from workers.webhooks.requests import NoResponse, ReceiverRequests

RETRY_PAUSES: Final = (5, 60, 300, 1800, 7200, 21600)
"""Seconds before each further attempt."""
_TEST: Final = message("This is a test of the webhook of the club.")
_MARKDOWN: Final = re.compile(r"[\\`*_~|<>\[\]()#]")
"""The characters that format a message in Discord."""
_GONE: Final = 410
"""The status by which a receiver says that it wants no more requests."""


class WebhookChannel:
    """Posts each notification in the format of the webhook; any 2xx status means that it arrived."""

    name = "webhook"
    retry_pauses: tuple[int, ...] = RETRY_PAUSES
    is_operators = False
    has_breakers = True

    def __init__(self, service: Service, requests: ReceiverRequests) -> None:
        self._webhooks = service.notifications.webhooks
        self._breakers = service.notifications.deliveries.breakers
        self._mail = service.notifications.mail
        self._players = service.accounts.players
        self._clubs = service.clubs
        self._public_url = service.settings.public_url
        self._requests = requests

    def send(self, delivery: Delivery, notification: Notification) -> None:
        """See `Channel.send`."""
        try:
            webhook = self._webhooks.find(delivery.player, delivery.endpoint)
            body = self._chat_body(
                delivery.player, webhook, notification.title, notification.path, notification.names
            )
            plain = {
                "type": notification.subject,
                "timestamp": delivery.created_at,
                "data": notification.as_json(),
            }
            self._post(delivery.player, webhook, delivery.id, body or plain)
        except NotFound as error:
            # The webhook has been removed, or its club closed.
            raise Undeliverable(error.message) from error

    def send_test(self, player: str, id: str) -> None:
        """Post a test to a webhook, and record the result with it."""
        now = wall_clock.now()
        receiver = Receiver(self.name, player, id)
        try:
            webhook = self._webhooks.find(player, id)
            body = self._chat_body(player, webhook, _TEST, f"/clubs/{club_of_reader(player)}")
            plain = {"type": "test", "timestamp": wall_clock.format(now), "data": {"webhook": id}}
            self._post(player, webhook, f"test-{id}-{round(now.timestamp())}", body or plain)
        except NotFound:
            # The webhook has been removed.
            return
        except (NotDelivered, Undeliverable):
            self._breakers.record_failure(receiver, wall_clock.now())
        else:
            self._breakers.record_success(receiver)

    def _post(self, player: str, webhook: Webhook, id: str, body: JsonObject) -> None:
        """Post a signed body. Raises NotDelivered and Undeliverable."""
        if webhook.format not in FORMATS:
            raise Unavailable.with_message("the format of the webhook is one of a later version")
        content = orjson.dumps(body)
        timestamp = str(round(wall_clock.now().timestamp()))
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"cartulary/{version('cartulary')}",
        }
        if webhook.format == "plain":
            headers |= {
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

    def _chat_body(
        self, player: str, webhook: Webhook, text: Message, path: str, names: Names = NO_NAMES
    ) -> JsonObject | None:
        """Return a message with a link for the chat of a club, in the language of the owner of the club.

        Returns None for a webhook of the format `plain`. Raises NotFound if the club was closed.
        """
        club = club_of_reader(player)
        if webhook.format == "plain" or club is None:
            return None
        (owner,) = self._players.get([self._clubs.find(club).owner])
        sentence = renderer_for(owner, names).sentence(text)
        return chat_body(webhook.format, sentence, f"{self._public_url}{path}")

    def _record_failure(
        self, player: str, webhook: Webhook, failure: Message, *, is_gone: bool
    ) -> None:
        """Record a failure, and inform the player, or the owner of the club, if it disables the webhook."""
        result = encode_message(failure)
        disabled = self._webhooks.record_failure(player, webhook.id, result, is_gone=is_gone)
        if disabled is None:
            return
        kind: AccountMailKind = "webhook_disabled"
        data = {"webhook": disabled.id}
        recipient = player
        if (club := club_of_reader(player)) is not None:
            kind = "club_webhook_disabled"
            data["club"] = club
            recipient = self._clubs.find(club).owner
        (account,) = self._players.get([recipient])
        if account is not None and account.confirmed_email is not None:
            digest = self._mail.tokens.digest(account.confirmed_email)
            self._mail.account_mails.add(kind, recipient, digest, data)


def chat_body(format: Literal["discord", "slack"], text: str, url: str) -> JsonObject:
    """Return a message with a link as Discord or Slack expects it.

    Texts of players, such as the name of a game, are escaped: they cannot format the message or mention
    anybody.
    """
    if format == "slack":
        return {"text": f"{html.escape(text, quote=False)}\n{url}"}
    escaped = _MARKDOWN.sub(r"\\\g<0>", text)
    return {"content": f"{escaped}\n{url}", "allowed_mentions": {"parse": []}}


def signature(secret: str, id: str, timestamp: str, content: bytes) -> str:
    """Return the value of the header `webhook-signature`: HMAC-SHA256 of the id, the time and the body."""
    key = b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = f"{id}.{timestamp}.".encode() + content
    return f"v1,{b64encode(hmac.new(key, signed, sha256).digest()).decode()}"
