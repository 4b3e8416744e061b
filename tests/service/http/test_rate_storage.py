"""Rate limits that a process counts by itself do not depend on the wall clock."""

import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from service.bootstrap import build
from service.http.app import create_app
from service.http.ratelimits import MonotonicStorage
from service.settings import Settings

Advance = Callable[[float], None]


@pytest.fixture
def advance(monkeypatch: pytest.MonkeyPatch) -> Advance:
    """A function that advances the monotonic clock by some seconds."""
    skipped = 0.0
    monotonic = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: monotonic() + skipped)

    def advance(seconds: float) -> None:
        nonlocal skipped
        skipped += seconds

    return advance


def test_a_window_ends_although_the_wall_clock_has_been_set_back(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, advance: Advance
) -> None:
    service = build(replace(settings, rate_requests="2/minute"))
    client = create_app(service).test_client()

    def get() -> tuple[int, str | None]:
        response = client.get("/api/v1/keys")
        return response.status_code, response.headers.get("Retry-After")

    assert [get()[0] for _ in range(2)] == [200, 200]
    wall_clock = time.time
    monkeypatch.setattr(time, "time", lambda: wall_clock() - 86400)
    status, seconds = get()
    assert status == 429
    assert seconds is not None
    assert 50 <= int(seconds) <= 60
    advance(61)
    assert get()[0] == 200
    service.redis.close()


def test_windows_are_counted_and_end_one_by_one(advance: Advance) -> None:
    storage = MonotonicStorage()
    assert [storage.incr("a", 60), storage.incr("a", 60), storage.incr("b", 120)] == [1, 2, 1]
    advance(61)
    assert (storage.get("a"), storage.get("b")) == (0, 1)
    assert storage.get_expiry("b") == pytest.approx(time.time() + 59, abs=2)
    assert storage.get_expiry("a") == pytest.approx(time.time(), abs=2)
    assert storage.incr("a", 60) == 1
    storage.clear("a")
    assert storage.get("a") == 0
    assert storage.check()
    assert storage.reset() == 1
    assert storage.get("b") == 0


def test_the_number_of_windows_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.http.ratelimits.MAX_WINDOWS", 100)
    storage = MonotonicStorage()
    for number in range(110):
        storage.incr(str(number), 60)
    assert storage.reset() == 100
