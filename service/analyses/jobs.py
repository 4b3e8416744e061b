"""The steps of analyses and of the search for puzzles.

They are made in a thread to which the system gives less of the processor than to play.
"""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final

from service.bootstrap import Service

_PRIORITY: Final = 10


class AnalysisRunner:
    """Makes the steps of analyses and of the search for puzzles on one service."""

    def __init__(self, service: Service) -> None:
        self._analyses = service.analyses
        self._puzzle_search = service.puzzles.search
        # The thread is started with the first step. The main thread waits for it, so it competes with no
        # other thread of this process.
        self._thread = ThreadPoolExecutor(1, "analysis", _lower_priority)

    def step(self, game_id: str) -> bool:
        """Make the next step of the analysis of a game; return False if it is not complete then."""
        return self._thread.submit(self._analyses.advance, game_id).result()

    def search_puzzles(self) -> None:
        """Make the next step of the search for puzzles, if it is due."""
        self._thread.submit(self._puzzle_search.step).result()


def _lower_priority() -> None:
    """Lower the priority of this thread, where the system has one for each thread (Linux)."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _PRIORITY)
