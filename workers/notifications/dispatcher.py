"""The dispatcher, which sends everything that is due, for each channel separately and to receivers in turns.

It takes due deliveries, mails about accounts and tests of webhooks from Redis, and keeps them in memory until
it is their turn. Each attempt runs in a thread, so a receiver that does not respond blocks no others. If a
dispatcher dies, the deliveries that it has taken are due again after CLAIM. Several dispatchers may run, each
with its own bounds.
"""

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from threading import Event, Lock, Thread
from typing import Final
from urllib.parse import urlsplit

from service.bootstrap import Service
from service.errors import Unavailable, log_text
from service.notifications.channels import OPERATOR
from service.notifications.circuit_breakers import Breaker, Receiver
from workers.mail.account_mail import AccountMailSender
from workers.notifications.channel import Channel
from workers.notifications.fair_queue import Attempt, FairQueue
from workers.notifications.sender import DeliverySender
from workers.webhooks.channel import WebhookChannel

log = logging.getLogger(__name__)

POLL_SECONDS: Final = 1.0
"""The longest time between two checks for due deliveries, unless `wake` is called."""
BATCH: Final = 500
"""The most deliveries that are taken at a time."""
PAUSE_SECONDS: Final = 1.0
"""The pause before another attempt if Redis does not respond."""
SECONDS_TO_STOP: Final = 5.0
"""The time that attempts under way have to end when the process stops."""
PER_ACCOUNT: Final = 2
"""The most concurrent attempts for one account, as long as its receivers respond."""
HOSTS: Final = 4
"""The number of hosts that together can occupy all senders of a channel."""
_OTHERS: Final = "others"
"""The name of the queue of deliveries for channels that this server does not have. They are cancelled."""


@dataclass(frozen=True, slots=True)
class Channels:
    """The channels of a server. `account_mails` is None if it sends no mail; `webhooks` sends the tests."""

    all: Sequence[Channel]
    account_mails: AccountMailSender | None = None
    webhooks: WebhookChannel | None = None

    @property
    def of_operator(self) -> tuple[str, ...]:
        """The names of the channels of the operator."""
        return tuple(channel.name for channel in self.all if channel.is_operators)


class Dispatcher:
    """Sends everything that is due through some channels."""

    def __init__(self, service: Service, channels: Channels) -> None:
        self._service = service
        self._deliveries = service.notifications.deliveries
        self._breakers = service.notifications.deliveries.breakers
        self._clock = service.clock
        self._channels = {channel.name: channel for channel in channels.all}
        self._account_mails = channels.account_mails
        self._webhooks = channels.webhooks
        self._sender = DeliverySender(service, channels.all)
        bounds = service.settings.bounds
        self._queues: dict[tuple[str, bool], FairQueue] = {}
        for channel in channels.all:
            if not channel.has_breakers:
                continue
            senders = bounds.webhook_senders
            per_host = max(1, senders // HOSTS)
            # A receiver whose last attempt has failed, or to which nothing was sent yet, may hang. Such
            # receivers have separate senders, and an account occupies at most one of them.
            self._queues[channel.name, True] = FairQueue(senders, PER_ACCOUNT, per_host)
            self._queues[channel.name, False] = FairQueue(senders, 1, per_host)
        for name in (*(item.name for item in channels.all if not item.has_breakers), _OTHERS):
            senders = bounds.mail_senders
            self._queues[name, True] = FairQueue(senders, PER_ACCOUNT, senders)
        self._ids: set[str] = set()
        """The ids of attempts that wait here or are under way."""
        self._lock = Lock()
        self._wake = Event()
        """Set when an attempt has ended or deliveries were created, so that the next attempt begins
        immediately.
        """

    def run(self, stop: Event) -> None:
        """Send until `stop` is set. Attempts that are under way then have SECONDS_TO_STOP to end."""
        threads: set[Thread] = set()
        while not stop.is_set():
            try:
                self._take()
            except Unavailable as error:
                log.warning("nothing is sent at the moment: %s", log_text(error))
                stop.wait(PAUSE_SECONDS)
            except Exception:
                log.exception("the dispatcher has failed, and goes on")
                stop.wait(PAUSE_SECONDS)
            for queue, attempt in self._begin_all():
                thread = Thread(target=self._make, args=(queue, attempt), daemon=True)
                thread.start()
                threads.add(thread)
            threads = {thread for thread in threads if thread.is_alive()}
            self._wake.wait(POLL_SECONDS)
            self._wake.clear()
        self._return_waiting()
        deadline = time.monotonic() + SECONDS_TO_STOP
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def wake(self) -> None:
        """Check for due deliveries immediately, because there are new ones."""
        self._wake.set()

    def send_due(self) -> int:
        """Send everything that is due now, one delivery after the other; return the number of attempts."""
        count = 0
        self._take()
        while begun := list(self._begin_all()):
            for queue, attempt in begun:
                self._make(queue, attempt)
            count += len(begun)
            self._take()
        return count

    def _take(self) -> None:
        """Take due deliveries, mails and tests from Redis, and put them in the queues. Raises Unavailable."""
        now = self._clock.now()
        attempts = [
            Attempt(item.id, item.receiver, partial(self._sender.send, item.id), item.planned_at)
            for item in self._deliveries.take_due(now, BATCH)
        ]
        if self._account_mails is not None:
            send_mail = self._account_mails.send
            attempts += [
                Attempt(id, Receiver("email", player, ""), partial(send_mail, id))
                for id, player in self._service.notifications.mail.account_mails.take_due(
                    now, BATCH
                )
            ]
        if self._webhooks is not None:
            send_test = self._webhooks.send_test
            attempts += [
                Attempt(
                    f"test/{player}/{id}",
                    Receiver("webhook", player, id),
                    partial(send_test, player, id),
                )
                for player, id in self._service.notifications.webhooks.take_tests(BATCH)
            ]
        with self._lock:
            added = [attempt for attempt in attempts if attempt.id not in self._ids]
            self._ids.update(attempt.id for attempt in added)
        self._put(added)

    def _put(self, attempts: Sequence[Attempt]) -> None:
        """Put attempts in the queues; postpone deliveries to receivers whose breakers are open.

        Raises Unavailable; the deliveries are then due again later.
        """
        receivers = list({attempt.receiver for attempt in attempts})
        try:
            breakers = dict(zip(receivers, self._breakers.of_each(receivers), strict=True))
            hosts = {receiver: self._host_of(receiver) for receiver in receivers}
        except BaseException:
            self._forget(attempts)
            raise
        now = self._clock.now()
        paused = []
        with self._lock:
            for attempt in attempts:
                breaker = breakers[attempt.receiver]
                if attempt.planned_at is not None and breaker.pause_after(now) is not None:
                    paused.append(attempt)
                else:
                    queue = self._queue_of(attempt.receiver, breaker)
                    queue.add(replace(attempt, host=hosts[attempt.receiver]))
        self._forget(paused)
        for attempt in paused:
            self._postpone(attempt, breakers[attempt.receiver])

    def _postpone(self, attempt: Attempt, breaker: Breaker) -> None:
        """Postpone a delivery until a breaker closes, or give it up if that is too late."""
        until = breaker.pause_after(self._clock.now())
        if until is None or attempt.planned_at is None:
            return
        channel = self._channels[attempt.receiver.channel]
        if until > attempt.planned_at + timedelta(seconds=sum(channel.retry_pauses)):
            self._sender.give_up(attempt.id)
        else:
            self._deliveries.postpone([attempt.id], until)

    def _begin_all(self) -> Iterator[tuple[FairQueue, Attempt]]:
        """Begin and yield all attempts that can be made now, each with its queue."""
        for queue in self._queues.values():
            while True:
                with self._lock:
                    attempt = queue.begin_next()
                if attempt is None:
                    break
                yield queue, attempt

    def _make(self, queue: FairQueue, attempt: Attempt) -> None:
        """Make an attempt; then queue or postpone the other attempts that wait for its receiver."""
        try:
            attempt.send()
        except Unavailable as error:
            # It is due again when its claim has expired.
            log.warning("%s is left for later: %s", attempt.id, log_text(error))
        except Exception:
            log.exception("%s has failed", attempt.id)
        with self._lock:
            queue.finish(attempt)
            self._ids.discard(attempt.id)
            others = queue.remove(attempt.receiver) if self._has_breakers(attempt.receiver) else []
        try:
            self._put(others)
        except Unavailable as error:
            log.warning("%s attempts are left for later: %s", len(others), log_text(error))
        self._wake.set()

    def _return_waiting(self) -> None:
        """Make everything that waits here due for other dispatchers."""
        with self._lock:
            waiting = [attempt for queue in self._queues.values() for attempt in queue.clear()]
        with suppress(Unavailable):
            ids = [attempt.id for attempt in waiting if attempt.planned_at is not None]
            self._deliveries.postpone(ids, self._clock.now())

    def _forget(self, attempts: Sequence[Attempt]) -> None:
        with self._lock:
            self._ids.difference_update(attempt.id for attempt in attempts)

    def _host_of(self, receiver: Receiver) -> str:
        """Return the host of a receiver whose address a player has chosen; "" for other receivers."""
        if not self._has_breakers(receiver) or receiver.player == OPERATOR:
            return ""
        endpoint = self._service.notifications.endpoints.find(
            receiver.player, receiver.channel, receiver.endpoint
        )
        return "" if endpoint is None else urlsplit(endpoint.address).hostname or ""

    def _has_breakers(self, receiver: Receiver) -> bool:
        channel = self._channels.get(receiver.channel)
        return channel is not None and channel.has_breakers

    def _queue_of(self, receiver: Receiver, breaker: Breaker) -> FairQueue:
        name = receiver.channel if receiver.channel in self._channels else _OTHERS
        return self._queues[name, breaker.is_proven or not self._has_breakers(receiver)]


@contextmanager
def dispatching(dispatcher: Dispatcher) -> Iterator[None]:
    """Run a dispatcher in a thread, and stop it at the end."""
    stop = Event()
    thread = Thread(target=dispatcher.run, args=(stop,), daemon=True, name="dispatcher")
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
