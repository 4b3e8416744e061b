"""A web process behind a proxy: rate limits by client, metrics and log lines of refusals, and its end."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from service.bootstrap import build
from tests.service.conftest import settings_for
from tests.support.accounts import Accounts
from tests.support.front import RawClient, get
from tests.support.processes import wait_until
from tests.support.redis_kinds import RedisUrls
from tests.support.server import WebServer

DOCUMENT = "/api/v1/openapi.json"


@pytest.fixture
def proxied(web_redis_urls: RedisUrls, tmp_path: Path) -> Iterator[WebServer]:
    """A server that trusts the proxy 127.0.0.1 and takes two attempts to log in an hour."""
    settings = settings_for(web_redis_urls, tmp_path, rate_accounts="2/hour")
    environ = {"CARTULARY_TRUSTED_PROXIES": "127.0.0.1"}
    with WebServer(settings, environ=environ) as server:
        yield server


def port_of(server: WebServer) -> int:
    return int(server.url.rsplit(":", 1)[1])


def test_clients_behind_a_proxy_have_separate_limits(proxied: WebServer) -> None:
    body = {"handle": "nobody", "password": "long enough"}

    def log_in(forwarded: str, address: str = "127.0.0.1") -> int:
        transport = httpx.HTTPTransport(local_address=address)
        with httpx.Client(base_url=proxied.url, transport=transport) as client:
            headers = {"X-Forwarded-For": forwarded}
            return client.post("/api/v1/tokens", json=body, headers=headers).status_code

    assert [log_in("198.51.100.1") for _ in range(3)] == [401, 401, 429]
    # The client cannot choose its own address behind the proxy, nor on a connection of its own.
    assert log_in("203.0.113.9, 198.51.100.1") == 429
    assert log_in("[2001:db8:77::1]:4711") == 401
    assert log_in("2001:db8:77::2") == 401
    assert log_in("2001:db8:77::3, 127.0.0.1") == 429
    untrusted = [log_in(f"198.51.100.{number}", "127.0.0.77") for number in range(10, 13)]
    assert untrusted == [401, 401, 429]


def test_a_server_erases_players_again_before_it_serves_requests(
    web_redis_urls: RedisUrls, tmp_path: Path
) -> None:
    settings = settings_for(web_redis_urls, tmp_path)
    service = build(settings)
    player, _ = service.accounts.players.register("back-from-a-backup", "correct horse")
    (tmp_path / "erased-players").write_text(f"{player.id}\n")
    with WebServer(settings) as server:
        body = {"handle": player.handle, "password": "correct horse"}
        assert httpx.post(f"{server.url}/api/v1/tokens", json=body).status_code == 401
    assert service.accounts.players.get([player.id]) == [None]
    service.redis.close()


def test_refusals_of_the_front_are_counted_and_logged(proxied: WebServer) -> None:
    for data in (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/1.1\r\nA: " + b"b" * 20_000):
        with RawClient(port_of(proxied)) as client:
            client.send(data)
            (reply,) = client.replies()
            assert reply.headers["content-type"] == "application/problem+json"
    text = httpx.get(f"{proxied.url}/metrics").text
    assert 'cartulary_refused_total{reason="malformed"} 1.0' in text
    assert 'cartulary_refused_total{reason="headers_too_large"} 1.0' in text

    def refusals() -> set[tuple[str, int]]:
        lines = [json.loads(line) for line in proxied.lines() if '"requests refused' in line]
        return {(line["reason"], line["count"]) for line in lines}

    wait_until(lambda: refusals() == {("malformed", 1), ("headers_too_large", 1)})


def test_responses_that_are_being_sent_are_completed_when_the_process_stops(
    web_redis_urls: RedisUrls, tmp_path: Path
) -> None:
    with WebServer(settings_for(web_redis_urls, tmp_path)) as server:
        expected = httpx.get(server.url + DOCUMENT).content
        with (
            RawClient(port_of(server), receive_bytes=4096) as slow,
            RawClient(port_of(server)) as idle,
            ThreadPoolExecutor(1) as pool,
        ):
            idle.get("/healthz")
            assert idle.reply().status == 200
            # More than the buffers of the kernel take.
            slow.send(get(DOCUMENT) * 9)
            replies = [slow.reply()]
            stopping = pool.submit(server.stop)
            assert idle.is_closed()
            assert not stopping.done()
            replies += slow.replies()
            assert [reply.body == expected for reply in replies] == [True] * 9
            stopping.result()
        assert server.status == 0


def test_a_record_has_the_same_body_in_every_form(accounts: Accounts) -> None:
    game, _ = accounts.start_game()
    path = f"/api/v1/games/{game}/record"
    with RawClient(int(accounts.url.rsplit(":", 1)[1])) as client:
        client.get(path)
        chunked = client.reply()
        assert chunked.headers["transfer-encoding"] == "chunked"
        client.send(get(path).replace(b"GET", b"HEAD", 1))
        head = client.reply(is_head=True)
        assert (head.status, head.headers["content-type"]) == (200, "application/jsonl")
        # HTTP/1.0 has no chunks: the body ends with the connection.
        client.send(get(path).replace(b"HTTP/1.1", b"HTTP/1.0"))
        (plain,) = client.replies()
        assert "transfer-encoding" not in plain.headers
        assert plain.body == chunked.body
        assert chunked.body.endswith(b"}\n")
