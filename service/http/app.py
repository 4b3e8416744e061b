"""Creates the Flask application from its parts.

A request gets an id, counts towards the rate limits, and reaches its view through the checks of
blueprint.py. Every error becomes a problem (problems.py), and every response gets the same headers
and one line in the access log.
"""

from collections.abc import Callable
from typing import Any, Final

from flask import Flask, Request, Response
from typing_extensions import override
from werkzeug.routing import IntegerConverter, MapAdapter, Rule

from service.bootstrap import Service
from service.http import api_docs, language, problems, ratelimits
from service.http.access_log import AccessLog
from service.http.context import ACCESS_LOG, METRICS, SERVICE
from service.http.json_body import MAX_BODY_BYTES
from service.http.metrics import Metrics
from service.http.responses import ApiResponse
from service.http.routes import (
    account,
    administration,
    chat,
    clocks,
    conditional_actions,
    disputes,
    games,
    health,
    history,
    invitations,
    notifications,
    pictures,
    play,
    players,
    sandboxes,
    transparency,
)

_BLUEPRINTS: Final = (
    players.blueprint,
    account.blueprint,
    games.blueprint,
    invitations.blueprint,
    chat.blueprint,
    chat.mutes,
    notifications.blueprint,
    play.blueprint,
    pictures.blueprint,
    disputes.blueprint,
    games.substitutes,
    disputes.takebacks,
    conditional_actions.blueprint,
    clocks.blueprint,
    history.blueprint,
    history.receipts,
    notifications.webhooks,
    notifications.push,
    sandboxes.blueprint,
    transparency.blueprint,
    administration.blueprint,
)


class _PathInteger(IntegerConverter):
    """An integer in a path. Werkzeug's own converter accepts digits of any script, and any number of them."""

    regex = "[0-9]{1,16}"


class _Rule(Rule):
    """A rule that compiles the functions that build its addresses when it builds the first one.

    Werkzeug compiles them for every rule in advance, which takes longer than all else that creates the
    application.
    """

    @override
    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        compile = super()._compile_builder
        builder: Callable[..., tuple[str, str]] | None = None

        def build(rule: Rule, /, **values: Any) -> tuple[str, str]:
            nonlocal builder
            if builder is None:
                builder = compile(append_unknown)
            return builder(rule, **values)

        return build


class _Application(Flask):
    """Flask without what this application does not use: asynchronous views, and routes by host name."""

    response_class: type[Response] = ApiResponse
    url_rule_class: type[Rule] = _Rule

    @override
    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func

    @override
    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        if request is None:
            return None
        return MapAdapter(
            self.url_map, "", "/", "", request.scheme, request.path, default_method=request.method
        )


def create_app(service: Service, metrics: Metrics | None = None) -> Flask:
    """Create the application for a service."""
    app = _Application("cartulary", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    app.url_map.strict_slashes = True
    app.url_map.merge_slashes = False
    app.url_map.converters["int"] = _PathInteger
    app.extensions[SERVICE] = service
    metrics = metrics or Metrics()
    service.games.repository.add_listener(metrics.count_events)
    app.extensions[METRICS] = metrics
    app.extensions[ACCESS_LOG] = AccessLog(app, metrics, service.games.repository)
    ratelimits.register(app, service.redis, service.settings.rate_requests)
    for blueprint in _BLUEPRINTS:
        app.register_blueprint(blueprint, url_prefix=api_docs.PREFIX)
    app.register_blueprint(health.blueprint)
    api_docs.register(app, (*_BLUEPRINTS, health.blueprint))
    language.register(app)
    problems.register(app)
    return app
