"""Single flight: threads that want the same result share one call."""

from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from threading import Event

import pytest

from service.games.single_flight import SingleFlight
from tests.support.processes import HANG_SECONDS


def test_calls_with_different_keys_run_one_after_the_other() -> None:
    flights: SingleFlight[str] = SingleFlight()
    has_first_begun, is_first_released = Event(), Event()
    calls: list[str] = []

    def compute(key: str) -> str:
        calls.append(key)
        if key == "a":
            has_first_begun.set()
            assert is_first_released.wait(HANG_SECONDS)
        return key

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(flights.run, "a", partial(compute, "a"))
        assert has_first_begun.wait(HANG_SECONDS)
        second = threads.submit(flights.run, "b", partial(compute, "b"))
        assert not wait([second], timeout=0.1).done
        assert calls == ["a"]
        is_first_released.set()
        assert [first.result(), second.result()] == calls == ["a", "b"]


def test_a_later_call_with_the_same_key_runs_again() -> None:
    flights: SingleFlight[int] = SingleFlight()
    assert [flights.run("a", partial(int, digit)) for digit in "012"] == [0, 1, 2]


def test_the_error_of_a_call_is_raised_and_not_kept() -> None:
    flights: SingleFlight[int] = SingleFlight()

    def fail() -> int:
        raise KeyError("a")

    with pytest.raises(KeyError):
        flights.run("a", fail)
    assert flights.run("a", lambda: 1) == 1
