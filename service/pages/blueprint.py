"""The parent of the blueprints of all pages: what happens before and after each of their views.

Before a view, the visitor is identified by the session, and a form must have a valid token against cross-site
requests. After it, the response gets the headers of a page.
"""

from typing import Final

from flask import Blueprint, Flask, Response, request
from flask_compress import Compress
from flask_wtf.csrf import CSRFError, CSRFProtect  # type: ignore[import-untyped] # has no annotations

from service.errors import Forbidden, Unauthorised, Unavailable
from service.http.blueprint import ApiResponse
from service.http.context import service
from service.http.language import request_language
from service.http.validation import UPLOAD_PATHS, allow_file
from service.pages.dictionaries import ENCODING, REQUEST_HEADER, requested_dictionary
from service.pages.return_addresses import is_from_own_page, is_own_host, source_host
from service.pages.session import can_write_session, current_player, load_visitor

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
STATIC_ENDPOINT: Final = "pages.static_files.get_file"
"""The view of static files, which are the same for every visitor."""
UNSUBSCRIBE_ENDPOINT: Final = "pages.email.unsubscribe"
"""The view to which mail programs post (RFC 8058). They have no token against cross-site requests; the secret
token in the address stands for it."""
VISITORS_FORMS: Final = frozenset(
    {
        "pages.accounts.log_in",
        "pages.accounts.register",
        "pages.accounts.choose_language",
        "pages.announcements.dismiss_announcement",
        "pages.theme.choose_theme",
        "pages.accounts.log_out",
        "pages.email.confirm_email",
        "pages.lobby.join_game",
        "pages.accounts.request_reset",
        "pages.accounts.choose_new_password",
        "pages.quick_play.play_against_bots",
        "pages.quick_play.play_with_friends",
        "pages.quick_play.begin_tutorial",
        "pages.proofs.audit_game",
        "pages.imports.audit_record",
    }
)
"""The views of forms that visitors use without logging in."""
PAGE_HEADERS: Final = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "same-origin"),
    ("Content-Security-Policy", CONTENT_SECURITY_POLICY),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cache-Control", "private, no-cache"),
)
"""The headers of a page. Unlike the responses of the API, no other origin may read it."""

STATIC_HEADERS: Final = (
    ("X-Content-Type-Options", "nosniff"),
    ("Content-Security-Policy", "default-src 'none'; script-src 'self'; connect-src 'self'"),
)
"""The headers of a static file: a page loads dozens, and only workers need a policy, which import scripts."""
_COMPRESSED: Final = ["text/html", "text/css", "text/javascript", "image/svg+xml"]
_MIN_COMPRESSED_BYTES: Final = 1024
_BROTLI_LEVEL: Final = 5
"""A tenth smaller than level 4, in two milliseconds for a page with a board; level 9 takes twenty."""
_compress: Final = Compress()
_csrf: Final = CSRFProtect()


def create_pages() -> Blueprint:
    """Create the parent blueprint of an application."""
    pages = Blueprint("pages", __name__, template_folder="templates")
    pages.before_request(_prepare)
    pages.after_request(add_page_headers)
    return pages


def register_protection(app: Flask) -> None:
    """Have Flask-WTF protect the forms of pages. The API needs no protection, as it uses no cookies.

    Where a form comes from is checked here, with an error that says what is wrong (`_require_own_page`).
    """
    app.config.update(
        WTF_CSRF_CHECK_DEFAULT=False, WTF_CSRF_TIME_LIMIT=None, WTF_CSRF_SSL_STRICT=False
    )
    _csrf.init_app(app)


def register_compression(app: Flask) -> None:
    """Have the responses of pages compressed. Those of the API stay as they are."""
    app.config.update(
        COMPRESS_REGISTER=False,
        COMPRESS_MIMETYPES=_COMPRESSED,
        COMPRESS_MIN_SIZE=_MIN_COMPRESSED_BYTES,
        COMPRESS_ALGORITHM=["br", "gzip"],
        COMPRESS_BR_LEVEL=_BROTLI_LEVEL,
    )
    _compress.init_app(app)


def _prepare() -> None:
    if request.endpoint == STATIC_ENDPOINT:
        return
    if not can_write_session():
        raise Unavailable.with_message("the server cannot read sessions now")
    load_visitor()
    if request.endpoint == UNSUBSCRIBE_ENDPOINT:
        return
    if request.method == "POST":
        if request.path in UPLOAD_PATHS:
            allow_file(request, service().settings.bounds.max_import_bytes)
        _require_own_page()


def _require_own_page() -> None:
    """Raise an error unless a page of this server has sent the form of the request.

    Raises Unauthorised for the form of a page that was shown before the session ended.
    """
    host = source_host()
    if host is None and request.is_secure:
        raise Forbidden.with_message(
            "the browser does not say from which page this form comes: allow it to send the header"
            " Origin or Referer to this server"
        )
    if host is not None and not is_own_host(host):
        raise Forbidden.with_message(
            "this form comes from a page of {source}, but its request has arrived as one to {host}. If"
            " you have opened the page here, a proxy in front of this server changes the header Host:"
            " please report this to its operator",
            source=host,
            host=request.host,
        )
    try:
        _csrf.protect()
    except CSRFError as error:
        if (
            current_player() is None
            and is_from_own_page()
            and request.endpoint not in VISITORS_FORMS
        ):
            raise Unauthorised.with_message("log in to do this") from error
        raise Forbidden.with_message(
            "the page with this form is too old, or the browser does not keep cookies: open the page"
            " again and repeat what you did there"
        ) from error


def add_page_headers(response: Response) -> Response:
    """Give a response the headers of a page, except where the view has set them."""
    if isinstance(response, ApiResponse):
        is_static = request.endpoint == STATIC_ENDPOINT
        response.default_headers = STATIC_HEADERS if is_static else PAGE_HEADERS
    if response.mimetype == "text/html":
        response.headers["Content-Language"] = request_language()
        # Scripts get parts of some pages: a browser must not show a part that it has stored as the page.
        response.vary.update(("Accept-Language", "Cookie", "HX-Target"))
    return _compressed(response)


def _compressed(response: Response) -> Response:
    """Return a response, compressed if its browser reads that. Flask-Compress leaves out pages of errors."""
    if response.mimetype == "text/html" and not response.is_streamed:
        response.vary.update(("Accept-Encoding", REQUEST_HEADER))
        data = response.get_data()
        dictionary = requested_dictionary(request)
        if dictionary is not None and len(data) >= _MIN_COMPRESSED_BYTES:
            response.set_data(dictionary.compress(data))
            response.content_encoding = ENCODING
            return response
    if response.mimetype != "text/html" or response.status_code < 400:
        return _compress.after_request(response)
    status = response.status
    response.status_code = 200
    response = _compress.after_request(response)
    response.status = status
    return response
