"""Health checks and metrics, for operators of the service. They are outside /api/v1 and need
no token.
"""

import logging
from typing import Final

import redis
from flask import Response, current_app
from redis.backoff import NoBackoff
from redis.retry import Retry

from domain.errors import Unreadable
from service.connection import unavailable_on_error
from service.errors import Unavailable
from service.http import stored_metrics
from service.http.blueprint import Blueprint, response
from service.http.context import metrics, service
from service.http.metrics import CONTENT_TYPE
from service.http.responses import json_response
from service.http.schemas.responses import Health

log = logging.getLogger(__name__)

PING_TIMEOUT: Final = 1.0
"""Seconds after which a Redis that does not answer counts as unreachable."""


blueprint = Blueprint("health", __name__, description="Health checks and metrics.")


@blueprint.route(
    "GET", "/healthz", auth="public", responses={200: response("The process is alive.", Health)}
)
def check_health() -> Response:
    """Check whether the process is alive."""
    return json_response({"status": "alive"})


@blueprint.route(
    "GET",
    "/readyz",
    auth="public",
    responses={200: response("The process is ready to serve.", Health)},
)
def check_readiness() -> Response:
    """Check whether the process is ready.

    It is ready if the log and the queue can be reached, and its signing key is published.
    """
    settings = service().settings
    urls = {"the log": settings.redis_url, "the queue": settings.queue_url}
    unreachable = [name for name, url in urls.items() if not _is_reachable(url)]
    if unreachable:
        raise Unavailable(f"{' and '.join(unreachable)} cannot be reached")
    try:
        service().keyring.publish_key()
    except (Unreadable, OSError) as error:
        log.error("the signing key cannot be used: %s", error)  # noqa: TRY400 # the message is enough
        raise Unavailable("the signing key cannot be used") from error
    return json_response({"status": "ready"})


@blueprint.route(
    "GET",
    "/metrics",
    auth="public",
    responses={200: response("Metrics for Prometheus.", content_type="text/plain")},
)
def get_metrics() -> Response:
    """Get metrics in the text format of Prometheus."""
    page = metrics().render() + stored_metrics.render(service())
    return Response(page, content_type=CONTENT_TYPE)


def _is_reachable(url: str) -> bool:
    clients: dict[str, redis.Redis] = current_app.extensions.setdefault("cartulary-pings", {})
    client = clients.setdefault(
        url,
        redis.Redis.from_url(
            url,
            retry=Retry(NoBackoff(), 0),
            socket_connect_timeout=PING_TIMEOUT,
            socket_timeout=PING_TIMEOUT,
        ),
    )
    try:
        with unavailable_on_error():
            return bool(client.ping())
    except Unavailable:
        return False
