"""Flask's and flask-smorest's classes as this API uses them: the application, its responses, its routes.

A route is described once: the description checks requests and makes the OpenAPI document. Responses are
encoded directly, not through marshmallow; the tests validate every response against the document.

Pages of any origin may read every response of the API (CORS `*`). This is safe because the API does not use
cookies: a request acts for a player only by the token that its sender adds, so another site cannot do more
than its visitor could.

flask-smorest generates the document from marshmallow schemas. Its own decorators are not used: each
of them wraps the view once more, and they read requests less strictly than this API promises.
"""

from collections.abc import Callable, Iterable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from itertools import chain
from typing import Any, Concatenate, Final, ParamSpec, TypeAlias, TypeVar

import flask_smorest  # type: ignore[import-untyped] # has no annotations
import orjson
from flask import Flask, Request, Response, g, request
from flask.templating import Environment
from marshmallow import Schema
from typing_extensions import override
from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException
from werkzeug.http import quote_etag
from werkzeug.routing import IntegerConverter, Map, MapAdapter, Rule

from domain.errors import Malformed, NotNow
from domain.json_types import JsonObject
from domain.messages import Text, message
from service.accounts.personal_tokens import Scope
from service.errors import BodyTooLarge, Forbidden, Unauthorised, UnsupportedBody
from service.games.repository import AcceptedAction
from service.http.context import (
    ACCESS_POLICIES,
    AuthPolicy,
    Resource,
    administrator_required,
    hide_private,
    login_required,
    optional_auth,
    require_access,
    require_resource,
    require_scope,
)
from service.http.schemas import responses as bodies
from service.http.schemas.type_schemas import RESPONSES
from service.http.scopes import scope_of
from service.http.validation import (
    FILE_TYPES,
    GIVEN_TWICE,
    MAX_INTEGER,
    MULTIPART,
    StrictSchema,
    String,
    read_json,
    validate,
)

Endpoint: TypeAlias = Callable[..., Response]
View: TypeAlias = Callable[..., Response | JsonObject | AcceptedAction | None]
"""Returns a response; or the body of the JSON response of its route; or None for the status 204."""
Limit: TypeAlias = Callable[[Endpoint], Endpoint]
ExtraValidation: TypeAlias = Callable[..., Mapping[str, Text]]
"""Returns errors, by field, that the schema of a refused body has not found. Its arguments are the body
and the keyword arguments of the view."""

_P = ParamSpec("_P")
_T = TypeVar("_T")

DEFAULT_HEADERS: Final = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Expose-Headers", "ETag, Location, Retry-After, X-Request-ID"),
    ("Cache-Control", "no-store"),
)
_PREFLIGHT: Final = (
    (
        "Access-Control-Allow-Headers",
        "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, X-Request-ID",
    ),
    ("Access-Control-Max-Age", "86400"),
)

NO_QUERY: Final = StrictSchema()
"""The query of a route without parameters. Unknown parameters are refused, so that nobody assumes that one of
them selects another player's view."""

INSUFFICIENT_SCOPE: Final = "INSUFFICIENT_SCOPE"
"""The name of the response 403 of operations that refuse only personal tokens without the scope."""
JSON_LINES: Final = "application/jsonl"
MAX_PARAMETERS: Final = 32
"""Parameters of a query."""
_GAME_ID: Final = "<game_id>"
_UNREADABLE: Final = (Malformed, BodyTooLarge, UnsupportedBody, HTTPException)
"""Errors of a request that cannot be read."""
_HIDING: Final = (Unauthorised, Forbidden, NotNow, *_UNREADABLE)
"""Errors that would reveal that a private game exists."""
_WITHOUT_SCOPE: Final = frozenset({"without_tokens", "public"})
"""The policies of routes that need no scope."""
_SECURITY: Final[Mapping[AuthPolicy, list[JsonObject]]] = {
    "without_tokens": [],
    "public": [],
    "optional_auth": [{}, {"token": []}],
}
"""The security requirements of policies; other policies require a token."""
_AUTHENTICATION: Final[Mapping[AuthPolicy, Callable[[], str | None]]] = {
    "optional_auth": optional_auth,
    "administrators_only": administrator_required,
}
"""The functions with which policies authenticate the sender of a request; others require any player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checks:
    """The checks before the view of a route runs; see `Blueprint.route`."""

    auth: AuthPolicy
    scope: Scope | None
    query: Schema | None
    json_body: Schema | None
    is_body_required: bool
    extra_validation: ExtraValidation | None
    is_idempotent: bool
    is_about_game: bool
    resource: Resource | None
    status: int


def _with_method(
    method: str, route: Callable[Concatenate[Any, str, _P], _T]
) -> Callable[Concatenate[Any, _P], _T]:
    def register(self: Any, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return route(self, method, *args, **kwargs)

    return register


class PathInteger(IntegerConverter):
    """An integer in a path. Werkzeug's own converter accepts digits of any script, and any number of them."""

    regex = "[0-9]{1,16}"

    def __init__(self, map: Map, **bounds: Any) -> None:
        super().__init__(map, **{"max": MAX_INTEGER, **bounds})


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


class ApiResponse(Response):
    """A response with the headers `default_headers`, except where a view has set them."""

    default_headers: tuple[tuple[str, str], ...] = DEFAULT_HEADERS

    @override
    def get_wsgi_response(
        self, environ: dict[str, Any]
    ) -> tuple[Iterable[bytes], str, list[tuple[str, str]]]:
        body, status, headers = super().get_wsgi_response(environ)
        present = {name.title() for name, _ in headers}
        headers += [header for header in self.default_headers if header[0] not in present]
        if environ["REQUEST_METHOD"] == "OPTIONS" and self.status_code == 200:
            headers.append(("Access-Control-Allow-Methods", self.headers.get("Allow", "")))
            headers += _PREFLIGHT
        return body, status, headers

    @override
    def get_wsgi_headers(self, environ: dict[str, Any]) -> Headers:
        # Werkzeug copies the headers to correct those of a response without a body or with an unknown length.
        if self.status_code < 204 and "Content-Length" in self.headers:
            return self.headers
        return super().get_wsgi_headers(environ)


class TemplateEnvironment(Environment):
    """Flask's environment, whose templates search their globals faster.

    A page includes and imports dozens of templates, and each of them copies the globals.
    """

    @override
    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        return {**self.globals, **(d or {})}


class Application(Flask):
    """Flask without what this application does not use: asynchronous views, and routes by host name."""

    response_class: type[Response] = ApiResponse
    url_rule_class: type[Rule] = _Rule
    jinja_environment: type[Environment] = TemplateEnvironment

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


def json_response(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a response with a JSON body."""
    return ApiResponse(orjson.dumps(value), status, headers, content_type="application/json")


def tagged_response(
    content: str | bytes | Callable[[], bytes],
    content_type: str,
    etag: str,
    headers: Mapping[str, str],
    *,
    is_weak: bool = False,
    is_conditional: bool = True,
) -> Response:
    """Return a response with an ETag; a 304 without the content if `is_conditional` and the client has it.

    `content` may be a function, which is called only if the client does not have the content.
    """
    tagged = {**headers, "ETag": quote_etag(etag, weak=is_weak)}
    if is_conditional and request.if_none_match.contains_weak(etag):
        return ApiResponse(status=304, headers=tagged)
    body = content() if callable(content) else content
    return ApiResponse(body, headers=tagged, content_type=content_type)


def lines_response(
    content: str | bytes | Iterable[bytes], name: str, *, disposition: str = "inline"
) -> Response:
    """Return a response with lines of JSON that only the player may see, and a name for their file.

    The first of several parts is read immediately, so that its error becomes the response.
    """
    if not isinstance(content, str | bytes):
        parts = iter(content)
        content = chain([next(parts, b"")], parts)
    return Response(
        content,
        content_type=JSON_LINES,
        headers={
            "Content-Disposition": f'{disposition}; filename="{name}.jsonl"',
            "Vary": "Authorization",
        },
    )


def no_content() -> Response:
    """Return an empty response with status 204."""
    return Response(status=204)


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc] # flask_smorest has no annotations
    """A group of routes. `auth` is the policy of routes that do not have their own."""

    def __init__(self, name: str, description: str, *, auth: AuthPolicy) -> None:
        super().__init__(name, __name__, description=description)
        self._auth: AuthPolicy = auth

    def route(
        self,
        method: str,
        rule: str,
        description: str | None = None,
        body: type | None = None,
        *,
        status: int | None = None,
        responses: Mapping[int, JsonObject] | None = None,
        errors: tuple[int, ...] = (),
        auth: AuthPolicy | None = None,
        query: Schema | None = None,
        ignores_query: bool = False,
        json_body: Schema | None = None,
        file_field: str | None = None,
        is_body_required: bool = True,
        extra_validation: ExtraValidation | None = None,
        is_idempotent: bool = False,
        resource: Resource | None = None,
        request_headers: Mapping[str, str] | None = None,
        limit: Limit | None = None,
    ) -> Callable[[View], View]:
        """Register a view for a method and a URL rule.

        Before the view runs, the request is checked in this order: `limit`, the scope of a personal token
        (scopes.py), `auth`, `query` or `json_body`, and the Idempotency-Key of a route that `is_idempotent`.
        A GET without `query` may have no parameters, unless the route `ignores_query`. On a route with
        `<game_id>`, every error becomes a 404 if the game is private and the sender may not see it, or if the
        game has no `resource` with the number in the URL. The view is called with the arguments of the URL
        and those of the following that the description mentions: `player` (the id of the player; None is
        possible with `optional_auth`), `query`, `body` and `idempotency_key`.

        `description` and `body` (the TypedDict of a JSON body) describe the successful response. Its `status`
        is 204 without a body and otherwise 200, or 201 for a POST, unless the route names another one. A
        route with several successful responses, or one that is not JSON, has `responses` instead, by status
        (see `response`), and its view returns them. `errors` are the statuses of errors besides those that
        follow from the rest of the description, such as 404 for a URL that names something;
        `request_headers` are descriptions by name. The body of a route with a `file_field`, which the view
        reads, is a file, or a form with a file of this name.
        """
        if status is None:
            status = 204 if body is None else 201 if method == "POST" else 200
        if responses is None:
            assert description is not None, "a route without `responses` describes one"
            responses = {status: response(description, body)}
        if query is None and method == "GET" and not ignores_query:
            query = NO_QUERY
        policy = auth or self._auth
        checks = _Checks(
            auth=policy,
            scope=None if policy in _WITHOUT_SCOPE else scope_of(method, rule),
            query=query,
            json_body=json_body,
            is_body_required=is_body_required,
            extra_validation=extra_validation,
            is_idempotent=is_idempotent,
            is_about_game=_GAME_ID in rule,
            resource=resource,
            status=status,
        )

        def decorator(view: View) -> View:
            endpoint = _with_checks(view, checks)
            if limit is not None:
                endpoint = limit(endpoint)
                if policy not in _WITHOUT_SCOPE:
                    endpoint = _with_scope(endpoint, checks.scope)
            named = (404,) if "<" in rule else ()
            operation = _operation(checks, responses, (*errors, *named), request_headers or {})
            if file_field is not None:
                _describe_file(operation, file_field)
            operation["operationId"] = view.__name__
            # This is where flask-smorest looks for the description of a view.
            endpoint._apidoc = {"manual_doc": operation}  # type: ignore[attr-defined] # noqa: SLF001 # see above
            self.add_url_rule(rule, None, endpoint, methods=[method])
            return view

        return decorator

    get = _with_method("GET", route)
    post = _with_method("POST", route)
    put = _with_method("PUT", route)
    patch = _with_method("PATCH", route)
    delete = _with_method("DELETE", route)

    def post_action(
        self, rule: str, description: str = "The event, and a receipt for it.", **checks: Any
    ) -> Callable[[View], View]:
        """Register a view with which a player acts in a game; for `checks` see `route`."""
        return self.post(
            rule,
            description,
            bodies.AcceptedAction,
            is_idempotent=True,
            errors=(409, 422),
            **checks,
        )


def response(
    description: str,
    body: type | None = None,
    *,
    content_type: str | None = None,
    headers: Mapping[str, str] | None = None,
    is_binary: bool = False,
) -> JsonObject:
    """Return the OpenAPI description of a response.

    `body` is the TypedDict of a JSON body (schemas/responses.py); `headers` are descriptions by name.
    """
    reply: JsonObject = {"description": description}
    if body is not None:
        reply["content"] = {"application/json": {"schema": RESPONSES.schema_of(body)}}
    elif content_type is not None:
        schema = {"type": "string"} | ({"format": "binary"} if is_binary else {})
        reply["content"] = {content_type: {"schema": schema}}
    if headers:
        reply["headers"] = {
            name: {"description": text, "schema": {"type": "string"}}
            for name, text in headers.items()
        }
    return reply


def response_with_lines(description: str, file: str = "record") -> dict[int, JsonObject]:
    """Return the OpenAPI description of the response of a route that returns lines of JSON as a file."""
    headers = {"Content-Disposition": f"A file name for the {file}."}
    return {200: response(description, content_type=JSON_LINES, headers=headers)}


def _with_checks(view: View, checks: _Checks) -> Endpoint:
    """Return an endpoint that runs the checks, then `view`, and turns its result into a response."""
    auth, query, json_body = checks.auth, checks.query, checks.json_body
    authenticate = _AUTHENTICATION.get(auth, login_required)
    reads_token, is_public = auth != "without_tokens", auth == "public"
    is_idempotent = checks.is_idempotent
    scope, needs_role = checks.scope, auth == "administrators_only"

    @wraps(view)
    def endpoint(**arguments: Any) -> Response:
        try:
            if is_public:
                optional_auth()
            elif reads_token:
                if needs_role:
                    require_scope(scope)
                arguments["player"] = authenticate()
                if g.scopes is not None:
                    require_scope(scope)
            if query is not None:
                parameters = read_query(query)
                if query is not NO_QUERY:
                    arguments["query"] = parameters
            if json_body is not None:
                raw = read_json(request, required=checks.is_body_required)
                try:
                    arguments["body"] = validate(json_body, raw)
                except Malformed as error:
                    if checks.extra_validation is None or not isinstance(raw, dict):
                        raise
                    extra_errors = checks.extra_validation(raw, **arguments)
                    raise Malformed({**extra_errors, **error.fields}) from None
            if is_idempotent:
                arguments["idempotency_key"] = _idempotency_key()
            result = view(**arguments)
            if result is None:
                return no_content()
            if isinstance(result, Response):
                return result
            body = result._asdict() if isinstance(result, AcceptedAction) else result
            return json_response(body, checks.status)
        except _HIDING as error:
            if checks.is_about_game:
                hide_private(arguments["game_id"])
            if checks.resource is not None:
                require_resource(checks.resource, arguments)
            if isinstance(error, _UNREADABLE):
                require_access(auth, arguments)
            raise

    return endpoint


def _with_scope(limited: Endpoint, scope: Scope | None) -> Endpoint:
    """Return an endpoint that refuses personal tokens without a scope before its rate limit is checked."""

    @wraps(limited)
    def endpoint(**arguments: Any) -> Response:
        with suppress(Unauthorised):
            require_scope(scope)
        return limited(**arguments)

    return endpoint


def _operation(
    checks: _Checks,
    responses: Mapping[int, JsonObject],
    further_errors: tuple[int, ...],
    request_headers: Mapping[str, str],
) -> JsonObject:
    """Return the OpenAPI operation of a route, with the errors that follow from its description."""
    operation: JsonObject = {
        "security": _SECURITY.get(checks.auth, [{"token": []}]),
        "parameters": [],
    }
    headers = dict(request_headers)
    errors = {429, 500, 503, *further_errors}
    if checks.auth != "without_tokens":
        errors.add(401)
    if checks.auth in ACCESS_POLICIES:
        errors.add(403)
    if checks.query is not None:
        errors.add(400)
        operation["parameters"].append({"in": "query", "schema": checks.query})
    if checks.json_body is not None:
        errors |= {400, 413, 415}
        content = {"application/json": {"schema": checks.json_body}}
        operation["requestBody"] = {"required": checks.is_body_required, "content": content}
    if checks.is_idempotent:
        errors |= {400, 422}
        headers["Idempotency-Key"] = (
            "A request that repeats the key and the body of an earlier one gets the same response"
            " and takes effect only once."
        )
    if headers:
        schema = Schema.from_dict(
            {name: String(metadata={"description": text}) for name, text in headers.items()},
            name="RequestHeaders",
        )
        operation["parameters"].append({"in": "header", "schema": schema})
    replies = {str(status): error_name(status) for status in sorted(errors)}
    if checks.auth not in _WITHOUT_SCOPE:
        operation["x-scope"] = checks.scope
        replies.setdefault("403", INSUFFICIENT_SCOPE)
    operation["responses"] = {
        **{str(status): reply for status, reply in responses.items()},
        **replies,
    }
    return operation


def _describe_file(operation: JsonObject, field: str) -> None:
    """Add to an operation that its body is a file, or a form with one."""
    file = {"type": "string", "format": "binary"}
    form = {"type": "object", "properties": {field: file}, "required": [field]}
    content = {type: {"schema": file} for type in FILE_TYPES}
    operation["requestBody"] = {
        "required": True,
        "content": {**content, MULTIPART: {"schema": form}},
    }
    for status in (400, 413, 415):
        operation["responses"].setdefault(str(status), error_name(status))


def read_query(schema: Schema) -> dict[str, Any]:
    """Return the parameters of the query. Raises Malformed, also for one that is given twice."""
    if request.query_string.count(b"&") >= MAX_PARAMETERS:
        fault = message("has more than {count} parameters", count=MAX_PARAMETERS)
        raise Malformed({"query": fault})
    repeated = [name for name, values in request.args.lists() if len(values) > 1]
    if repeated:
        raise Malformed(dict.fromkeys(repeated, GIVEN_TWICE))
    return validate(schema, request.args.to_dict())


def _idempotency_key() -> str | None:
    """Return the Idempotency-Key of the request, or None. Raises Malformed."""
    key: str | None = request.environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is not None and not (0 < len(key) <= 255 and key.isascii() and key.isprintable()):
        fault = message("must be 1 to 255 printable ASCII characters")
        raise Malformed({"Idempotency-Key": fault})
    return key


def error_name(status: int) -> str:
    """Return the name of an error response among the components of the document."""
    return HTTPStatus(status).name
