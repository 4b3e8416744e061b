"""Headers that every response has.

Pages of any origin may read every response (CORS `*`). This is safe because there are no cookies: a
request acts for a player only by the token that its sender adds, so another site can do no more
than its visitor could.
"""

from typing import Final

from flask import Flask, Response, request

DEFAULT_HEADERS: Final = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Expose-Headers", "ETag, Location, Retry-After, X-Request-ID"),
    ("Cache-Control", "no-store"),
)
_PREFLIGHT: Final = {
    "Access-Control-Allow-Headers": (
        "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, X-Request-ID"
    ),
    "Access-Control-Max-Age": "86400",
}


def register(app: Flask) -> None:
    """Add these headers to every response of the application, except where a view has set them."""
    app.after_request(_add_headers)


def _add_headers(response: Response) -> Response:
    present = {name.title() for name, _ in response.headers}
    for name, value in DEFAULT_HEADERS:
        if name not in present:
            response.headers.add(name, value)
    if request.method == "OPTIONS" and response.status_code == 200:
        response.headers["Access-Control-Allow-Methods"] = response.headers.get("Allow", "")
        for name, value in _PREFLIGHT.items():
            response.headers[name] = value
    return response
