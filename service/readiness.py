"""Checks that a process is ready: the log accepts writes, the queue responds, and the key is published.

The check uses separate connections and timeouts, so it is quick even if the rest of the process is waiting.
"""

import logging
from collections.abc import Sequence
from typing import Final

import redis

from domain.errors import Unreadable
from domain.json_types import JsonObject
from domain.messages import Message
from replay.language.renderer import Renderer
from service.connection import connect, unavailable_on_error
from service.errors import Unavailable, log_text
from service.keyring import Keyring, RetiredKeyError
from service.operation.redis_risks import risks
from service.settings import Settings

log = logging.getLogger(__name__)

SECONDS_TO_RESPOND: Final = 0.5
"""The time without a response after which a Redis counts as unreachable."""
ATTEMPTS: Final = 2
"""The number of attempts after which a Redis that does not respond counts as unreachable."""
WRITE_CHECK_KEY: Final = "cartulary:write-check"
_KEY_SECONDS: Final = 60


class Readiness:
    """The readiness of one process. Thread-safe."""

    def __init__(self, settings: Settings, keyring: Keyring) -> None:
        self._log = _connect(settings.redis_url)
        self._queue = (
            self._log if settings.queue_url == settings.redis_url else _connect(settings.queue_url)
        )
        self._keyring = keyring

    def check(self) -> None:
        """Raise Unavailable if the process is not ready.

        This takes about a second at most. A ping is not enough: a replica, a Redis without memory, and a
        Redis that cannot save all respond to it, but accept no writes.
        """
        try:
            with unavailable_on_error():
                self._log.set(WRITE_CHECK_KEY, 1, ex=_KEY_SECONDS)
        except Unavailable as error:
            raise Unavailable.with_message(
                "the log is not available: {reason}", reason=error.why
            ) from error
        try:
            with unavailable_on_error():
                self._queue.ping()
        except Unavailable as error:
            raise Unavailable.with_message(
                "the queue is not available: {reason}", reason=error.why
            ) from error
        try:
            self._keyring.publish_key()
            self._keyring.check()
        except RetiredKeyError as error:
            raise Unavailable(error.message) from error
        except (Unreadable, OSError) as error:
            log.error("the signing key cannot be used: %s", log_text(error))  # noqa: TRY400 # the message is enough
            raise Unavailable.with_message("the signing key cannot be used") from error

    def risks(self) -> list[Message]:
        """Return the settings with which the Redis servers can lose acknowledged data.

        This takes no longer than `check`; a Redis that does not respond has no risks.
        """
        try:
            return risks(self._log, None if self._queue is self._log else self._queue)
        except Unavailable:
            return []

    def store_responds(self) -> bool:
        """Return whether the Redis of the logs responds within SECONDS_TO_RESPOND to one of ATTEMPTS pings.

        On a machine without a free core, an attempt fails occasionally although Redis works. No request must
        be refused because of that.
        """
        return any(self._store_responds_now() for _ in range(ATTEMPTS))

    def _store_responds_now(self) -> bool:
        try:
            with unavailable_on_error():
                return bool(self._log.ping())
        except Unavailable:
            return False


def readiness_as_json(risks: Sequence[Message], render: Renderer) -> JsonObject:
    """Return the readiness of a process that is ready, with the risks of its Redis servers, if any."""
    named = {"risks": [render.sentence(risk) for risk in risks]} if risks else {}
    return {"status": "ready", **named}


def _connect(url: str) -> redis.Redis:
    return connect(
        url, seconds_to_connect=SECONDS_TO_RESPOND, seconds_to_respond=SECONDS_TO_RESPOND
    )
