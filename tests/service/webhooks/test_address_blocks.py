"""Which addresses are public does not depend on the interpreter: every block, its edges, its neighbours."""

import ipaddress
from ipaddress import ip_address, ip_network

import pytest

from service.notifications.webhooks.receivers import Receivers

BLOCKS = {
    # block: whether the addresses before and after it are public
    "0.0.0.0/8": (None, True),
    "10.0.0.0/8": (True, True),
    "100.64.0.0/10": (True, True),
    "127.0.0.0/8": (True, True),
    "169.254.0.0/16": (True, True),
    "172.16.0.0/12": (True, True),
    "192.0.0.0/24": (True, True),
    "192.0.2.0/24": (True, True),
    "192.31.196.0/24": (True, True),
    "192.52.193.0/24": (True, True),
    "192.88.99.0/24": (True, True),
    "192.168.0.0/16": (True, True),
    "192.175.48.0/24": (True, True),
    "198.18.0.0/15": (True, True),
    "198.51.100.0/24": (True, True),
    "203.0.113.0/24": (True, True),
    "224.0.0.0/4": (True, False),
    "240.0.0.0/4": (False, None),
    "168.63.129.16/32": (True, True),
    "::/8": (None, False),
    "::ffff:0:0/96": (False, False),
    "64:ff9b::/96": (False, False),
    "64:ff9b:1::/48": (False, False),
    "100::/64": (False, False),
    "1000::/4": (False, True),
    "2001::/23": (True, True),
    "2001:db8::/32": (True, True),
    "2002::/16": (True, True),
    "2620:4f:8000::/48": (True, True),
    "3fff::/20": (True, True),
    "4000::/2": (True, False),
    "5f00::/16": (False, False),
    "fc00::/7": (False, False),
    "fe80::/10": (False, False),
    "fec0::/10": (False, False),
    "ff00::/8": (False, None),
}
METADATA = (
    *("169.254.169.254", "169.254.170.2", "168.63.129.16", "100.100.100.200", "192.0.0.192"),
    *("fd00:ec2::254", "fd20:ce::254", "fe80::a9fe:a9fe", "64:ff9b::a9fe:a9fe"),
)
PRIVATE_IPV4 = (127 << 24) + 1
EMBEDDED = (
    f"::ffff:{ip_address(PRIVATE_IPV4)}",
    f"::{ip_address(PRIVATE_IPV4)}",
    f"64:ff9b::{ip_address(PRIVATE_IPV4)}",
    "64:ff9b:1:7f00:0:100::",
    "2002:7f00:1::1",
    f"2001:0:4136:e378:8000:63bf:{(~PRIVATE_IPV4 >> 16) & 0xFFFF:x}:{~PRIVATE_IPV4 & 0xFFFF:x}",
)


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_is_refused_from_its_first_address_to_its_last_and_no_further(block: str) -> None:
    network = ip_network(block)
    receivers = Receivers()
    middle = network[network.num_addresses // 2]
    for address in (network[0], middle, network[-1]):
        assert not receivers.allows(str(address)), address
    before, after = BLOCKS[block]
    for neighbour, is_public in ((int(network[0]) - 1, before), (int(network[-1]) + 1, after)):
        if is_public is not None:
            address = type(network[0])(neighbour)
            assert receivers.allows(str(address)) is is_public, address


@pytest.mark.parametrize("address", [*METADATA, *EMBEDDED])
def test_metadata_and_embedded_addresses_are_refused(address: str) -> None:
    assert not Receivers().allows(address)
    host = f"[{address}]" if ":" in address else address
    with pytest.raises(Exception, match="private network"):
        Receivers().check_url(f"http://{host}/latest/meta-data/")


def test_the_interpreter_has_no_say(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (ipaddress.IPv4Address, ipaddress.IPv6Address):
        for name in ("is_global", "is_private", "is_reserved", "is_link_local", "is_multicast"):
            monkeypatch.setattr(kind, name, property(lambda _: pytest.fail("was asked")))
    assert Receivers().allows("93.184.216.34")
    assert Receivers().allows("2606:2800:220:1::1")
    assert not Receivers().allows("192.0.0.192")
