"""A worker for searches that runs only while there are some, for services without one of their own.

A search takes seconds of the processor, so it runs in a process of its own. The process takes memory as well,
so it is started when a search waits, and ends after MAX_IDLE_SECONDS without one.
"""

import logging
import sys
from typing import Final

from service.operation.child_process import ChildProcess

log = logging.getLogger(__name__)

MAX_IDLE_SECONDS: Final = 120
_NAME: Final = "thinking worker"


class ThinkingWorker:
    """A child of this process that is started on demand. For one thread."""

    def __init__(self) -> None:
        command = ("worker", "--queue", "thinking", "--max-idle", str(MAX_IDLE_SECONDS))
        self._process = ChildProcess(_NAME, [sys.executable, "-m", "cartulary", *command])

    def start(self) -> None:
        """Start the worker unless it runs. An error is logged, and the next call tries again."""
        if self._process.is_running:
            return
        self.reap()
        try:
            self._process.start()
        except OSError as error:
            log.warning("the %s does not start: %s", _NAME, error)

    def reap(self) -> None:
        """Release what is left of a worker that has ended, and log it if it has failed."""
        if self._process.is_running:
            return
        status = self._process.reap()
        if status:
            log.warning("the %s ended with status %d", _NAME, status)

    def stop(self) -> None:
        """End the worker at once. The outbox has the search that it was making."""
        self._process.reap()
