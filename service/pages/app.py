"""Creates the application of a web process: the HTTP API, and the pages."""

from typing import Final

from flask import Flask
from flask_compress import Compress

from service.bootstrap import Service
from service.http.api_docs import PREFIX
from service.http.app import create_app
from service.http.metrics import Metrics
from service.pages import blueprint, errors, session, templating
from service.pages.views import (
    accounts,
    branches,
    disputes,
    home,
    invitations,
    lobby,
    pictures,
    play,
    proofs,
    quick_play,
    replay,
    rules,
    static_files,
    takebacks,
    verify,
)

_VIEWS: Final = (
    home,
    accounts,
    quick_play,
    lobby,
    invitations,
    play,
    pictures,
    replay,
    disputes,
    takebacks,
    branches,
    proofs,
    rules,
    verify,
    static_files,
)
_COMPRESSED: Final = [
    "text/html",
    "text/css",
    "text/javascript",
    "image/svg+xml",
]
_MIN_COMPRESSED_BYTES: Final = 1024
_BROTLI_LEVEL: Final = 4
"""Half the size of level 1, in two milliseconds for a page with a board."""


def create_web_app(service: Service, metrics: Metrics | None = None) -> Flask:
    """Create the application of a web process for a service."""
    app = create_app(service, metrics)
    app.config.update(
        COMPRESS_MIMETYPES=_COMPRESSED,
        COMPRESS_MIN_SIZE=_MIN_COMPRESSED_BYTES,
        COMPRESS_ALGORITHM=["br", "gzip"],
        COMPRESS_BR_LEVEL=_BROTLI_LEVEL,
    )
    Compress(app)
    session.register(app, service.redis, f"{PREFIX}/")
    blueprint.register_protection(app)
    templating.register(app)
    pages = blueprint.create_pages()
    errors.register(app, pages)
    for module in _VIEWS:
        pages.register_blueprint(module.blueprint)
    app.register_blueprint(pages)
    return app
