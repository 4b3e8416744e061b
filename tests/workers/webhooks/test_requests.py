"""Requests to receivers that players name: the address is checked on every attempt, and time is limited."""

import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from replay.language.renderer import english
from service.notifications.webhooks.receivers import Receivers
from tests.support.faults import raises
from tests.support.mail_server import make_certificate
from tests.support.processes import HANG_SECONDS, idle_at_most
from tests.support.receiver import raw_receiver, webhook_receiver
from workers.webhooks.requests import NoResponse, ReceiverRequests

LOCAL = Receivers(["127.0.0.0/8"])


def resolve_to(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[str]:
    """Have every name resolve to these addresses; the value lists the names that were resolved."""
    names: list[str] = []

    def getaddrinfo(host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        names.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (item, port)) for item in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return names


def test_the_name_is_resolved_once_and_the_host_header_has_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with webhook_receiver() as receiver:
        port = receiver.url.rpartition(":")[2].partition("/")[0]
        names = resolve_to(monkeypatch, "127.0.0.1")
        url = f"http://hook.example.org:{port}/notes?a=b"
        assert ReceiverRequests(LOCAL, HANG_SECONDS).post(url, b"{}", {"webhook-id": "1"}) == 204
        assert names == ["hook.example.org"]
        (request,) = receiver.requests
        assert request.headers["host"] == f"hook.example.org:{port}"
        assert request.headers["webhook-id"] == "1"


def test_a_name_that_resolves_into_the_network_is_refused_on_every_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with webhook_receiver() as receiver:
        port = receiver.url.rpartition(":")[2].partition("/")[0]
        for address in ("127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1"):
            names = resolve_to(monkeypatch, address)
            with raises(NoResponse, match=r"^hook\.example\.org is in a network to which nothing"):
                ReceiverRequests(Receivers(), HANG_SECONDS).post(
                    f"http://hook.example.org:{port}/", b"", {}
                )
            assert len(names) == 1
        assert receiver.requests == []


def test_of_several_addresses_one_that_is_allowed_is_connected_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with webhook_receiver() as receiver:
        port = receiver.url.rpartition(":")[2].partition("/")[0]
        resolve_to(monkeypatch, "10.0.0.1", "127.0.0.1")
        requests = ReceiverRequests(Receivers(["127.0.0.1"]), HANG_SECONDS)
        assert requests.post(f"http://hook.example.org:{port}/", b"{}", {}) == 204


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with webhook_receiver() as receiver:
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
        monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
        url = receiver.url.replace("somebody:secret-word@", "")
        assert ReceiverRequests(LOCAL, HANG_SECONDS).post(url, b"{}", {}) == 204


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status: int) -> None:
    with webhook_receiver() as receiver, webhook_receiver() as other:
        receiver.statuses.append(status)
        receiver.location = other.url
        url = receiver.url.replace("somebody:secret-word@", "")
        assert ReceiverRequests(LOCAL, HANG_SECONDS).post(url, b"{}", {}) == status
        assert other.requests == []


@pytest.mark.parametrize("host", ["999.1.1.1", "xn--a.example.org"])
def test_a_host_that_cannot_exist_is_a_receiver_that_does_not_respond(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve_to(monkeypatch, "10.0.0.1")
    url = f"http://{host}/"
    Receivers().check_url(url)
    with raises(NoResponse, match="(does not respond|is in a network)"):
        ReceiverRequests(Receivers(), HANG_SECONDS).post(url, b"", {})


def respond_after_a_minute(connection: socket.socket) -> None:
    for _ in range(600):
        connection.sendall(b"X")
        time.sleep(0.1)


def trickle_headers(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for number in range(600):
        connection.sendall(b"X-%d: slow\r\n" % number)
        time.sleep(0.05)


def never_answer(connection: socket.socket) -> None:
    while connection.recv(65536):
        pass


@pytest.mark.parametrize("respond", [respond_after_a_minute, trickle_headers, never_answer])
def test_the_time_for_a_request_is_limited(respond: Callable[[socket.socket], None]) -> None:
    with raw_receiver(respond) as url:
        with (
            idle_at_most(1.5),
            raises(NoResponse, match=r"^127\.0\.0\.1 does not respond") as error,
        ):
            ReceiverRequests(LOCAL, 0.2).post(
                url.replace("somebody:secret-word@", "") + "?key=hidden", b"{}", {}
            )
        assert "hidden" not in english(error.value.message)


def test_a_slow_resolution_of_the_name_counts_towards_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: time.sleep(0.5))
    with raises(NoResponse, match=r"^slow\.example does not respond"):
        ReceiverRequests(LOCAL, 0.1).post("https://slow.example/", b"{}", {})


def test_a_certificate_must_be_valid_for_the_name_and_not_for_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = make_certificate(tmp_path / "hook.pem", "hook.example.org", "192.0.2.1")
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate)
    client = ssl.create_default_context(cafile=str(certificate))

    def respond(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(HANG_SECONDS)

        def serve() -> None:
            for _ in range(2):
                raw, _address = listener.accept()
                with suppress(OSError), server.wrap_socket(raw, server_side=True) as connection:
                    received = b""
                    # Data that is left unread would reset the connection.
                    while not received.endswith(b"{}"):
                        received += connection.recv(65536)
                    respond(connection)
                raw.close()

        thread = Thread(target=serve, daemon=True)
        thread.start()
        port = listener.getsockname()[1]
        resolve_to(monkeypatch, "127.0.0.1")
        requests = ReceiverRequests(LOCAL, HANG_SECONDS, client)
        assert requests.post(f"https://hook.example.org:{port}/", b"{}", {}) == 204
        with raises(NoResponse, match="certificate"):
            requests.post(f"https://other.example.org:{port}/", b"{}", {})
        thread.join()
