"""The address of a client behind reverse proxies that the operator trusts.

A proxy connects for all its clients, and names each in `X-Forwarded-For`. The header is believed only if the
connection comes from a trusted proxy, since anybody can send it.
"""

from collections.abc import Iterable, Sequence
from ipaddress import ip_address, ip_network


class TrustedProxies:
    """The proxies that may name their clients: networks such as `10.0.0.0/8`, or single addresses."""

    def __init__(self, networks: Iterable[str] = ()) -> None:
        self._networks = tuple(ip_network(network, strict=False) for network in networks)

    def is_trusted(self, address: str) -> bool:
        """Return whether connections from this address are those of a trusted proxy."""
        if not self._networks:
            return False
        try:
            parsed = ip_address(address)
        except ValueError:
            return False
        return any(parsed in network for network in self._networks)

    def client_of(self, peer: str, headers: Sequence[tuple[bytes, bytes]]) -> tuple[str, str]:
        """Return the address of the client and the scheme, `http` or `https`, with which it made its request.

        Each proxy appends the address that it was called from, so the client is the last address that does
        not belong to a trusted proxy.
        """
        if not self.is_trusted(peer):
            return peer, "http"
        hops = [
            hop.strip()
            for name, value in headers
            if name == b"x-forwarded-for"
            for hop in value.decode("latin-1").split(",")
        ]
        client = next((hop for hop in reversed(hops) if not self.is_trusted(hop)), peer)
        schemes = [value for name, value in headers if name == b"x-forwarded-proto"]
        return client, "https" if schemes and schemes[-1].strip() == b"https" else "http"
