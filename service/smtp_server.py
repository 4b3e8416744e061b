"""The SMTP server that a deployment sends its e-mail through, read from the URL of the setting.

smtp://USER:PASSWORD@HOST:587                  STARTTLS, which the server must offer
smtp://HOST:25?tls=none                        without encryption, for a server on this machine
smtps://USER:PASSWORD@HOST:465                 TLS from the beginning
smtps://HOST?ca=/etc/ssl/our-authority.pem     certificates of an authority of one's own
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias, cast
from urllib.parse import parse_qsl, unquote, urlsplit

from domain.errors import CartularyError

TlsMode: TypeAlias = Literal["starttls", "implicit", "none"]

_DEFAULT_PORTS: Final = {"starttls": 587, "implicit": 465, "none": 25}
_PARAMETERS: Final = frozenset({"tls", "ca"})


class InvalidSmtpUrl(CartularyError):
    """The URL is not that of an SMTP server. The message does not contain it, as it may have a password."""


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """An SMTP server. With TLS, its certificate must be valid for `host`."""

    host: str
    port: int
    tls: TlsMode
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    ca_file: Path | None = None
    """The PEM file of the accepted certificate authorities; None for those of the system."""


def parse_smtp_url(url: str) -> SmtpServer:
    """Return the server that a URL names. Raises InvalidSmtpUrl."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise InvalidSmtpUrl.with_message("must be a valid URL") from None
    if parts.scheme not in ("smtp", "smtps"):
        raise InvalidSmtpUrl.with_message("must begin with smtp:// or smtps://")
    if not parts.hostname:
        raise InvalidSmtpUrl.with_message("must have a host")
    if parts.path not in ("", "/") or parts.fragment or port == 0:
        raise InvalidSmtpUrl.with_message("must be a valid URL")
    try:
        pairs = parse_qsl(
            parts.query, keep_blank_values=True, strict_parsing=bool(parts.query), max_num_fields=8
        )
    except ValueError:
        raise InvalidSmtpUrl.with_message("must be a valid URL") from None
    parameters = dict(pairs)
    if len(parameters) < len(pairs) or not parameters.keys() <= _PARAMETERS:
        raise InvalidSmtpUrl.with_message("must have no parameters but tls and ca, once each")
    tls = _tls_mode(parts.scheme, parameters.get("tls"))
    user = None if parts.username is None else unquote(parts.username)
    password = None if parts.password is None else unquote(parts.password)
    if (user is None) != (password is None) or user == "":
        raise InvalidSmtpUrl.with_message("must have a user with a password, or neither")
    if user is not None and tls == "none":
        raise InvalidSmtpUrl.with_message("must not send a password without TLS")
    ca_file = None
    if "ca" in parameters:
        ca_file = Path(parameters["ca"])
        if tls == "none" or not ca_file.is_file():
            raise InvalidSmtpUrl.with_message(
                "must name a file with certificates in the parameter ca, and use TLS"
            )
    return SmtpServer(parts.hostname, port or _DEFAULT_PORTS[tls], tls, user, password, ca_file)


def _tls_mode(scheme: str, parameter: str | None) -> TlsMode:
    if scheme == "smtps":
        if parameter is not None:
            raise InvalidSmtpUrl.with_message("must have the parameter tls with smtp:// only")
        return "implicit"
    if parameter not in (None, "starttls", "none"):
        raise InvalidSmtpUrl.with_message("must have the parameter tls=starttls or tls=none")
    return cast("TlsMode", parameter or "starttls")
