"""From which page a request comes, as far as the browser says it: by the headers Origin and Referer."""

from typing import Final
from urllib.parse import SplitResult, urlsplit

from flask import request

_STANDARD_PORTS: Final = (":443", ":80")


def source_host() -> str | None:
    """Return the host, with its port, of the page that has sent the request; None if that is unknown."""
    for header in (request.origin, request.referrer):
        parts = _split(header)
        if parts is not None and parts.netloc:
            return parts.netloc
    return None


def is_from_own_page() -> bool:
    """Return whether a page of this server has sent the request, as far as that is known."""
    host = source_host()
    return host is not None and is_own_host(host)


def is_own_host(host: str) -> bool:
    """Return whether a host is the one to which the request was sent.

    Standard ports are left out, because a proxy may have removed them together with TLS.
    """
    return _without_standard_port(host) == _without_standard_port(request.host)


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
