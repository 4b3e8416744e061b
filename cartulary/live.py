"""A running service, opened by a command that is no part of it: to read a live game, to list games anew."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from service.bootstrap import Service, build
from service.errors import Unavailable
from service.settings import load_settings


@contextmanager
def opened(environ: Mapping[str, str], redis_url: str | None) -> Iterator[Service]:
    """The service of the Redis at `redis_url` (None: of the settings), closed again afterwards.

    Raises SettingsError, and Unavailable that says which Redis does not answer.
    """
    named = {} if redis_url is None else {"CARTULARY_REDIS_URL": redis_url}
    settings = load_settings({**environ, **named})
    # A command signs with the service's key or not at all: to read a game is no reason to publish a new one.
    service = build(settings, read_only=True)
    try:
        yield service
    except Unavailable as error:
        if settings.is_embedded:
            raise Unavailable(
                f"no service runs on {settings.data}: start `cartulary serve` there, or name the Redis"
                " of another with --redis or CARTULARY_REDIS_URL"
            ) from error
        raise Unavailable("the Redis that was named does not answer") from error
    finally:
        service.redis.close()


def open_live(environ: Mapping[str, str], game: str, redis_url: str | None) -> bytes:
    """The record of a live game, as a spectator sees it. Raises like `opened`, NotFound, NoKeyError."""
    with opened(environ, redis_url) as service:
        return service.queries.record(game)
