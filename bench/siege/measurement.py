"""Measuring one attack: the players before, during and after it, the memory of the service, the probes.

An attack comes in waves between quiet phases. So what the players get without it is measured in the same
minute, and a machine that slows down meanwhile is not mistaken for the attack.
"""

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from math import inf
from multiprocessing.connection import Connection
from typing import Final

from bench.siege.attack import Attack, Target
from bench.siege.attackers import Attacker
from bench.siege.players import Kind, Result, Sample, run_players
from bench.siege.service_under_siege import ServiceUnderSiege
from bench.siege.stored_games import StoredGames
from bench.siege.traffic import Outcome

SECONDS_QUIET: Final = 1.25
"""Length of a quiet phase: there is one before each wave, and one after the last."""
SECONDS_TO_RECOVER: Final = 25.0
"""How long to wait for the service to be back to normal before the next attack."""
WINDOW: Final = 1.0
"""The service is back to normal with the first window of so many seconds that is as before the attack."""
_STEP: Final = 0.1

MEASUREMENTS: Final = 3
"""How often an attack is measured if a time misses its aim. The p99 is that of about 150 requests, so one
moment in which the machine stands still decides a single measurement.
"""
MOST_SLOWDOWN: Final = 3.0
SLOWEST_P99: Final = 0.1
"""Seconds; a p99 up to this is good enough, however fast the players were without the attack."""
SLOWEST_FRESH_MEDIAN: Final = 0.05
SLOWEST_FRESH: Final = 0.3
"""Seconds that are good enough for requests on new connections: their median, and the worst."""
MOST_MEMORY_GROWTH: Final = 1.5
MOST_SECONDS_TO_NORMAL: Final = 5.0


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one attack did to the others. All times are in seconds, and memory is in bytes."""

    name: str
    outcome: Outcome
    seconds: float
    quiet: tuple[Sample, ...]
    """Samples of requests that were sent in the quiet phases."""
    during: tuple[Sample, ...]
    """Samples of requests that were sent during the attack."""
    after: tuple[Sample, ...]
    attack_start: float
    memory_before: int
    memory_peak: int
    seconds_to_normal: float | None
    """None if the service was not back to normal in time."""
    is_restarted: bool
    """Whether a web process has ended."""
    can_be_served: bool = True
    """Whether the service could serve requests at all; not without Redis."""
    measured_p99s: tuple[float, ...] = ()
    """The p99s during each attack if this is the median of several measurements, in order of time."""

    def latency(self, share: float, samples: Sequence[Sample], kind: Kind = "play") -> float:
        """Return the percentile of the latency of the players' requests that were served."""
        return percentile([s.seconds for s in of_kind(samples, kind, "served")], share)

    @property
    def aim_p99(self) -> float:
        """The highest p99 of the players that meets the aim."""
        return aim_of_p99(self.latency(0.99, self.quiet))

    @property
    def slowness(self) -> float:
        """The largest ratio of a time of the players to its aim."""
        return max((time / aim for _, _, time, aim in self._times()), default=0.0)

    def refusals(self, kind: Kind = "play") -> list[float]:
        """Return the latencies of the players' requests that were refused with 503 and `Retry-After`."""
        return [sample.seconds for sample in of_kind(self.during, kind, "refused")]

    @property
    def failures(self) -> list[Sample]:
        """The requests that failed, from the start of the attack on, those of the probes included."""
        return [sample for sample in (*self.during, *self.after) if sample.result == "failed"]

    @property
    def memory_ratio(self) -> float:
        """The peak of the memory, compared with that before the attack."""
        return self.memory_peak / max(1, self.memory_before)

    def missed_aims(self) -> list[str]:
        """Return the aims that were missed, in words."""
        missed = [*self.missed_times("play"), *self.missed_times("fresh play")]
        if self.failures:
            missed.append("0 failed")
        if self.memory_ratio > MOST_MEMORY_GROWTH:
            missed.append(f"memory ≤ {MOST_MEMORY_GROWTH:g}×")
        normal = self.seconds_to_normal
        if normal is None or normal > MOST_SECONDS_TO_NORMAL:
            missed.append(f"normal within {MOST_SECONDS_TO_NORMAL:g} s")
        if self.is_restarted:
            missed.append("no web process ends")
        return missed

    def missed_times(self, kind: Kind) -> list[str]:
        """Return the aims for the times of some players that were missed, in words."""
        return [
            f"{name} ≤ {aim * 1000:.0f} ms"
            for which, name, time, aim in self._times()
            if which == kind and time > aim
        ]

    def _times(self) -> list[tuple[Kind, str, float, float]]:
        """Return the times of the players: whose each is, its name, the time and its aim."""
        times: list[tuple[Kind, str, float, float]] = [
            ("play", "p99", self.latency(0.99, self.during), self.aim_p99)
        ]
        for name, share, enough in (
            ("median on new connections", 0.5, SLOWEST_FRESH_MEDIAN),
            ("slowest on a new connection", 1.0, SLOWEST_FRESH),
        ):
            before = self.latency(share, self.quiet, "fresh play")
            aim = enough if before == inf else max(MOST_SLOWDOWN * before, enough)
            during = self.latency(share, self.during, "fresh play")
            times.append(("fresh play", name, during, aim))
        # Without Redis, nobody has to be served.
        return times if self.can_be_served else [one for one in times if one[2] != inf]


def of_kind(samples: Sequence[Sample], kind: Kind, result: Result | None = None) -> list[Sample]:
    """Return the samples of a kind, and with a result if it is given."""
    return [s for s in samples if s.kind == kind and (result is None or s.result == result)]


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that this share (0 to 1) of the values does not exceed; infinity if there are none."""
    if not values:
        return float("inf")
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def aim_of_p99(before: float) -> float:
    """Return the highest p99 of the players that meets the aim, if it was `before` without the attack."""
    return max(MOST_SLOWDOWN * before, SLOWEST_P99)


def seconds_to_normal(
    samples: Sequence[Sample], end: float, now: float, aim: float, clients: int
) -> float | None:
    """Return the seconds from `end` to the first window that is normal; None if there is none until `now`.

    In such a window, every client completes a request, every request that is completed is served, the p99
    of the players meets the aim, and the service is healthy and ready.
    """
    start = end
    while start + WINDOW <= now:
        window = [s for s in samples if start <= s.start + s.seconds < start + WINDOW]
        play = of_kind(window, "play")
        players = {sample.client for sample in (*play, *of_kind(window, "fresh play"))}
        if (
            all(sample.result == "served" for sample in window)
            and len(players) == clients
            and of_kind(window, "/healthz")
            and of_kind(window, "/readyz")
            and percentile([sample.seconds for sample in play], 0.99) <= aim
        ):
            return start - end
        start += _STEP
    return None


class PlayersProcess:
    """The process of the clients, and the samples that it has reported so far."""

    def __init__(self, connection: Connection, clients: int) -> None:
        self.clients = clients
        self.samples: list[Sample] = []
        self._connection = connection

    def wait(self, seconds: float) -> None:
        """Collect samples for so many seconds. Raises EOFError if the process has ended."""
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0:
            if self._connection.poll(rest):
                self.samples += self._connection.recv()

    def between(self, start: float, end: float) -> tuple[Sample, ...]:
        """Return the samples of requests that were sent between two points in time."""
        return tuple(sample for sample in self.samples if start <= sample.start < end)


@contextmanager
def running_players(stored: StoredGames) -> Iterator[PlayersProcess]:
    """Run the clients in a process of their own until the end of the block."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=run_players, args=(stored, sender), daemon=True)
    process.start()
    sender.close()
    try:
        yield PlayersProcess(receiver, len(stored.clients) + len(stored.fresh_clients))
    finally:
        process.terminate()
        process.join()
        receiver.close()


def measure(
    attack: Attack,
    seconds: float,
    service: ServiceUnderSiege,
    players: PlayersProcess,
    stored: StoredGames,
    control_port: int | None = None,
) -> Measurement:
    """Measure an attack that lasts so many seconds in all its waves.

    If it misses aims of time and no other, it is measured MEASUREMENTS times, and the result is the median.
    With a `control_port`, the attacker attacks that port instead of the service, and Redis is not stopped.
    """
    measurements: list[Measurement] = []
    while len(measurements) < MEASUREMENTS:
        measurements.append(_measure_once(attack, seconds, service, players, stored, control_port))
        if measurements[0].slowness <= 1 or _misses_more_than_times(measurements[-1]):
            return measurements[-1]
    return median(measurements)


def median(measurements: Sequence[Measurement]) -> Measurement:
    """Return the measurement of an attack whose times, compared with their aims, are the median."""
    ordered = sorted(measurements, key=lambda one: one.slowness)
    p99s = tuple(one.latency(0.99, one.during) for one in measurements)
    return replace(ordered[len(ordered) // 2], measured_p99s=p99s)


def _misses_more_than_times(measurement: Measurement) -> bool:
    return any("ms" not in aim for aim in measurement.missed_aims())


def _measure_once(
    attack: Attack,
    seconds: float,
    service: ServiceUnderSiege,
    players: PlayersProcess,
    stored: StoredGames,
    control_port: int | None,
) -> Measurement:
    target = stored.target
    if control_port is not None:
        target = replace(target, port=control_port, webhook_port=control_port)
        attack = replace(attack, stops_redis=False)
    waves = [
        _measure_wave(attack, seconds / attack.waves, service, players, target)
        for _ in range(attack.waves)
    ]
    start = time.monotonic()
    players.wait(SECONDS_QUIET)
    return replace(combined(waves), quiet=combined(waves).quiet + players.between(start, inf))


def _measure_wave(
    attack: Attack,
    seconds: float,
    service: ServiceUnderSiege,
    players: PlayersProcess,
    target: Target,
) -> Measurement:
    """Measure a quiet phase, a wave of an attack, and the time until the service is back to normal."""
    stopping: AbstractContextManager[None] = nullcontext()
    attackers = [Attacker(attack.name, target, seconds) for _ in range(attack.processes)]
    try:
        for attacker in attackers:
            attacker.wait_until_ready()
        start_quiet = time.monotonic()
        players.wait(SECONDS_QUIET)
        pids = service.web_pids()
        memory_before = memory_peak = service.web_memory()
        start = time.monotonic()
        for attacker in attackers:
            attacker.begin()
        if attack.stops_redis:
            stopping = service.stopped_redis()
        with stopping:
            while not all(attacker.is_over() for attacker in attackers):
                players.wait(_STEP)
                memory_peak = max(memory_peak, service.web_memory())
        end = time.monotonic()
        outcome = Outcome()
        for attacker in attackers:
            outcome.add(attacker.outcome())
    finally:
        for attacker in attackers:
            attacker.stop()
    quiet = players.between(start_quiet, start)
    aim = aim_of_p99(percentile([s.seconds for s in of_kind(quiet, "play", "served")], 0.99))
    normal = None
    while normal is None and time.monotonic() < end + SECONDS_TO_RECOVER:
        players.wait(2 * _STEP)
        memory_peak = max(memory_peak, service.web_memory())
        now = time.monotonic()
        samples = players.between(start, now)
        normal = seconds_to_normal(samples, end, now - _STEP, aim, players.clients)
    return Measurement(
        name=attack.name,
        outcome=outcome,
        seconds=end - start,
        quiet=quiet,
        during=players.between(start, end),
        after=players.between(end, time.monotonic()),
        attack_start=start,
        memory_before=memory_before,
        memory_peak=memory_peak,
        seconds_to_normal=normal,
        is_restarted=not set(pids) <= set(service.web_pids()),
        can_be_served=not attack.stops_redis,
    )


def combined(waves: Sequence[Measurement]) -> Measurement:
    """Return the measurement of an attack from those of its waves: the sums, and the worst of each figure."""
    recoveries = [wave.seconds_to_normal for wave in waves]
    outcome = Outcome()
    for wave in waves:
        outcome.add(wave.outcome)
    return replace(
        waves[0],
        outcome=outcome,
        seconds=sum(wave.seconds for wave in waves),
        quiet=tuple(sample for wave in waves for sample in wave.quiet),
        during=tuple(sample for wave in waves for sample in wave.during),
        after=tuple(sample for wave in waves for sample in wave.after),
        memory_peak=max(wave.memory_peak for wave in waves),
        seconds_to_normal=None
        if None in recoveries
        else max(seconds for seconds in recoveries if seconds is not None),
        is_restarted=any(wave.is_restarted for wave in waves),
    )
