"""Which receivers this server posts to for players: public ones, by the address that is connected to.

A player could otherwise have this server send requests into the network that it is in. A name may resolve to
another address each time, so an address is checked right before the connection to it (workers/webhooks).
"""

from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from domain.errors import CartularyError
from domain.messages import message
from service.notifications.webhooks.address_blocks import is_public

_Network: TypeAlias = IPv4Network | IPv6Network

MAX_URL_LENGTH: Final = 1000


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
        return is_public(parsed)

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


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
