"""Single flight: threads that want the same result share one call."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event

import pytest

from service.games.single_flight import SingleFlight


def test_calls_with_different_keys_run_at_the_same_time() -> None:
    flights: SingleFlight[str] = SingleFlight()
    is_second_done = Event()
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(flights.run, "a", lambda: str(is_second_done.wait(5)))
        assert flights.run("b", lambda: "second") == "second"
        is_second_done.set()
        assert first.result() == "True"


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
