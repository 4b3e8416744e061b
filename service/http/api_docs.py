"""The OpenAPI document, and a page to read it. The page loads nothing from other hosts.

The page is made by RapiDoc, a script of npm, which static/ contains as it was published, with its licences.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from importlib.metadata import version
from pathlib import Path
from typing import Final

import brotli  # type: ignore[import-untyped] # has no annotations
import flask_smorest  # type: ignore[import-untyped] # has no annotations
import orjson
from flask import Flask, Response, request
from markupsafe import Markup
from werkzeug.exceptions import NotFound

from domain.messages import message
from replay.language.renderer import english
from service.http.blueprint import INSUFFICIENT_SCOPE, Blueprint, error_name
from service.http.context import optional_auth
from service.http.examples import add_examples
from service.http.language import request_language, request_renderer
from service.http.problems import CONTENT_TYPE, PROBLEM_TYPES
from service.http.schemas.responses import Problem
from service.http.schemas.rule_systems import add_rule_systems
from service.http.schemas.type_schemas import RESPONSES, Components

PREFIX: Final = "/api/v1"
STATIC_FOLDER: Final = Path(__file__).parent / "static"
_TYPES: Final = {".js": "text/javascript", ".txt": "text/plain"}
_BROTLI_LEVEL: Final = 9
"""RapiDoc in 60 ms, once in a process; the highest level would take a second for a tenth less."""
_MAX_AGE_SECONDS: Final = 3600
_CONTENT_SECURITY_POLICY: Final = (
    # RapiDoc sets styles in attributes of its elements.
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:;"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_INTRODUCTION: Final = (
    "Board games by mail. Every game is a log of events that anybody can check. Reading needs no"
    " account; for everything else, register and send the token as `Authorization: Bearer TOKEN`."
    " Errors are problem details (RFC 9457), and a refused request changes nothing."
)
_PAGE: Final = Markup("""<!doctype html>
<html lang="{language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · Cartulary</title>
<link rel="icon" href="data:,">
<script src="docs/files/rapidoc-min.js" type="module"></script>
<script src="docs/files/api-docs.js" type="module"></script>
<rapi-doc lang="en" spec-url="openapi.json" load-fonts="false" regular-font="system-ui, sans-serif"
  mono-font="monospace" show-header="false" allow-server-selection="false">
<div slot="overview" lang="{language}">
<p>{remark}</p>
<p><a href="/">{home}</a> · <a href="openapi.json">openapi.json</a></p>
</div>
</rapi-doc>
<noscript><p>{without_scripts} <a href="openapi.json">openapi.json</a></p></noscript>
</html>
""")


class Api(flask_smorest.Api):  # type: ignore[misc] # flask_smorest has no annotations
    """The OpenAPI document of an application. Errors are handled in problems.py."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def describe(self, blueprint: Blueprint) -> None:
        """Add the routes of a blueprint of the application to the document."""
        blueprint.register_views_in_doc(
            self, self._app, self.spec, name=blueprint.name, parameters=None
        )
        self.spec.tag({"name": blueprint.name, "description": blueprint.description})

    def _register_error_handlers(self) -> None:
        """Install none of flask-smorest's handlers."""

    def _register_pagination_header(self) -> None:
        """Add no component for a header that this API does not use."""

    def _register_responses(self) -> None:
        for status, problem_type in PROBLEM_TYPES.items():
            content = {CONTENT_TYPE: {"schema": RESPONSES.schema_of(Problem)}}
            reply = {"description": english(problem_type.title), "content": content}
            self.spec.components.response(error_name(status), reply, lazy=True)
            if status == 403:
                self.spec.components.response(INSUFFICIENT_SCOPE, reply, lazy=True)


def register(app: Flask, blueprints: Iterable[Blueprint]) -> None:
    """Serve the document of these blueprints of the application, and the page."""

    @cache
    def document() -> bytes:
        return document_of(app, blueprints)

    def openapi() -> Response:
        return Response(document(), content_type="application/json")

    for rule, view in (("/openapi.json", openapi), ("/docs", _page), ("/docs/files/<name>", _file)):
        endpoint = _with_authentication(view)
        app.add_url_rule(PREFIX + rule, f"docs-{view.__name__}", endpoint)


def _with_authentication(view: Callable[..., Response]) -> Callable[..., Response]:
    """Return a view that refuses an invalid token, as all calls of the API do."""

    @wraps(view)
    def endpoint(**arguments: str) -> Response:
        optional_auth()
        return view(**arguments)

    return endpoint


def document_of(app: Flask, blueprints: Iterable[Blueprint]) -> bytes:
    """Return the OpenAPI document.

    It is made when it is first requested, since it takes longer to make than the rest of the application.
    """
    api = Api(
        app,
        spec_kwargs={
            "title": "Cartulary",
            "version": "1",
            # More programs read 3.0 than 3.1.
            "openapi_version": "3.0.3",
            "info": {"description": _INTRODUCTION, "x-engine": version("cartulary")},
            "servers": [{"url": "/"}],
        },
    )
    api.spec.components.security_scheme("token", {"type": "http", "scheme": "bearer"})
    for blueprint in blueprints:
        api.describe(blueprint)
    components = Components(RESPONSES.schemas)
    add_rule_systems(components)
    for name, schema in sorted(components.schemas.items()):
        api.spec.components.schema(name, schema)
    document = api.spec.to_dict()
    add_examples(document)
    return orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS)


def _page() -> Response:
    sentence = request_renderer().sentence
    page = _PAGE.format(
        language=request_language(),
        title=sentence(message("the HTTP API")),
        remark=sentence(
            message("The descriptions of the calls and the labels of this page are in English.")
        ),
        home=sentence(message("to the games")),
        without_scripts=sentence(
            message("This page needs scripts. Without them, read the OpenAPI document:")
        ),
    )
    response = Response(page, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = _CONTENT_SECURITY_POLICY
    return response


def _file(name: str) -> Response:
    data = _files().get(name)
    if data is None:
        raise NotFound
    is_compressed = request.accept_encodings["br"] > 0
    response = Response(
        _compressed(name) if is_compressed else data, mimetype=_TYPES[Path(name).suffix]
    )
    if is_compressed:
        response.content_encoding = "br"
    response.vary.add("Accept-Encoding")
    response.cache_control.max_age = _MAX_AGE_SECONDS
    return response


@cache
def _files() -> Mapping[str, bytes]:
    return {path.name: path.read_bytes() for path in STATIC_FOLDER.iterdir()}


@cache
def _compressed(name: str) -> bytes:
    data: bytes = brotli.compress(_files()[name], quality=_BROTLI_LEVEL)
    return data
