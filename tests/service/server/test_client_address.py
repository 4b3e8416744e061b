"""The address of a client is that of the connection, or the one that trusted proxies name."""

import pytest

from service.server.client_address import TrustedProxies
from service.visitors import UNKNOWN

PROXIES = TrustedProxies(("10.0.0.0/8", "127.0.0.1", "::1", "2001:db8:1::/48"))


@pytest.mark.parametrize(
    ("address", "is_trusted"),
    [
        ("10.1.2.3", True),
        ("127.0.0.1", True),
        ("127.0.0.2", False),
        ("::1", True),
        ("::2", False),
        # The same proxy, if the server listens on `::`.
        ("::ffff:10.1.2.3", True),
        ("::ffff:11.1.2.3", False),
        ("2001:db8:1::7", True),
        ("", False),
        ("10.1.2", False),
    ],
)
def test_the_proxies_of_the_setting_are_trusted(address: str, is_trusted: bool) -> None:
    assert PROXIES.is_trusted(address) == is_trusted
    assert not TrustedProxies().is_trusted(address)


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        (["192.0.2.1"], "192.0.2.1"),
        # The client has sent the first address itself.
        (["198.51.100.9, 192.0.2.1"], "192.0.2.1"),
        (["198.51.100.9", "192.0.2.1"], "192.0.2.1"),
        # Behind two proxies.
        (["198.51.100.9, 192.0.2.1, 10.0.0.2"], "192.0.2.1"),
        (["192.0.2.1,10.0.0.2,::1"], "192.0.2.1"),
        # A client inside the network of the proxies.
        (["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        (["192.0.2.1:4711"], "192.0.2.1"),
        (["[2001:db8::1]:4711"], "2001:db8::1"),
        (["[2001:db8::1]"], "2001:db8::1"),
        (["2001:DB8::0001"], "2001:db8::1"),
        (["::ffff:192.0.2.1"], "192.0.2.1"),
        (["192.0.2.1, "], "192.0.2.1"),
        ([" , "], "10.0.0.1"),
        ([""], "10.0.0.1"),
        ([], "10.0.0.1"),
        # An address that cannot be read must not make the one before it, which anybody can send, believed.
        (["192.0.2.1, nonsense"], UNKNOWN),
        (["192.0.2.1, [nonsense]:1"], UNKNOWN),
        (["unknown"], UNKNOWN),
    ],
)
def test_the_client_is_the_last_address_that_is_not_a_trusted_proxy(
    forwarded: list[str], client: str
) -> None:
    headers = [(b"x-forwarded-for", value.encode()) for value in forwarded]
    assert PROXIES.client_of("10.0.0.1", headers) == (client, "http")
    # The header of a client that is no proxy is ignored.
    assert PROXIES.client_of("192.0.2.77", headers) == ("192.0.2.77", "http")


@pytest.mark.parametrize(
    ("values", "scheme"),
    [
        ([], "http"),
        ([b"https"], "https"),
        ([b"HTTPS"], "https"),
        ([b"http"], "http"),
        ([b"https, http"], "http"),
        ([b"http", b"https"], "https"),
        ([b"ftp"], "http"),
    ],
)
def test_the_scheme_is_the_one_that_the_last_proxy_names(values: list[bytes], scheme: str) -> None:
    headers = [(b"x-forwarded-proto", value) for value in values]
    assert PROXIES.client_of("10.0.0.1", headers) == ("10.0.0.1", scheme)
    assert PROXIES.client_of("192.0.2.1", headers) == ("192.0.2.1", "http")
