"""Headers that every response has.

Pages of any origin may read every response of the API (CORS `*`). This is safe because the API uses no
cookies: a request acts for a player only by the token that its sender adds, so another site can do no
more than its visitor could.
"""

from collections.abc import Iterable
from typing import Any, Final

from flask import Response
from typing_extensions import override
from werkzeug.datastructures import Headers

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
