"""The addresses of this server to which a visitor is led: by links, after a form, and after logging in.

An address of a request is not trusted: it may be that of another server (`local_address`). The page from
which a request comes is known only if the browser sends the headers Origin and Referer.
"""

from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from flask import current_app, request

from service.http.context import service

_STANDARD_PORTS: Final = (":443", ":80")


def source_host() -> str | None:
    """Return the host, with its port, of the page that has sent the request; None if that is unknown."""
    for header in (request.origin, request.referrer):
        parts = _split(header)
        if parts is not None and parts.netloc:
            return parts.netloc
    return None


def is_from_own_page() -> bool:
    """Return whether a page of this server seems to have sent the request."""
    host = source_host()
    return host is not None and is_own_host(host)


def is_own_host(host: str) -> bool:
    """Return whether a host is the one to which the request was sent.

    Standard ports are left out, because a proxy may have removed them together with TLS.
    """
    return _without_standard_port(host) == _without_standard_port(request.host)


def server_url() -> str:
    """Return the address of this server with which the links begin that a page shows, without a path.

    It is that of the request only if its host is the public one, or within the visitor's own network, such as
    `localhost`. The header Host may be anything, and links to a foreign host would be previewed and kept in
    caches.
    """
    public_url: str = service().settings.public_url
    is_known = is_own_host(urlsplit(public_url).netloc) or _is_private(request.host)
    return request.host_url.rstrip("/") if is_known else public_url


def _is_private(host: str) -> bool:
    """Return whether a host, with or without a port, is this machine or an address of a private network."""
    parts = _split(f"//{host}")
    name = None if parts is None else parts.hostname
    if name is None or name == "localhost":
        return name is not None
    try:
        return ip_address(name).is_private
    except ValueError:
        return False


def referring_path() -> str | None:
    """Return the path, with the query, of the page of this server with the form; None if that is unknown."""
    parts = _split(request.referrer)
    if parts is None or not is_from_own_page() or not is_own_host(parts.netloc):
        return None
    path = parts.path or "/"
    return f"{path}?{parts.query}" if parts.query else path


def _split(address: str | None) -> SplitResult | None:
    try:
        return urlsplit(address or "")
    except ValueError:
        return None


def _without_standard_port(host: str) -> str:
    for port in _STANDARD_PORTS:
        host = host.removesuffix(port)
    return host.lower()


NEXT_FIELD: Final = "next"
HOME: Final = "/"
LOGIN: Final = "/login"
REGISTER: Final = "/register"
ACCOUNT: Final = "/account"
FORGOTTEN_PASSWORD: Final = "/password/forgotten"  # noqa: S105 # an address, not a password
_LOGIN_PAGES: Final = frozenset({LOGIN, REGISTER, FORGOTTEN_PASSWORD})
"""Pages that lead on to the address in their field `next`."""
_MAX_ADDRESS_LENGTH: Final = 2000
_READING: Final = frozenset({"GET", "HEAD"})


def local_address(address: str | None, default: str = HOME) -> str:
    """Return an address if it is a path of this server, with or without a query and a fragment.

    Returns `default` for any other text. Browsers read two slashes, and a slash with a backslash, as the
    beginning of another server's address, and skip control characters.
    """
    if address is None or len(address) > _MAX_ADDRESS_LENGTH or not address.isprintable():
        return default
    if not address.startswith("/") or address.startswith("//") or "\\" in address:
        return default
    try:
        parts = urlsplit(address)
    except ValueError:
        return default
    return default if parts.scheme or parts.netloc else address


def naming_address() -> str:
    """Return the address of the page on which a guest chooses a handle and a password, and goes on."""
    return _with_next(ACCOUNT, next_address())


def next_address(default: str = HOME) -> str:
    """Return the local address that the request asks to be sent to afterwards."""
    return local_address(request.values.get(NEXT_FIELD), default)


def forgotten_password_address() -> str:
    """Return the address of the page to have a link for a new password sent, which leads back as well."""
    return _with_next(FORGOTTEN_PASSWORD, return_address())


def page_address() -> str:
    """Return the address of the page that the visitor sees: for a form, that of the page that has it."""
    if request.path in _LOGIN_PAGES:
        return _with_next(request.path, next_address())
    if request.method in _READING:
        return request.full_path if request.query_string else request.path
    return next_address(_form_page())


def return_address() -> str:
    """Return the local address to which a visitor is led after logging in on the page that they see."""
    return next_address() if request.path in _LOGIN_PAGES else page_address()


def login_address(*, is_interrupted: bool = False) -> str:
    """Return the address of the page to log in, which leads back to the page that the visitor sees.

    `is_interrupted` has the page say that a form was not accepted because the session had ended.
    """
    address = _with_next(LOGIN, return_address())
    if not is_interrupted:
        return address
    return f"{address}{'&' if '?' in address else '?'}interrupted=yes"


def registration_address() -> str:
    """Return the address of the page to register, which leads back to the page that the visitor sees."""
    return _with_next(REGISTER, return_address())


def _form_page() -> str:
    """Return the address of the page with the form that was sent.

    Where the browser does not say it, or the page was itself the response to a form, it is the page of the
    game that the form is about.
    """
    address = referring_path()
    if address is not None and _is_page(urlsplit(address).path):
        return local_address(address)
    game_id = (request.view_args or {}).get("game_id")
    return HOME if game_id is None else f"/games/{quote(game_id, safe='')}"


def _is_page(path: str) -> bool:
    """Return whether a path can be opened, and is not only that of a form."""
    adapter = current_app.create_url_adapter(request)
    return adapter is not None and adapter.test(path, "GET")


def _with_next(path: str, address: str) -> str:
    return path if address == HOME else f"{path}?{urlencode({NEXT_FIELD: address})}"
