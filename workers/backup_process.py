"""The process that makes scheduled backups, which a scheduler starts when one is due.

It is a process of its own, because restoring a backup takes minutes and memory. It ends with the scheduler.
"""

import logging
import sys
import time
from datetime import datetime
from typing import Final

from service.administration.backups import Backups
from service.operation.child_process import ChildProcess
from service.settings import Settings

COMMAND: Final = "scheduled-backup"

log = logging.getLogger(__name__)


class BackupProcess:
    """Starts the process when a backup is due, and kills one that takes too long. Not thread-safe."""

    def __init__(self, settings: Settings, backups: Backups) -> None:
        self._is_on = settings.backup_folder is not None
        self._seconds = settings.backup_seconds
        self._backups = backups
        self._process = ChildProcess("backup", [sys.executable, "-m", "cartulary", COMMAND])
        self._started = 0.0

    @property
    def is_running(self) -> bool:
        """Whether the process runs."""
        return self._process.is_running

    def check(self, now: datetime) -> None:
        """Start the process if a backup is due; an error is logged, and the next call tries again.

        Raises Unavailable.
        """
        if not self._is_on:
            return
        if self._process.is_running:
            if time.monotonic() - self._started > self._seconds:
                log.error("the backup is stopped, because it takes more than %g s", self._seconds)
                self._process.reap()
            return
        status = self._process.reap()
        if status:
            log.error("the backup has ended with status %d", status)
        if not self._backups.is_due(now):
            return
        try:
            self._process.start()
        except OSError as error:
            log.warning("the backup does not start: %s", error)
        self._started = time.monotonic()

    def stop(self) -> None:
        """End the process now. The next scheduler goes on with its backup."""
        self._process.reap()
