"""Rate limits: how many requests one player or address may make.

All requests are counted in the memory of the process, which costs nothing worth mention; registering and
logging in, which cost a hash each and invite guessing, are counted in Redis for all processes together.
Both limits are settings (service/settings.py); none is set for requests unless somebody wants it.
"""

import math
import time
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final, ParamSpec, cast

import redis
from flask import Flask, Response, current_app, request
from limits import RateLimitItem, parse_many
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import FixedWindowRateLimiter

from service.connection import reachable
from service.errors import TooMany
from service.http import auth
from service.settings import Settings

P = ParamSpec("P")

PREFIX: Final = "cartulary:rate"
EXTENSION: Final = "cartulary-rates"
UNCOUNTED: Final = frozenset({"/healthz", "/readyz", "/metrics"})


class RateLimits:
    """The limits of one application."""

    def __init__(self, settings: Settings, client: redis.Redis) -> None:
        self._requests = _limits(settings.rate_requests)
        self._accounts = _limits(settings.rate_accounts)
        self._here = FixedWindowRateLimiter(MemoryStorage())
        # The URL only says that it is Redis: the connections are ours.
        storage = RedisStorage("redis://", client.connection_pool, PREFIX)
        self._everywhere = FixedWindowRateLimiter(storage)

    def count_request(self) -> None:
        """Count this request. Raises TooMany."""
        if self._requests and request.path not in UNCOUNTED:
            who = auth.anyone() or _address()
            _count(self._here, self._requests, "requests", who)

    def count_account(self) -> None:
        """Count this attempt at an account. Raises TooMany, Unavailable."""
        if self._accounts:
            with reachable():
                _count(self._everywhere, self._accounts, "accounts", _address())


def register(app: Flask, limits: RateLimits) -> None:
    """Have all requests of this application counted."""
    app.extensions[EXTENSION] = limits
    app.before_request(limits.count_request)


def accounts_limited(view: Callable[P, Response]) -> Callable[P, Response]:
    """A call that is counted among the attempts at accounts."""

    @wraps(view)
    def counted(*args: P.args, **kwargs: P.kwargs) -> Response:
        cast("RateLimits", current_app.extensions[EXTENSION]).count_account()
        return view(*args, **kwargs)

    return counted


def _limits(words: str) -> Sequence[RateLimitItem]:
    return parse_many(words) if words else ()


def _count(limiter: FixedWindowRateLimiter, limits: Sequence[RateLimitItem], *key: str) -> None:
    for limit in limits:
        if not limiter.hit(limit, *key):
            stats: Any = limiter.get_window_stats(limit, *key)
            wait = max(1, math.ceil(stats.reset_time - time.time()))
            raise TooMany(f"no more than {limit} are taken from one side", wait)


def _address() -> str:
    return request.remote_addr or "nowhere"
