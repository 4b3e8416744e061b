"""An HTTP request, as read from a connection."""

import re
from dataclasses import dataclass
from typing import Final

_BEARER: Final = b"bearer "
_ESCAPE: Final = re.compile(rb"%([0-9A-Fa-f]{2})?")
_UNRESERVED: Final = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
)
"""The characters that RFC 3986 does not require to be percent-encoded anywhere."""
_NEVER_ESCAPED: Final = _UNRESERVED | frozenset(b"/\\")


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A complete request. Names of headers are in lower case; `address` is that of the client."""

    method: str
    raw_path: bytes
    query: bytes
    http_version: str
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes
    address: str
    scheme: str
    is_last: bool
    """Whether the connection is closed after the response."""

    def header(self, name: bytes) -> bytes | None:
        """Return the first value of a header."""
        return next((value for key, value in self.headers if key == name), None)

    @property
    def bearer_token(self) -> str | None:
        """The token of the header `Authorization`."""
        value = self.header(b"authorization")
        if value is None or value[: len(_BEARER)].lower() != _BEARER:
            return None
        return value[len(_BEARER) :].decode("latin-1").strip()

    def cookie(self, name: str) -> str | None:
        """Return the first value of a cookie."""
        start = f"{name}=".encode()
        for key, value in self.headers:
            if key == b"cookie":
                for pair in value.split(b";"):
                    stripped = pair.strip()
                    if stripped.startswith(start):
                        return stripped[len(start) :].decode("latin-1")
        return None

    @property
    def accept_language(self) -> str:
        """The header `Accept-Language`, or an empty string."""
        return (self.header(b"accept-language") or b"").decode("latin-1")


def has_normal_path(raw_path: bytes) -> bool:
    """Return whether a path is in the normal form, which is the only one that this server accepts.

    A proxy may have rules for paths such as `/metrics`, so there must not be a second way to write one. The
    normal form has no empty segments or dot segments, and no percent-encoded unreserved characters.
    """
    if not raw_path.startswith(b"/") or b"//" in raw_path or b"\\" in raw_path:
        return False
    if any(segment in (b".", b"..") for segment in raw_path.split(b"/")):
        return False
    for escape in _ESCAPE.finditer(raw_path):
        digits = escape[1]
        if digits is None or int(digits, 16) in _NEVER_ESCAPED:
            return False
    return True
