"""Headers that every answer has: what browsers may do with it, and who may read it.

Everything here may be read by pages of any origin (CORS `*`): there are no cookies, a request speaks for a
player only by a token that its sender put in, so another site's page can do no more than its reader could.
"""

from typing import Final

from flask import Flask, Response, request

_ALWAYS: Final = (
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
    """Have every answer of this application come with these headers."""
    app.after_request(_mannered)


def _mannered(response: Response) -> Response:
    said = {name.title() for name, _ in response.headers}
    response.headers.extend([header for header in _ALWAYS if header[0] not in said])
    if request.method == "OPTIONS" and response.status_code == 200:
        response.headers["Access-Control-Allow-Methods"] = response.headers.get("Allow", "")
        for name, value in _PREFLIGHT.items():
            response.headers[name] = value
    return response
