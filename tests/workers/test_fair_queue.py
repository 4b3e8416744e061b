"""The order in which attempts begin: accounts and their receivers take turns, within bounds."""

from collections.abc import Iterable

from service.notifications.circuit_breakers import Receiver
from workers.notifications.fair_queue import Attempt, FairQueue


def queue_of(
    names: Iterable[str], *, senders: int = 100, per_account: int = 100, per_host: int = 100
) -> FairQueue:
    """A queue of attempts named ACCOUNT/ENDPOINT/NUMBER or ACCOUNT/ENDPOINT/NUMBER@HOST."""
    queue = FairQueue(senders, per_account, per_host)
    for name in names:
        id, _, host = name.partition("@")
        account, endpoint, _ = id.split("/")
        queue.add(Attempt(id, Receiver("webhook", account, endpoint), lambda: None, host=host))
    return queue


def begin_all(queue: FairQueue) -> list[Attempt]:
    return list(iter(queue.begin_next, None))


def in_turn(queue: FairQueue) -> list[str]:
    """Make all attempts one after the other, and return their ids."""
    ids = []
    while (attempt := queue.begin_next()) is not None:
        ids.append(attempt.id)
        queue.finish(attempt)
    return ids


def test_accounts_take_turns_however_much_waits_for_each() -> None:
    queue = queue_of([*(f"ada/x/{number}" for number in range(600)), "bea/x/0", "cyd/x/0"])
    order = in_turn(queue)
    assert order[:4] == ["ada/x/0", "bea/x/0", "cyd/x/0", "ada/x/1"]
    assert order[3:] == [f"ada/x/{number}" for number in range(1, 600)]


def test_accounts_take_equal_turns_whatever_their_receivers() -> None:
    queue = queue_of([*(f"ada/{number}/0" for number in range(5)), "bea/x/0", "bea/x/1"])
    assert in_turn(queue)[:4] == ["ada/0/0", "bea/x/0", "ada/1/0", "bea/x/1"]


def test_the_receivers_of_an_account_take_turns() -> None:
    queue = queue_of(["ada/x/0", "ada/x/1", "ada/y/0", "ada/y/1"])
    assert in_turn(queue) == ["ada/x/0", "ada/y/0", "ada/x/1", "ada/y/1"]


def test_a_receiver_gets_one_request_at_a_time() -> None:
    queue = queue_of(["ada/x/0", "ada/x/1"])
    (first,) = begin_all(queue)
    queue.finish(first)
    (second,) = begin_all(queue)
    assert (first.id, second.id) == ("ada/x/0", "ada/x/1")


def test_accounts_and_hosts_stay_within_their_bounds() -> None:
    names = [f"{account}/{number}/0" for account in ("ada", "bea", "cyd") for number in range(5)]
    begun = begin_all(queue_of(names, per_account=2))
    assert sorted(attempt.receiver.player for attempt in begun) == [
        *("ada", "ada", "bea", "bea", "cyd", "cyd")
    ]
    assert len(begin_all(queue_of(names, senders=4, per_account=2))) == 4
    at_hosts = [f"{name}@{'one' if 'cyd' not in name else 'two'}.example" for name in names]
    begun = begin_all(queue_of(at_hosts, per_host=3))
    assert sorted(attempt.host for attempt in begun) == ["one.example"] * 3 + ["two.example"] * 3


def test_what_waits_for_a_receiver_can_be_removed() -> None:
    queue = queue_of(["ada/x/0", "ada/x/1", "ada/y/0", "bea/x/0"])
    removed = queue.remove(Receiver("webhook", "ada", "x"))
    assert [attempt.id for attempt in removed] == ["ada/x/0", "ada/x/1"]
    assert queue.remove(Receiver("webhook", "ada", "x")) == []
    assert {attempt.id for attempt in queue.clear()} == {"ada/y/0", "bea/x/0"}
    assert queue.begin_next() is None
