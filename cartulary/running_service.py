"""Access to the data of a service, for commands that are not one of its processes."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from cartulary.trusted_keys import SERVICE, trust_own_key
from domain.json_types import JsonObject
from service.bootstrap import Service, build
from service.errors import Unavailable
from service.provenance import decode
from service.settings import Settings, load_settings


class ServiceAway(Unavailable):
    """The Redis of the service does not respond, so that no service is running."""


def service_away(settings: Settings) -> ServiceAway:
    """Return the error of a command whose service has the Redis of these settings, which does not respond."""
    if settings.is_embedded:
        return ServiceAway.with_message(
            "no service is running on {folder}: start `cartulary serve` there, or name the folder of the"
            " running service with CARTULARY_DATA, or the URL of its Redis with CARTULARY_REDIS_URL",
            folder=str(settings.data),
        )
    return ServiceAway.with_message("the Redis at the given URL does not respond")


@contextmanager
def open_service(environ: Mapping[str, str], redis_url: str | None) -> Iterator[Service]:
    """Open the service whose Redis is at `redis_url` (None: at the URL of the settings), read-only.

    Raises SettingsError, and ServiceAway if the Redis does not respond.
    """
    variables = {} if redis_url is None else {"CARTULARY_REDIS_URL": redis_url}
    settings = load_settings({**environ, **variables})
    # A command that reads a game must not publish a new signing key.
    service = build(settings, read_only=True)
    try:
        yield service
    except Unavailable as error:
        raise service_away(settings) from error
    finally:
        service.redis.close()


def read_live_record(environ: Mapping[str, str], game_id: str, redis_url: str | None) -> bytes:
    """Return the record of a live game, as a spectator sees it.

    It is signed with the service's key, which is on this machine, and from now on trusted here. Raises
    NotFound, NoKeyError, and the errors of `open_service`.
    """
    with open_service(environ, redis_url) as service:
        data = b"".join(service.games.queries.record(game_id))
        key = service.keyring.current_entry()["public"]
        trust_own_key(environ, key, SERVICE, service.settings.origin or None)
        return data


def read_live_details(
    environ: Mapping[str, str], game_id: str, seq: int, redis_url: str | None
) -> tuple[list[JsonObject], JsonObject | None]:
    """Return the stored deliveries of notifications about an event of a live game, and what appended it.

    Raises the errors of `open_service`.
    """
    with open_service(environ, redis_url) as service:
        deliveries = service.notifications.deliveries.about(game_id, seq)
        stored = service.store.provenance(game_id, seq - 1, seq).get(seq, "")
        provenance = decode(stored)
        return (
            [delivery.as_json() for delivery in deliveries],
            None if provenance is None else {"kind": provenance.kind, "id": provenance.id},
        )
