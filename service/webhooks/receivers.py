"""Which receivers this server posts to for players: public ones, by the address that is connected to.

A player could otherwise have this server send requests into the network that it is in. A name may resolve to
another address each time, so an address is checked right before the connection to it (workers/webhooks).
"""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from domain.errors import CartularyError
from domain.messages import message

_Network: TypeAlias = IPv4Network | IPv6Network

MAX_URL_LENGTH: Final = 1000
_TRANSLATED: Final = tuple(
    map(ip_network, ("::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32"))
)
"""IPv6 addresses that contain an IPv4 address, which may be any: mapped, NAT64, 6to4, Teredo."""


class InvalidUrl(CartularyError):
    """The URL is not that of a receiver."""


class Receivers:
    """Decides which addresses this server may connect to for players. `networks` are allowed in addition."""

    def __init__(self, networks: Iterable[str] = ()) -> None:
        self._allowed: tuple[_Network, ...] = tuple(
            ip_network(network, strict=False) for network in networks
        )

    def allows(self, address: str) -> bool:
        """Return whether an IP address is one that anybody can reach, or in an allowed network."""
        try:
            parsed = ip_address(address)
        except ValueError:
            return False
        if any(parsed in network for network in self._allowed):
            return True
        return _is_public(parsed)

    def check_url(self, text: str) -> None:
        """Raise InvalidUrl unless a text is the URL of a receiver. Its name is not resolved."""
        try:
            parts = urlsplit(text)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port, parts = None, None, urlsplit("")
        if (
            parts.scheme not in ("http", "https")
            or not host
            or port == 0
            or len(text) > MAX_URL_LENGTH
            or not (text.isascii() and text.isprintable())
            or " " in text
        ):
            raise InvalidUrl(
                message(
                    "must be a URL such as https://example.org/games, with at most {most} characters",
                    most=MAX_URL_LENGTH,
                )
            )
        if parts.username is not None or parts.password is not None or parts.fragment:
            raise InvalidUrl(message("must have neither a user name nor a fragment"))
        if _is_address(host) and not self.allows(host):
            raise InvalidUrl(message("must not point into a private network"))


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv6Address) and (
        address.scope_id is not None
        or address.is_site_local
        or any(address in network for network in _TRANSLATED)
    ):
        return False
    return address.is_global and not (
        address.is_private
        or address.is_loopback
        or address.is_link_local
        or address.is_multicast
        or address.is_reserved
        or address.is_unspecified
    )


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
