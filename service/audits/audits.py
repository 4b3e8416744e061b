"""Audits the records of games: a bounded number at a time, each in a process of its own."""

import logging
import math
import subprocess
import sys
from collections.abc import Iterable, Sequence
from threading import BoundedSemaphore
from typing import Final

import orjson

from domain.json_types import JsonObject
from domain.messages import message
from service.bounds import Bounds
from service.errors import Unavailable

log = logging.getLogger(__name__)

RETRY_SECONDS: Final = 2
"""Seconds after which a client may ask again for an audit that could not be made."""
_PROGRAM: Final = "service.audits.process"


class Audits:
    """Audits records of games of this server. Thread-safe.

    An audit takes much of the processor, so that it would delay play in the process that serves it.
    """

    def __init__(self, bounds: Bounds) -> None:
        self._seconds = bounds.audit_seconds
        self._max_events = bounds.max_audited_events
        self._slots = BoundedSemaphore(bounds.max_audits)

    def can_audit(self, events: int) -> bool:
        """Return whether a game is short enough to be audited here."""
        return events <= self._max_events

    def audit(
        self,
        record: Iterable[bytes],
        keys: Sequence[JsonObject],
        language: str,
        log_name: str | None = None,
    ) -> JsonObject:
        """Return the report of an audit of a record by a reader who trusts these public keys, and who knows
        the transparency log with this name as that of the server.

        The report is that of `replay.audit`, with sentences in this language. Raises Unavailable if too many
        audits are being made, or if this one takes too long.
        """
        if not self._slots.acquire(blocking=False):
            raise Unavailable(
                message("the server is making other audits at the moment"), RETRY_SECONDS
            )
        try:
            return self._audit(
                b"".join(record), [{**key, "log": log_name} for key in keys], language
            )
        finally:
            self._slots.release()

    def _audit(self, record: bytes, keys: Sequence[JsonObject], language: str) -> JsonObject:
        seconds = str(math.ceil(self._seconds))
        try:
            result = subprocess.run(
                [sys.executable, "-I", "-m", _PROGRAM, language, seconds],
                input=orjson.dumps(list(keys)) + b"\n" + record,
                capture_output=True,
                timeout=self._seconds,
                check=True,
            )
        except subprocess.TimeoutExpired:
            log.warning("an audit of a record of %d bytes took too long", len(record))
            raise Unavailable(message("the audit took too long"), RETRY_SECONDS) from None
        except subprocess.CalledProcessError as error:
            log.error("an audit failed: %s", error.stderr.decode(errors="replace"))  # noqa: TRY400 # the output of the process says more than our traceback
            raise
        report: JsonObject = orjson.loads(result.stdout)
        return report
