"""Rate limits of attempts to register or log in, of new places in games, of disputes, of messages, of audits,
and of all requests (Flask-Limiter).

An attempt costs a password hash and may be a guess, places in games and disputes add to logs that are kept
for ever, and an audit takes a second of the processor, so these are counted in Redis for all processes
together. Other requests are counted in the memory of each process (`MonotonicStorage`), and only if an
operator sets a limit. All limits are settings (service/settings.py). A request without a valid token counts
for its network: an IPv4 address or an IPv6 /64 (service/visitors.py).
"""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Final

import redis
from cachetools import TLRUCache
from flask import Flask, request
from flask_limiter import Limiter, RequestLimit, RouteLimit
from limits.storage import RedisStorage, Storage
from typing_extensions import override

from domain.messages import Term, counted, message, term
from service.cluster import ClusterClient
from service.errors import TooManyRequests
from service.http.context import authenticated_player, client_network, service

SCHEME: Final = "monotonic"
MAX_WINDOWS: Final = 100_000
"""The most visitors that are counted at the same time; the least recent ones are forgotten."""


@dataclass(slots=True)
class _Window:
    """The requests of a visitor until a moment of the monotonic clock."""

    ends_at: float
    count: int = 0


class MonotonicStorage(Storage):
    """Counts in memory, for the strategy `fixed-window`. Thread-safe."""

    STORAGE_SCHEME: list[str] | None = [SCHEME]  # noqa: RUF012 # declared by the base class

    def __init__(self, uri: str | None = None, **_options: float | str | bool) -> None:
        """Create an empty storage. It has no options, since there are no errors to wrap."""
        super().__init__(uri)
        self._windows: TLRUCache[str, _Window] = TLRUCache(
            MAX_WINDOWS, ttu=lambda _key, window, _now: window.ends_at, timer=time.monotonic
        )
        self._lock = Lock()

    @property
    @override
    def base_exceptions(self) -> tuple[type[Exception], ...]:
        """No errors can occur."""
        return ()

    @override
    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Add to the count of a window, which ends `expiry` seconds after its first request."""
        with self._lock:
            window = self._windows.get(key)
            if window is None:
                window = self._windows[key] = _Window(time.monotonic() + expiry)
            window.count += amount
            return window.count

    @override
    def get(self, key: str) -> int:
        """Return the count of a window."""
        with self._lock:
            window = self._windows.get(key)
            return 0 if window is None else window.count

    @override
    def get_expiry(self, key: str) -> float:
        """Return the end of a window, as a time of the wall clock."""
        with self._lock:
            window = self._windows.get(key)
            return time.time() + (0 if window is None else window.ends_at - time.monotonic())

    @override
    def check(self) -> bool:
        """Return True: there is nothing that could fail."""
        return True

    @override
    def reset(self) -> int:
        """Forget all windows; return their number."""
        with self._lock:
            count = len(self._windows)
            self._windows.clear()
            return count

    @override
    def clear(self, key: str) -> None:
        """Forget a window."""
        with self._lock:
            self._windows.pop(key, None)


_KEY_PREFIX: Final = "cartulary:rate"
_REQUEST: Final = term("request; plural: requests")
_PERIODS: Final[Mapping[str, Term]] = {
    "second": term("second; plural: seconds"),
    "minute": term("minute; plural: minutes"),
    "hour": term("hour; plural: hours"),
    "day": term("day; plural: days"),
    "month": term("month; plural: months"),
    "year": term("year; plural: years"),
}
"""The units of the limits of Flask-Limiter."""
_UNLIMITED: Final = frozenset({"/healthz", "/healthz/processes", "/readyz", "/metrics"})


def _player_or_network() -> str:
    return authenticated_player() or client_network()


def _refuse(limit: RequestLimit) -> None:
    """Raise TooManyRequests instead of the exception of Flask-Limiter, which has no time to wait."""
    seconds = math.ceil(limit.window.reset_time - time.time())
    rate = limit.limit
    refusal = message(
        "the limit is {requests} in {period}",
        requests=counted(rate.amount, _REQUEST),
        period=counted(rate.multiples, _PERIODS[rate.GRANULARITY.name]),
    )
    raise TooManyRequests(refusal, max(1, seconds))


_stored: Final = Limiter(client_network, strategy="fixed-window", on_breach=_refuse)


def _limit_by_player(scope: str, rate: Callable[[], str]) -> RouteLimit:
    return _stored.shared_limit(rate, scope=scope, key_func=_player_or_network)


# These decorate views, and raise TooManyRequests, and Unavailable without Redis.
limit_account_attempts: Final = _stored.shared_limit(
    lambda: service().settings.rate_accounts, scope="accounts"
)
"""The limit of views that register or log in; it counts by network."""
limit_new_places: Final = _limit_by_player("games", lambda: service().settings.rate_games)
"""The limit of views that create or join games, or change keys, which the logs of games record."""
limit_disputes: Final = _limit_by_player("disputes", lambda: service().settings.rate_disputes)
"""The limit of views that add to a dispute or a takeback."""
limit_audits: Final = _limit_by_player("audits", lambda: service().settings.rate_audits)
"""The limit of views that audit a record."""
limit_webhook_tests: Final = _limit_by_player(
    "webhook-tests", lambda: service().settings.rate_webhook_tests
)
"""The limit of views that request a test of a webhook."""
limit_messages: Final = _limit_by_player("messages", lambda: service().settings.rate_messages)
"""The limit of views that write, erase or report a message, or mute a player."""


def register(app: Flask, client: redis.Redis, requests_limit: str) -> None:
    """Make the application limit attempts and new places, and all requests if `requests_limit` is set."""
    if requests_limit:
        Limiter(
            _player_or_network,
            app=app,
            application_limits=[requests_limit],
            application_limits_exempt_when=lambda: request.path in _UNLIMITED,
            # Requests that match no route have no endpoint, but count like all others.
            request_identifier=lambda: request.endpoint or "none",
            storage_uri=f"{SCHEME}://",
            strategy="fixed-window",
            on_breach=_refuse,
        )
    app.config["RATELIMIT_STORAGE_URI"] = (
        "redis://"  # names the kind only: the pool has the address
    )
    app.config["RATELIMIT_STORAGE_OPTIONS"] = {
        "connection_pool": client.connection_pool,
        "key_prefix": _KEY_PREFIX,
    }
    # Flask-Limiter's hooks look up the limits of every request, which takes as long as Flask itself, and
    # limits of decorated views do not need them. It installs none for a limiter that is registered already.
    app.extensions.setdefault("limiter", set()).add(_stored)
    _stored.init_app(app)
    if isinstance(client, ClusterClient):
        # Each of its keys and scripts has one slot, so that a client of a single Redis can be replaced.
        storage = _stored.storage
        assert isinstance(storage, RedisStorage)
        storage.storage = client
        storage.initialize_storage("")
