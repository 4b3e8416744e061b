"""The queue of requests that wait for a thread: bounded, and fair between visitors.

Threads take the waiting requests of all visitors in turn, so visitors with few requests do not wait for all
those of a visitor with many. A player has at most half of the threads, and a network a quarter. Players with
a token and networks without one take turns as groups, so that players do not wait for any number of networks.
"""

import logging
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from queue import SimpleQueue
from time import monotonic
from typing import Literal, TypeAlias

from service.server.refusals import Reason

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class Job:
    """Work for a thread, on behalf of a visitor. `refuse` is for a job that is not run."""

    visitor: str
    is_player: bool
    run: Callable[[], None]
    refuse: Callable[[Reason], None]
    queued_at: float = 0.0
    started_at: float | None = None
    """The monotonic times at which the job was queued and a thread took it."""


_Group: TypeAlias = OrderedDict[str, deque[Job]]
"""Waiting jobs by visitor; the visitor whose turn is next comes first."""


class RequestQueue:
    """Some threads, and the jobs that wait for them. Thread-safe."""

    def __init__(self, name: str, threads: int, max_waiting: int, max_per_visitor: int) -> None:
        self._max_waiting = max_waiting
        self._max_per_visitor = max_per_visitor
        self._max_running = {True: max(1, threads // 2), False: max(1, threads // 4)}
        """Jobs of one visitor that run at the same time: of a player, and of a network."""
        self._lock = threading.Lock()
        self._waiting: dict[bool, _Group] = {True: OrderedDict(), False: OrderedDict()}
        """The waiting jobs of players and of networks."""
        self._is_turn_of_players = True
        self._count = 0
        self._running: Counter[str] = Counter()
        self._idle = threads
        """Threads that have nothing to do, and that nobody has woken yet."""
        self._wakeups: SimpleQueue[Literal["job", "stop"]] = SimpleQueue()
        self._threads = [
            threading.Thread(target=self._work, name=f"{name}-{number}", daemon=True)
            for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def __len__(self) -> int:
        """Return the number of jobs that wait."""
        return self._count

    def put(self, job: Job) -> Job | None:
        """Add a job. If too many wait, returns the one that must be refused: this one or another.

        If too many wait in total, it is one of the visitor who has most of them.
        """
        job.queued_at = monotonic()
        displaced: Job | None = None
        with self._lock:
            group = self._waiting[job.is_player]
            waiting = len(group.get(job.visitor, ()))
            if waiting >= self._max_per_visitor:
                return job
            if self._count >= self._max_waiting:
                everybody = chain.from_iterable(group.values() for group in self._waiting.values())
                largest = max(everybody, key=len, default=deque[Job]())
                if len(largest) <= waiting + 1:
                    return job
                displaced = largest.pop()
                self._count -= 1
            group.setdefault(job.visitor, deque()).append(job)
            self._count += 1
            # Otherwise, the next thread that has nothing else to do takes the job.
            if self._idle and self._running[job.visitor] < self._max_running[job.is_player]:
                self._idle -= 1
                self._wakeups.put("job")
        return displaced

    def remove(self, job: Job) -> bool:
        """Remove a job. Returns False if it does not wait, because a thread has taken it."""
        with self._lock:
            group = self._waiting[job.is_player]
            jobs = group.get(job.visitor)
            if jobs is None or job not in jobs:
                return False
            jobs.remove(job)
            self._count -= 1
            if not jobs:
                del group[job.visitor]
            return True

    def remove_expired(self, seconds: float) -> list[Job]:
        """Remove and return the jobs that have waited for longer than this."""
        oldest = monotonic() - seconds
        expired = []
        with self._lock:
            for group in self._waiting.values():
                for visitor, jobs in [*group.items()]:
                    while jobs and jobs[0].queued_at < oldest:
                        expired.append(jobs.popleft())
                    if not jobs:
                        del group[visitor]
            self._count -= len(expired)
        return expired

    def close(self, seconds: float) -> None:
        """Let the threads finish the jobs that they run, for at most this time."""
        for _ in self._threads:
            self._wakeups.put("stop")
        end = monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - monotonic()))

    def _work(self) -> None:
        while self._wakeups.get() == "job":
            job = self._next(None)
            while job is not None:
                try:
                    job.run()
                except Exception:
                    log.exception("a request failed outside the application")
                job = self._next(job)

    def _next(self, done: Job | None) -> Job | None:
        """Take the next job of the first visitor who may run another one, after `done`."""
        with self._lock:
            if done is not None:
                self._running[done.visitor] -= 1
                if not self._running[done.visitor]:
                    del self._running[done.visitor]
            for is_player in (self._is_turn_of_players, not self._is_turn_of_players):
                group = self._waiting[is_player]
                limit = self._max_running[is_player]
                can_run = (name for name in group if self._running[name] < limit)
                visitor = next(can_run, None)
                if visitor is not None:
                    self._is_turn_of_players = not is_player
                    return self._take(group, visitor)
            self._idle += 1
            return None

    def _take(self, group: _Group, visitor: str) -> Job:
        jobs = group[visitor]
        job = jobs.popleft()
        job.started_at = monotonic()
        self._count -= 1
        self._running[visitor] += 1
        if jobs:
            group.move_to_end(visitor)
        else:
            del group[visitor]
        return job
