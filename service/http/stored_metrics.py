"""Metrics of the whole service: what its processes have reported in Redis, read when they are requested.

Workers and schedulers have no HTTP server, so this is how their reports get into the metrics.
"""

from prometheus_client import CollectorRegistry, Gauge, generate_latest

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
    try:
        damaged_games.set(service.damaged_games.count())
    except Unavailable:
        return b""
    return generate_latest(registry)
