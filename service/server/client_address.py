"""The address of a client behind reverse proxies that the operator trusts.

A proxy connects for all of its clients, and names each in `X-Forwarded-For`. The header is used only if the
connection comes from a trusted proxy, since anybody can send it.
"""

import re
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

from service.visitors import UNKNOWN

_WITH_PORT: Final = re.compile(r"\[([^\]]*)\](?::\d+)?|([\d.]+):\d+")
"""An address in the form of a URL, as some proxies write it: `[2001:db8::1]:4711` or `192.0.2.1:4711`."""


class TrustedProxies:
    """The proxies that may name their clients: networks such as `10.0.0.0/8`, or single addresses."""

    def __init__(self, networks: Iterable[str] = ()) -> None:
        self._networks = tuple(ip_network(network, strict=False) for network in networks)

    def is_trusted(self, address: str) -> bool:
        """Return whether this is the address of a trusted proxy."""
        return bool(self._networks) and self._has(_parse(address))

    def client_of(self, peer: str, headers: Sequence[tuple[bytes, bytes]]) -> tuple[str, str]:
        """Return the address of the client and the scheme, `http` or `https`, with which it made its request.

        Each proxy appends the address that it was called from, so the client is the last address that does
        not belong to a trusted proxy, or the first one if all do. It is UNKNOWN if it is not an IP address.
        """
        if not self.is_trusted(peer):
            return peer, "http"
        client = peer
        for hop in reversed(_values(headers, b"x-forwarded-for")):
            address = _parse(hop)
            client = UNKNOWN if address is None else str(address)
            if not self._has(address):
                break
        schemes = _values(headers, b"x-forwarded-proto")
        return client, "https" if schemes and schemes[-1].lower() == "https" else "http"

    def _has(self, address: IPv4Address | IPv6Address | None) -> bool:
        return address is not None and any(address in network for network in self._networks)


def _values(headers: Sequence[tuple[bytes, bytes]], name: bytes) -> list[str]:
    """Return the elements of all headers with a name, whose values are lists separated by commas."""
    elements = [
        element.strip()
        for key, value in headers
        if key == name
        for element in value.decode("latin-1").split(",")
    ]
    return [element for element in elements if element]


def _parse(text: str) -> IPv4Address | IPv6Address | None:
    """Return an IP address, without a port; None if the text is not an address.

    An IPv4 address that is mapped to IPv6 (`::ffff:192.0.2.1`) is returned as the IPv4 address.
    """
    match = _WITH_PORT.fullmatch(text)
    if match is not None:
        text = match[1] or match[2] or ""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
