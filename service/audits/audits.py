"""Audits the records of games: a bounded number at a time, each in a separate process."""

import logging
import math
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from threading import BoundedSemaphore
from typing import Final

import orjson

from domain.json_types import JsonObject
from domain.messages import message
from service.audits.process import OUT_OF_MEMORY
from service.bounds import Bounds
from service.errors import Unavailable

log = logging.getLogger(__name__)

RETRY_SECONDS: Final = 2
"""Seconds after which a client may repeat the request for an audit that could not be made."""
_PROGRAM: Final = "service.audits.process"
_WAITING: Final = 3
"""The ratio of the time limit of an audit to its limit of CPU time, since it waits for other processes."""


class AuditTooLarge(Unavailable):
    """An audit has reached the bound of its memory or CPU time, and would again."""


class Audits:
    """Audits records of games of this server. Thread-safe.

    An audit takes much CPU time, so that it would delay play in the process that serves it.
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

        The report is that of `replay.audit`, with sentences in this language. Raises AuditTooLarge if this
        audit needs more memory or time of the processor than it may use, and Unavailable if too many audits
        are being made, or if the process of this one ended without a report.
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
                timeout=self._seconds * _WAITING,
                check=True,
            )
        except subprocess.TimeoutExpired:
            log.warning("an audit of a record of %d bytes took too long", len(record))
            raise Unavailable(message("the audit took too long"), RETRY_SECONDS) from None
        except subprocess.CalledProcessError as error:
            if error.returncode in (-signal.SIGXCPU, OUT_OF_MEMORY):
                log.warning("an audit of a record of %d bytes reached its bounds", len(record))
                raise AuditTooLarge(
                    message("the audit takes too much memory or time"), RETRY_SECONDS
                ) from None
            output = error.stderr.decode(errors="replace")
            log.error("an audit ended with status %d: %s", error.returncode, output)  # noqa: TRY400 # the output of the process says more than our traceback
            raise Unavailable(
                message("the audit ended before it was complete"), RETRY_SECONDS
            ) from None
        report: JsonObject = orjson.loads(result.stdout)
        return report
