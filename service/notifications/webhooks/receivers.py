"""Restricts the receivers to which this server posts for players to public addresses.

Otherwise, a player could make this server send requests into its own network. A name may resolve to another
address each time, so an address is checked right before the connection to it (workers/webhooks).

The table of address blocks that are not public is here, because that of Python's `ipaddress` depends on the
version of the interpreter. Its sources are IANA's registries of special-purpose addresses:

    https://www.iana.org/assignments/iana-ipv4-special-registry
    https://www.iana.org/assignments/iana-ipv6-special-registry
    https://www.iana.org/assignments/ipv6-address-space           only 2000::/3 is global unicast

Blocks that a registry calls globally reachable are also listed if they are never receivers. The table also
has the documented addresses at which clouds serve metadata to their own machines.
"""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from domain.errors import CartularyError

_Network: TypeAlias = IPv4Network | IPv6Network

MAX_URL_LENGTH: Final = 1000
_IPV4: Final = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network (RFC 791)
            "10.0.0.0/8",  # private use (RFC 1918)
            "100.64.0.0/10",  # shared address space (RFC 6598); 100.100.100.200 is the metadata of Alibaba
            "127.0.0.0/8",  # loopback (RFC 1122)
            "169.254.0.0/16",  # link local (RFC 3927); 169.254.169.254 is the metadata of most clouds
            "172.16.0.0/12",  # private use (RFC 1918)
            "192.0.0.0/24",  # IETF protocol assignments (RFC 6890); 192.0.0.192 is the metadata of Oracle
            "192.0.2.0/24",  # documentation (RFC 5737)
            "192.31.196.0/24",  # AS112-v4 (RFC 7535)
            "192.52.193.0/24",  # AMT (RFC 7450)
            "192.88.99.0/24",  # 6to4 relay anycast, deprecated (RFC 7526)
            "192.168.0.0/16",  # private use (RFC 1918)
            "192.175.48.0/24",  # direct delegation AS112 service (RFC 7534)
            "198.18.0.0/15",  # benchmarking (RFC 2544)
            "198.51.100.0/24",  # documentation (RFC 5737)
            "203.0.113.0/24",  # documentation (RFC 5737)
            "224.0.0.0/4",  # multicast (RFC 5771)
            "240.0.0.0/4",  # reserved (RFC 1112), and limited broadcast (RFC 8190)
            "168.63.129.16/32",  # the wire server of Azure
        ),
    )
)
_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
"""All other IPv6 addresses are special: loopback, mapped and translated IPv4 (::/8 with 64:ff9b::/96 and
64:ff9b:1::/48), discard-only (100::/64), segment routing (5f00::/16), unique local (fc00::/7, with the
metadata of Amazon at fd00:ec2::254), link local (fe80::/10), site local (fec0::/10), multicast (ff00::/8),
and what is not assigned."""
_IPV6: Final = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # IETF protocol assignments (RFC 2928): Teredo, benchmarking, AMT, ORCHID, drones
            "2001:db8::/32",  # documentation (RFC 3849)
            "2002::/16",  # 6to4 (RFC 3056)
            "2620:4f:8000::/48",  # direct delegation AS112 service (RFC 7534)
            "3fff::/20",  # documentation (RFC 9637)
        ),
    )
)


class InvalidUrl(CartularyError):
    """The URL cannot be that of a receiver."""


class Receivers:
    """Decides which addresses this server may connect to for players. `networks` are allowed in addition."""

    def __init__(self, networks: Iterable[str] = ()) -> None:
        self._allowed: tuple[_Network, ...] = tuple(
            ip_network(network, strict=False) for network in networks
        )

    def allows(self, address: str) -> bool:
        """Return whether an IP address is public, or in an allowed network."""
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
            raise InvalidUrl.with_message(
                "must be a URL such as https://example.org/games, with at most {most} characters",
                most=MAX_URL_LENGTH,
            )
        if parts.username is not None or parts.password is not None or parts.fragment:
            raise InvalidUrl.with_message("must have neither a user name nor a fragment")
        if _is_address(host) and not self.allows(host):
            raise InvalidUrl.with_message("must not point into a private network")


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether an address is outside of the blocks, and does not contain an IPv4 address."""
    if isinstance(address, IPv4Address):
        return not any(address in block for block in _IPV4)
    if address.scope_id is not None or address not in _GLOBAL_UNICAST:
        return False
    return not any(address in block for block in _IPV6)
