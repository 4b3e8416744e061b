"""Client addresses: which of them belong to one network, and count as one visitor."""

import pytest

from service.visitors import UNKNOWN, network_of


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("::FFFF:c000:0201", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:0DB8:0001:0002::ffff", "2001:db8:1:2::/64"),
        ("::1", "::/64"),
        ("fe80::1%eth0", "fe80::/64"),
    ],
)
def test_an_address_belongs_to_an_ipv4_address_or_an_ipv6_network(
    address: str, network: str
) -> None:
    assert network_of(address) == network


def test_addresses_of_two_ipv6_networks_are_two_visitors() -> None:
    assert network_of("2001:db8::1") != network_of("2001:db8:0:1::1")
    assert network_of("192.0.2.1") != network_of("192.0.2.2")


@pytest.mark.parametrize(
    "address", ["", "unknown", "unix:", "192.0.2", "192.0.2.1:80", "[::1]", "a" * 5000]
)
def test_an_invalid_address_belongs_to_the_unknown_network(address: str) -> None:
    assert network_of(address) == UNKNOWN
