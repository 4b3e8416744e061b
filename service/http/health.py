"""Health checks and metrics, for operators of the service. They are outside /api/v1 and read
no token.

In a web process, the gateway responds to /healthz and /readyz itself, so that they need no thread
(service/server/gateway.py).
"""

from flask import Response

from domain.json_types import JsonObject
from domain.messages import comma_list
from service.errors import Unavailable
from service.http import stored_metrics
from service.http.access_log import CONTENT_TYPE
from service.http.blueprint import Blueprint, response
from service.http.context import access_log, metrics, service
from service.http.language import request_renderer
from service.http.schemas.responses import Health, ProcessHealth
from service.operation.process_reports import health
from service.readiness import readiness_as_json

blueprint = Blueprint("health", "Health checks and metrics.", auth="without_tokens")


@blueprint.get("/healthz", "The process is alive.", Health, ignores_query=True)
def check_health() -> JsonObject:
    """Check whether the process is alive."""
    return {"status": "alive"}


@blueprint.get("/readyz", "The process is ready to serve.", Health, ignores_query=True)
def check_readiness() -> JsonObject:
    """Check whether the process is ready.

    It is ready if the log accepts writes, the queue can be reached, and its signing key is published. If a
    Redis has settings with which it can lose data, the response says in `risks` what can be lost.
    """
    readiness = service().readiness
    readiness.check()
    return readiness_as_json(readiness.risks(), request_renderer())


@blueprint.get("/healthz/processes", "A scheduler and a worker are alive.", ProcessHealth)
def check_processes() -> JsonObject:
    """Check whether the processes behind the web server are alive: a scheduler, a worker, and `replies` if
    players can answer mails.

    If one is missing, the response is a 503 that names it.
    """
    reports = service().process_reports
    report = health(reports.alive(), reports.expected_kinds)
    if report["missing"]:
        kinds = comma_list(report["missing"])
        raise Unavailable.with_message(
            "these processes have not reported lately: {kinds}", kinds=kinds
        )
    return report


@blueprint.get(
    "/metrics",
    responses={200: response("Metrics for Prometheus.", content_type="text/plain")},
    ignores_query=True,
)
def get_metrics() -> Response:
    """Get metrics in the text format of Prometheus."""
    access_log().flush()  # counts the latest responses
    page = metrics().render() + stored_metrics.render(service())
    return Response(page, content_type=CONTENT_TYPE)
