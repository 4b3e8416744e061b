"""The Flask application: where the parts of the HTTP interface are put together.

Of the order of things: a request is given its id, then counted, then what it asks for is done; whatever
goes wrong becomes a problem, and every answer leaves with the same headers and one line in the log.
"""

from importlib.metadata import version
from typing import Final

from flask import Flask, request
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge, RequestTimeout

from service.bootstrap import Service
from service.http import access_log, api_docs, headers, problems, ratelimits
from service.http.blueprint import Api
from service.http.context import METRICS, SERVICE
from service.http.json_body import MOST_BYTES
from service.http.metrics import Metrics
from service.http.routes import games, health, history, keys, play, players

PREFIX: Final = api_docs.PREFIX
ARRIVAL: Final = "cartulary.arrival"
"""Where the gateway says what is wrong with how a request came in (an HTTP status)."""

_INTRODUCTION: Final = (
    "Board games by mail, every game a log that anyone can check. Reading is open to everyone; for the"
    " rest, register and send the token as `Authorization: Bearer TOKEN`. What is refused is told as"
    " problem details (RFC 9457), and changes nothing anywhere."
)
_ARRIVALS: Final[dict[int, HTTPException]] = {
    408: RequestTimeout("the body did not arrive in time"),
    413: RequestEntityTooLarge(f"a body may have {MOST_BYTES} bytes"),
}


def create_app(service: Service, figures: Metrics | None = None) -> Flask:
    """The application in front of a service."""
    app = Flask("cartulary", static_folder=None)
    app.config.update(
        MAX_CONTENT_LENGTH=MOST_BYTES,
        API_TITLE="Cartulary",
        API_VERSION="1",
        # The page that shows it (swagger-ui-bundle) reads 3.0, not yet 3.1.
        OPENAPI_VERSION="3.0.3",
    )
    app.url_map.strict_slashes = True
    app.url_map.merge_slashes = False
    app.extensions[SERVICE] = service
    app.extensions[METRICS] = figures or Metrics()
    access_log.register(app)
    ratelimits.register(app, ratelimits.RateLimits(service.settings, service.redis))
    app.before_request(_arrival)
    headers.register(app)
    api = Api(
        app,
        spec_kwargs={
            "info": {"description": _INTRODUCTION, "x-engine": version("cartulary")},
            "servers": [{"url": "/"}],
        },
    )
    api.spec.components.security_scheme("token", {"type": "http", "scheme": "bearer"})
    for module in (players, games, play, history, keys):
        api.register_blueprint(module.blueprint, url_prefix=PREFIX)
    api.register_blueprint(health.blueprint)
    api_docs.register(app, api)
    problems.register(app)
    return app


def _arrival() -> None:
    """Refuse what has not arrived as it should; a body that is too large is refused wherever it goes."""
    status = request.environ.get(ARRIVAL)
    if status is None and (request.content_length or 0) > MOST_BYTES:
        status = 413
    if status is not None:
        raise _ARRIVALS[status]
