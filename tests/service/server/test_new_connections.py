"""How many connections a network may open in a second, and what becomes of the others."""

import time
from collections.abc import Iterable

import pytest

from service.bounds import Bounds
from service.http.access_log import Metrics
from service.server import new_connections
from service.server.new_connections import MAX_NETWORKS, NewConnections
from service.server.refusals import Refusals
from tests.service.conftest import settings_for
from tests.support.accounts import Accounts, take_turn
from tests.support.front import Front, RawClient, get
from tests.support.processes import wait_until
from tests.support.redis_kinds import RedisUrls
from tests.support.server import WebServer

ADDRESS = "192.0.2.1"


class Buckets(NewConnections):
    """Buckets whose clock a test moves on."""

    def __init__(self, *, most: int = 3, per_second: int = 10, proxies: Iterable[str] = ()) -> None:
        self.now = 1_000_000.0
        bounds = Bounds(max_new_connections_per_address=most, new_connections_per_second=per_second)
        super().__init__(
            bounds, Refusals(Metrics()), frozenset(proxies).__contains__, lambda: self.now
        )

    def admitted(self, number: int, address: str = ADDRESS) -> int:
        """Return how many of this number of connections from an address are admitted."""
        return sum(self.admit(address) for _ in range(number))


class TestBuckets:
    @pytest.mark.parametrize(("most", "per_second"), [(1, 1), (3, 7), (600, 100), (1000, 3)])
    def test_a_network_opens_a_burst_of_connections_and_then_at_its_rate(
        self, most: int, per_second: int
    ) -> None:
        buckets = Buckets(most=most, per_second=per_second)
        assert buckets.admitted(most + 50) == most
        buckets.now += 1
        assert buckets.admitted(most + 50) == min(most, per_second)
        # A bucket never holds more than when it was new, however long nothing has come.
        buckets.now += 1_000_000
        assert buckets.admitted(most + 50) == most

    def test_refused_connections_take_nothing(self) -> None:
        buckets = Buckets(most=3, per_second=10)
        buckets.admitted(1_000)
        buckets.now += 0.1
        assert buckets.admitted(1_000) == 1

    def test_networks_have_separate_buckets(self) -> None:
        buckets = Buckets(most=3)
        assert buckets.admitted(9) == 3
        assert buckets.admitted(9, "192.0.2.2") == 3

    @pytest.mark.parametrize(
        "other", ["2001:db8:0:1:ffff::9", "2001:db8:0:1::1%eth0"], ids=["prefix", "interface"]
    )
    def test_the_addresses_of_an_ipv6_prefix_share_a_bucket(self, other: str) -> None:
        buckets = Buckets(most=3)
        assert buckets.admitted(3, "2001:db8:0:1::1") == 3
        assert buckets.admitted(1, other) == 0
        assert buckets.admitted(3, "2001:db8:0:2::1") == 3

    def test_an_ipv4_address_that_is_mapped_to_ipv6_is_the_same_network(self) -> None:
        buckets = Buckets(most=3)
        assert buckets.admitted(3, f"::ffff:{ADDRESS}") == 3
        assert buckets.admitted(1) == 0

    @pytest.mark.parametrize("proxy", [ADDRESS, "2001:db8::7"])
    def test_a_proxy_may_open_any_number(self, proxy: str) -> None:
        buckets = Buckets(most=1, proxies=[proxy])
        assert buckets.admitted(500, proxy) == 500

    def test_buckets_take_a_bounded_memory_and_those_in_use_are_kept(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(new_connections, "MAX_NETWORKS", 100)
        buckets = Buckets(most=3)
        assert buckets.admitted(3) == 3
        for number in range(1_000):
            assert buckets.admit(f"10.0.{number // 250}.{number % 250}")
            # A network that is refused again and again keeps its empty bucket.
            assert not buckets.admit(ADDRESS)
        assert len(buckets) == 100

    def test_the_bound_on_memory_leaves_room_for_many_networks(self) -> None:
        assert MAX_NETWORKS >= 1_000


class TestFront:
    def test_a_connection_beyond_the_bucket_is_reset_and_others_are_served(self) -> None:
        with (
            Front(max_new_connections_per_address=2, new_connections_per_second=1) as front,
            RawClient(front.port, "127.0.0.2") as first,
            RawClient(front.port, "127.0.0.2") as second,
        ):
            with pytest.raises(ConnectionResetError), RawClient(front.port, "127.0.0.2") as third:
                third.read_until_reset()
            with RawClient(front.port, "127.0.0.3") as other:
                for client in (first, second, other):
                    client.get("/echo")
                    assert client.reply().status == 200
            assert front.refused("too_many_new_connections") == 1
            assert len(front.table) <= 3

    def test_a_proxy_is_exempt(self) -> None:
        with Front(proxies=("127.0.0.2",), max_new_connections_per_address=1) as front:
            for _ in range(20):
                with RawClient(front.port, "127.0.0.2") as client:
                    client.get("/echo")
                    assert client.reply().status == 200


@pytest.mark.parametrize("processes", [1, 2])
def test_a_web_process_resets_what_one_address_opens_too_quickly(
    web_redis_urls: RedisUrls, tmp_path_factory: pytest.TempPathFactory, processes: int
) -> None:
    settings = settings_for(web_redis_urls, tmp_path_factory.mktemp("gate"))
    environ = {
        "CARTULARY_MAX_NEW_CONNECTIONS_PER_ADDRESS": "20",
        "CARTULARY_NEW_CONNECTIONS_PER_SECOND": "1",
    }
    attacker = "127.0.0.2"
    with WebServer(settings, processes=processes, environ=environ) as server:
        port = int(server.url.rsplit(":", 1)[1])
        accounts = Accounts(server.url)
        game = accounts.start_game()
        started = time.monotonic()
        attempts, served = 400, 0
        for _ in range(attempts):
            served += is_served(port, attacker)
        seconds = time.monotonic() - started
        assert 20 <= served <= processes * (21 + seconds)
        with RawClient(port, "127.0.0.3") as other:
            other.get("/healthz")
            assert other.reply().status == 200
            other.get("/metrics")
            lines = other.reply().body.decode().splitlines()
        name = 'cartulary_refused_total{reason="too_many_new_connections"} '
        counted = [line.removeprefix(name) for line in lines if line.startswith(name)]
        assert sum(map(float, counted)) == attempts - served
        take_turn(*game)
        accounts.close()
        # It may connect again as soon as a bucket has a token.
        wait_until(lambda: is_served(port, attacker))


def is_served(port: int, address: str) -> bool:
    """Return whether a request on a new connection is served."""
    try:
        with RawClient(port, address) as client:
            client.send(get("/healthz"))
            return client.reply().status == 200
    except (AssertionError, ConnectionError):
        return False
