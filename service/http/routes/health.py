"""How the process is: alive, able to serve, and in figures. Outside of /api/v1, without tokens."""

import redis
from flask import Response, current_app
from marshmallow import Schema, fields
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.connection import reachable
from service.errors import Unavailable
from service.http.blueprint import Blueprint
from service.http.context import figures, service
from service.http.metrics import CONTENT_TYPE
from service.http.responses import answer

PATIENCE = 1.0
"""Seconds that a part may take to answer before it counts as away."""


class Health(Schema):
    """How a process is."""

    status = fields.String(required=True)


blueprint = Blueprint("health", __name__, description="For those who run the service.")


@blueprint.call("GET", "/healthz")
@blueprint.gives(200, Health(), "alive")
@blueprint.refuses()
def alive() -> Response:
    """Whether the process answers at all."""
    return answer({"status": "alive"})


@blueprint.call("GET", "/readyz")
@blueprint.gives(200, Health(), "able to serve")
@blueprint.refuses()
def ready() -> Response:
    """Whether the log and the queue can be reached."""
    settings = service().settings
    parts = {"the log": settings.redis_url, "the queue": settings.queue_url}
    away = [name for name, url in parts.items() if not _answers(url)]
    if away:
        raise Unavailable(f"{' and '.join(away)} cannot be reached")
    return answer({"status": "ready"})


@blueprint.call("GET", "/metrics")
@blueprint.gives(200, None, "figures for Prometheus", content_type="text/plain")
@blueprint.refuses()
def metrics() -> Response:
    """Metrics, in Prometheus' text form."""
    return Response(figures().text(), content_type=CONTENT_TYPE)


def _answers(url: str) -> bool:
    client: redis.Redis = current_app.extensions.setdefault("cartulary-pings", {}).setdefault(
        url,
        redis.Redis.from_url(
            url,
            retry=Retry(NoBackoff(), 0),
            socket_connect_timeout=PATIENCE,
            socket_timeout=PATIENCE,
        ),
    )
    try:
        with reachable():
            return bool(client.ping())
    except Unavailable:
        return False
