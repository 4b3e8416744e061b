"""Receivers: which addresses this server posts to on behalf of players."""

import pytest

from service.notifications.webhooks.receivers import InvalidUrl, Receivers
from tests.support.faults import raises

FORBIDDEN = [
    "0.0.0.0",  # noqa: S104 # nothing is bound here
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.9.9.9",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.1",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:93.184.216.34",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2001::1",
    "2001:db8::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "not an address",
]


@pytest.mark.parametrize("address", FORBIDDEN)
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    assert not Receivers().allows(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:2800:220:1::1"])
def test_a_public_address_is_allowed(address: str) -> None:
    assert Receivers().allows(address)


def test_a_setting_allows_networks() -> None:
    receivers = Receivers(["10.0.0.0/8", "::1"])
    assert receivers.allows("10.1.2.3")
    assert receivers.allows("::1")
    assert not receivers.allows("127.0.0.1")
    assert not receivers.allows("::ffff:10.1.2.3")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "ftp://example.org/",
        "file:///etc/passwd",
        "http://",
        "http:///path",
        "http://[::1",
        "http://example.org:0/",
        "http://example.org:99999/",
        "http://exa mple.org/",
        "http://example.org/\r\nHost: other",
        "http://ada:secret@example.org/",
        "http://example.org/#fragment",
        "http://bücher.example/",
        "http://127.0.0.1/",
        "http://[::ffff:127.0.0.1]/",
        "http://169.254.169.254/latest/meta-data/",
        "https://example.org/" + "x" * 1000,
    ],
)
def test_an_invalid_url_of_a_receiver_is_refused(url: str) -> None:
    with raises(InvalidUrl, match="^must "):
        Receivers().check_url(url)


def test_a_url_is_accepted_without_resolving_its_name() -> None:
    for url in ("https://example.org/games?a=b", "http://example.org:8080", "http://8.8.8.8/"):
        Receivers().check_url(url)
