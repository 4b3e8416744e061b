"""The queue of requests is bounded, and fair between visitors by the time that they use."""

import threading
from collections import Counter
from collections.abc import Iterator

import pytest

from service.server.request_queue import HALF_LIFE, LIGHT_SECONDS, MAX_ABANDONED, Job, RequestQueue
from tests.support.processes import HANG_SECONDS, wait_until


class QueuedWork:
    """A queue whose jobs wait until the test releases them."""

    def __init__(self, threads: int, max_waiting: int = 100, max_per_visitor: int = 100) -> None:
        self.now = 0.0
        self.costs: dict[str, float] = {}
        """By visitor, the seconds that each of its jobs takes, on the clock of the queue."""
        self.queue = RequestQueue("test", threads, max_waiting, max_per_visitor, lambda: self.now)
        self.started: list[str] = []
        self.refused: list[tuple[str, str]] = []
        self.release = threading.Event()
        self.release_each: set[str] = set()
        """The names of jobs that are released already."""

    def has_cost(self, seconds: float, *visitors: str) -> None:
        """Let each of these visitors have used so much just now."""
        for visitor in visitors:
            self.queue._use.add(visitor, seconds, self.now)

    def put(self, *names: str) -> list[Job]:
        """Queue jobs. The first letter of a name is the visitor; capital letters are players."""
        jobs = []
        for name in names:
            jobs.append(
                Job(
                    name[0],
                    name[0].isupper(),
                    run=lambda name=name: self._run(name),  # type: ignore[misc] # the default binds it
                    refuse=lambda reason, name=name: self.refused.append((name, reason)),  # type: ignore[misc] # the same
                )
            )
            displaced = self.queue.put(jobs[-1])
            if displaced is not None:
                displaced.refuse("queue_full")
        return jobs

    def wait_for(self, count: int) -> None:
        """Wait until this number of jobs has been started."""
        wait_until(lambda: len(self.started) >= count)

    def _run(self, name: str) -> None:
        self.started.append(name)
        wait_until(lambda: self.release.is_set() or name in self.release_each)
        self.now += self.costs.get(name[0], 0)

    @property
    def refused_names(self) -> list[str]:
        return [name for name, _ in self.refused]


@pytest.fixture
def work() -> Iterator[type[QueuedWork]]:
    """The class, all of whose queues are closed after the test."""
    made: list[QueuedWork] = []

    class Closed(QueuedWork):
        def __init__(self, *args: int) -> None:
            super().__init__(*args)
            made.append(self)

    yield Closed
    for item in made:
        item.release.set()
        item.queue.close(HANG_SECONDS)
        assert not any(thread.is_alive() for thread in item.queue._threads)


def test_visitors_take_turns(work: type[QueuedWork]) -> None:
    jobs = work(1)
    jobs.put("x0")
    jobs.wait_for(1)
    jobs.put("a1", "a2", "a3", "a4", "b1", "b2", "c1")
    jobs.release.set()
    jobs.wait_for(8)
    assert jobs.started == ["x0", "a1", "b1", "c1", "a2", "b2", "a3", "a4"]


def test_players_come_before_networks_but_every_fifth_turn_is_a_network_s(
    work: type[QueuedWork],
) -> None:
    jobs = work(1)
    jobs.put("X0")
    jobs.wait_for(1)
    jobs.put("a1", "b1", "c1", "P1", "Q1", "P2", "Q2", "P3", "Q3")
    jobs.release.set()
    jobs.wait_for(10)
    assert jobs.started == ["X0", "P1", "Q1", "P2", "Q2", "a1", "P3", "Q3", "b1", "c1"]


def test_a_visitor_has_a_quarter_of_the_threads(work: type[QueuedWork]) -> None:
    jobs = work(8)
    jobs.put("A1", "A2", "A3", "b1", "b2", "b3")
    jobs.wait_for(4)
    assert len(jobs.queue) == 2
    jobs.put("C1")
    jobs.wait_for(5)
    assert sorted(jobs.started) == ["A1", "A2", "C1", "b1", "b2"]
    jobs.release.set()
    jobs.wait_for(7)
    assert len(jobs.queue) == 0


def test_networks_leave_half_of_the_threads_to_players(work: type[QueuedWork]) -> None:
    jobs = work(4)
    jobs.put("a1", "b1", "c1", "d1")
    jobs.wait_for(2)
    assert len(jobs.queue) == 2
    jobs.put("P1", "Q1")
    jobs.wait_for(4)
    assert sorted(jobs.started) == ["P1", "Q1", "a1", "b1"]
    # A free thread of a player takes no third job of a network, and that of a network takes the next one.
    jobs.release_each.add("P1")
    wait_until(lambda: jobs.queue._idle == 1)
    jobs.release_each.add("a1")
    jobs.wait_for(5)
    assert jobs.started[-1] == "c1"


def test_greedy_visitors_leave_threads_for_the_others(work: type[QueuedWork]) -> None:
    jobs = work(4)
    greedy = "ABCdef"
    jobs.has_cost(1.0, *greedy)
    for letter in greedy:
        jobs.put(*(f"{letter}{number}" for number in range(10)))
    jobs.wait_for(1)
    # Together, they hold a quarter of the threads.
    assert jobs.started == ["A0"]
    # However many there are, the requests of others never wait for theirs.
    for number, name in enumerate(("P1", "q1", "r1", "S1")):
        jobs.release_each.clear()
        jobs.put(name)
        jobs.wait_for(2 + number)
        assert jobs.started[-1] == name
        jobs.release_each.add(name)
        wait_until(lambda: jobs.queue._idle == 3)


def test_a_visitor_pays_for_the_time_that_its_requests_take(work: type[QueuedWork]) -> None:
    jobs = work(1)
    jobs.put("x0")
    jobs.wait_for(1)
    jobs.costs = {"a": 1.0, "b": 0.5, "c": 0.01}
    jobs.put(*(f"{letter}{number}" for letter in "abc" for number in range(9)))
    jobs.release.set()
    jobs.wait_for(28)
    first = Counter(name[0] for name in jobs.started[1:16])
    # All nine cheap requests come before the second expensive one, and two for each that costs twice as much.
    assert first == {"c": 9, "b": 4, "a": 2}


def test_recent_use_is_forgotten(work: type[QueuedWork]) -> None:
    jobs = work(1)
    jobs.has_cost(4 * LIGHT_SECONDS, "a")
    jobs.has_cost(2 * LIGHT_SECONDS, "b")
    jobs.put("x0")
    jobs.wait_for(1)
    jobs.put("a1", "b1", "c1")
    # From now on, the use of b is light, and that of a is not yet.
    jobs.now += 1.5 * HALF_LIFE
    jobs.release.set()
    jobs.wait_for(4)
    assert jobs.started == ["x0", "b1", "c1", "a1"]


def test_a_request_that_may_be_abandoned_comes_last(work: type[QueuedWork]) -> None:
    jobs = work(1)
    jobs.has_cost(1.0, "a")
    jobs.put("x0")
    jobs.wait_for(1)
    abandoned, _, _ = jobs.put("P1", "a1", "P2")
    jobs.queue.postpone(abandoned)
    assert len(jobs.queue) == 3
    jobs.release.set()
    jobs.wait_for(4)
    assert jobs.started == ["x0", "P2", "a1", "P1"]
    assert jobs.queue.postpone(abandoned) is None
    assert len(jobs.queue) == 0


def test_few_jobs_of_a_visitor_wait_that_may_be_abandoned(work: type[QueuedWork]) -> None:
    jobs = work(1)
    jobs.put("x0")
    jobs.wait_for(1)
    abandoned = jobs.put(*(f"a{number}" for number in range(MAX_ABANDONED + 2)))
    refused = [jobs.queue.postpone(job) for job in abandoned]
    assert refused == [None] * MAX_ABANDONED + abandoned[MAX_ABANDONED:]
    assert len(jobs.queue) == MAX_ABANDONED


def test_a_job_that_was_skipped_is_taken_when_its_visitor_may_run_another(
    work: type[QueuedWork],
) -> None:
    jobs = work(4)
    jobs.put("a1", "a2")
    jobs.wait_for(1)
    jobs.put("b1")
    jobs.wait_for(2)
    assert sorted(jobs.started) == ["a1", "b1"]
    jobs.release.set()
    jobs.wait_for(3)
    jobs.put("a3")
    jobs.wait_for(4)


def test_the_jobs_of_one_visitor_are_bounded(work: type[QueuedWork]) -> None:
    jobs = work(1, 100, 3)
    jobs.put("x0")
    jobs.wait_for(1)
    jobs.put("a1", "a2", "a3", "a4", "b1")
    assert jobs.refused == [("a4", "queue_full")]
    assert len(jobs.queue) == 4


def test_the_visitor_with_most_jobs_makes_room(work: type[QueuedWork]) -> None:
    jobs = work(1, 5)
    jobs.put("x0")
    jobs.wait_for(1)
    jobs.put("a1", "a2", "a3", "B1", "b1")
    assert jobs.refused == []
    # The latest job of the visitor with most of them is refused, also if that is the new one.
    jobs.put("c1", "a4", "B2")
    assert jobs.refused_names == ["a3", "a4", "B2"]
    assert len(jobs.queue) == 5
    jobs.release.set()
    jobs.wait_for(6)
    assert Counter(name[0] for name in jobs.started) == Counter("xaaBbc")


def test_a_job_that_is_removed_is_not_run(work: type[QueuedWork]) -> None:
    jobs = work(1)
    (running,) = jobs.put("a1")
    jobs.wait_for(1)
    second, third = jobs.put("a2", "a3")
    assert jobs.queue.remove(second)
    assert not jobs.queue.remove(second)
    assert not jobs.queue.remove(running)
    assert len(jobs.queue) == 1
    jobs.release.set()
    jobs.wait_for(2)
    assert jobs.started == ["a1", "a3"]
    assert not jobs.queue.remove(third)
    # The threads have not lost count of their work.
    jobs.put("b1", "c1")
    jobs.wait_for(4)


def test_jobs_that_have_waited_too_long_are_removed(work: type[QueuedWork]) -> None:
    jobs = work(1)
    jobs.put("x0")
    jobs.wait_for(1)
    old_a, old_b, new = jobs.put("a1", "B1", "a2")
    old_a.queued_at -= 10
    old_b.queued_at -= 10
    assert set(map(id, jobs.queue.remove_expired(5))) == {id(old_a), id(old_b)}
    assert jobs.queue.remove_expired(5) == []
    assert len(jobs.queue) == 1
    jobs.release.set()
    jobs.wait_for(2)
    assert jobs.started == ["x0", "a2"]
    assert new.started_at is not None


def test_a_job_that_fails_ends_no_thread(work: type[QueuedWork]) -> None:
    jobs = work(1)

    def fail() -> None:
        raise RuntimeError("this job fails")

    for _ in range(3):
        jobs.queue.put(Job("a", False, run=fail, refuse=lambda _: None))
    jobs.release.set()
    jobs.put("a1")
    jobs.wait_for(1)


def test_jobs_from_many_threads_are_all_run(work: type[QueuedWork]) -> None:
    jobs = work(4, 10_000, 10_000)
    jobs.release.set()

    def put_many(letter: str) -> None:
        for number in range(25):
            jobs.put(f"{letter}{number}")

    threads = [threading.Thread(target=put_many, args=(letter,)) for letter in "abCD"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    jobs.wait_for(100)
    wait_until(lambda: jobs.queue._idle == 4)
    assert len(set(jobs.started)) == 100
    assert not jobs.queue._running
    assert len(jobs.queue) == 0
