"""The scheduler: hears of every append, and sees that what is noted is done, deadlines at their time.

It only enqueues; nothing is decided here and no game is folded. Several may run at once: what two of them
enqueue is one job, and a job that ran twice has done its work once. It may die at any moment: all it knows
is noted beside the logs.
"""

import logging
from datetime import datetime, timedelta

import redis
from redis.client import PubSub

from service import clock
from service.bootstrap import Service
from service.connection import SECONDS_TO_ANSWER, reachable
from service.errors import Unavailable
from service.store.redis_event_store import APPENDED_CHANNEL
from service.supervision.retry import Backoff, retry_until_stopped
from service.supervision.stop_signals import StopSignals
from workers.deadline_index import DeadlineIndex
from workers.queue import WorkQueues
from workers.sweep import Sweep
from workers.tasks import tasks_of

log = logging.getLogger(__name__)

LISTENING = 0.2
"""Seconds to wait for a message before looking at the deadlines."""
MOST_HEARD = 500
"""Messages, and deadlines, that are seen to in one go."""
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0
"""Seconds before trying again when Redis is away: twice as long each time."""


class Scheduler:
    """One scheduler; runs in one thread."""

    def __init__(self, service: Service, queue_client: redis.Redis) -> None:
        self._redis = service.redis
        self._store = service.store
        self._queues = WorkQueues(queue_client)
        self._timetable = DeadlineIndex(service.redis)
        self._sweep = Sweep(service.store, self._queues, self._timetable)
        self._interval = timedelta(seconds=service.settings.sweep_seconds)

    def run(self, stop: StopSignals) -> None:
        """Go on until told to stop, however often Redis goes away and comes back."""

        def attend() -> None:
            with self._redis.pubsub() as channel:  # type: ignore[no-untyped-call] # redis-py has no annotation here
                self._attend(channel, stop)

        retry_until_stopped(
            attend,
            stop,
            errors=(Unavailable,),
            backoff=Backoff(first=FIRST_PAUSE, longest=LONGEST_PAUSE, steady=LONGEST_PAUSE),
            on_error=lambda error, pause: log.warning("%s; trying again in %.1f s", error, pause),
        )

    def hear(self, games: set[str]) -> None:
        """See to games that have new events: enqueue what they call for. Raises Unavailable."""
        for works in tasks_of(self._store, sorted(games)).values():
            for work in works:
                match work.kind:
                    case "forfeit":
                        self._timetable.put([work])
                    case "score" | "notify":
                        self._queues.enqueue(work)
                    case "index" | None:
                        # Who appended is listing the game at this moment; a sweep sees whether it was done.
                        pass

    def look_at_deadlines(self) -> None:
        """Enqueue the forfeit of every turn whose deadline has passed. Raises Unavailable."""
        while passed := self._timetable.passed(MOST_HEARD):
            works = tasks_of(self._store, [game for game, _ in passed])
            now = clock.format(clock.now())
            for game, entry in passed:
                deadline = next((work for work in works[game] if work.kind == "forfeit"), None)
                if deadline is not None and deadline.due > now:
                    self._timetable.put([deadline])
                    continue
                if deadline is not None:
                    self._queues.enqueue(deadline)
                self._timetable.remove(game, entry)

    def sweep(self, *, everything: bool) -> None:
        """One whole sweep. Raises Unavailable."""
        for _ in self._sweep.pages(everything=everything):
            pass

    def _attend(self, channel: PubSub, stop: StopSignals) -> None:
        """Listen and sweep until told to stop. Raises Unavailable as soon as Redis goes away."""
        with reachable():
            channel.subscribe(APPENDED_CHANNEL)
            # What is appended from the answer on is heard of, what was before is swept.
            if channel.get_message(timeout=SECONDS_TO_ANSWER) is None:
                raise Unavailable("the store does not answer")
        log.info("listening for what is appended")
        swept: datetime | None = None
        while not stop.is_set():
            if swept is None or not timedelta() <= clock.now() - swept < self._interval:
                for _ in self._sweep.pages(everything=swept is None):
                    self._listen(channel, 0)
                    if stop.is_set():
                        return
                swept = clock.now()
            self._listen(channel, LISTENING)
            self._queues.enqueue_retries()

    def _listen(self, channel: PubSub, seconds: float) -> None:
        games = set()
        with reachable():
            message = channel.get_message(ignore_subscribe_messages=True, timeout=seconds)
            for _ in range(MOST_HEARD):
                if message is None:
                    break
                if message["type"] == "message":
                    games.add(message["data"].decode().split(" ")[0])
                message = channel.get_message(ignore_subscribe_messages=True, timeout=0)
        for game in games:
            self._sweep.on_appended(game)
        if games:
            self.hear(games)
        self.look_at_deadlines()
