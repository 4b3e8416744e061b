"""Creates the application of a web process: the HTTP API, and the pages."""

from typing import Final

from flask import Flask

from service.bootstrap import Service
from service.http.api_docs import PREFIX
from service.http.app import create_app
from service.http.metrics import Metrics
from service.pages import blueprint, errors, session, templating
from service.pages.views import (
    accounts,
    announcements,
    clocks,
    disputes,
    email,
    home,
    invitations,
    lobby,
    messages,
    notifications,
    password,
    pictures,
    plan,
    play,
    proofs,
    push,
    quick_play,
    replay,
    rules,
    sandboxes,
    static_files,
    substitutes,
    takebacks,
    tutorial,
    unsubscribe,
    verify,
    webhooks,
)

_VIEWS: Final = (
    home,
    announcements,
    accounts,
    password,
    email,
    unsubscribe,
    notifications,
    webhooks,
    push,
    quick_play,
    tutorial,
    lobby,
    invitations,
    messages,
    play,
    pictures,
    replay,
    disputes,
    plan,
    substitutes,
    takebacks,
    clocks,
    sandboxes,
    proofs,
    rules,
    verify,
    static_files,
)


def create_web_app(service: Service, metrics: Metrics | None = None) -> Flask:
    """Create the application of a web process for a service."""
    app = create_app(service, metrics)
    session.register(app, service.redis, f"{PREFIX}/")
    blueprint.register_protection(app)
    blueprint.register_compression(app)
    templating.register(app)
    pages = blueprint.create_pages()
    errors.register(app, pages)
    for module in _VIEWS:
        pages.register_blueprint(module.blueprint)
    app.register_blueprint(pages)
    return app
