"""Creates the Flask application from its parts.

A request gets an id, counts towards the rate limits, and reaches its view through the checks of
blueprint.py. Every error becomes a problem (problems.py), and every response gets the same headers
and one line in the access log.
"""

from typing import Final

from flask import Flask

from service.bootstrap import Service
from service.http import api_docs, language, problems, ratelimits
from service.http.access_log import AccessLog, Metrics
from service.http.blueprint import Application, PathInteger
from service.http.context import ACCESS_LOG, METRICS, SERVICE
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
from service.http.validation import MAX_BODY_BYTES

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


def create_app(service: Service, metrics: Metrics | None = None) -> Flask:
    """Create the application for a service."""
    app = Application("cartulary", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    app.url_map.strict_slashes = True
    app.url_map.merge_slashes = False
    app.url_map.converters["int"] = PathInteger
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
