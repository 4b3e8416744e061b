"""Senders: how a notice leaves the house. A new way to reach players is one more class here.

A sender may be given the same notice again (a job that ran twice, a receiver that answered too late):
`delivery` is the same then, so that a receiver can drop it.
"""

import logging
from base64 import b64encode
from http.client import HTTPException
from importlib.metadata import version
from typing import Protocol
from urllib.error import HTTPError
from urllib.parse import unquote_to_bytes, urlsplit
from urllib.request import Request, urlopen

import orjson

from domain.errors import CartularyError
from service.settings import Settings, SettingsError
from workers.notifications import Notification

log = logging.getLogger(__name__)

SECONDS_TO_ANSWER = 5.0


class NotDelivered(CartularyError):
    """A notice that did not reach its receiver; it may be tried again."""


class Notifier(Protocol):
    """A way to tell. `name` tells it from the others."""

    name: str

    def send(self, notice: Notification) -> None:
        """Deliver a notice. Raises NotDelivered."""


class LogSender:
    """Writes a line to the process's log, which is always done and never fails."""

    name = "log"

    def send(self, notice: Notification) -> None:
        """See `Notifier.send`."""
        log.info(
            "%s: game %s, event %s, for %s",
            notice.subject,
            notice.game,
            notice.seq,
            ", ".join(notice.players),
            extra=notice.as_json(),
        )


class WebhookSender:
    """Posts the notice as JSON to one URL of the operator's; any 2xx says that it has arrived.

    The delivery's id stands in the body and, as `Idempotency-Key`, among the headers. A name and a
    password in the URL go as basic authorisation; no message repeats more of the URL than the host.
    """

    name = "webhook"

    def __init__(self, url: str, timeout: float = SECONDS_TO_ANSWER) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingsError("CARTULARY_WEBHOOK_URL must begin with http:// or https://")
        # urllib takes a name and a password in a URL for a part of the host.
        account, _, place = parts.netloc.rpartition("@")
        self._url = parts._replace(netloc=place).geturl()
        self._host = parts.hostname
        self._headers = {
            "Content-Type": "application/json",
            "User-Agent": f"cartulary/{version('cartulary')}",
        }
        if account:
            basic = b64encode(unquote_to_bytes(account)).decode()
            self._headers["Authorization"] = f"Basic {basic}"
        self._timeout = timeout

    def send(self, notice: Notification) -> None:
        """See `Notifier.send`."""
        request = Request(  # noqa: S310 (the scheme was looked at)
            self._url,
            data=orjson.dumps(notice.as_json()),
            headers=self._headers | {"Idempotency-Key": notice.delivery},
            method="POST",
        )
        try:
            with urlopen(request, timeout=self._timeout):  # noqa: S310
                pass
        except HTTPError as answer:
            answer.close()
            raise NotDelivered(f"{self._host} find_idempotency_record {answer.code}") from None
        except (OSError, HTTPException) as error:
            # A refused or broken connection, a name that is not known, a time-out: all are OSErrors.
            raise NotDelivered(f"{self._host} does not answer: {error}") from error


def senders(settings: Settings) -> tuple[Notifier, ...]:
    """The ways to tell that these settings name. Raises SettingsError."""
    if settings.webhook_url is None:
        return (LogSender(),)
    return (LogSender(), WebhookSender(settings.webhook_url))
