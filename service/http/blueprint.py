"""Blueprints: routes whose forms are checked here and stand in the OpenAPI document.

flask-smorest keeps the document; of its decorators only what they note about a view is used, so that a
call costs nothing for being described. Forms are checked by our own strict reading of bodies and queries.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import Any, Final, TypeAlias

import flask_smorest  # type: ignore[import-untyped]
from flask import Response, request
from flask_smorest.utils import prepare_response  # type: ignore[import-untyped]
from marshmallow import Schema

from domain.errors import Malformed
from service.http.json_body import json_of
from service.http.problems import CONTENT_TYPE, NAMES
from service.http.schemas.fields import Form, Text, checked
from service.http.schemas.problem import Problem

View: TypeAlias = Callable[..., Response]
Decorator: TypeAlias = Callable[[View], View]
Further: TypeAlias = Callable[..., Mapping[str, str]]
"""Looks at a body that its form has refused for what else is wrong with it: (body, **view_args) -> faults."""

_SECURED: Final[dict[str, Any]] = {"security": [{"token": []}]}


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]
    """Routes that belong together."""

    def call(self, method: str, rule: str, **options: Any) -> Decorator:
        """Have a view answer to this method at this address."""

        def decorated(view: View) -> View:
            self.add_url_rule(rule, None, view, methods=[method], **options)
            return view

        return decorated

    def takes(
        self, form: Schema, *, required: bool = True, further: Further | None = None
    ) -> Decorator:
        """The view is given the body, checked, as `body`. Not `required`: it may be left out."""

        def decorated(view: View) -> View:
            @wraps(view)
            def asked(**arguments: Any) -> Response:
                raw = json_of(request, required=required)
                try:
                    body = checked(form, raw)
                except Malformed as refused:
                    if further is None or not isinstance(raw, dict):
                        raise
                    raise Malformed({**further(raw, **arguments), **refused.fields}) from None
                return view(**arguments, body=body)

            noted = super(Blueprint, self).arguments(form, required=required, error_status_code=400)
            return _note(asked, noted)

        return decorated

    def asks(self, form: Schema) -> Decorator:
        """The view is given the query, checked, as `query`."""

        def decorated(view: View) -> View:
            @wraps(view)
            def asked(**arguments: Any) -> Response:
                twice = [name for name, values in request.args.lists() if len(values) > 1]
                if twice:
                    raise Malformed(dict.fromkeys(twice, "is given more than once"))
                query = checked(form, request.args.to_dict())
                return view(**arguments, query=query)

            noted = super(Blueprint, self).arguments(form, location="query", error_status_code=400)
            return _note(asked, noted)

        return decorated

    def asks_nothing(self, view: View) -> View:
        """The view takes no query: what somebody asks for there, as another's view, is not passed over."""

        @wraps(view)
        def asked(**arguments: Any) -> Response:
            checked(Form(), request.args.to_dict())
            return view(**arguments)

        return asked

    def header(self, name: str, description: str) -> Decorator:
        """Describe a header that the view looks at."""
        form = Schema.from_dict({name: Text(metadata={"description": description})}, name=name)
        return self._noting(super().arguments(form, location="headers", error_status_code=400))

    def gives(
        self,
        status: int,
        form: Schema | None,
        description: str,
        *,
        content_type: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Decorator:
        """Describe what the view answers when all is well. `headers`: name, and what it says."""
        told = {
            name: {"description": what, "schema": {"type": "string"}}
            for name, what in (headers or {}).items()
        }
        return self._noting(
            self.response(
                status,
                form,
                description=description,
                content_type=content_type,
                headers=told or None,
            )
        )

    def refuses(self, *statuses: int, player: bool = False) -> Decorator:
        """Describe with which statuses the view refuses; `player`: it needs a token."""

        def decorated(view: View) -> View:
            for status in sorted({*statuses, 429, 500, 503} | ({401} if player else set())):
                view = _note(view, self.alt_response(status, HTTPStatus(status).name))
            return _note(view, self.doc(**_SECURED)) if player else view

        return decorated

    def _noting(self, library: Callable[[View], Any]) -> Decorator:
        return lambda view: _note(view, library)


class Api(flask_smorest.Api):  # type: ignore[misc]
    """The OpenAPI document; errors are problems, and are handled elsewhere."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def _register_error_handlers(self) -> None:
        """Nothing: service/http/problems.py does it."""

    def _register_responses(self) -> None:
        for status in NAMES:
            response = {"description": NAMES[status][1], "schema": Problem}
            prepare_response(response, self.spec, CONTENT_TYPE)
            self.spec.components.response(HTTPStatus(status).name, response, lazy=True)


def idempotency_key() -> str | None:
    """The Idempotency-Key that was sent, or None. Raises Malformed."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not (0 < len(key) <= 255 and key.isascii() and key.isprintable()):
        raise Malformed({"Idempotency-Key": "must be 1 to 255 printable ASCII characters"})
    return key


def _note(view: View, library: Callable[[View], Any]) -> View:
    """Take over what a decorator of the library notes about a view, and leave its wrapper away."""
    view._apidoc = library(view)._apidoc  # type: ignore[attr-defined] # noqa: SLF001
    return view
