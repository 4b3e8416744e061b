"""Blocks of IP addresses that are not public: this server posts to none of them for players.

The table is ours, because that of Python's `ipaddress` depends on the version of the interpreter. Its sources
are the registries of special-purpose addresses of IANA:

    https://www.iana.org/assignments/iana-ipv4-special-registry
    https://www.iana.org/assignments/iana-ipv6-special-registry
    https://www.iana.org/assignments/ipv6-address-space           only 2000::/3 is global unicast

Blocks that a registry calls globally reachable are listed as well where they never are receivers. Besides,
there are the addresses at which clouds serve metadata to their own machines, as these document them.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

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


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether an address is in none of the blocks. One that contains an IPv4 address is not public."""
    if isinstance(address, IPv4Address):
        return not any(address in block for block in _IPV4)
    if address.scope_id is not None or address not in _GLOBAL_UNICAST:
        return False
    return not any(address in block for block in _IPV6)
