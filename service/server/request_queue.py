"""The queue of requests that wait for a thread: bounded, and fair between visitors by the time that they use.

A request that takes a hundred times as long as another costs its visitor a hundred times as much. The *recent
use* of a visitor is the time for which its requests have held threads, measured when each ends; it decays by
half every HALF_LIFE. The use of a visitor is *light* up to LIGHT_SECONDS, and *heavy* beyond. An idle thread
takes the next request by these rules, of which the first that distinguishes two requests decides:

1. Requests of clients that may have disconnected come last.
2. Visitors of light use come before those of heavy use.
3. Players come before networks; but after PLAYER_TURNS requests of players in a row, it is a network's turn.
4. Among visitors of heavy use, the one that has used least comes first.
5. Otherwise, visitors take turns.

One visitor holds at most a quarter of the threads, and so do all visitors of heavy use together; networks
hold at most half of them. Running expensive requests at the same time gains little, because only one thread
at a time has the interpreter, and every other request would have to wait for each of them.
"""

import logging
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from math import inf, log2
from operator import itemgetter
from queue import SimpleQueue
from time import monotonic
from typing import Final, Literal, TypeAlias

from cachetools import LRUCache

from service.server.refusals import Reason

log = logging.getLogger(__name__)

HALF_LIFE: Final = 1.0
"""The seconds in which the recent use of a visitor decays by half."""
LIGHT_SECONDS: Final = 0.25
"""The most recent use that is light: that of a visitor who holds a thread for a sixth of the time."""
PLAYER_TURNS: Final = 4
MAX_ABANDONED: Final = 4
"""The most waiting jobs of a visitor that may be abandoned: each keeps a connection open."""
MAX_REMEMBERED: Final = 10_000
"""The most visitors whose use is remembered. The visitors that have been idle longest are forgotten first."""


@dataclass(slots=True, eq=False)
class Job:
    """Work for a thread, on behalf of a visitor. `refuse` is called if the job is not run."""

    visitor: str
    is_player: bool
    run: Callable[[], None]
    refuse: Callable[[Reason], None]
    may_be_abandoned: bool = False
    """Whether the client has closed its half of the connection: it may have disconnected."""
    is_heavy: bool = False
    """Whether the use of the visitor was heavy when a thread took the job."""
    queued_at: float = 0.0
    started_at: float | None = None
    """The monotonic times at which the job was queued and a thread took it."""


class Group(Enum):
    """The groups of jobs that wait together."""

    PLAYERS = auto()
    NETWORKS = auto()
    ABANDONED = auto()
    """Jobs of players and networks that may be abandoned."""


_Visitors: TypeAlias = OrderedDict[str, deque[Job]]
"""Waiting jobs by visitor, in the order of their turns."""


def _group_of(job: Job) -> Group:
    if job.may_be_abandoned:
        return Group.ABANDONED
    return Group.PLAYERS if job.is_player else Group.NETWORKS


class _RecentUse:
    """The recent use of visitors. Not thread-safe.

    For each visitor, the time is stored at which its use will have become light. That alone is enough to
    calculate the use at any time, and to compare visitors: the lower the use, the earlier the time.
    """

    def __init__(self) -> None:
        self._light_from: LRUCache[str, float] = LRUCache(MAX_REMEMBERED)

    def light_from(self, visitor: str) -> float:
        """Return the monotonic time from which the use of a visitor is light."""
        return self._light_from.get(visitor, -inf)

    def add(self, visitor: str, seconds: float, now: float) -> None:
        """Add the time for which a visitor has held a thread."""
        use = LIGHT_SECONDS * 2 ** ((self.light_from(visitor) - now) / HALF_LIFE) + seconds
        if use > 0:
            self._light_from[visitor] = now + HALF_LIFE * log2(use / LIGHT_SECONDS)


class RequestQueue:
    """Some threads, and the jobs that wait for them. Thread-safe.

    `clock` returns the time in seconds, from any beginning.
    """

    def __init__(
        self,
        name: str,
        threads: int,
        max_waiting: int,
        max_per_visitor: int,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._max_waiting = max_waiting
        self._max_per_visitor = max_per_visitor
        self._max_running = max(1, threads // 4)
        """The most concurrent jobs of one visitor."""
        self._max_heavy = max(1, threads // 4)
        """The most concurrent jobs of all visitors of heavy use."""
        self._clock = clock
        self._lock = threading.Lock()
        self._waiting: dict[Group, _Visitors] = {group: OrderedDict() for group in Group}
        self._player_turns = 0
        """The number of jobs of players that were taken in a row while networks waited."""
        self._count = 0
        self._running: Counter[str] = Counter()
        self._heavy = 0
        """Jobs of visitors of heavy use that are running."""
        self._max_networks = max(1, threads // 2)
        """The most concurrent jobs of all networks."""
        self._networks = 0
        """Jobs of networks that are running."""
        self._use = _RecentUse()
        self._idle = threads
        """The number of idle threads that have not been woken yet."""
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
        job.queued_at = self._clock()
        displaced: Job | None = None
        with self._lock:
            visitors = self._waiting[_group_of(job)]
            waiting = len(visitors.get(job.visitor, ()))
            if waiting >= self._max_per_visitor:
                return job
            if self._count >= self._max_waiting:
                everybody = (jobs for group in self._waiting.values() for jobs in group.values())
                largest = max(everybody, key=len, default=deque[Job]())
                if len(largest) <= waiting + 1:
                    return job
                displaced = largest.pop()
                self._count -= 1
            visitors.setdefault(job.visitor, deque()).append(job)
            self._count += 1
            # Otherwise, the next idle thread takes the job.
            if self._idle and self._may_run(job, job.queued_at):
                self._idle -= 1
                self._wakeups.put("job")
        return displaced

    def remove(self, job: Job) -> bool:
        """Remove a job. Returns False if a thread has already taken it."""
        with self._lock:
            visitors = self._waiting[_group_of(job)]
            jobs = visitors.get(job.visitor)
            if jobs is None or job not in jobs:
                return False
            jobs.remove(job)
            self._count -= 1
            if not jobs:
                del visitors[job.visitor]
            return True

    def postpone(self, job: Job) -> Job | None:
        """Move a waiting job behind all others, because it may be abandoned.

        Returns the job if it must be refused, because MAX_ABANDONED jobs of its visitor wait already.
        """
        if not self.remove(job):
            return None
        job.may_be_abandoned = True
        with self._lock:
            jobs = self._waiting[Group.ABANDONED].get(job.visitor, deque())
            if len(jobs) >= MAX_ABANDONED:
                return job
            jobs.append(job)
            self._waiting[Group.ABANDONED][job.visitor] = jobs
            self._count += 1
        return None

    def remove_expired(self, seconds: float) -> list[Job]:
        """Remove and return the jobs that have waited for longer than this."""
        oldest = self._clock() - seconds
        expired = []
        with self._lock:
            for visitors in self._waiting.values():
                for visitor, jobs in [*visitors.items()]:
                    while jobs and jobs[0].queued_at < oldest:
                        expired.append(jobs.popleft())
                    if not jobs:
                        del visitors[visitor]
            self._count -= len(expired)
        return expired

    def close(self, seconds: float) -> None:
        """Wait at most this time for the threads to finish their jobs."""
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
        """Return the job that is first by the rules, after finishing `done`."""
        with self._lock:
            now = self._clock()
            if done is not None:
                self._finish(done, now)
            candidates = (
                (self._rank(group, visitor, now), group, visitor)
                for group, visitors in self._waiting.items()
                for visitor, jobs in visitors.items()
                if self._may_run(jobs[0], now)
            )
            # Of several with the same rank, the first one has waited longest for its turn.
            first = min(candidates, key=itemgetter(0), default=None)
            if first is None:
                self._idle += 1
                return None
            return self._take(first[1], first[2], now)

    def _may_run(self, job: Job, now: float) -> bool:
        """Return whether a thread may take a job beside those that are running."""
        if self._running[job.visitor] >= self._max_running:
            return False
        if not job.is_player and self._networks >= self._max_networks:
            return False
        return self._heavy < self._max_heavy or self._use.light_from(job.visitor) <= now

    def _rank(self, group: Group, visitor: str, now: float) -> tuple[bool, bool, bool, float]:
        """Return the rank of the first job of a visitor by rules 1 to 4; the lowest comes first."""
        is_abandoned = group is Group.ABANDONED
        light_from = self._use.light_from(visitor)
        is_heavy = light_from > now
        turn = Group.PLAYERS if self._player_turns < PLAYER_TURNS else Group.NETWORKS
        return is_abandoned, is_heavy, group is not turn, light_from if is_heavy else 0.0

    def _take(self, group: Group, visitor: str, now: float) -> Job:
        visitors = self._waiting[group]
        jobs = visitors[visitor]
        job = jobs.popleft()
        if jobs:
            visitors.move_to_end(visitor)
        else:
            del visitors[visitor]
        job.started_at = now
        job.is_heavy = self._use.light_from(visitor) > now
        self._count -= 1
        self._heavy += job.is_heavy
        self._networks += not job.is_player
        self._running[visitor] += 1
        has_passed_networks = group is Group.PLAYERS and bool(self._waiting[Group.NETWORKS])
        self._player_turns = self._player_turns + 1 if has_passed_networks else 0
        return job

    def _finish(self, job: Job, now: float) -> None:
        assert job.started_at is not None, "a thread has taken the job"
        self._use.add(job.visitor, now - job.started_at, now)
        self._heavy -= job.is_heavy
        self._networks -= not job.is_player
        self._running[job.visitor] -= 1
        if not self._running[job.visitor]:
            del self._running[job.visitor]
