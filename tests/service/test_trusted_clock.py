"""The trusted clock notices jumps of the wall clock, continues without them, and reports them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import redis

from service import wall_clock
from service.connection import connect
from service.errors import Unavailable
from service.wall_clock import CLOCK_JUMPS_KEY, TrustedClock, monotonic

HOUR, DAY = 3600.0, 86400.0


@dataclass
class Machine:
    """A machine with a wall clock that can be set, and a monotonic clock."""

    wall: datetime
    seconds: float = 1000.0

    def wait(self, seconds: float, slew: float = 0.0) -> None:
        """Let time pass; the wall clock runs faster by `slew` seconds per second."""
        self.seconds += seconds
        self.wall += timedelta(seconds=seconds * (1 + slew))

    def jump(self, seconds: float) -> None:
        """Set the wall clock forward."""
        self.wall += timedelta(seconds=seconds)


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    client = connect(redis_url)
    yield client
    client.close()


@pytest.fixture
def machine() -> Machine:
    return Machine(wall_clock.now())


@pytest.fixture
def trusted_clock(client: redis.Redis, machine: Machine) -> TrustedClock:
    return clock_of(client, machine)


def clock_of(client: redis.Redis, machine: Machine) -> TrustedClock:
    return TrustedClock(
        client,
        max_jump=5.0,
        hold=HOUR,
        wall_clock=lambda: machine.wall,
        monotonic=lambda: machine.seconds,
    )


def test_the_trusted_clock_is_the_wall_clock_if_there_is_no_jump(
    trusted_clock: TrustedClock, machine: Machine
) -> None:
    for seconds in (0, 0.001, 30, 10 * DAY):
        machine.wait(seconds)
        assert trusted_clock.now() == machine.wall
    assert trusted_clock.observed_jumps() == 0


@pytest.mark.parametrize("seconds", [DAY, -DAY, 6, -6])
def test_after_a_jump_the_trusted_clock_continues_from_the_time_before(
    trusted_clock: TrustedClock, machine: Machine, caplog: pytest.LogCaptureFixture, seconds: float
) -> None:
    right = machine.wall
    machine.jump(seconds)
    for _ in range(3):
        assert abs(trusted_clock.now() - right) <= timedelta(milliseconds=1)
        assert not trusted_clock.is_reliable()
        machine.wait(60)
        right += timedelta(seconds=60)
    assert caplog.text.count(f"the clock has jumped by {seconds:+.1f} s") == 1
    assert trusted_clock.observed_jumps() == 1


def test_a_clock_that_is_right_again_is_trusted_immediately(
    trusted_clock: TrustedClock, machine: Machine, caplog: pytest.LogCaptureFixture
) -> None:
    machine.jump(DAY)
    assert not trusted_clock.is_reliable()
    machine.jump(-DAY)
    assert trusted_clock.is_reliable()
    assert trusted_clock.now() == machine.wall
    assert "the clock is right again" in caplog.text


def test_a_clock_that_stays_steady_after_a_jump_is_trusted_again(
    client: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    # The clock was an hour behind, and is corrected.
    machine = Machine(wall_clock.now() - timedelta(hours=1))
    trusted_clock = clock_of(client, machine)
    machine.jump(HOUR)
    assert not trusted_clock.is_reliable()
    machine.wait(HOUR - 1)
    assert trusted_clock.now() < machine.wall
    machine.wait(1)
    assert trusted_clock.now() == machine.wall
    assert "has been steady since its jump and is trusted again" in caplog.text


def test_another_jump_begins_the_wait_again(trusted_clock: TrustedClock, machine: Machine) -> None:
    machine.jump(DAY)
    trusted_clock.now()
    machine.wait(HOUR / 2)
    machine.jump(DAY)
    trusted_clock.now()
    machine.wait(HOUR / 2 + 1)
    assert trusted_clock.now() < machine.wall
    assert trusted_clock.observed_jumps() == 2
    machine.wait(HOUR / 2)
    assert trusted_clock.now() == machine.wall


@pytest.mark.parametrize("slew", [0.0005, -0.0005])
@pytest.mark.parametrize("pause", [0.2, 600.0])
def test_slow_corrections_are_not_a_jump(
    trusted_clock: TrustedClock, machine: Machine, slew: float, pause: float
) -> None:
    for _ in range(2000):
        machine.wait(pause, slew)
        assert trusted_clock.now() == machine.wall
    assert trusted_clock.observed_jumps() == 0


def test_a_jump_is_noticed_after_a_long_time_without_any_request(
    trusted_clock: TrustedClock, machine: Machine
) -> None:
    machine.wait(30 * DAY)
    machine.jump(20)
    assert trusted_clock.now() < machine.wall


def test_a_clock_that_differs_from_that_of_redis_is_not_reliable(
    client: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    machine = Machine(wall_clock.now() + timedelta(minutes=1))
    trusted_clock = clock_of(client, machine)
    for _ in range(3):
        assert not trusted_clock.is_reliable()
    assert caplog.text.count("differs from that of Redis by +") == 1
    assert trusted_clock.observed_jumps() == 1
    machine.jump(-58)
    trusted_clock = clock_of(client, machine)
    assert trusted_clock.is_reliable()


def test_an_agreement_with_redis_is_logged_after_a_difference(
    trusted_clock: TrustedClock, machine: Machine, caplog: pytest.LogCaptureFixture
) -> None:
    machine.wait(60)
    assert not trusted_clock.is_reliable()
    machine.wait(-60)
    assert trusted_clock.is_reliable()
    assert "agrees with that of Redis again" in caplog.text


def test_a_timestamp_is_never_earlier_than_the_previous_one(client: redis.Redis) -> None:
    trusted_clock = clock_of(client, Machine(datetime(2026, 11, 20, 9, 15, tzinfo=UTC)))
    assert trusted_clock.timestamp_after() == "2026-11-20T09:15:00.000Z"
    for previous, timestamp in (
        ("2026-11-20T09:15:00.001Z", "2026-11-20T09:15:00.001Z"),
        ("2026-11-20T09:14:59.999Z", "2026-11-20T09:15:00.000Z"),
    ):
        assert trusted_clock.timestamp_after(previous) == timestamp


def test_time_continues_if_redis_does_not_respond(tmp_path: Path, machine: Machine) -> None:
    client = connect(f"unix://{tmp_path}/nothing.sock")
    trusted_clock = clock_of(client, machine)
    before = machine.wall
    machine.jump(DAY)
    assert trusted_clock.now() - before <= timedelta(milliseconds=1)
    machine.jump(-DAY)
    with pytest.raises(Unavailable):
        trusted_clock.is_reliable()
    client.close()


def test_the_monotonic_clock_advances() -> None:
    first = monotonic()
    assert monotonic() >= first > 0


def test_jumps_of_all_processes_are_counted(client: redis.Redis, machine: Machine) -> None:
    clocks = [clock_of(client, machine) for _ in range(3)]
    machine.jump(DAY)
    for trusted_clock in clocks:
        trusted_clock.now()
    assert client.get(CLOCK_JUMPS_KEY) == b"3"
