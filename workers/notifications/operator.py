"""The channels of the operator: the log of the worker, and one webhook.

Each channel sends one notification about an event, with the names of all players whom it concerns.
"""

import logging
from importlib.metadata import version

import httpx
import orjson

from service.notifications.delivery import Delivery
from service.notifications.notification import Notification
from service.settings import Settings, SettingsError
from workers.bounded_calls import run_coroutine
from workers.notifications.channel import DEFAULT_RETRY_PAUSES, Channel, NotDelivered
from workers.webhooks.requests import post

log = logging.getLogger(__name__)
# httpx logs the URL of every request, and a webhook's URL may contain credentials.
logging.getLogger("httpx").setLevel(logging.WARNING)

SECONDS_TO_RESPOND = 5.0


class LogChannel:
    """Writes each notification to the log of this process; this never fails."""

    name: str = "log"
    retry_pauses: tuple[int, ...] = DEFAULT_RETRY_PAUSES
    is_operators: bool = True
    has_breakers: bool = False

    def send(self, delivery: Delivery, notification: Notification) -> None:  # noqa: ARG002 # the notification has all
        """See `Channel.send`."""
        log.info(
            "%s: game %s, event %s, for %s",
            notification.subject,
            notification.game_id,
            notification.seq,
            ", ".join(notification.players),
            # Nested under one name, because a field of the notification may have the name of a field of the
            # line.
            extra={"notification": notification.as_json()},
        )


class OperatorWebhookChannel:
    """Posts each notification as JSON to one URL of the operator; any 2xx status means that it arrived.

    The id of the delivery is in the body and in the header `Idempotency-Key`. A name and a password in the
    URL are sent as basic authorization. Redirects are not followed, because the credentials are for this
    receiver only. Error messages contain only the host of the URL.
    """

    name: str = "operator_webhook"
    retry_pauses: tuple[int, ...] = DEFAULT_RETRY_PAUSES
    is_operators: bool = True
    has_breakers: bool = True

    def __init__(self, url: str, timeout: float = SECONDS_TO_RESPOND) -> None:
        """`timeout` is the time limit for the whole request, in seconds."""
        try:
            self._url = httpx.URL(url)
        except httpx.InvalidURL:
            self._url = httpx.URL()
        if self._url.scheme not in ("http", "https") or not self._url.host:
            raise SettingsError.with_message(
                "CARTULARY_WEBHOOK_URL must begin with http:// or https://"
            )
        self._timeout = timeout
        self._headers = {
            "Content-Type": "application/json",
            "User-Agent": f"cartulary/{version('cartulary')}",
        }

    def send(self, delivery: Delivery, notification: Notification) -> None:  # noqa: ARG002 # the notification has all
        """See `Channel.send`."""
        host = self._url.host
        try:
            headers = self._headers | {"Idempotency-Key": notification.id}
            content = orjson.dumps(notification.as_json())
            status = run_coroutine(post(self._url, content, headers, self._timeout))
        except (httpx.HTTPError, OSError) as error:
            # TimeoutError is an OSError.
            reason = str(error) or type(error).__name__
            raise NotDelivered.with_message(
                "{host} does not respond: {reason}", host=host, reason=reason
            ) from error
        if not httpx.codes.is_success(status):
            raise NotDelivered.with_message(
                "{host} responded with status {status}", host=host, status=status
            )


def operator_channels_of(settings: Settings) -> tuple[Channel, ...]:
    """Return the channels of the operator that these settings configure. Raises SettingsError."""
    if settings.webhook_url is None:
        return (LogChannel(),)
    return (LogChannel(), OperatorWebhookChannel(settings.webhook_url))
