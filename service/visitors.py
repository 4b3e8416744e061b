"""Networks of client addresses, by which bounds and rate limits count visitors without a token."""

from functools import lru_cache
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Final

UNKNOWN: Final = "unknown"
"""The network of an address that is not an IP address, such as that of a Unix socket."""
_IPV6_PREFIX: Final = 64
"""The length of the IPv6 prefixes that providers assign: one client can use all addresses with the prefix."""


@lru_cache(maxsize=4096)
def network_of(address: str) -> str:
    """Return the network of a client: an IPv4 address, an IPv6 /64 such as `2001:db8::/64`, or UNKNOWN.

    An IPv4 address that is mapped to IPv6 (`::ffff:192.0.2.1`) counts as the IPv4 address.
    """
    try:
        # A link-local address may name an interface after `%`, which is not part of the network.
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return UNKNOWN
    if isinstance(parsed, IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, _IPV6_PREFIX), strict=False))
