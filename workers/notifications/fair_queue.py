"""The order of the attempts of a channel, and the number of attempts at the same time.

Accounts take turns, whatever the number of attempts for each, and so do the receivers of an account. A
receiver gets one request at a time, in order. The number of concurrent attempts for an account, and for a
host, is bounded, so that neither can occupy all senders.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from service.notifications.circuit_breakers import Receiver


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt to send a delivery, a mail about an account, or a test of a webhook.

    `planned_at` is the time at which a delivery was due first; None if circuit breakers do not stop
    the attempt. `host` is the host of the receiver's address, "" if no player has chosen it.
    """

    id: str
    receiver: Receiver
    send: Callable[[], None] = field(repr=False, compare=False)
    planned_at: datetime | None = None
    host: str = ""


class FairQueue:
    """The attempts that wait for a channel. Not thread-safe."""

    def __init__(self, senders: int, per_account: int, per_host: int) -> None:
        """The parameters bound the concurrent attempts: in all, for an account, and at a host."""
        self._senders = senders
        self._per_account = per_account
        self._per_host = per_host
        self._waiting: OrderedDict[str, OrderedDict[Receiver, deque[Attempt]]] = OrderedDict()
        self._receivers: set[Receiver] = set()
        self._accounts: Counter[str] = Counter()
        self._hosts: Counter[str] = Counter()

    def add(self, attempt: Attempt) -> None:
        """Add an attempt after the others to its receiver."""
        receivers = self._waiting.setdefault(attempt.receiver.player, OrderedDict())
        receivers.setdefault(attempt.receiver, deque()).append(attempt)

    def begin_next(self) -> Attempt | None:
        """Remove and return the attempt whose turn it is; None if none can begin now.

        The caller makes it, and calls `finish`.
        """
        if len(self._receivers) >= self._senders:
            return None
        attempt = next(filter(self._can_begin, self._heads()), None)
        if attempt is None:
            return None
        account = attempt.receiver.player
        receivers = self._waiting[account]
        receivers[attempt.receiver].popleft()
        receivers.move_to_end(attempt.receiver)
        self._waiting.move_to_end(account)
        self._remove_if_empty(attempt.receiver)
        self._receivers.add(attempt.receiver)
        self._accounts[account] += 1
        self._hosts[attempt.host] += 1
        return attempt

    def finish(self, attempt: Attempt) -> None:
        """Record that an attempt was made."""
        self._receivers.discard(attempt.receiver)
        _decrement(self._accounts, attempt.receiver.player)
        _decrement(self._hosts, attempt.host)

    def remove(self, receiver: Receiver) -> list[Attempt]:
        """Remove and return the attempts that wait for a receiver."""
        receivers = self._waiting.get(receiver.player)
        if receivers is None or receiver not in receivers:
            return []
        attempts = receivers[receiver]
        removed = list(attempts)
        attempts.clear()
        self._remove_if_empty(receiver)
        return removed

    def clear(self) -> list[Attempt]:
        """Remove and return all waiting attempts."""
        receivers = [receiver for account in self._waiting.values() for receiver in account]
        return [attempt for receiver in receivers for attempt in self.remove(receiver)]

    def _heads(self) -> Iterator[Attempt]:
        """Yield the first attempt of each receiver, in the order of their turns."""
        for receivers in self._waiting.values():
            for attempts in receivers.values():
                yield attempts[0]

    def _can_begin(self, attempt: Attempt) -> bool:
        return (
            attempt.receiver not in self._receivers
            and self._accounts[attempt.receiver.player] < self._per_account
            and (not attempt.host or self._hosts[attempt.host] < self._per_host)
        )

    def _remove_if_empty(self, receiver: Receiver) -> None:
        receivers = self._waiting[receiver.player]
        if not receivers[receiver]:
            del receivers[receiver]
        if not receivers:
            del self._waiting[receiver.player]


def _decrement(counter: "Counter[str]", name: str) -> None:
    counter[name] -= 1
    if not counter[name]:
        del counter[name]
