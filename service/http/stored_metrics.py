"""Metrics of the whole service: what its processes have reported in Redis, read when they are requested.

Workers and schedulers have no HTTP server, so this is how their reports get into the metrics.
"""

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest

from service.bootstrap import Service
from service.errors import Unavailable


def render(service: Service) -> bytes:
    """Return the metrics in the text format of Prometheus; b"" if Redis does not respond."""
    registry = CollectorRegistry()
    damaged_games = Gauge(
        "cartulary_damaged_games",
        "Games with a stored value that cannot be read",
        registry=registry,
    )
    clock_jumps = Counter(
        "cartulary_clock_jumps",
        "Jumps of the clock that processes have observed, and clocks that differed from that of Redis",
        registry=registry,
    )
    try:
        damaged_games.set(service.damaged_games.count())
        clock_jumps.inc(service.clock.observed_jumps())
    except Unavailable:
        return b""
    return generate_latest(registry)
