"""Notifiers: they deliver notifications to the log and to a webhook.

A notifier may get the same notification again, for example after a receiver has responded too late. It then
has the same `delivery`, by which the receiver can recognise it.
"""

import asyncio
import logging
from collections.abc import Coroutine
from importlib.metadata import version
from typing import Protocol

import httpx
import orjson

from domain.errors import CartularyError
from domain.messages import message
from service.settings import Settings, SettingsError
from workers.notifications import Notification

log = logging.getLogger(__name__)
# httpx logs the URL of every request, and a webhook's URL may contain credentials.
logging.getLogger("httpx").setLevel(logging.WARNING)

SECONDS_TO_RESPOND = 5.0


class NotDelivered(CartularyError):
    """A notification did not reach its receiver. It may be sent again."""


class Notifier(Protocol):
    """Delivers notifications in one way. `name` distinguishes it from the others."""

    name: str

    def send(self, notification: Notification) -> None:
        """Deliver a notification. Raises NotDelivered."""


class LogNotifier:
    """Writes each notification to the log of this process, which never fails."""

    name = "log"

    def send(self, notification: Notification) -> None:
        """See `Notifier.send`."""
        log.info(
            "%s: game %s, event %s, for %s",
            notification.subject,
            notification.game_id,
            notification.seq,
            ", ".join(notification.players),
            extra=notification.as_json(),
        )


class WebhookNotifier:
    """Posts each notification as JSON to one URL of the operator; any 2xx status means that it arrived.

    The id of the delivery is in the body and in the header `Idempotency-Key`. A name and a password in the
    URL are sent as basic authorization. Redirects are not followed, because the credentials are for this
    receiver only. No message contains more of the URL than its host.
    """

    name = "webhook"

    def __init__(self, url: str, timeout: float = SECONDS_TO_RESPOND) -> None:
        """`timeout`: for the whole request, in seconds."""
        try:
            self._url = httpx.URL(url)
        except httpx.InvalidURL:
            self._url = httpx.URL()
        if self._url.scheme not in ("http", "https") or not self._url.host:
            raise SettingsError(
                message("CARTULARY_WEBHOOK_URL must begin with http:// or https://")
            )
        self._timeout = timeout
        self._headers = {
            "Content-Type": "application/json",
            "User-Agent": f"cartulary/{version('cartulary')}",
        }

    def send(self, notification: Notification) -> None:
        """See `Notifier.send`."""
        host = self._url.host
        try:
            status = _run(self._post(notification))
        except (httpx.HTTPError, OSError) as error:
            # TimeoutError is an OSError.
            reason = str(error) or type(error).__name__
            raise NotDelivered(
                message("{host} does not respond: {reason}", host=host, reason=reason)
            ) from error
        if not httpx.codes.is_success(status):
            raise NotDelivered(
                message("{host} responded with status {status}", host=host, status=status)
            )

    async def _post(self, notification: Notification) -> int:
        """Post a notification and return the status of the response, whose body is not read."""
        headers = self._headers | {"Idempotency-Key": notification.delivery}
        content = orjson.dumps(notification.as_json())
        timeout = self._timeout
        # The timeout of httpx is for single operations: a receiver that sends a byte now and then would
        # never exceed it.
        async with asyncio.timeout(timeout), httpx.AsyncClient(timeout=timeout) as client:
            request = client.build_request("POST", self._url, content=content, headers=headers)
            response = await client.send(request, stream=True, follow_redirects=False)
            await response.aclose()
            return response.status_code


def _run(coroutine: Coroutine[None, None, int]) -> int:
    """Run a coroutine and return its result.

    Unlike `asyncio.run`, this does not wait for threads that still resolve a name for a request that has
    timed out.
    """
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(coroutine)
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def notifiers_of(settings: Settings) -> tuple[Notifier, ...]:
    """Return the notifiers that these settings configure. Raises SettingsError."""
    if settings.webhook_url is None:
        return (LogNotifier(),)
    return (LogNotifier(), WebhookNotifier(settings.webhook_url))
