"""The checks of a web process's health, in a separate thread.

The store is checked when a request takes long, and then until it responds again. In the meantime, the gateway
refuses requests immediately: threads that wait for the store would only delay the refusal.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

from domain.messages import Message, Text, message
from service.errors import Unavailable
from service.readiness import Readiness

log = logging.getLogger(__name__)

READINESS_SECONDS: Final = 1.5
"""The time after which an unfinished check of the readiness counts as failed."""


class ReadinessState(NamedTuple):
    """The reason why a process is not ready, or None if it is, with the risks of its Redis servers."""

    problem: Text | None = None
    risks: Sequence[Message] = ()


class HealthChecks:
    """The health of one process. Belongs to one event loop."""

    def __init__(self, readiness: Readiness, on_store_lost: Callable[[], None]) -> None:
        """`on_store_lost` is called when the store has stopped responding."""
        self._readiness = readiness
        self._on_store_lost = on_store_lost
        self._thread = ThreadPoolExecutor(1, "health")
        self._loop = asyncio.get_running_loop()
        self._check: asyncio.Future[ReadinessState] | None = None
        self._probe: asyncio.Task[None] | None = None
        self.store_responds = True

    async def readiness(self) -> ReadinessState:
        """Return whether the process is ready, within READINESS_SECONDS.

        Calls during a check share its result.
        """
        if self._check is None or self._check.done():
            self._check = self._loop.run_in_executor(self._thread, self._run_check)
        try:
            state = await asyncio.wait_for(asyncio.shield(self._check), READINESS_SECONDS)
        except TimeoutError:
            return ReadinessState(message("the check of the readiness has not ended in time"))
        if state.problem is None:
            # A process that is ready does not refuse requests.
            self._on_store_state(responds=True)
        return state

    def probe_store(self) -> None:
        """Start checking whether the store responds, unless such a check is under way."""
        if self._probe is None or self._probe.done():
            self._probe = self._loop.create_task(self._probe_store())

    def close(self) -> None:
        """End the thread after the current check."""
        self._thread.shutdown(wait=False)

    async def _probe_store(self) -> None:
        responds = await self._loop.run_in_executor(self._thread, self._readiness.store_responds)
        self._on_store_state(responds=responds)

    def _on_store_state(self, *, responds: bool) -> None:
        had_responded, self.store_responds = self.store_responds, responds
        if had_responded and not responds:
            log.error("the store has stopped responding: requests are refused until it responds")
            self._on_store_lost()
        elif responds and not had_responded:
            log.warning("the store responds again")

    def _run_check(self) -> ReadinessState:
        try:
            self._readiness.check()
            return ReadinessState(risks=self._readiness.risks())
        except Unavailable as error:
            return ReadinessState(error.why)
        except Exception:
            log.exception("the check of the readiness has failed")
            return ReadinessState(message("the check of the readiness has failed"))
