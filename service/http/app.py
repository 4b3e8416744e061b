"""Creates the Flask application from its parts.

A request gets an id, counts towards the rate limits, and reaches its view through the checks of
blueprint.py. Every error becomes a problem (problems.py), and every response gets the same headers
and one line in the access log.
"""

from typing import Final

from flask import Flask, g, request
from flask.typing import ResponseReturnValue

from service.accounts.api import account, players
from service.administration import api as administration
from service.analyses import api as analyses
from service.bootstrap import Service
from service.chat import api as chat
from service.clubs.api import challenges as club_challenges
from service.clubs.api import clubs
from service.conditional_actions import api as conditional_actions
from service.disputes import api as disputes
from service.explorer import api as explorer
from service.games.api import clocks, games, history, invitations, people, play
from service.http import api_docs, health, language, problems, ratelimits
from service.http.access_log import AccessLog, Metrics
from service.http.blueprint import Application, PathInteger
from service.http.context import ACCESS_LOG, METRICS, SERVICE
from service.http.route_words import words_for_handles
from service.http.validation import MAX_BODY_BYTES
from service.imports import api as imports
from service.notifications import api as notifications
from service.operation.tracing import Tracing
from service.pictures import api as pictures
from service.puzzles import api as puzzles
from service.ratings import api as ratings
from service.replication import Replication
from service.sandboxes import api as sandboxes
from service.tournaments import api as tournaments
from service.transparency import api as transparency

_BLUEPRINTS: Final = (
    players.blueprint,
    players.profiles,
    account.blueprint,
    games.blueprint,
    invitations.blueprint,
    people.blueprint,
    clubs.blueprint,
    club_challenges.blueprint,
    chat.blueprint,
    chat.comments,
    chat.tournament_posts,
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
    history.notes,
    notifications.webhooks,
    notifications.push,
    sandboxes.blueprint,
    analyses.blueprint,
    puzzles.blueprint,
    explorer.blueprint,
    imports.blueprint,
    imports.own,
    transparency.blueprint,
    ratings.blueprint,
    tournaments.blueprint,
    administration.blueprint,
)

_DOCUMENTED: Final = (*_BLUEPRINTS, health.blueprint)
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


def trace_requests(app: Flask, tracing: Tracing) -> None:
    """Make a span for each request that has a view, with the id of the request."""
    dispatch = app.dispatch_request

    def traced_dispatch() -> ResponseReturnValue:
        route = "none" if request.url_rule is None else request.url_rule.rule
        attributes = {
            "http.request.method": request.method,
            "http.route": route,
            "cartulary.request.id": g.request_id,
        }
        with tracing.span(f"{request.method} {route}", attributes):
            return dispatch()

    setattr(app, "dispatch_request", traced_dispatch)  # noqa: B010 # mypy allows no assignment to a method


def wait_for_replicas(app: Flask, replication: Replication) -> None:
    """Answer requests that may have written only when replicas have the writes."""
    dispatch = app.dispatch_request

    def waiting_dispatch() -> ResponseReturnValue:
        if request.method in _SAFE_METHODS:
            return dispatch()
        masters = replication.masters()
        response = dispatch()
        replication.wait(since=masters)
        return response

    setattr(app, "dispatch_request", waiting_dispatch)  # noqa: B010 # mypy allows no assignment to a method


def reserve_words(app: Flask, service: Service) -> None:
    """Keep players from registering words that routes of the application have in the place of handles."""
    rules = (rule.rule for rule in app.url_map.iter_rules())
    service.accounts.players.reserve_words(words_for_handles(rules))


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
    app.extensions[ACCESS_LOG] = AccessLog(app, metrics)
    ratelimits.register(app, service.redis, service.settings.rate_requests)
    for blueprint in _BLUEPRINTS:
        app.register_blueprint(blueprint, url_prefix=api_docs.PREFIX)
    app.register_blueprint(health.blueprint)
    api_docs.register(app, _DOCUMENTED)
    reserve_words(app, service)
    language.register(app)
    problems.register(app)
    if service.settings.wait_replicas:
        wait_for_replicas(app, service.replication)
    return app


def openapi_document(app: Flask) -> bytes:
    """Return the OpenAPI document of an application that `create_app` has created."""
    return api_docs.document_of(app, _DOCUMENTED)
